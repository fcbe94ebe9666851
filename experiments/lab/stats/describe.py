"""What is known of one outcome in one cell: counts, centre, spread, interval, nulls by reason."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lab.domain.metric import Kind, MetricRow, Reason, Value
from lab.stats.interval import Interval, of_values, pooled, wilson
from lab.stats.sample import (
    DIGITS,
    LOG_DIGITS,
    Number,
    deviation,
    geometric_mean,
    mean,
    quantile,
    rounded,
)

Observed = Value | Reason
Column = Callable[[str], Iterable[Observed]]


@dataclass(frozen=True, slots=True)
class OutcomeStatistics:
    """One outcome x cell. `n` counts values, `nulls` the rest by reason (sorted by reason).

    For a rate `mean` is the share of true and `hits` the count; for a pooled rate `mean` is
    sum(hits) / sum(tries). All fields of the values are None where n = 0.
    """

    n: int
    nulls: tuple[tuple[str, int], ...]
    mean: float | None = None
    deviation: float | None = None
    median: Number | None = None
    low: Number | None = None
    high: Number | None = None
    lower_quartile: Number | None = None
    upper_quartile: Number | None = None
    geometric_mean: float | None = None
    hits: Number | None = None
    tries: Number | None = None
    interval: Interval | None = None


def describe(row: MetricRow, column: Column) -> OutcomeStatistics:
    """Describe one outcome over one cell's counted runs.

    `column` gives, for a metric's id, what was observed on each run: a value, or why there is
    none; a pooled rate asks for two columns. What the registry's kind cannot hold (text, NaN, a
    fraction for a boolean) is never a number: it counts as null, `unparsable`; more hits
    than tries are unparsable too, and none out of none is not applicable.
    """
    if row.kind is Kind.POOLED_RATE:
        return _describe_pooled(row, column)
    checked = [_checked(row.kind, observed) for observed in column(row.id)]
    values = [value for value in checked if not isinstance(value, Reason)]
    nulls = _count(value for value in checked if isinstance(value, Reason))
    if not values:
        return OutcomeStatistics(0, nulls)
    if row.kind is Kind.BOOLEAN:
        return _describe_rate(values, nulls)
    return _describe_numbers(row, values, nulls)


def _describe_rate(
    values: Sequence[Value], nulls: tuple[tuple[str, int], ...]
) -> OutcomeStatistics:
    n, hits = len(values), sum(1 for value in values if value)
    return OutcomeStatistics(
        n, nulls, mean=rounded(hits / n), hits=hits, tries=n, interval=wilson(hits, n)
    )


def _describe_numbers(
    row: MetricRow, values: Sequence[Number], nulls: tuple[tuple[str, int], ...]
) -> OutcomeStatistics:
    # 0 and 0.0 are equal but not written alike: the type decides, never the order of the runs.
    ordered = sorted(values, key=lambda value: (value, isinstance(value, float)))
    return OutcomeStatistics(
        len(ordered),
        nulls,
        mean=rounded(mean(ordered)),
        deviation=_rounded(deviation(ordered)),
        median=_tidy(quantile(ordered, 0.5)),
        low=ordered[0],
        high=ordered[-1],
        lower_quartile=_tidy(quantile(ordered, 0.25)),
        upper_quartile=_tidy(quantile(ordered, 0.75)),
        geometric_mean=_rounded(geometric_mean(ordered), LOG_DIGITS),
        interval=of_values(row, ordered),
    )


def _describe_pooled(row: MetricRow, column: Column) -> OutcomeStatistics:
    pairs: list[tuple[int, int]] = []
    reasons: list[Reason] = []
    observed = zip(column(row.numerator or ""), column(row.denominator or ""), strict=True)
    for hits, tries in ((_whole(hit), _whole(count)) for hit, count in observed):
        if isinstance(tries, Reason):
            reasons.append(tries)
        elif isinstance(hits, Reason):
            reasons.append(hits)
        elif not 0 <= hits <= tries:
            reasons.append(Reason.UNPARSABLE)
        elif tries == 0:
            reasons.append(Reason.NOT_APPLICABLE)
        else:
            pairs.append((hits, tries))
    if not pairs:
        return OutcomeStatistics(0, _count(reasons))
    hits, tries = sum(hit for hit, _ in pairs), sum(count for _, count in pairs)
    return OutcomeStatistics(
        len(pairs),
        _count(reasons),
        mean=rounded(hits / tries),
        hits=hits,
        tries=tries,
        interval=pooled(sorted(pairs)),
    )


def _checked(kind: Kind, value: Observed) -> Observed:
    """Return a finite value that the kind can hold, else why there is none."""
    if isinstance(value, Reason):
        return value
    if not isinstance(value, (bool, int, float)):
        return Reason.UNPARSABLE
    if kind is Kind.BOOLEAN:
        return bool(value) if value in (0, 1) else Reason.UNPARSABLE
    if isinstance(value, bool) or not _is_finite(value):
        return Reason.UNPARSABLE
    return value + 0


def _whole(observed: Observed) -> int | Reason:
    """Return a count as an integer; 3.0 is 3, and 3.5 is no count."""
    value = _checked(Kind.COUNT, observed)
    if isinstance(value, Reason):
        return value
    return int(value) if value == int(value) else Reason.UNPARSABLE


def _is_finite(value: Number) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _rounded(value: float | None, digits: int = DIGITS) -> float | None:
    return None if value is None else rounded(value, digits)


def _tidy(value: Number) -> Number:
    return value if isinstance(value, int) else rounded(value)


def _count(reasons: Iterable[Reason]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(str(reason) for reason in reasons).items()))
