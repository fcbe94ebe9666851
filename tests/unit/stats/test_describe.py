import json

import pytest
from builders.metrics import metric_row, values
from lab.domain.metric import Kind, Measurement, Reason, missing
from lab.stats import describe as room


def describe(row, runs):
    def column(name):
        absent = Measurement(None, Reason.NO_SOURCE)
        found = [metrics.get(name, absent) for metrics in runs]
        return [one.reason if one.value is None else one.value for one in found]

    return room.describe(row, column)


COUNT = metric_row("n", kind=Kind.COUNT)
BOOLEAN = metric_row("green", kind=Kind.BOOLEAN)
POOLED = metric_row(
    "p_correct_rate", kind=Kind.POOLED_RATE, numerator="p_correct", denominator="p_total"
)


def test_nulls_are_counted_by_reason_and_never_as_zero():
    runs = [
        *values("n", 4, 6),
        {"n": missing(Reason.TOOL_FAILED, "x@1")},
        {"n": missing(Reason.TESTS_RED, "x@1")},
        {},
    ]
    found = describe(COUNT, runs)
    assert (found.n, found.mean, found.low) == (2, 5.0, 4)
    assert found.nulls == (("no-source", 1), ("tests-red", 1), ("tool-failed", 1))


def test_a_cell_of_nulls_has_no_numbers():
    found = describe(COUNT, [{"n": missing(Reason.TOOL_FAILED, "x@1")}] * 3)
    assert (found.n, found.mean, found.median, found.interval) == (0, None, None, None)
    assert found.nulls == (("tool-failed", 3),)


def test_an_empty_cell_has_no_numbers_and_no_nulls():
    assert (describe(COUNT, []).n, describe(COUNT, []).nulls) == (0, ())


def test_zeros_and_ones_of_a_count_stay_numbers():
    found = describe(COUNT, values("n", 0, 1, 1, 0))
    assert (found.mean, found.hits, found.deviation) == (0.5, None, 0.57735026919)


def test_a_boolean_is_a_rate_with_wilsons_interval():
    found = describe(BOOLEAN, values("green", True, True, True))
    assert (found.mean, found.hits, found.tries) == (1.0, 3, 3)
    assert round(found.interval.low, 3) == 0.439


def test_a_false_is_measured_and_a_null_is_not():
    runs = [*values("green", True, False), {"green": missing(Reason.TOOL_FAILED, "x@1")}]
    found = describe(BOOLEAN, runs)
    assert (found.n, found.mean, found.nulls) == (2, 0.5, (("tool-failed", 1),))


@pytest.mark.parametrize(
    ("row", "value"),
    [
        (COUNT, float("nan")),
        (COUNT, float("inf")),
        (COUNT, 10**400),
        (COUNT, True),
        (COUNT, "true"),
        (BOOLEAN, 2),
        (BOOLEAN, 0.5),
        (BOOLEAN, "true"),
    ],
    ids=repr,
)
def test_what_the_kind_cannot_hold_is_unparsable(row, value):
    found = describe(row, [{row.id: Measurement(value, None, "x@1")}])
    assert (found.n, found.nulls) == (0, (("unparsable", 1),))


def test_integers_beyond_two_to_the_53_are_kept_whole():
    found = describe(COUNT, values("n", 2**53 + 1, 2**53 + 1, 2**53 + 3))
    assert (found.low, found.median, found.high) == (2**53 + 1, 2**53 + 1, 2**53 + 3)


def test_negative_zero_does_not_show():
    found = describe(metric_row("c", kind=Kind.CONTINUOUS), values("c", -0.0, 0.0, -0.0))
    assert json.dumps([found.low, found.high, found.mean, found.median]) == "[0.0, 0.0, 0.0, 0.0]"


def test_the_order_of_the_runs_does_not_show():
    numbers = [0.1, 0.7, 1e16, -1e16, 3.3, 2.2]
    row = metric_row("c", kind=Kind.CONTINUOUS)
    assert describe(row, values("c", *numbers)) == describe(row, values("c", *numbers[::-1]))


def test_a_pooled_rate_is_sum_over_sum_not_a_mean_of_rates():
    runs = [
        {**first, **second}
        for first, second in zip(values("p_correct", 1, 9), values("p_total", 1, 99), strict=True)
    ]
    found = describe(POOLED, runs)
    assert (found.mean, found.hits, found.tries, found.n) == (0.1, 10, 100, 2)


def test_a_pooled_rate_counts_runs_without_a_denominator_as_nulls():
    def run(correct, total):
        return {**values("p_correct", correct)[0], **values("p_total", total)[0]}

    lacking = {**values("p_correct", 1)[0], "p_total": missing(Reason.UNPARSABLE, "x@1")}
    found = describe(POOLED, [run(2, 4), run(0, 0), lacking, {}, run(1.5, 2), run(3, 2)])
    assert (found.n, found.mean) == (1, 0.5)
    assert found.nulls == (("no-source", 1), ("not-applicable", 1), ("unparsable", 3))


def test_a_whole_float_is_a_count():
    found = describe(POOLED, [{**values("p_correct", 3.0)[0], **values("p_total", 4.0)[0]}])
    assert (found.hits, found.tries) == (3, 4)


def test_quartiles_and_geometric_mean_stand_beside_the_mean():
    found = describe(COUNT, values("n", 1, 10, 100, 1000))
    assert (found.lower_quartile, found.median, found.upper_quartile) == (7.75, 55.0, 325.0)
    assert found.geometric_mean == 31.6227766
