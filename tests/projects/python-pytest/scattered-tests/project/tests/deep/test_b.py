import pytest
from calc import one


class TestOne:
    @pytest.mark.parametrize("number", [1, 1, 1])
    def test_it(self, number):
        print("===== 100 passed, 99 failed in 0.01s =====")
        assert one() == number

    def test_it_again(self):
        text = "it( test( def test_three(): @Test"
        assert text
