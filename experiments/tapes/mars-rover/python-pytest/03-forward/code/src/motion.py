def step(position, heading, command):
    x, y = position
    if heading == "N":
        return x, y + 1
    if heading == "S":
        return x, y - 1
    if heading == "E":
        return x + 1, y
    return x - 1, y
