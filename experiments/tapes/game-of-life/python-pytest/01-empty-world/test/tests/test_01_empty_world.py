from life import next_generation


def test_an_empty_world_stays_empty():
    assert next_generation(set()) == set()
