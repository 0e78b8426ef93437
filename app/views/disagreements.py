"""The disagreement queue, and all the evidence about one candidate in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.assessment import Assessment
from annotation.disagreements import Disagreement, DisagreementKind
from annotation.labels import compute_label, find_system_label
from annotation.referrals import Referral, find_referrals
from app.views import words
from app.views.candidates import describe_facts
from app.views.differences import MarkedPair, mark_variants
from app.views.repairs import describe_repair
from corpus.records import (
    AuditEntry,
    Item,
    Purpose,
    RatingState,
    Source,
)
from corpus.review import ReviewedCandidate
from corpus.standing import Answer, Standing
from corpus.stereotypes import Inventory

_UNCOUNTED = {
    Purpose.ADJUDICATION: "asked because of earlier answers",
    Purpose.TARGETED: "of a targeted batch",
    Purpose.REPEAT: "control item",
    Purpose.DEGRADED: "control item",
}
"""Why a valid answer enters no figure of agreement."""


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """Which disagreements are shown."""

    kind: DisagreementKind | None = None
    """None: any."""
    stereotype_id: int | None = None
    """None: any."""
    decided: bool = False
    """Those that are decided instead of those that are open."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a candidate stands in the queue."""

    number: int
    """From 1 on."""
    of: int
    previous: str | None
    """Subject id of the one before, the last one before the first; None if it is alone."""
    next: str | None


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One rater's answer to one item of a candidate, under her pseudonym."""

    rater: str
    da: float | None
    label: str
    system_label: str
    comment: str
    variant: str
    """The variant she saw."""
    text_shown: str
    counted: str
    """`yes`, or why the answer enters no figure of agreement."""
    item: str


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
    referrals: tuple[Referral, ...]
    """Who was asked about it, oldest first."""


def build_queue(
    assessment: Assessment, sources: Mapping[str, Source], chosen: QueueFilter
) -> tuple[Disagreement, ...]:
    """The disagreements that fit the filter, heaviest first."""
    open_subjects = assessment.open_subjects
    return tuple(
        each
        for each in assessment.disagreements
        if (each.subject_id not in open_subjects) == chosen.decided
        and (chosen.kind is None or chosen.kind in each.kinds)
        and chosen.stereotype_id in (None, find_stereotype(each.subject_id, sources))
    )


def list_stereotypes(assessment: Assessment, sources: Mapping[str, Source]) -> tuple[int, ...]:
    """The stereotypes of all disagreements, sorted."""
    found = {find_stereotype(each.subject_id, sources) for each in assessment.disagreements}
    return tuple(sorted(each for each in found if each is not None))


def find_stereotype(subject_id: str, sources: Mapping[str, Source]) -> int | None:
    """The stereotype of a subject's source; None without one."""
    source = sources.get(subject_id.split("/", 2)[2])
    return source.stereotype_id if source else None


def find_place(queue: Sequence[Disagreement], subject_id: str) -> Place:
    """Where a subject of the queue stands in it; the queue goes round."""
    ids = [each.subject_id for each in queue]
    at = ids.index(subject_id)
    if len(ids) < 2:
        return Place(at + 1, len(ids), None, None)
    return Place(at + 1, len(ids), ids[at - 1], ids[(at + 1) % len(ids)])


def describe_queued(disagreement: Disagreement, awaited: bool) -> str:
    """One line of the queue."""
    kinds = words.describe_kinds(disagreement)
    waiting = "; a rater is asked" if awaited else ""
    return f"{disagreement.subject_id}: {kinds}{waiting}"


def describe_referral(referral: Referral) -> str:
    """Who was asked what by whom, and whose answer is awaited."""
    question = f": “{referral.question}”" if referral.question else ""
    awaited = (
        f"No answer yet from {', '.join(referral.awaited)}."
        if referral.awaited
        else "Answered, or nobody is waited for any more."
    )
    return (
        f"{referral.kind[0].upper()}{referral.kind[1:]} by {referral.by}, to "
        f"{', '.join(referral.asked)} (batch {referral.batch_id}){question}. {awaited}"
    )


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
    inventory: Inventory,
) -> Evidence:
    """Everything known about one candidate of the queue."""
    reviewed = find_reviewed(standing, disagreement.subject_id)
    candidate = reviewed.candidate
    source = sources.get(candidate.source_key)
    items = {item.id: item for item in standing.items if item.subject_id == candidate.id}
    kinds = words.describe_kinds(disagreement)
    return Evidence(
        reviewed=reviewed,
        source=source.text if source else "",
        facts=(f"Disagreement: {kinds}", *describe_facts(reviewed, source, inventory)),
        repair=describe_repair(reviewed),
        marked=mark_variants(candidate.variants),
        rows=tuple(
            _row(answer, items[answer.rating.item_id])
            for answer in standing.answers
            if answer.rating.item_id in items
        ),
        audit=tuple(entry for entry in audit if entry.subject == candidate.id),
        referrals=find_referrals(standing).get(candidate.id, ()),
    )


def _row(answer: Answer, item: Item) -> EvidenceRow:
    rating = answer.rating
    valid = rating.state is RatingState.VALID
    label = compute_label(rating.answers) if valid else None
    system = find_system_label(item)
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
        counted=_describe_counting(answer, item),
    )


def _describe_counting(answer: Answer, item: Item) -> str:
    if answer.counts:
        why = _UNCOUNTED.get(item.purpose)
        return f"no: {why}" if why else "yes"
    if answer.rating.state is RatingState.INVALID:
        return "no: " + "; ".join(map(words.describe_invalid_reason, answer.rating.reasons))
    return "no: rater excluded" if answer.excluded else f"no: {answer.rating.state}"
