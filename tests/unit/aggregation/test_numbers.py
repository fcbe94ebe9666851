import pytest
from lab.aggregation.numbers import percent, readable, share


@pytest.mark.parametrize(
    ("value", "spread", "expected"),
    [
        (None, None, "n/a"),
        (0, None, "0"),
        (3, 1.5, "3"),
        (12, None, "12"),
        (12.0, 1.58, "12.0"),
        (106.5, 4.7, "106.5"),
        (0.93333, 0.0421, "0.933"),
        (0.93333, None, "0.933"),
        (61.2345, 12.3, "61"),
        (61.2345, 0.012, "61.234"),
        (4.0, 0.0, "4"),
        (30_505.9, 0.38, "30.51k"),
        (1234.5678, 0.01, "1234.6"),
        (0.0, 0.38, "0.00"),
        (2_561_890, 310_000.0, "2.56M"),
        (2_561_890.4, None, "2.56M"),
        (12_345, 900.0, "12.35k"),
        (9_999, None, "9999"),
        (310_000.0, 310_000.0, "310k"),
        (0.0123, None, "0.0123"),
        (-5.5, 1.2, "-5.5"),
        (1e308, None, "1.00·10^308"),
        (1e-320, None, "1.00·10^-320"),
        (2**60, None, "1.15·10^18"),
    ],
)
def test_numbers_show_the_digits_that_the_spread_supports(value, spread, expected):
    assert readable(value, spread) == expected


def test_no_number_ever_shows_a_computers_exponent():
    shown = [readable(10.0**power, 10.0 ** (power - 2)) for power in range(-300, 300)]
    assert [text for text in shown if "e" in text] == []


def test_shares_of_small_groups_have_no_decimals():
    assert share(2, 3) == "67 %"
    assert share(1, 200) == "0.5 %"
    assert share(0, 0) == "n/a"
    assert percent(None, 0) == "n/a"
