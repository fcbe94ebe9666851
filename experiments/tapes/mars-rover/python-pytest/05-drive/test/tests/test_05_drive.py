from rover import drive


def test_a_rover_drives_over_the_edge_of_the_map():
    assert drive((0, 4), "N", "FRF", (3, 5), set()) == ((1, 0), "E", None)
