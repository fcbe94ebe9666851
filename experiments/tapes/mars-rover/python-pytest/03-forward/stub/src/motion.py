def step(position, heading, command):
    return None
