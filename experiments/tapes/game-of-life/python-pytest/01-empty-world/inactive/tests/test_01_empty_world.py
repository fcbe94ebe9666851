import pytest


@pytest.mark.skip(reason="on the test list")
def test_an_empty_world_stays_empty():
    pass
