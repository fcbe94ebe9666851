from order import best, check, price


def test_a_plain_order():
    assert price(1, 2, "red", "x", "de") == 2


def test_best_of_nothing():
    assert best() is None


def test_check():
    assert check(1)  # TODO more kinds
