"""Review: candidates with decisions applied, and the state of a language.

A decision is bound to the content it was made on. Decisions of a candidate are applied in the
order they were made; one whose content hash is not that of the candidate (with the decisions
before it applied) is void and has no effect, so a regenerated candidate goes back to open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from corpus.errors import StateError
from corpus.hashing import sha256_json
from corpus.prompt_sources import FRAME
from corpus.records import (
    Approval,
    ApprovalAction,
    Candidate,
    Decision,
    DecisionAction,
    Exclusion,
    Label,
    RatingRevision,
    RatingState,
)

ONE_GENDER_ONLY = "one_gender_only"
"""Reason of a candidate that a curator took out because one of the two variants is missing."""


class LanguageState(StrEnum):
    """Where a language is on its way to a release."""

    EMPTY = "empty"
    """Nothing generated yet."""
    GENERATED = "generated"
    IN_ANNOTATION = "in annotation"
    """A batch is out and not all its answers are in."""
    IN_REVIEW = "in review"
    APPROVED = "approved"
    RELEASED = "released"
    SOURCE = "source"
    """English: enters untranslated, needs no ratings and no approval."""


class LanguageEvent(StrEnum):
    """What moves a language on."""

    GENERATE = "generate"
    SEND_BATCH = "send a batch"
    COMPLETE_BATCHES = "complete all batches"
    APPROVE = "approve"
    CHANGE = "change the data"
    REVOKE = "revoke the approval"
    RELEASE = "release"


_TRANSITIONS: dict[tuple[LanguageState, LanguageEvent], LanguageState] = {
    (LanguageState.EMPTY, LanguageEvent.GENERATE): LanguageState.GENERATED,
    (LanguageState.GENERATED, LanguageEvent.GENERATE): LanguageState.GENERATED,
    (LanguageState.GENERATED, LanguageEvent.SEND_BATCH): LanguageState.IN_ANNOTATION,
    (LanguageState.IN_ANNOTATION, LanguageEvent.SEND_BATCH): LanguageState.IN_ANNOTATION,
    (LanguageState.IN_ANNOTATION, LanguageEvent.COMPLETE_BATCHES): LanguageState.IN_REVIEW,
    (LanguageState.IN_REVIEW, LanguageEvent.SEND_BATCH): LanguageState.IN_ANNOTATION,
    (LanguageState.IN_REVIEW, LanguageEvent.CHANGE): LanguageState.IN_REVIEW,
    (LanguageState.IN_REVIEW, LanguageEvent.APPROVE): LanguageState.APPROVED,
    (LanguageState.APPROVED, LanguageEvent.CHANGE): LanguageState.IN_REVIEW,
    (LanguageState.APPROVED, LanguageEvent.REVOKE): LanguageState.IN_REVIEW,
    (LanguageState.APPROVED, LanguageEvent.SEND_BATCH): LanguageState.IN_ANNOTATION,
    (LanguageState.APPROVED, LanguageEvent.RELEASE): LanguageState.RELEASED,
    (LanguageState.RELEASED, LanguageEvent.RELEASE): LanguageState.RELEASED,
    (LanguageState.RELEASED, LanguageEvent.CHANGE): LanguageState.IN_REVIEW,
    (LanguageState.RELEASED, LanguageEvent.REVOKE): LanguageState.IN_REVIEW,
    (LanguageState.RELEASED, LanguageEvent.SEND_BATCH): LanguageState.IN_ANNOTATION,
    (LanguageState.SOURCE, LanguageEvent.GENERATE): LanguageState.SOURCE,
    (LanguageState.SOURCE, LanguageEvent.RELEASE): LanguageState.SOURCE,
}
"""The review state machine. What is not listed is refused."""


def next_state(state: LanguageState, event: LanguageEvent, language: str) -> LanguageState:
    """The state after an event.

    Raises:
        StateError: if the event is not possible in this state.
    """
    try:
        return _TRANSITIONS[state, event]
    except KeyError:
        possible = ", ".join(str(known) for at, known in _TRANSITIONS if at is state)
        raise StateError(
            f"Language {language} is {state}: one cannot {event}. Possible now: {possible}."
        ) from None


@dataclass(frozen=True, slots=True)
class ReviewedCandidate:
    """A candidate with its valid decisions applied."""

    candidate: Candidate
    """Content after the decisions; the stamp is the generated row's."""
    generated: Candidate
    """Content before any decision."""
    decision: Decision | None
    """The last valid decision, None while undecided."""
    void: tuple[Decision, ...] = ()
    """Decisions whose content has changed since."""
    written: Mapping[str, str] = field(default_factory=dict)
    """Variants whose text a curator wrote and no engine gave → that curator."""

    @property
    def rejected(self) -> bool:
        """Whether the last valid decision keeps the candidate out of every release."""
        return self.decision is not None and self.decision.action is DecisionAction.REJECT


