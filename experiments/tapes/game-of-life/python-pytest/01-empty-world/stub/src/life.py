def next_generation(cells):
    return None
