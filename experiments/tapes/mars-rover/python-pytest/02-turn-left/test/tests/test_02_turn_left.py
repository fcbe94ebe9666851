from compass import turn


def test_a_left_turn_from_north_faces_west():
    assert turn("N", "L") == "W"
