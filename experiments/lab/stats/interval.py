"""95 % intervals: the registry row, never the values, decides which one an outcome gets."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lab.domain.metric import MetricRow, Scale
from lab.stats.quantiles import normal_quantile, t_quantile
from lab.stats.sample import (
    DIGITS,
    LOG_DIGITS,
    Number,
    deviation,
    geometric_mean,
    mean,
    rounded,
)


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval of `of` (rate, mean, geometric mean, pooled rate), made by `method`.

    `note` says where the interval is less than it seems.
    """

    low: float
    high: float
    of: str
    method: str
    note: str | None = None


NO_SPREAD = "all values are equal: the interval has no width"
NOT_ALL_POSITIVE = "not all values are above zero: linear, clipped at 0"
SOME_NEGATIVE = "values below zero: linear, not clipped"
AT_THE_BOUND = "every run is at the bound: Wilson over runs"
OUT_OF_BOUNDS = "values beyond 0..1: not clipped"


def wilson(successes: int, n: int) -> Interval:
    """Return Wilson's score interval of a proportion (Wilson 1927); n >= 1."""
    z = normal_quantile()
    share = successes / n
    width = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / width
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / width
    low = 0.0 if successes == 0 else rounded(centre - half)
    high = 1.0 if successes == n else rounded(centre + half)
    return Interval(low, high, "rate", "wilson")


def of_values(row: MetricRow, values: Sequence[Number]) -> Interval | None:
    """Return the interval of a numeric metric by its scale; None for n = 1 or beyond range."""
    return BY_SCALE[row.scale](row, values) if len(values) > 1 else None


def pooled(pairs: Sequence[tuple[int, int]]) -> Interval | None:
    """Return the linearised interval of sum(x) / sum(n) over runs, clipped to 0..1.

    SE = sqrt(k / (k - 1) * sum((x - r n)^2)) / sum(n) over k runs, with t on k - 1 degrees.
    Where every run is all hits or all misses SE is zero, which is no certainty: Wilson over the
    runs then, each counted once because hits within a run are not independent.
    """
    runs = len(pairs)
    hits = sum(hit for hit, _ in pairs)
    tries = sum(count for _, count in pairs)
    if not hits or all(hit == count for hit, count in pairs):
        bounds = wilson(runs if hits else 0, runs)
        return Interval(bounds.low, bounds.high, "pooled rate", "wilson", AT_THE_BOUND)
    if runs < 2:
        return None
    rate = hits / tries
    note = NO_SPREAD if all(hit * tries == hits * count for hit, count in pairs) else None
    residuals = [hit - rate * count for hit, count in pairs]
    squares = math.fsum(residual * residual for residual in residuals)
    half = t_quantile(runs - 1) * math.sqrt(runs / (runs - 1) * squares) / tries
    return _clipped(_around(rate, half, "pooled rate", "linearised", note), 0.0, 1.0)


def _linear(row: MetricRow, values: Sequence[Number]) -> Interval | None:
    spread = deviation(values)
    if spread is None:
        return None
    half = t_quantile(len(values) - 1) * spread / math.sqrt(len(values))
    note = NO_SPREAD if spread == 0 else None
    return _around(mean(values), half, "mean", "t", note)


def _log(row: MetricRow, values: Sequence[Number]) -> Interval | None:
    centre = geometric_mean(values)
    if centre is None:
        floor, why = (0.0, NOT_ALL_POSITIVE) if min(values) >= 0 else (-math.inf, SOME_NEGATIVE)
        return _clipped(_linear(row, values), floor, math.inf, why)
    logs = [math.log(value) for value in values]
    spread = 0.0 if min(values) == max(values) else deviation(logs)
    if spread is None:
        return None
    half = t_quantile(len(values) - 1) * spread / math.sqrt(len(values))
    try:
        low, high = centre / math.exp(half), centre * math.exp(half)
    except OverflowError:
        return None
    note = NO_SPREAD if half == 0 else None
    return _finite((low, high), "geometric mean", "t on logarithms", note, LOG_DIGITS)


def _bounded(row: MetricRow, values: Sequence[Number]) -> Interval | None:
    if min(values) < 0 or max(values) > 1:
        return _clipped(_linear(row, values), -math.inf, math.inf, OUT_OF_BOUNDS)
    return _clipped(_linear(row, values), 0.0, 1.0)


BY_SCALE: dict[Scale, Callable[[MetricRow, Sequence[Number]], Interval | None]] = {
    Scale.LINEAR: _linear,
    Scale.LOG: _log,
    Scale.BOUNDED: _bounded,
}


def _around(
    centre: float, half: float, of: str, method: str, note: str | None = None
) -> Interval | None:
    return _finite((centre - half, centre + half), of, method, note, DIGITS)


def _finite(
    bounds: tuple[float, float], of: str, method: str, note: str | None, digits: int
) -> Interval | None:
    if not all(map(math.isfinite, bounds)):
        return None
    low, high = (rounded(bound, digits) for bound in bounds)
    return Interval(low, high, of, method, note)


def _clipped(
    interval: Interval | None, low: float, high: float, note: str | None = None
) -> Interval | None:
    if interval is None:
        return None
    return Interval(
        max(interval.low, low),
        min(interval.high, high),
        interval.of,
        interval.method,
        "; ".join(filter(None, (note, interval.note))) or None,
    )
