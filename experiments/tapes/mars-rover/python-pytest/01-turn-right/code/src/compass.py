def turn(heading, command):
    return {"N": "E", "E": "S", "S": "W", "W": "N"}[heading]
