"""Agreement of a language: figures per rater, scores of two raters, labels against the system's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from annotation.assessment import Assessment
from annotation.labels import compute_system_label
from annotation.ratings_table import LABELS, MISSING_LABEL, RatingsTable
from corpus.figures import Figure
from corpus.records import GenderLabel
from corpus.standing import Standing


@dataclass(frozen=True, slots=True)
class ScorePair:
    """DA of two raters on one item."""

    item: str
    first: float
    second: float


@dataclass(frozen=True, slots=True)
class ConfusionCell:
    """How often a rater gave a label to items with a system label."""

    system: str
    rater: str
    """The rater's label."""
    count: int


def figures_per_rater(figures: Iterable[Figure], name: str) -> tuple[Figure, ...]:
    """The figures of that name about one rater each."""
    return tuple(
        figure for figure in figures if figure.name == name and "rater" in dict(figure.scope)
    )


def rater_of(figure: Figure) -> str:
    """The raters a figure is about; empty if it names none."""
    scope = dict(figure.scope)
    return scope.get("rater") or scope.get("raters", "")


def build_score_pairs(table: RatingsTable, first: str, second: str) -> tuple[ScorePair, ...]:
    """The items both raters scored."""
    scores = table.scores[:, table.find_columns((first, second))]
    return tuple(
        ScorePair(item, float(one), float(other))
        for item, (one, other) in zip(table.item_ids, scores, strict=True)
        if not (np.isnan(one) or np.isnan(other))
    )


def build_confusion(
    standing: Standing, assessment: Assessment, rater: str
) -> tuple[ConfusionCell, ...]:
    """Counts of the rater's labels by system label: all five labels, zeros included."""
    system = {item.id: compute_system_label(item.variant) for item in standing.items}
    table = assessment.table
    codes = table.labels[:, table.find_columns((rater,))][:, 0]
    counts: Counter[tuple[GenderLabel, GenderLabel]] = Counter()
    for item, code in zip(table.item_ids, codes, strict=True):
        label = system.get(item)
        if code != MISSING_LABEL and label is not None:
            counts[label, LABELS[code]] += 1
    shown = [label for label in LABELS if any(one is label for one, _ in counts)]
    return tuple(
        ConfusionCell(str(one), str(other), counts[one, other]) for one in shown for other in LABELS
    )
