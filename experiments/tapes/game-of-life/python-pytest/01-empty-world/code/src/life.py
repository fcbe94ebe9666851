def next_generation(cells):
    return set()
