"""Mean, spread and order statistics that are the same on every Python and never overflow.

Sums are math.fsum, squares are products and roots are correctly rounded, so a result depends on
the values alone: sum([0.1] * 10) is 1.0 on Python 3.12 and 0.9999999999999999 on 3.11.
"""

import math
from collections.abc import Sequence

Number = int | float
DIGITS = 12
# Logarithms differ in the last bit between C libraries; nine digits hide that.
LOG_DIGITS = 9


def rounded(value: float, digits: int = DIGITS) -> float:
    """Round to significant digits, so that the last bits of a C library never show; -0.0 is 0.0."""
    return float(f"{value:.{digits - 1}e}") + 0.0


def mean(values: Sequence[Number]) -> float:
    """Return the arithmetic mean of at least one finite value."""
    first = values[0]
    if all(value == first for value in values):
        return float(first) + 0.0
    scaled, exponent = _scale(values)
    return math.ldexp(math.fsum(scaled) / len(scaled), exponent)


def deviation(values: Sequence[Number]) -> float | None:
    """Return the sample standard deviation (n - 1); None for n = 1 or beyond a float's range."""
    if len(values) < 2:
        return None
    if all(value == values[0] for value in values):
        return 0.0
    scaled, exponent = _scale(values)
    centre = math.fsum(scaled) / len(scaled)
    squares = [(value - centre) * (value - centre) for value in scaled]
    return _unscale(math.sqrt(math.fsum(squares) / (len(scaled) - 1)), exponent)


def quantile(ordered: Sequence[Number], share: float) -> Number:
    """Interpolate a quantile of sorted values (Hyndman and Fan's type 7, the common default)."""
    position = (len(ordered) - 1) * share
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    part = position - below
    if part == 0 or ordered[below] == ordered[above]:
        return ordered[below]
    return ordered[below] * (1 - part) + ordered[above] * part


def geometric_mean(values: Sequence[Number]) -> float | None:
    """Return the geometric mean, or None unless all values are above zero."""
    if not values or min(values) <= 0:
        return None
    if all(value == values[0] for value in values):
        return float(values[0])
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))


def _scale(values: Sequence[Number]) -> tuple[list[float], int]:
    """Divide by a power of two, which is exact, so that 1e308 and 1e-320 can be squared."""
    exponent = max(math.frexp(float(value))[1] for value in values if value)
    return [math.ldexp(float(value), -exponent) for value in values], exponent


def _unscale(value: float, exponent: int) -> float | None:
    try:
        return math.ldexp(value, exponent)
    except OverflowError:
        return None
