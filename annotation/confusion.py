"""Confusion: the system's label against the labels that humans gave, counted over all raters.

Sample items show how good kept candidates are. Targeted items of discarded candidates show what
the heuristic throws away; they never enter agreement and are counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from annotation.assessment import gather_ratings
from annotation.labels import compute_gender_label, compute_system_label
from annotation.ratings_table import LABELS, MISSING_LABEL
from corpus.figures import Figure
from corpus.records import GenderLabel, Label, Purpose
from corpus.standing import Standing

_Key = tuple[str, GenderLabel, GenderLabel]


@dataclass(frozen=True, slots=True)
class ConfusionCount:
    """How often humans gave a label to texts with a system label."""

    discarded_for: str
    """Reason code of the discarded candidates whose texts were shown; empty for kept ones."""
    system: GenderLabel
    """What the text shown is by its variant."""
    human: GenderLabel
    count: int
    """Answers, each rater's counted."""


def compute_confusion(standing: Standing) -> tuple[ConfusionCount, ...]:
    """The counts of a language, kept candidates first; all five human labels, zeros included."""
    counts: Counter[_Key] = Counter(_read_sample(standing))
    counts.update(_read_discarded(standing))
    rows = sorted({(reason, LABELS.index(system)) for reason, system, _ in counts})
    return tuple(
        ConfusionCount(reason, LABELS[system], human, counts[reason, LABELS[system], human])
        for reason, system in rows
        for human in LABELS
    )


def build_confusion_figures(language: str, counts: tuple[ConfusionCount, ...]) -> list[Figure]:
    """The counts as figures of a language."""
    return [
        Figure(
            name="labels_of_discarded" if each.discarded_for else "labels",
            value=float(each.count),
            n=each.count,
            definition="answers of all raters that give the human label to texts of the system's",
            method="count",
            scope=(
                ("language", language),
                *((("reason", each.discarded_for),) if each.discarded_for else ()),
                ("system", str(each.system)),
                ("human", str(each.human)),
            ),
        )
        for each in counts
    ]


def _read_sample(standing: Standing) -> Iterator[_Key]:
    """Every label that counts in the language's figures."""
    table, items = gather_ratings(standing)
    for item_id, row in zip(table.item_ids, table.labels, strict=True):
        system = compute_system_label(items[item_id].variant)
        if system is not None:
            for code in row:
                if code != MISSING_LABEL:
                    yield "", system, LABELS[code]


def _read_discarded(standing: Standing) -> Iterator[_Key]:
    """Every counted label of a targeted item whose candidate is still discarded as it was."""
    discarded = {
        (each.generated.id, each.generated.content_hash): each.generated.reason
        for each in standing.candidates
        if each.generated.label is Label.DISCARDED
    }
    reasons = {
        item.id: (discarded[item.subject_id, item.content_hash], compute_system_label(item.variant))
        for item in standing.items
        if item.purpose is Purpose.TARGETED and (item.subject_id, item.content_hash) in discarded
    }
    for rating in standing.counted:
        reason, system = reasons.get(rating.item_id, ("", None))
        human = compute_gender_label(rating.answers)
        if system is not None and human is not None:
            yield reason, system, human
