from motion import step


def test_forward_goes_one_point_ahead():
    assert step((2, 2), "N", "F") == (2, 3)
