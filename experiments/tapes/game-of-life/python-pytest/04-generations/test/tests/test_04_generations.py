from simulation import evolve


def test_three_generations_turn_a_row_upright():
    assert evolve({(0, 1), (1, 1), (2, 1)}, 3) == {(1, 0), (1, 1), (1, 2)}
