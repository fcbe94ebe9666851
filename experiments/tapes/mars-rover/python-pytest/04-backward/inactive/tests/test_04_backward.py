import pytest


@pytest.mark.skip(reason="on the test list")
def test_backward_keeps_the_heading_and_goes_one_point_back():
    pass
