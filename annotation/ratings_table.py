"""The typed table agreement is computed from: items × raters, with missing answers.

The arrays are always [items, raters], in sorted order of the ids, so that no figure depends on
the order in which answers arrived.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from annotation.label_schemes import GENDER, MISSING_LABEL, LabelScheme
from corpus.errors import Fault, InputError
from corpus.records import RaterLabel

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

LABELS = GENDER.labels
"""The labels of a sentence; a table says which it holds."""


@dataclass(frozen=True, slots=True)
class RatedItem:
    """What one rater's counted answer says about one item; None where it says nothing."""

    item_id: str
    rater_id: str
    score_0_100: float | None = None
    label: RaterLabel | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RatingsTable:
    """DA scores and labels of the same items and raters, aligned.

    Raises:
        ValueError: if the shapes do not agree, ids repeat, or a weight is not positive.
    """

    item_ids: tuple[str, ...]
    rater_ids: tuple[str, ...]
    scores: FloatArray
    """DA in [0, 100], float64 [items, raters]; NaN is missing."""
    labels: IntArray
    """Position in the scheme's labels, int64 [items, raters]; -1 is missing."""
    item_weights: FloatArray
    """Inverse of the relative inclusion probability, float64 [items]; all 1 if proportional."""
    superseded: int = 0
    """Earlier answers of a rater to the same item that a later one replaced."""
    scheme: LabelScheme = GENDER
    """Which labels there are."""

    def __post_init__(self) -> None:
        shape = (len(self.item_ids), len(self.rater_ids))
        if self.scores.shape != shape or self.labels.shape != shape:
            raise ValueError(f"scores and labels must both be items x raters, {shape}")
        if self.item_weights.shape != shape[:1] or not np.all(self.item_weights > 0):
            raise ValueError("every item needs one positive weight")
        if len(set(self.item_ids)) < shape[0] or len(set(self.rater_ids)) < shape[1]:
            raise ValueError("item ids and rater ids must be unique")
        for array in (self.scores, self.labels, self.item_weights):
            array.setflags(write=False)

    @property
    def rater_pairs(self) -> tuple[tuple[str, str], ...]:
        """All pairs of raters, each once, in order of their ids."""
        return tuple(combinations(self.rater_ids, 2))

    def find_columns(self, raters: Iterable[str] | None) -> list[int]:
        """Columns of the named raters; of all raters for None.

        Raises:
            ValueError: if a rater is not in the table.
        """
        if raters is None:
            return list(range(len(self.rater_ids)))
        return [self.rater_ids.index(rater) for rater in raters]

    def leave_out(self, rater: str) -> RatingsTable:
        """The same items without a rater's answers, so that draws over them stay the same.

        Raises:
            ValueError: if the rater is not in the table.
        """
        [column] = self.find_columns((rater,))
        return replace(
            self,
            rater_ids=tuple(each for each in self.rater_ids if each != rater),
            scores=np.delete(self.scores, column, axis=1),
            labels=np.delete(self.labels, column, axis=1),
        )

    def select_items(self, item_ids: Iterable[str]) -> RatingsTable:
        """These items only, in order of their ids; raters and item weights stay as they are."""
        wanted = set(item_ids)
        rows = [row for row, item in enumerate(self.item_ids) if item in wanted]
        return replace(
            self,
            item_ids=tuple(self.item_ids[row] for row in rows),
            scores=self.scores[rows],
            labels=self.labels[rows],
            item_weights=self.item_weights[rows],
        )

    def count_labels(self, raters: Iterable[str] | None = None) -> FloatArray:
        """How many of the raters gave each label, float64 [items, labels]."""
        chosen = self.labels[:, self.find_columns(raters)]
        counts: IntArray = (chosen[:, :, None] == np.arange(len(self.scheme.labels))).sum(axis=1)
        return counts.astype(np.float64)


def build_ratings_table(
    rated: Iterable[RatedItem],
    *,
    item_weights: Mapping[str, float] | None = None,
    keep_latest: bool = False,
    scheme: LabelScheme = GENDER,
) -> RatingsTable:
    """The table of the given answers, one for each rater and item, in any order.

    Args:
        rated: Answers that count: valid, latest revision, of sample items only.
        item_weights: Weight by item id; 1 where not given. Scaled to a mean of 1.
        keep_latest: Let a later answer in `rated` replace an earlier one of the same rater and
            item and count it in `superseded`; otherwise a repeated answer is a fault.
        scheme: Which labels count; one of another question is missing.

    Raises:
        InputError: with every repeated answer and every score outside [0, 100] or not a number.
    """
    cells: dict[tuple[str, str], RatedItem] = {}
    faults: list[Fault] = []
    superseded = 0
    for row, answer in enumerate(rated, start=1):
        key = (answer.item_id, answer.rater_id)
        if key in cells and not keep_latest:
            problem = f"rater {answer.rater_id} answered item {answer.item_id} twice"
            faults.append(Fault("ratings", row, "item", problem, "Keep the latest answer only"))
        superseded += key in cells
        score = answer.score_0_100
        if score is not None and not 0 <= score <= 100:
            problem = f"the score of item {answer.item_id} is {score}"
            faults.append(Fault("ratings", row, "score", problem, "Give a number from 0 to 100"))
        cells[key] = answer
    if faults:
        raise InputError(faults)
    return _fill_table(cells, item_weights or {}, superseded, scheme)


def _fill_table(
    cells: Mapping[tuple[str, str], RatedItem],
    item_weights: Mapping[str, float],
    superseded: int,
    scheme: LabelScheme,
) -> RatingsTable:
    item_ids = sorted({item for item, _ in cells})
    rater_ids = sorted({rater for _, rater in cells})
    row_of = {item: row for row, item in enumerate(item_ids)}
    column_of = {rater: column for column, rater in enumerate(rater_ids)}
    shape = (len(item_ids), len(rater_ids))
    scores = np.full(shape, np.nan)
    labels = np.full(shape, MISSING_LABEL, dtype=np.int64)
    for (item, rater), answer in cells.items():
        cell = row_of[item], column_of[rater]
        if answer.score_0_100 is not None:
            scores[cell] = answer.score_0_100
        labels[cell] = scheme.find_code(answer.label)
    weights = np.array([item_weights.get(item, 1.0) for item in item_ids], dtype=np.float64)
    if weights.size:
        weights /= weights.mean()
    return RatingsTable(
        tuple(item_ids), tuple(rater_ids), scores, labels, weights, superseded, scheme
    )
