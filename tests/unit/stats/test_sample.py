import math

import pytest
from lab.stats.sample import deviation, geometric_mean, mean, quantile, rounded


def test_ten_tenths_have_the_mean_one_tenth_on_every_python():
    assert mean([0.1] * 9 + [0.1]) == 0.1
    assert mean([0.1, 0.2, 0.3]) == math.fsum([0.1, 0.2, 0.3]) / 3


def test_values_at_both_ends_of_the_float_range_do_not_overflow_or_vanish():
    assert mean([1e308, 1e308, 1.6e308]) == pytest.approx(1.2e308)
    assert deviation([1e308, 1.2e308, 1.4e308]) == pytest.approx(0.2e308)
    assert deviation([1e-320, 3e-320, 5e-320]) == pytest.approx(2e-320, rel=1e-3)
    assert mean([1e-320, 3e-320]) == pytest.approx(2e-320, rel=1e-3)


def test_a_spread_beyond_the_float_range_is_unknown():
    assert deviation([-1.7e308, 1.7e308]) is None


def test_equal_values_have_exactly_no_spread():
    assert deviation([0.1] * 7) == 0.0
    assert mean([0.1] * 7) == 0.1


def test_one_value_has_no_spread():
    assert deviation([4]) is None


def test_the_sample_deviation_divides_by_n_minus_one():
    assert deviation([2, 4, 4, 4, 5, 5, 7, 9]) == pytest.approx(2.13808993529939, rel=1e-14)


def test_integers_beyond_two_to_the_53_keep_their_mean():
    assert mean([2**60, 2**60 + 4096]) == float(2**60 + 2048)


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        ([3], 0.5, 3),
        ([1, 2], 0.5, 1.5),
        ([1, 2, 3], 0.5, 2),
        ([1, 2, 3, 4], 0.25, 1.75),
        ([1e308, 1.5e308], 0.5, 1.25e308),
        ([2**60 + 1, 2**60 + 1], 0.5, 2**60 + 1),
    ],
)
def test_quantiles_interpolate_and_keep_integers_where_they_can(values, share, expected):
    assert quantile(values, share) == expected


def test_the_geometric_mean_needs_values_above_zero():
    assert geometric_mean([1, 100]) == pytest.approx(10)
    assert geometric_mean([0, 100]) is None
    assert geometric_mean([5, 5, 5]) == 5.0


@pytest.mark.parametrize(
    ("value", "expected"),
    [(-0.0, "0.0"), (1 / 3, "0.333333333333"), (1e-320, "1e-320"), (2.0**70, "1.18059162072e+21")],
)
def test_rounding_keeps_twelve_digits_and_no_negative_zero(value, expected):
    assert repr(rounded(value)) == expected
