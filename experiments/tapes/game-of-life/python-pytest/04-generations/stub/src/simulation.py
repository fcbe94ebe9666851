def evolve(cells, generations):
    return None
