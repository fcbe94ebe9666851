RIGHT = {"N": "E", "E": "S", "S": "W", "W": "N"}
LEFT = {"N": "S", "S": "N", "W": "E", "E": "W"}


def turn(heading, command):
    return RIGHT[heading] if command == "R" else LEFT[heading]
