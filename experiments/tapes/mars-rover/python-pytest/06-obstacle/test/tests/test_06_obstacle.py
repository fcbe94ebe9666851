from rover import drive


def test_an_obstacle_ends_the_drive():
    assert drive((0, 0), "N", "FFRF", (5, 5), {(0, 2)}) == ((0, 1), "N", (0, 2))
