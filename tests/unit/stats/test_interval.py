import math

import pytest
from builders.metrics import metric_row
from lab.domain.metric import Kind, Scale
from lab.stats.interval import NO_SPREAD, of_values, pooled, wilson

LINEAR = metric_row("code_mass")
LOG = metric_row("tokens_total", scale=Scale.LOG)
FRACTION = metric_row("verification_pct", kind=Kind.FRACTION, scale=Scale.BOUNDED, unit="fraction")


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        (3, 3, 0.439, 1),
        (0, 3, 0, 0.561),
        (4, 5, 0.376, 0.964),
        (5, 5, 0.566, 1),
        (10, 10, 0.722, 1),
    ],
    ids=lambda value: str(value),
)
def test_wilson_agrees_with_the_vectors_of_the_design(hits, n, low, high):
    interval = wilson(hits, n)
    assert (round(interval.low, 3), round(interval.high, 3)) == (low, high)
    assert (interval.of, interval.method) == ("rate", "wilson")


def test_wilson_agrees_with_statsmodels():
    from statsmodels.stats.proportion import proportion_confint

    for n in (1, 2, 7, 40):
        for hits in range(n + 1):
            interval = wilson(hits, n)
            assert (interval.low, interval.high) == pytest.approx(
                proportion_confint(hits, n, method="wilson"), abs=1e-8
            )


def test_the_t_interval_agrees_with_scipy():
    from scipy import stats

    values = [3.5, 4.25, 9.0, 2.0, 5.5]
    expected = stats.t.interval(0.95, 4, loc=5.5 * 0 + sum(values) / 5, scale=stats.sem(values))
    interval = of_values(LINEAR, values)
    assert (interval.low, interval.high) == pytest.approx(expected, rel=1e-8)
    assert (interval.of, interval.method, interval.note) == ("mean", "t", None)


@pytest.mark.parametrize(("n", "width"), [(3, 2.48), (5, 1.24), (10, 0.72)])
def test_half_widths_in_deviations_are_those_of_the_design(n, width):
    values = list(range(n))
    deviation = math.sqrt(sum((value - (n - 1) / 2) ** 2 for value in values) / (n - 1))
    interval = of_values(LINEAR, values)
    assert (interval.high - interval.low) / 2 / deviation == pytest.approx(width, abs=0.006)


def test_a_log_scaled_metric_gets_the_interval_of_its_geometric_mean():
    interval = of_values(LOG, [100, 1000, 10_000])
    half = 4.302652729749462 * math.log(10) / math.sqrt(3)
    assert interval.low == pytest.approx(1000 / math.exp(half), rel=1e-8)
    assert interval.high == pytest.approx(1000 * math.exp(half), rel=1e-8)
    assert interval.of == "geometric mean"


def test_a_zero_in_a_log_scaled_metric_gives_a_linear_interval_clipped_at_zero_and_says_so():
    interval = of_values(LOG, [0, 0, 30])
    assert interval.low == 0.0
    assert interval.of == "mean"
    assert interval.note == "not all values are above zero: linear, clipped at 0"


def test_negative_values_of_a_log_scaled_metric_are_not_clipped_away():
    interval = of_values(LOG, [-10, -11, -12])
    assert interval.low < -12 < interval.high < 0
    assert interval.note == "values below zero: linear, not clipped"


def test_a_bounded_metric_never_leaves_its_bounds():
    interval = of_values(FRACTION, [0.9, 1.0, 1.0])
    assert interval.high == 1.0
    assert of_values(FRACTION, [0.0, 0.0, 0.4]).low == 0.0


def test_values_beyond_the_bounds_are_not_clipped_away():
    interval = of_values(FRACTION, [90, 100, 100])
    assert interval.high > 100
    assert interval.note == "values beyond 0..1: not clipped"


def test_one_value_has_no_interval():
    assert of_values(LINEAR, [4]) is None
    assert of_values(LOG, [4]) is None
    assert of_values(FRACTION, [0.4]) is None
    assert pooled([(1, 3)]) is None


def test_equal_values_say_that_the_width_means_nothing():
    for row in (LINEAR, LOG, FRACTION):
        interval = of_values(row, [1, 1, 1])
        assert (interval.low, interval.high, interval.note) == (1.0, 1.0, NO_SPREAD)


def test_an_interval_beyond_the_float_range_is_unknown():
    assert of_values(LINEAR, [-1e308, 1.7e308, 1.7e308]) is None
    assert of_values(LOG, [1e-300, 1e300]) is None


def test_a_pooled_rate_has_the_linearised_interval():
    pairs = [(8, 10), (3, 4), (15, 30)]
    rate = 26 / 44
    squares = sum((hit - rate * count) ** 2 for hit, count in pairs)
    half = 4.302652729749462 * math.sqrt(3 / 2 * squares) / 44
    interval = pooled(pairs)
    assert interval.low == pytest.approx(max(0, rate - half), rel=1e-8)
    assert interval.high == pytest.approx(min(1, rate + half), rel=1e-8)
    assert (interval.of, interval.method) == ("pooled rate", "linearised")


def test_a_pooled_rate_at_its_bound_is_not_called_certain():
    interval = pooled([(10, 10), (4, 4), (30, 30)])
    assert (round(interval.low, 3), interval.high) == (0.439, 1.0)
    assert interval.note == "every run is at the bound: Wilson over runs"
    assert pooled([(0, 9), (0, 2)]).low == 0.0
