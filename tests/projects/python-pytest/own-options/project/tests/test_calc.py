from calc import one


def test_one():
    assert one() == 1


def test_again():
    assert one() == 1
