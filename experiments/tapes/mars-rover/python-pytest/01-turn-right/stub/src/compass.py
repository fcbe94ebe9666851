def turn(heading, command):
    return None
