from rover import drive


def test_backward_over_two_edges_meets_an_obstacle():
    assert drive((0, 0), "N", "BRB", (3, 3), {(2, 2)}) == ((0, 2), "E", (2, 2))
