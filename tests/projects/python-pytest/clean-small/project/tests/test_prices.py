from prices import gross, total


def test_gross_adds_the_tax():
    assert gross(10) == 12


def test_total_of_nothing():
    assert total([]) == 0


def test_total_adds_up():
    assert total([10, 20]) == 36
