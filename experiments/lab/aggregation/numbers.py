"""Numbers as people read them: digits that the spread supports, k and M, never e+06."""

import math

Number = int | float
ABSENT = "n/a"
SUFFIXES = ((1e6, "M"), (1e4, "k"))
DIVISORS = {"M": 1e6, "k": 1e3, "": 1.0}
BEYOND = 1e15
TINY = 1e-4
MOST_DIGITS = 5
MOST_DIGITS_BEFORE_A_SUFFIX = 4
SMALL_GROUP = 100


def readable(value: Number | None, spread: float | None = None) -> str:
    """Show a number with two significant digits of its spread; three of its own without one."""
    if value is None:
        return ABSENT
    size = abs(value)
    if size and (size >= BEYOND or size < TINY):
        return _scientific(value)
    suffix = next((name for limit, name in SUFFIXES if size >= limit), "")
    if isinstance(value, int) and not suffix:
        return str(value)
    scaled = value / DIVISORS[suffix]
    wanted = _decimals(scaled, (spread or 0) / DIVISORS[suffix])
    most = (MOST_DIGITS_BEFORE_A_SUFFIX if suffix else MOST_DIGITS) - 1 - _exponent(scaled)
    return f"{scaled:.{max(0, min(wanted, most))}f}{suffix}"


def share(hits: int, n: int) -> str:
    """Show a proportion in percent; a decimal only where a hundred or more were counted."""
    return percent(hits / n, n) if n else ABSENT


def percent(rate: float | None, n: int) -> str:
    """Show a rate of n runs in percent."""
    return ABSENT if rate is None else f"{rate * 100:.{0 if n < SMALL_GROUP else 1}f} %"


def counted_runs(count: int) -> str:
    """Say how many runs, in words that fit one."""
    return "1 run" if count == 1 else f"{count} runs"


def _decimals(scaled: float, spread: float) -> int:
    """Return the place of the spread's second digit, or of the value's own third."""
    if spread and math.isfinite(spread):
        return 1 - _exponent(spread)
    return 0 if scaled == int(scaled) else 2 - _exponent(scaled)


def _exponent(value: float) -> int:
    """Return the power of ten as decimal text has it: no logarithm, the same everywhere."""
    return int(f"{value:.1e}".split("e")[1])


def _scientific(value: Number) -> str:
    digits, exponent = f"{float(value):.2e}".split("e")
    return f"{digits}·10^{int(exponent)}"
