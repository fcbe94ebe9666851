"""The two quantiles that 95 % intervals need; scipy.special loads in a fifth of scipy.stats' time.

Measured on 2 cores: scipy.special 0.2 s, scipy.stats 1.2 s, statsmodels' proportions 2.3 s.
"""

from functools import cache

from lab.stats.sample import rounded

UPPER = 0.975


@cache
def t_quantile(degrees: int) -> float:
    """Return the upper 2.5 % point of Student's t."""
    from scipy.special import stdtrit

    return rounded(float(stdtrit(degrees, UPPER)))


@cache
def normal_quantile() -> float:
    """Return the upper 2.5 % point of the normal distribution."""
    from scipy.special import ndtri

    return rounded(float(ndtri(UPPER)))
