def next_generation(cells):
    return {cell for cell in cells if live_neighbours(cell, cells) == 2}


def live_neighbours(cell, cells):
    x, y = cell
    around = [(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
    return sum(neighbour in cells for neighbour in around)
