"""Intervals and multiple testing: seeded item weights, percentile, Wilson, Benjamini-Hochberg.

A bootstrap here draws item *weights*, never tables: a statistic that is a function of weighted
sums is computed for all draws at once, and one matrix of weights serves all figures of the same
items, so that their differences are paired.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from corpus.figures import Interval

FloatArray = npt.NDArray[np.float64]

PERCENTILE_METHOD = "percentile bootstrap over items"
WILSON_METHOD = "wilson"
MIN_ITEMS_FOR_BOOTSTRAP = 20
MAX_UNDEFINED_SHARE = 0.05
DEGENERATE_WIDTH = 1e-9
"""Draws closer together than this, relative to their size, count as one value."""


def bootstrap_weights(n: int, draws: int, seed: int) -> FloatArray:
    """Item weights of a bootstrap, float64 [draws, n]: how often each draw took each item.

    Each row is one multinomial draw of n items with equal probabilities and sums to n. The same
    arguments give the same matrix.

    Raises:
        ValueError: if n is negative or draws is below 1.
    """
    if n < 0 or draws < 1:
        raise ValueError(f"a bootstrap needs n >= 0 and draws >= 1, not n={n}, draws={draws}")
    if n == 0:
        return np.zeros((draws, 0))
    taken = np.random.default_rng(seed).integers(0, n, size=(draws, n))
    cells = (taken + n * np.arange(draws)[:, None]).ravel()
    return np.bincount(cells, minlength=draws * n).reshape(draws, n).astype(np.float64)


def percentile_interval(
    draw_values: npt.ArrayLike,
    level: float = 0.95,
    *,
    n_items: int | None = None,
    seed: int | None = None,
    method: str = PERCENTILE_METHOD,
) -> Interval:
    """The central `level` share of bootstrap values, or null with a reason.

    Args:
        draw_values: One value per draw; NaN where the statistic is undefined in that draw.
        level: Coverage aimed at, in (0, 1).
        n_items: Items the statistic rests on; under 20 the interval is hidden (`too_few`). None
            when the caller has checked it.
        seed: Seed of the draws, stored with the interval.
        method: Name of the resampling, stored with the interval.

    Returns:
        Limits by linear interpolation between order statistics of the defined draws. Null with
        `too_few`, `undefined_draws` (more than 5 % of draws) or `degenerate` (all draws equal).

    Raises:
        ValueError: if there is no draw or the level is not in (0, 1).

    Source:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 13.3.
    """
    values = np.asarray(draw_values, dtype=np.float64)
    if values.ndim != 1 or values.size == 0:
        raise ValueError("a percentile interval needs a vector of at least one draw")
    sizes = None if n_items is None else [n_items]
    return percentile_intervals(values[None], level, n_items=sizes, seed=seed, method=method)[0]


def percentile_intervals(
    draw_values: FloatArray,
    level: float = 0.95,
    *,
    n_items: Sequence[int] | None = None,
    seed: int | None = None,
    method: str = PERCENTILE_METHOD,
) -> list[Interval]:
    """The `percentile_interval` of every row of a matrix [figures, draws], in one go.

    Raises:
        ValueError: if there is no draw or the level is not in (0, 1).
    """
    _check_level(level)
    if draw_values.ndim != 2 or draw_values.shape[1] == 0:
        raise ValueError("percentile intervals need a matrix of at least one draw")
    draws = draw_values.shape[1]
    # Undefined values stand last in each sorted row.
    ordered = np.sort(np.where(np.isfinite(draw_values), draw_values, np.nan), axis=1)
    counts = draws - np.isnan(ordered).sum(axis=1)
    tail = (1 - level) / 2
    lows, highs = (_quantiles(ordered, counts, share) for share in (tail, 1 - tail))

    def find_reason(row: int) -> str | None:
        if n_items is not None and n_items[row] < MIN_ITEMS_FOR_BOOTSTRAP:
            return "too_few"
        if draws - counts[row] > MAX_UNDEFINED_SHARE * draws:
            return "undefined_draws"
        least, most = ordered[row, 0], ordered[row, counts[row] - 1]
        if most - least <= DEGENERATE_WIDTH * max(1.0, abs(least), abs(most)):
            return "degenerate"
        return None

    def find_interval(row: int) -> Interval:
        reason = find_reason(row)
        low, high = (None, None) if reason else (float(lows[row]), float(highs[row]))
        undefined = draws - int(counts[row])
        return Interval(low, high, level, method, draws, seed, reason, undefined)

    return [find_interval(row) for row in range(len(draw_values))]


def expand_level(level: float, n_items: int) -> float:
    """The level at which percentiles of a mean's draws are as wide as Student's t would have them.

    Draws vary by (n - 1) / n too little and have no longer tails where items are few; both make a
    percentile interval too narrow. What the interval aims at stays the level given.

    Args:
        level: Coverage aimed at, in (0, 1).
        n_items: Items that are drawn, 3 or more; of two it would be 1, all draws.

    Raises:
        ValueError: if there are fewer than three items, or the level is not in (0, 1).

    Source:
        Hesterberg (2015), The American Statistician 69(4): the expanded percentile interval.
    """
    # Commands that draw no interval start without it.
    from scipy.special import ndtr, stdtrit

    _check_level(level)
    if n_items < 3:
        raise ValueError(f"a level is expanded for three items or more, not {n_items}")
    tail = ndtr(np.sqrt(n_items / (n_items - 1)) * stdtrit(n_items - 1, (1 - level) / 2))
    return float(1 - 2 * tail)


def _quantiles(ordered: FloatArray, counts: npt.NDArray[np.intp], share: float) -> FloatArray:
    """Quantile of the first `counts` values of each sorted row, by linear interpolation."""
    last = np.maximum(counts - 1, 0)
    place = share * last
    below = np.floor(place).astype(np.intp)
    rows = np.arange(len(ordered))
    low, high = ordered[rows, below], ordered[rows, np.minimum(below + 1, last)]
    part = place - below
    return np.asarray(
        np.where(part < 0.5, low + (high - low) * part, high - (high - low) * (1 - part))
    )


def wilson_interval(successes: float, n: float, level: float = 0.95) -> Interval:
    """Wilson score interval of a proportion, in [0, 1]; null with `no_data` for n = 0.

    Args:
        successes: Number of successes, 0 to n; not a whole number where items carry weights.
        n: Number of trials; the effective number where items carry weights.
        level: Coverage aimed at, in (0, 1).

    Raises:
        ValueError: if successes are not in 0..n or the level is not in (0, 1).

    Source:
        Wilson (1927), JASA 22; method 3 of Newcombe (1998), Statistics in Medicine 17, without
        continuity correction.
    """
    _check_level(level)
    if not 0 <= successes <= n:
        raise ValueError(f"successes must be between 0 and n={n}, not {successes}")
    if n == 0:
        return Interval(None, None, level, WILSON_METHOD, reason="no_data")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if successes == 0 else max(0.0, float(centre - half))
    high = 1.0 if successes == n else min(1.0, float(centre + half))
    return Interval(low, high, level, WILSON_METHOD)


def benjamini_hochberg(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Adjusted p-values in [0, 1], in the order given; None (undefined) stays None, uncounted.

    Rejecting where the adjusted value is at most q keeps the expected share of false rejections
    at or below q for independent or positively dependent tests.

    Raises:
        ValueError: if a p-value is not in [0, 1].

    Source:
        Benjamini and Hochberg (1995), JRSS B 57, section 3.1, as step-up adjusted values.
    """
    defined = [index for index, p in enumerate(p_values) if p is not None]
    p = np.array([p_values[index] for index in defined], dtype=np.float64)
    if not np.all((p >= 0) & (p <= 1)):
        raise ValueError("p-values must be in [0, 1]")
    order = np.argsort(p, kind="stable")
    scaled = p[order] * p.size / np.arange(1, p.size + 1)
    stepped = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    adjusted: list[float | None] = [None] * len(p_values)
    for position, value in zip(order, stepped, strict=True):
        adjusted[defined[position]] = float(value)
    return tuple(adjusted)


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"the level of an interval must be in (0, 1), not {level}")
