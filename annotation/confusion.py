"""Confusion: the system's label against the labels that humans gave, counted over all raters.

Sample items show how good kept candidates are. Targeted items of discarded candidates show what
the heuristic throws away; they never enter agreement and are counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from annotation.assessment import gather_ratings
from annotation.label_schemes import MISSING_LABEL, SCHEMES
from annotation.labels import compute_label, find_system_label
from corpus.figures import Figure
from corpus.records import Label, Purpose, RaterLabel
from corpus.standing import Standing

_Key = tuple[str, RaterLabel, RaterLabel]


@dataclass(frozen=True, slots=True)
class ConfusionCount:
    """How often humans gave a label to texts with a system label."""

    discarded_for: str
    """Reason code of the discarded candidates whose texts were shown; empty for kept ones."""
    system: RaterLabel
    """What the text shown is by its variant."""
    human: RaterLabel
    count: int
    """Answers, each rater's counted."""


def compute_confusion(standing: Standing) -> tuple[ConfusionCount, ...]:
    """The counts of a language, kept candidates first; all human labels, zeros included."""
    counts: Counter[_Key] = Counter(_read_sample(standing))
    counts.update(_read_discarded(standing))
    labels = SCHEMES[standing.instrument].labels
    rows = sorted({(reason, labels.index(system)) for reason, system, _ in counts})
    return tuple(
        ConfusionCount(reason, labels[system], human, counts[reason, labels[system], human])
        for reason, system in rows
        for human in labels
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
        system = find_system_label(items[item_id])
        if system in table.scheme.labels:
            for code in row:
                if code != MISSING_LABEL:
                    yield "", system, table.scheme.labels[code]


def _read_discarded(standing: Standing) -> Iterator[_Key]:
    """Every counted label of a targeted item whose candidate is still discarded as it was."""
    discarded = {
        (each.generated.id, each.generated.content_hash): each.generated.reason
        for each in standing.candidates
        if each.generated.label is Label.DISCARDED
    }
    reasons = {
        item.id: (discarded[item.subject_id, item.content_hash], find_system_label(item))
        for item in standing.items
        if item.purpose is Purpose.TARGETED and (item.subject_id, item.content_hash) in discarded
    }
    labels = SCHEMES[standing.instrument].labels
    for rating in standing.counted:
        reason, system = reasons.get(rating.item_id, ("", None))
        human = compute_label(rating.answers)
        if system in labels and human in labels:
            yield reason, system, human
