"""Calibration: the quality threshold that human ratings support, and what it costs.

The threshold is the lowest score at which the share of good translations among those kept reaches
a target with certainty: the lower limit of its Wilson interval is at least the target, and enough
rated items are kept. How firm the choice is shows a bootstrap over items that chooses anew in each
draw. What it costs is the coverage, overall and by stereotype, because translations of some
stereotypes may score lower than others.

Ratings of candidates that an earlier threshold let through say nothing about those below it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from corpus.figures import Figure, Interval
from corpus.intervals import bootstrap_weights, percentile_interval, wilson_interval

FloatArray = npt.NDArray[np.float64]
Scope = tuple[tuple[str, str], ...]

CHOSEN_NOTE = "chosen_after_seeing_data"
"""Note of a figure: the threshold was chosen on the same ratings."""


@dataclass(frozen=True, slots=True)
class CalibrationItem:
    """A rated item with the quality score of the translation it shows."""

    da_0_100: float
    """Mean direct assessment of its raters."""
    quality: float
    """On the model's own scale; the lower one where a text rests on two translations."""
    weight: float = 1.0
    """Inverse of the relative inclusion probability."""


@dataclass(frozen=True, slots=True)
class ScoredCandidate:
    """A candidate that a threshold keeps or discards."""

    quality: float
    """The lowest score of its translations, because all must pass."""
    stereotype_id: int | None = None


@dataclass(frozen=True, slots=True)
class CalibrationRule:
    """What a threshold must reach."""

    good_da: float = 66.0
    """A translation with at least this mean DA is good."""
    target: float = 0.9
    """Share of good ones among those kept that the lower limit must reach."""
    level: float = 0.95
    """Coverage of the intervals, in (0, 1)."""
    min_items_kept: int = 20
    """Rated items that must be kept."""
    draws: int = 2000
    seed: int = 20251

    def describe(self) -> str:
        """The rule in one sentence."""
        return (
            f"lowest score at which the lower {self.level:.0%} Wilson limit of the share with mean "
            f"DA of at least {self.good_da:g} among the kept is at least {self.target:g}, with at "
            f"least {self.min_items_kept} rated items kept; equal passes"
        )


@dataclass(frozen=True, slots=True)
class Calibration:
    """The threshold, None where none reaches the target, and all figures about it."""

    threshold: float | None
    figures: tuple[Figure, ...]


def calibrate_threshold(
    items: Sequence[CalibrationItem],
    candidates: Iterable[ScoredCandidate],
    rule: CalibrationRule,
    scope: Scope = (),
) -> Calibration:
    """The threshold that the rated items support, and the coverage it leaves.

    Figures: `quality_threshold`; `share_good` of all rated items and `share_good_kept` of those
    kept; `coverage` of all candidates and of each stereotype, the share kept.

    Source:
        Wilson (1927) with the effective number of items of Kish (1965), section 8.2, where items
        carry weights.
    """
    ranking = _Ranking.of(items)
    thresholds = ranking.choose(rule, np.ones((1, len(items))))
    chosen = None if np.isnan(thresholds[0]) else float(thresholds[0])
    reason = None if chosen is not None else _reason_for_none(len(items), rule)
    interval = None
    if items:
        draws = ranking.choose(rule, bootstrap_weights(len(items), rule.draws, rule.seed))
        interval = percentile_interval(draws, rule.level, n_items=len(items), seed=rule.seed)
    threshold = Figure(
        name="quality_threshold",
        value=chosen,
        n=len(items),
        definition=rule.describe(),
        method="search over the observed scores",
        reason=reason,
        interval=interval,
        scope=scope,
        notes=(CHOSEN_NOTE,) if chosen is not None else (),
    )
    shares = (
        _share_figure("share_good", items, rule, None, scope),
        _share_figure("share_good_kept", items, rule, threshold, scope),
    )
    coverage = _coverage_figures(list(candidates), threshold, scope)
    return Calibration(chosen, (threshold, *shares, *coverage))


