import pytest

from machine import Machine, primes, size


def test_push_and_add():
    assert Machine().run(["push 1", "push 2", "add"]) == 3


def test_drop_everything():
    assert Machine().run(["push 1", "drop x"]) is None


def test_unknown():
    with pytest.raises(ValueError):
        Machine().run(["jump"])


@pytest.mark.parametrize("limit, expected", [(3, [2]), (8, [2, 3, 5, 7])])
def test_primes(limit, expected):
    assert primes(limit) == expected


def test_size():
    assert size("short") == "short"
