"""What the error of half precision means for measures: which values it could put in another order.

The engine compares a few pairs with the same checkpoint in float32; the largest deviation of r_masc
is the shard's `r_error`. It is carried on as if every sentence erred by that much.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from corpus.stereotypes import Inventory
from scoring.columns import Column
from scoring.statistics import FloatArray

FULL_PRECISION = "float32"
R_ERROR = "r_error"
"""Part of a shard's record: largest deviation of r_masc from float32, in half precision."""
WITHIN_ERROR = "within_error"
"""Mark of what the error of half precision could put in another order."""


def read_r_error(record: Mapping[str, object], dtype: str) -> float | None:
    """Error of r_masc that half precision brings; None in float32, infinite if not known."""
    found = record.get(R_ERROR)
    if isinstance(found, int | float):
        return float(found)
    return None if dtype == FULL_PRECISION else math.inf


def describe_r_error(r_error: float | None) -> str:
    """The error for a signature: `none` in float32, `unknown` if nobody measured it."""
    if r_error is None:
        return "none"
    return f"{r_error:.3g}" if math.isfinite(r_error) else "unknown"


def compute_logit_errors(column: Column, r_error: float | None, inventory: Inventory) -> FloatArray:
    """Error of the mean logit r of each stereotype, which bounds that of the mean log r.

    An error e of r is one of e / (r (1 - r)) of its logit. Where a protocol sums what others
    average, r lies near 0 or 1 and this is far on the safe side.
    """
    if not r_error:
        return np.zeros(len(inventory.ids))
    groups = (column.values[one].logits for one in inventory.ids)
    # 1 / (r (1 - r)) = 2 + 2 cosh of the logit.
    return np.array(
        [r_error * float(np.mean(2 + 2 * np.cosh(g))) if g.size else math.nan for g in groups]
    )


def count_close(q: FloatArray, error: FloatArray) -> FloatArray:
    """With how many other stereotypes each could change places, [stereotypes].

    Args:
        q: q_i of each stereotype.
        error: What each may be off by.
    """
    close = np.abs(q[:, None] - q[None, :]) <= error[:, None] + error[None, :]
    both = (error[:, None] + error[None, :]) > 0
    return np.asarray((close & both).sum(axis=1) - (error > 0), dtype=np.float64)
