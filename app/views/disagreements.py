"""The disagreement queue, and all the evidence about one candidate in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.assessment import Assessment
from annotation.disagreements import Disagreement, DisagreementKind
from annotation.labels import compute_gender_label, compute_system_label
from app.views import words
from app.views.candidates import describe_facts
from app.views.differences import MarkedPair, mark_variants
from app.views.repairs import describe_repair
from corpus.records import (
    AuditEntry,
    Item,
    RatingState,
    Source,
)
from corpus.review import ReviewedCandidate
from corpus.standing import Answer, Standing


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One rater's answer to one item of a candidate, under her pseudonym."""

    item: str
    variant: str
    """The variant she saw."""
    text_shown: str
    rater: str
    da: float | None
    label: str
    system_label: str
    comment: str
    counted: str
    """`yes`, or why the answer does not count."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a curator needs to decide one candidate."""

    reviewed: ReviewedCandidate
    source: str
    facts: tuple[str, ...]
    """Kinds of disagreement and what is known of the candidate, a line each."""
    repair: tuple[str, ...]
    """What the product built of it and how, a line each; empty for translations."""
    marked: MarkedPair | None
    """Both texts with their differing words marked; None unless there are two."""
    rows: tuple[EvidenceRow, ...]
    audit: tuple[AuditEntry, ...]
    """What was done with this candidate, oldest first."""


def build_queue(
    assessment: Assessment, kind: DisagreementKind | None = None, decided: bool = False
) -> tuple[Disagreement, ...]:
    """The open disagreements (or those decided already) of a kind, heaviest first."""
    open_subjects = assessment.open_subjects
    return tuple(
        each
        for each in assessment.disagreements
        if (each.subject_id not in open_subjects) == decided
        and (kind is None or kind in each.kinds)
    )


def find_next(queue: Sequence[Disagreement], subject_id: str) -> str | None:
    """The subject after this one in the queue, the first one after the last, None if alone."""
    ids = [each.subject_id for each in queue]
    if subject_id not in ids or len(ids) < 2:
        return None
    return ids[(ids.index(subject_id) + 1) % len(ids)]


def find_reviewed(standing: Standing, subject_id: str) -> ReviewedCandidate:
    """The candidate of that id with its decisions applied.

    Raises:
        KeyError: if the language has none.
    """
    return {each.candidate.id: each for each in standing.candidates}[subject_id]


def build_evidence(
    standing: Standing,
    disagreement: Disagreement,
    sources: Mapping[str, Source],
    audit: Sequence[AuditEntry],
) -> Evidence:
    """Everything known about one candidate of the queue."""
    reviewed = find_reviewed(standing, disagreement.subject_id)
    candidate = reviewed.candidate
    source = sources.get(candidate.source_key)
    items = {item.id: item for item in standing.items if item.subject_id == candidate.id}
    kinds = ", ".join(words.KINDS[kind] for kind in disagreement.kinds)
    return Evidence(
        reviewed=reviewed,
        source=source.text if source else "",
        facts=(f"Disagreement: {kinds}", *describe_facts(reviewed, source)),
        repair=describe_repair(reviewed),
        marked=mark_variants(candidate.variants),
        rows=tuple(
            _row(answer, items[answer.rating.item_id])
            for answer in standing.answers
            if answer.rating.item_id in items
        ),
        audit=tuple(entry for entry in audit if entry.subject == candidate.id),
    )


def _row(answer: Answer, item: Item) -> EvidenceRow:
    rating = answer.rating
    valid = rating.state is RatingState.VALID
    label = compute_gender_label(rating.answers) if valid else None
    system = compute_system_label(item.variant)
    score = rating.answers.get("quality")
    return EvidenceRow(
        item=item.id,
        variant=item.variant,
        text_shown=item.shown.get("mt_text", ""),
        rater=rating.rater_id,
        da=float(score) if isinstance(score, int | float) else None,
        label=str(label) if label else "",
        system_label=str(system) if system else "",
        comment=str(rating.answers.get("comment") or ""),
        counted=_describe_counting(answer),
    )


def _describe_counting(answer: Answer) -> str:
    if answer.counts:
        return "yes"
    if answer.rating.state is RatingState.INVALID:
        return "no: " + "; ".join(map(words.describe_invalid_reason, answer.rating.reasons))
    return "no: rater excluded" if answer.excluded else f"no: {answer.rating.state}"