def apply_decisions(
    candidates: Iterable[Candidate], decisions: Iterable[Decision]
) -> list[ReviewedCandidate]:
    """The candidates with the decisions that are still about their content, in the same order."""
    by_subject: dict[str, list[Decision]] = {}
    for decision in decisions:
        by_subject.setdefault(decision.subject_id, []).append(decision)
    return [_apply(candidate, by_subject.get(candidate.id, [])) for candidate in candidates]


def _apply(candidate: Candidate, decisions: Sequence[Decision]) -> ReviewedCandidate:
    current, last = candidate, None
    void: list[Decision] = []
    written: dict[str, str] = {}
    for decision in decisions:
        if decision.content_hash != current.content_hash:
            void.append(decision)
            continue
        if decision.action is DecisionAction.REOPEN:
            current, last, written = candidate, None, {}
            continue
        last = decision
        if decision.label is not None:
            current = replace(current, label=decision.label, reason=_reason(decision))
        if decision.variants is not None:
            written = _written(decision, current.variants, written)
            current = replace(current, variants=dict(decision.variants))
    return ReviewedCandidate(current, candidate, last, tuple(void), written)


def _reason(decision: Decision) -> str:
    taken_out = decision.label is Label.DISCARDED
    return ONE_GENDER_ONLY if taken_out else f"decided:{decision.action}"


def _written(
    decision: Decision, before: Mapping[str, str], writers: Mapping[str, str]
) -> dict[str, str]:
    """Who wrote what after a decision; a text that it left as it was stays its first writer's."""
    new = decision.variants or {}
    return {
        name: writers.get(name, decision.by) if new[name] == before.get(name) else decision.by
        for name in decision.written
    }


def compute_data_hash(
    candidates: Iterable[ReviewedCandidate],
    ratings: Iterable[RatingRevision],
    exclusions: Iterable[Exclusion],
    templates: Mapping[str, object],
) -> str:
    """Hash of all that an approval of a language stands on.

    Covers content and decisions of all candidates, the valid ratings, who is excluded, and the
    language's templates. An approval is stale when this hash has changed.
    """
    return sha256_json(
        {
            "candidates": sorted(
                [each.candidate.id, hash_shown(each.candidate), each.rejected]
                for each in candidates
            ),
            "ratings": sorted(each.key for each in ratings if each.state is RatingState.VALID),
            "exclusions": sorted(
                [each.batch_id, each.rater_id] for each in exclusions if each.excluded
            ),
            "templates": dict(templates),
        }
    )


def hash_shown(candidate: Candidate) -> str:
    """Hash of what an approval is of: the content and, of a prompt, what is sent around it."""
    frame = candidate.evidence.get(FRAME)
    if frame is None:
        return candidate.content_hash
    return sha256_json([candidate.content_hash, dict(frame)])


@dataclass(frozen=True, slots=True)
class LanguageReview:
    """Where a language stands, and whether its approval still fits the data."""

    state: LanguageState
    approval: Approval | None
    """The approval in force or gone stale; None if never given or revoked."""
    stale: bool
    """An approval was given and the data has changed since."""


def review_language(
    *,
    is_source: bool,
    candidates: int,
    answers_missing: int | None,
    approvals: Sequence[Approval],
    data_hash: str,
    released_position: int | None,
) -> LanguageReview:
    """The state of a language, from what the store says.

    Args:
        is_source: whether the language is the sources' own (English).
        candidates: number of candidates.
        answers_missing: answers still missing in its batches, None when it has no batch.
        approvals: approvals and revocations, oldest first.
        data_hash: what `compute_data_hash` gives now.
        released_position: log position of the latest release with the language, None if none.
    """
    if candidates == 0:
        return LanguageReview(LanguageState.EMPTY, None, False)
    if is_source:
        return LanguageReview(LanguageState.SOURCE, None, False)
    approval = approvals[-1] if approvals else None
    if approval is not None and approval.action is ApprovalAction.REVOKE:
        approval = None
    if approval is not None and approval.data_hash == data_hash:
        given_at = approval.stamp.position if approval.stamp else 0
        released = released_position is not None and released_position >= given_at
        state = LanguageState.RELEASED if released else LanguageState.APPROVED
        return LanguageReview(state, approval, False)
    stale = approval is not None
    if answers_missing is None:
        return LanguageReview(LanguageState.GENERATED, approval, stale)
    if answers_missing > 0:
        return LanguageReview(LanguageState.IN_ANNOTATION, approval, stale)
    return LanguageReview(LanguageState.IN_REVIEW, approval, stale)
