from good import one


def test_one():
    assert one() == 1
