from maths import double


def test_one():
    assert double(1) == 2


def test_two():
    assert double(2) == 4
