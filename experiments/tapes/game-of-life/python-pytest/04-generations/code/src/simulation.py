from life import next_generation


def evolve(cells, generations):
    for _ in range(generations):
        cells = next_generation(cells)
    return cells
