def drive(position, heading, commands, size, obstacles):
    return None
