"""Agreement of a language: figures per rater, scores of two raters, labels beside other labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.label_schemes import MISSING_LABEL
from annotation.labels import find_system_label
from annotation.ratings_table import LABELS, RatingsTable
from corpus.figures import Figure
from corpus.records import RaterLabel
from corpus.standing import Standing


@dataclass(frozen=True, slots=True)
class SeriesPoint:
    """One value of a row in which several stand: raters of a language, states of a figure."""

    mark: str
    """The row."""
    series: str
    """Which of the row's values it is; the same in every row."""
    about: str
    """What the series is in this row, e.g. the rater's id."""
    value: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class ScorePair:
    """DA of two raters on one item."""

    item: str
    first: float
    second: float


@dataclass(frozen=True, slots=True)
class ConfusionCell:
    """How often a rater gave a label to items with a label of the system or of another rater."""

    system: str
    """The system's label, or the other rater's."""
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


def find_system_labels(standing: Standing) -> dict[str, RaterLabel]:
    """By item id, the label of the variant the item shows."""
    labels = {item.id: find_system_label(item) for item in standing.items}
    return {item: label for item, label in labels.items() if label is not None}


def find_rater_labels(table: RatingsTable, rater: str) -> dict[str, RaterLabel]:
    """By item id, the labels that a rater gave."""
    codes = table.labels[:, table.find_columns((rater,))][:, 0]
    return {
        item: table.scheme.labels[code]
        for item, code in zip(table.item_ids, codes, strict=True)
        if code != MISSING_LABEL
    }


def build_confusion(
    rows: Mapping[str, RaterLabel],
    columns: Mapping[str, RaterLabel],
    labels: Sequence[RaterLabel] = LABELS,
) -> tuple[ConfusionCell, ...]:
    """Counts of the items that have a label in both: a column for each label, zeros included.

    Args:
        rows: By item id, the system's labels or those of one rater.
        columns: By item id, the labels of another.
        labels: All there are.
    """
    counts: Counter[tuple[RaterLabel, RaterLabel]] = Counter(
        (rows[item], columns[item]) for item in rows.keys() & columns.keys()
    )
    shown = [label for label in labels if any(one is label for one, _ in counts)]
    return tuple(
        ConfusionCell(str(one), str(other), counts[one, other]) for one in shown for other in labels
    )
