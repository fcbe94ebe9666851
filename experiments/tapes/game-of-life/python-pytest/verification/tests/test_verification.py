from simulation import evolve

GLIDER = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}


def test_a_glider_moves_by_one_cell_in_four_generations():
    assert evolve(GLIDER, 4) == {(x + 1, y + 1) for x, y in GLIDER}
