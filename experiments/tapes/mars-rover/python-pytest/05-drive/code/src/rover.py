from compass import turn
from motion import step


def drive(position, heading, commands, size, obstacles):
    for command in commands:
        if command in "LR":
            heading = turn(heading, command)
        else:
            x, y = step(position, heading, command)
            position = x % size[0], y % size[1]
    return position, heading, None
