from collections import Counter

AROUND = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
BIRTH = 3
SURVIVAL = (2, 3)


def next_generation(cells):
    counts = Counter((x + dx, y + dy) for x, y in cells for dx, dy in AROUND)
    return {cell for cell, count in counts.items() if lives(count, cell in cells)}


def lives(count, is_alive):
    return count in SURVIVAL if is_alive else count == BIRTH
