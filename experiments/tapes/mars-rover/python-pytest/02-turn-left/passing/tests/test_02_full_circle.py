from compass import turn


def test_four_left_turns_are_a_full_circle():
    heading = "S"
    for _ in range(4):
        heading = turn(heading, "L")
    assert heading == "S"
