"""p-values of the bootstrap, and their correction over everything that is tested together.

p    two-sided: twice the smaller share of draws on one side of no difference, a draw counted
     more than there are, so that it is never 0 (the percentile interval turned round)
adj  Benjamini-Hochberg over a family: all languages and models that one question is asked of
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from corpus.figures import Figure
from corpus.intervals import MAX_UNDEFINED_SHARE, benjamini_hochberg
from scoring.uncertainty import METHOD

P_METHOD = f"two-sided share of draws beyond no difference; {METHOD}"
ADJUSTED = "Benjamini-Hochberg"


def bootstrap_p(draws: npt.ArrayLike) -> float | None:
    """P, two-sided, that the true value is 0, in (0, 1]; None with too many undefined draws.

    Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 15.4 (achieved
    significance level from the percentile interval), with one draw added to either count.
    """
    values = np.asarray(draws, dtype=np.float64)
    defined = values[np.isfinite(values)]
    if values.size - defined.size > MAX_UNDEFINED_SHARE * values.size or not defined.size:
        return None
    below, above = int((defined <= 0).sum()), int((defined >= 0).sum())
    return float(min(1.0, 2 * (1 + min(below, above)) / (1 + defined.size)))


@dataclass(frozen=True, slots=True)
class Tested:
    """A p-value as a figure, and what it becomes among all of its family."""

    p: Figure
    adjusted: Figure


def adjust(
    p_values: Sequence[Figure], family_of: Callable[[Figure], Hashable]
) -> tuple[Tested, ...]:
    """Each p-value with its adjusted one, in the order given.

    Undefined p-values stay undefined and do not count.

    Args:
        p_values: Figures of p.
        family_of: What is corrected together.
    """
    families: defaultdict[Hashable, list[int]] = defaultdict(list)
    for index, figure in enumerate(p_values):
        families[family_of(figure)].append(index)
    adjusted: dict[int, Figure] = {}
    for indices in families.values():
        found = benjamini_hochberg([p_values[index].value for index in indices])
        size = sum(each is not None for each in found)
        for index, value in zip(indices, found, strict=True):
            adjusted[index] = _adjusted_figure(p_values[index], value, size)
    return tuple(Tested(figure, adjusted[index]) for index, figure in enumerate(p_values))


def _adjusted_figure(figure: Figure, value: float | None, size: int) -> Figure:
    return replace(
        figure,
        name=f"{figure.name}_adjusted",
        value=value,
        definition=f"{figure.definition.removesuffix('.')}, adjusted for all that were tested.",
        method=f"{ADJUSTED} over {size} tests; {figure.method}",
    )
