RIGHT = {"N": "E", "E": "S", "S": "W", "W": "N"}
LEFT = {"N": "W", "W": "S", "S": "E", "E": "N"}


def turn(heading, command):
    return RIGHT[heading] if command == "R" else LEFT[heading]
