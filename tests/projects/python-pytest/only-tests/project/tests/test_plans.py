"""Plans."""


def test_arithmetic():
    assert 1 + 1 == 2


def test_text():
    # TODO: more
    assert "a".upper() == "A"
