from life import next_generation


def test_a_row_of_three_turns_upright():
    assert next_generation({(0, 1), (1, 1), (2, 1)}) == {(1, 0), (1, 1), (1, 2)}
