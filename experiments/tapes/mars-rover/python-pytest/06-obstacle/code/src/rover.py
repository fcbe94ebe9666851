from compass import turn
from motion import step


def drive(position, heading, commands, size, obstacles):
    for command in commands:
        if command in "LR":
            heading = turn(heading, command)
        else:
            x, y = step(position, heading, command)
            target = x % size[0], y % size[1]
            if target in obstacles:
                return position, heading, target
            position = target
    return position, heading, None
