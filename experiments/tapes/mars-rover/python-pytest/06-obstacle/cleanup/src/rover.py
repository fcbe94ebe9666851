from compass import turn
from motion import step


def drive(position, heading, commands, size, obstacles):
    for command in commands:
        if command in "LR":
            heading = turn(heading, command)
            continue
        target = wrap(step(position, heading, command), size)
        if target in obstacles:
            return position, heading, target
        position = target
    return position, heading, None


def wrap(point, size):
    return point[0] % size[0], point[1] % size[1]