@dataclass(frozen=True, slots=True, eq=False)
class _Ranking:
    """Rated items from the highest score down; a threshold keeps the first ones."""

    quality: FloatArray
    da: FloatArray
    weights: FloatArray
    order: npt.NDArray[np.int64]
    """Position of each in the items given."""
    last_of_score: npt.NDArray[np.bool_]
    """Whether the next one scores lower: only there a threshold can cut."""

    @classmethod
    def of(cls, items: Sequence[CalibrationItem]) -> _Ranking:
        quality = np.array([each.quality for each in items], dtype=np.float64)
        order = np.argsort(-quality, kind="stable")
        quality = quality[order]
        da = np.array([each.da_0_100 for each in items], dtype=np.float64)[order]
        weights = np.array([each.weight for each in items], dtype=np.float64)[order]
        last = np.append(quality[:-1] > quality[1:], True)[: len(items)]
        return cls(quality, da, weights, order, last)

    def choose(self, rule: CalibrationRule, times: FloatArray) -> FloatArray:
        """The threshold for each draw, NaN where none reaches the target.

        Args:
            rule: what must be reached.
            times: how often each draw took each item, float64 [draws, items], in the items' order.
        """
        if not self.quality.size:
            return np.full(len(times), np.nan)
        taken = times[:, self.order]
        counted = np.cumsum(taken, axis=1)
        kept = np.cumsum(taken * self.weights, axis=1)
        good = np.cumsum(taken * self.weights * (self.da >= rule.good_da), axis=1)
        squares = np.cumsum(taken * self.weights**2, axis=1)
        some = kept > 0
        share = np.divide(good, kept, out=np.zeros_like(kept), where=some)
        effective = np.divide(kept**2, squares, out=np.zeros_like(kept), where=some)
        reached = wilson_lower_limits(share, effective, rule.level) >= rule.target
        reached &= self.last_of_score & (counted >= rule.min_items_kept)
        # The lowest score is the last one in the ranking that reaches the target.
        lowest = reached.shape[1] - 1 - np.argmax(reached[:, ::-1], axis=1)
        return np.where(reached.any(axis=1), self.quality[lowest], np.nan)


def wilson_lower_limits(share: FloatArray, n: FloatArray, level: float) -> FloatArray:
    """Lower limits of Wilson score intervals, elementwise, in [0, 1]; 0 where n is 0.

    The same as `corpus.intervals.wilson_interval`, for many proportions at once.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    n = np.where(n > 0, n, 1.0)
    spread = z * np.sqrt(share * (1 - share) / n + (z / n) ** 2 / 4)
    limits: FloatArray = (share + z**2 / (2 * n) - spread) / (1 + z**2 / n)
    return np.where(share > 0, np.clip(limits, 0, 1), 0.0)


def _reason_for_none(n: int, rule: CalibrationRule) -> str:
    if n == 0:
        return "no_data"
    return "too_few" if n < rule.min_items_kept else "target_not_reached"


def _share_figure(
    name: str,
    items: Sequence[CalibrationItem],
    rule: CalibrationRule,
    threshold: Figure | None,
    scope: Scope,
) -> Figure:
    """The share of good items: among all, or among those that the threshold keeps."""
    reason = threshold.reason if threshold is not None else None
    kept = list(items)
    if threshold is not None:
        limit = threshold.value
        kept = [each for each in items if limit is not None and each.quality >= limit]
    value: float | None = None
    interval: Interval | None = None
    if kept:
        weights = np.array([each.weight for each in kept])
        good = np.array([each.da_0_100 >= rule.good_da for each in kept])
        value = float(weights @ good / weights.sum())
        effective = float(weights.sum() ** 2 / (weights @ weights))
        interval = wilson_interval(min(value * effective, effective), effective, rule.level)
    among = "rated items" if threshold is None else "rated items at or above the threshold"
    return Figure(
        name=name,
        value=value,
        n=len(kept),
        definition=f"share with mean DA of at least {rule.good_da:g} among the {among}, 0 to 1",
        method="weighted proportion",
        reason=None if kept else reason or "no_data",
        interval=interval,
        scope=scope,
        notes=(CHOSEN_NOTE,) if threshold is not None and kept else (),
    )


def _coverage_figures(
    candidates: Sequence[ScoredCandidate], threshold: Figure, scope: Scope
) -> list[Figure]:
    """The share of candidates kept, of all and of each stereotype."""
    groups: list[tuple[Scope, list[ScoredCandidate]]] = [(scope, list(candidates))]
    for stereotype in sorted({each.stereotype_id or 0 for each in candidates} - {0}):
        mine = [each for each in candidates if each.stereotype_id == stereotype]
        groups.append(((*scope, ("stereotype", str(stereotype))), mine))
    figures = []
    for group_scope, group in groups:
        value = None
        if threshold.value is not None and group:
            value = sum(each.quality >= threshold.value for each in group) / len(group)
        reason = None if value is not None else threshold.reason or "no_data"
        figures.append(
            Figure(
                name="coverage",
                value=value,
                n=len(group),
                definition="share of the scored candidates that the threshold keeps, 0 to 1",
                method="count",
                reason=reason,
                scope=group_scope,
            )
        )
    return figures
