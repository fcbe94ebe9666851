from motion import step


def test_backward_keeps_the_heading_and_goes_one_point_back():
    assert step((2, 2), "E", "B") == (1, 2)
