"""The disagreement queue: subjects whose ratings a curator must look at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation.labels import is_unsure
from corpus.records import RaterLabel


class DisagreementKind(StrEnum):
    """Why a subject is in the queue, heaviest first."""

    LABEL_CONFLICT = "label_conflict"
    """Two raters gave one item different labels, neither of them unsure."""
    SYSTEM_CONFLICT = "system_conflict"
    """A rater's label, not unsure, differs from the system's."""
    UNSURE = "unsure"
    DA_SPREAD = "da_spread"
    LOW_DA = "low_da"
    COMMENT = "comment"


WEIGHT_OF_KIND = {kind: float(2**power) for power, kind in enumerate(reversed(DisagreementKind))}
"""Powers of two: a heavier kind outweighs all lighter ones together."""


@dataclass(frozen=True, slots=True)
class DisagreementThresholds:
    """Limits on DA beyond which an item is in the queue."""

    da_spread: float = 33.0
    """Greatest minus smallest DA of an item; more than one anchor band is a disagreement."""
    low_da: float = 66.0
    """Mean DA of an item; below this it is low."""


@dataclass(frozen=True, slots=True)
class RatedAnswer:
    """A counted answer to one item with what the queue needs to know of the item."""

    subject_id: str
    item_id: str
    rater_id: str
    score_0_100: float | None
    label: RaterLabel | None
    system_label: RaterLabel | None
    """Label of the variant the item shows; None where the system gives none."""
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A subject with the kinds of disagreement found on its items."""

    subject_id: str
    item_ids: tuple[str, ...]
    """The items that disagree, in order of their ids."""
    kinds: tuple[DisagreementKind, ...]
    """Heaviest first."""
    weight: float
    """Sum of the weights of its kinds, 1 to 63."""


def find_disagreements(
    answers: Iterable[RatedAnswer], thresholds: DisagreementThresholds | None = None
) -> list[Disagreement]:
    """Subjects a curator must look at, by weight (heaviest first), then by id.

    Raters are compared on the same item only: the two items of a pair show different variants, so
    different labels there are as they should be.

    Args:
        answers: One for each rater and item; excluded raters and control items left out.
        thresholds: Limits on DA; the defaults for None.
    """
    limits = thresholds or DisagreementThresholds()
    answers_of_item: defaultdict[tuple[str, str], list[RatedAnswer]] = defaultdict(list)
    for answer in answers:
        answers_of_item[answer.subject_id, answer.item_id].append(answer)
    items_of_subject: defaultdict[str, list[str]] = defaultdict(list)
    kinds_of_subject: defaultdict[str, set[DisagreementKind]] = defaultdict(set)
    for (subject, item), given in sorted(answers_of_item.items()):
        kinds = _find_kinds(given, limits)
        if kinds:
            items_of_subject[subject].append(item)
            kinds_of_subject[subject] |= kinds
    found = [
        Disagreement(
            subject,
            tuple(items_of_subject[subject]),
            tuple(kind for kind in DisagreementKind if kind in kinds),
            sum(WEIGHT_OF_KIND[kind] for kind in kinds),
        )
        for subject, kinds in kinds_of_subject.items()
    ]
    return sorted(found, key=lambda one: (-one.weight, one.subject_id))


def _find_kinds(
    given: Sequence[RatedAnswer], limits: DisagreementThresholds
) -> set[DisagreementKind]:
    labels = [answer.label for answer in given if answer.label is not None]
    decided = {label for label in labels if not is_unsure(label)}
    system = {answer.system_label for answer in given if answer.system_label is not None}
    scores = [answer.score_0_100 for answer in given if answer.score_0_100 is not None]
    holds = {
        DisagreementKind.LABEL_CONFLICT: len(decided) > 1,
        DisagreementKind.SYSTEM_CONFLICT: bool(system) and bool(decided - system),
        DisagreementKind.UNSURE: any(map(is_unsure, labels)),
        DisagreementKind.DA_SPREAD: bool(scores) and max(scores) - min(scores) > limits.da_spread,
        DisagreementKind.LOW_DA: bool(scores) and sum(scores) / len(scores) < limits.low_da,
        DisagreementKind.COMMENT: any(answer.comment.strip() for answer in given),
    }
    return {kind for kind, held in holds.items() if held}
