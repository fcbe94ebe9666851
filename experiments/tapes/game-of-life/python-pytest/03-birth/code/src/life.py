def next_generation(cells):
    survivors = {cell for cell in cells if live_neighbours(cell, cells) in (2, 3)}
    candidates = {neighbour for cell in cells for neighbour in neighbours(cell)} - set(cells)
    born = {cell for cell in candidates if live_neighbours(cell, cells) == 3}
    return survivors | born


def live_neighbours(cell, cells):
    return sum(neighbour in cells for neighbour in neighbours(cell))


def neighbours(cell):
    x, y = cell
    return [(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
