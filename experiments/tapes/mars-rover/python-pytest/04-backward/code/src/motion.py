AHEAD = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}


def step(position, heading, command):
    (x, y), (dx, dy) = position, AHEAD[heading]
    return (x + dx, y + dy) if command == "F" else (x - dx, y - dy)
