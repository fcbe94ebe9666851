from life import next_generation

BLOCK = {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_a_block_survives():
    assert next_generation(BLOCK) == BLOCK
