from compass import turn


def test_a_right_turn_from_north_faces_east():
    assert turn("N", "R") == "E"
