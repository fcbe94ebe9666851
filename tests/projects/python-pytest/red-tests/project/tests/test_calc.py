import pytest

from calc import add, sign


@pytest.fixture
def broken():
    raise RuntimeError("no fixture today")


def test_add():
    assert add(1, 2) == 3


def test_sign():
    assert sign(5) == 1


def test_with_a_broken_fixture(broken):
    assert True


@pytest.mark.skip(reason="later")
def test_later():
    assert sign(-5) == -1


@pytest.mark.xfail
def test_known_fault():
    assert add(0, 1) == 1
