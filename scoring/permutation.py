"""Exact permutation of the pole: could g_s be what it is if poles were dealt out by chance?

All assignments of as many feminine poles as there are to the stereotypes are counted (11,440 for 7
of 16), so the p-value has no sampling error. It is conditional on these stereotypes: it says
nothing of stereotypes that the inventory does not hold.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from corpus.figures import Figure

FloatArray = npt.NDArray[np.float64]

DEFINITION = (
    "Share of all assignments of poles to these stereotypes that give as large a g_s or a "
    "larger one, in (0, 1]; conditional on these stereotypes."
)
METHOD = "exact permutation of the pole over the stereotypes, one-sided"
MOST_ASSIGNMENTS = 1_000_000
"""With more the exact count would take minutes."""
TOLERANCE = 1e-12
"""Relative; assignments that differ by rounding alone are ties."""


def compute_pole_p(log_q: npt.ArrayLike, feminine: npt.ArrayLike) -> float | None:
    """P(log g_s is as large or larger) if the poles were dealt out by chance, in (0, 1].

    One-sided: small if masculine stereotypes lie above feminine ones.

    Args:
        log_q: log q_i of each stereotype [stereotypes], none missing.
        feminine: Whether each is a stereotype about women [stereotypes].

    Returns:
        None if one pole is empty or there are too many assignments to count.
    """
    values = np.asarray(log_q, dtype=np.float64)
    is_feminine = np.asarray(feminine, dtype=bool)
    k, n = int(is_feminine.sum()), values.size
    if k in {0, n} or comb(n, k) > MOST_ASSIGNMENTS:
        return None
    chosen = _assignments(n, k)
    # With the total fixed, log g_s falls as the feminine sum rises.
    sums = values[chosen].sum(axis=1)
    observed = float(values[is_feminine].sum())
    slack = TOLERANCE * max(1.0, float(np.abs(values).sum()))
    return float((sums <= observed + slack).mean())


@lru_cache(maxsize=4)
def _assignments(n: int, k: int) -> npt.NDArray[np.intp]:
    """All choices of k of n places, [choices, k]; the same for every model and language."""
    return np.array(list(combinations(range(n), k)))


def build_pole_figure(
    values: FloatArray,
    feminine: npt.NDArray[np.bool_],
    scope: tuple[tuple[str, str], ...],
    method: str = METHOD,
) -> Figure:
    """How g_s stands among all assignments of poles, undefined where a stereotype is missing."""
    complete = not np.isnan(values).any()
    p = compute_pole_p(values, feminine) if complete else None
    lack = "too_many_assignments" if complete else "missing_stereotype"
    return Figure(
        "g_s_p", p, values.size, DEFINITION, method, lack if p is None else None, scope=scope
    )
