import json
from dataclasses import asdict

from builders.metrics import metric_row
from hypothesis import given, settings
from hypothesis import strategies as some
from lab.domain.metric import Kind, Reason, Scale
from lab.stats.describe import describe

NUMBERS = some.one_of(
    some.integers(-(2**63), 2**63 - 1),
    some.floats(),
    some.floats(0, 1),
    some.booleans(),
    some.sampled_from(Reason),
)
ROWS = some.builds(
    lambda kind, scale: metric_row("x", kind=kind, scale=scale),
    some.sampled_from([kind for kind in Kind if kind is not Kind.POOLED_RATE]),
    some.sampled_from(Scale),
)
POOLED = metric_row("r", kind=Kind.POOLED_RATE, numerator="hits", denominator="tries")


@settings(deadline=None)
@given(ROWS, some.lists(NUMBERS, max_size=30))
def test_no_value_crashes_it_and_all_that_comes_out_is_json(row, observed):
    found = describe(row, lambda _: observed)
    json.dumps(asdict(found), allow_nan=False)
    assert found.interval is None or found.interval.low <= found.interval.high
    assert found.n + sum(count for _, count in found.nulls) == len(observed)


@settings(deadline=None)
@given(ROWS, some.lists(NUMBERS, max_size=30), some.randoms())
def test_the_order_of_the_runs_never_matters(row, observed, random):
    shuffled = list(observed)
    random.shuffle(shuffled)
    assert repr(describe(row, lambda _: observed)) == repr(describe(row, lambda _: shuffled))


@settings(deadline=None)
@given(ROWS, some.lists(some.floats(1e-3, 1e9), min_size=1, max_size=30))
def test_what_an_interval_is_of_lies_inside_it(row, observed):
    found = describe(row, lambda _: observed)
    if found.interval is None:
        return
    centre = found.geometric_mean if found.interval.of == "geometric mean" else found.mean
    slack = 1e-8 * abs(centre)
    assert found.interval.low - slack <= centre <= found.interval.high + slack


@settings(deadline=None)
@given(some.lists(some.tuples(some.integers(0, 40), some.integers(0, 40)), max_size=30))
def test_a_pooled_rate_of_hits_within_tries_stays_within_0_and_1(pairs):
    columns = {
        "hits": [min(pair) for pair in pairs],
        "tries": [max(pair) for pair in pairs],
    }
    found = describe(POOLED, columns.__getitem__)
    if found.interval:
        assert 0 <= found.interval.low <= found.mean <= found.interval.high <= 1
