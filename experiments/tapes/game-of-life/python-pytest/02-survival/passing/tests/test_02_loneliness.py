from life import next_generation


def test_a_lonely_cell_dies():
    assert next_generation({(4, 4)}) == set()
