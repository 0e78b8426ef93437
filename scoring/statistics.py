"""From the mean value of every stereotype to the measures, for any number of draws at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from corpus.stereotypes import Inventory, Pole
from scoring.protocols import ScoringProtocol

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Values of the measures per draw (one draw for the data as they are); NaN where undefined.

    Draws are the last axis. Between stereotypes and draws there may be further axes, such as the
    columns of a comparison.
    """

    q: FloatArray
    """[stereotypes, …, draws], as are rank and inclination."""
    rank: FloatArray
    inclination: FloatArray
    default_rate: FloatArray
    """[…, draws], as are the two below."""
    log_g_s: FloatArray
    logit_r_difference: FloatArray

    def column(self, index: int) -> Statistics:
        """The statistics of one column, where columns are the axis before the draws."""
        return Statistics(
            q=self.q[..., index, :],
            rank=self.rank[..., index, :],
            inclination=self.inclination[..., index, :],
            default_rate=self.default_rate[..., index, :],
            log_g_s=self.log_g_s[..., index, :],
            logit_r_difference=self.logit_r_difference[..., index, :],
        )


def derive_statistics(
    means: FloatArray, mean_logits: FloatArray, protocol: ScoringProtocol, inventory: Inventory
) -> Statistics:
    """The measures from the means of every stereotype.

    Args:
        means: Mean of what the protocol averages (log r or r) [stereotypes, …, draws], NaN where a
            stereotype has no sentence; its memory is used.
        mean_logits: Mean logit r, likewise.
        protocol: Says which means they are.
        inventory: The stereotypes with their poles, in the same order.
    """
    if protocol.needs_all:
        lacking = np.isnan(means).any(axis=0)
        means[:, lacking] = np.nan
        mean_logits[:, lacking] = np.nan
    ids = inventory.ids
    feminine = np.isin(ids, inventory.ids_of(Pole.FEMININE))
    in_default = np.isin(ids, inventory.default_rate_ids)
    rank = _rank(means)
    if protocol.geometric:
        log_g_s = means[~feminine].mean(axis=0) - means[feminine].mean(axis=0)
        q = np.exp(means, out=means)
    else:
        q = means
        log_g_s = np.log(q[~feminine].mean(axis=0)) - np.log(q[feminine].mean(axis=0))
    default_rate = q[in_default].mean(axis=0)
    inclination = q - default_rate
    if protocol.flips_feminine:
        np.negative(inclination, out=inclination, where=_along_first(feminine, inclination.ndim))
    return Statistics(
        q=q,
        rank=rank,
        inclination=inclination,
        default_rate=default_rate,
        log_g_s=log_g_s,
        logit_r_difference=mean_logits[~feminine].mean(axis=0) - mean_logits[feminine].mean(axis=0),
    )


def _rank(values: FloatArray) -> FloatArray:
    """1 + number of stereotypes with a higher value; NaN where any stereotype is missing."""
    # As narrow as can be: comparing and adding pass all of it through the memory often.
    rank = np.ones(values.shape, dtype=np.uint8 if len(values) < 256 else np.uint16)
    for one in range(len(values)):
        for other in range(one):
            rank[other] += values[one] > values[other]
            rank[one] += values[other] > values[one]
    found = rank.astype(np.float64)
    found[:, np.isnan(values).any(axis=0)] = np.nan
    return found


def _along_first(flags: npt.NDArray[np.bool_], dimensions: int) -> npt.NDArray[np.bool_]:
    return flags.reshape(-1, *[1] * (dimensions - 1))
