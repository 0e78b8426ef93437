"""Distributions of A over the sentences of one model and language, by sector and gender.

The figures behind them are means and quantiles. Sentences share templates, words and terms, so no
interval is given here: what differs between the genders is I_s, which has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from corpus.figures import WEAK_BELOW_ITEMS, Figure
from corpus.sectors import Gender
from scoring.sector_contrasts import Contrast

BINS = 36
QUANTILES = {"association_p05": 0.05, "association_median": 0.5, "association_p95": 0.95}
DEFINITIONS = {
    "association_mean": "Mean of A = ln(p_target / p_prior) over the sentences, in nats; 0 is no "
    "association, not an ideal.",
    "association_p05": "A that 5 % of the sentences stay below, in nats.",
    "association_median": "Median of A over the sentences, in nats.",
    "association_p95": "A that 95 % of the sentences stay below, in nats.",
}
METHOD = "over sentences, linear interpolation"


@dataclass(frozen=True, slots=True)
class Bin:
    """A part of the scale and the share of the sentences in it."""

    low_nats: float
    high_nats: float
    share: float
    """In [0, 1]."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """A of the sentences of one group with the person words of one gender."""

    group: str
    """The sector, or the form of a control's term."""
    gender: Gender
    bins: tuple[Bin, ...]
    """Over the whole range of all distributions given together; shares sum to 1."""
    figures: tuple[Figure, ...]
    """Mean and quantiles."""

    @property
    def mean_nats(self) -> float | None:
        """Mean of A."""
        return self.figures[0].value

    @property
    def n(self) -> int:
        """Number of sentences."""
        return self.figures[0].n


def compute_distributions(
    contrasts: Sequence[Contrast],
    groups: Iterable[str],
    limits: tuple[float, float] | None = None,
    scope: tuple[tuple[str, str], ...] = (),
) -> tuple[Distribution, ...]:
    """The distributions of each group and gender, groups without a contrast left out.

    Args:
        contrasts: Of one model, language and context.
        groups: Sectors, in the order in which they are shown.
        limits: Ends of the scale, at least as wide as the values; None is the values' own.
        scope: What the figures are about; sector and gender are added.
    """
    ends = limits or find_limits(contrasts)
    return tuple(_distributions(contrasts, groups, ends, scope))


def find_limits(contrasts: Sequence[Contrast]) -> tuple[float, float]:
    """The least and the greatest A; (-1, 1) of nothing."""
    values = [nats for one in contrasts for nats in (one.female_nats, one.male_nats)]
    return (min(values), max(values)) if values else (-1.0, 1.0)


def _distributions(
    contrasts: Sequence[Contrast],
    groups: Iterable[str],
    limits: tuple[float, float],
    scope: tuple[tuple[str, str], ...],
) -> Iterator[Distribution]:
    low, high = limits
    edges = np.asarray(np.linspace(low, high if high > low else low + 1.0, BINS + 1), np.float64)
    for group in groups:
        members = [one for one in contrasts if one.sector == group]
        if not members:
            continue
        for gender in Gender:
            feminine = gender is Gender.FEMININE
            values = np.array([m.female_nats if feminine else m.male_nats for m in members])
            about = (*scope, ("sector", group), ("gender", str(gender)))
            yield Distribution(group, gender, _bins(values, edges), _figures(values, about))


def _bins(values: npt.NDArray[np.float64], edges: npt.NDArray[np.float64]) -> tuple[Bin, ...]:
    counts, _ = np.histogram(values, edges)
    shares = counts / len(values)
    return tuple(
        Bin(float(low), float(high), float(share))
        for low, high, share in zip(edges[:-1], edges[1:], shares, strict=True)
    )


def _figures(
    values: npt.NDArray[np.float64], scope: tuple[tuple[str, str], ...]
) -> tuple[Figure, ...]:
    found = {"association_mean": float(values.mean())}
    found |= {name: float(np.quantile(values, at)) for name, at in QUANTILES.items()}
    notes = ("weak",) if len(values) < WEAK_BELOW_ITEMS else ()
    return tuple(
        Figure(name, value, len(values), DEFINITIONS[name], METHOD, scope=scope, notes=notes)
        for name, value in found.items()
    )
