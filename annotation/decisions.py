"""Decisions: what a curator says of a candidate, bound to the content she saw.

An edited pair is checked by a `PairCheck` that the caller passes in, because this package does not
know the pairing rules; an edit without one is refused. An edited prompt keeps its placeholders, an
edited sector sentence its person word and its term.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from annotation.edited_texts import find_lost
from corpus.errors import StaleError, StateError
from corpus.hashing import nfc, unstorable
from corpus.records import (
    FEMININE_VARIANT,
    MASCULINE_VARIANT,
    NEUTRAL_VARIANT,
    AuditEntry,
    Candidate,
    Decision,
    DecisionAction,
    Instrument,
    Label,
    Origin,
)
from corpus.review import ReviewedCandidate, apply_decisions
from corpus.store import Store, Writer
from corpus.store.state import State

VARIANTS_OF_LABEL = {
    Label.NEUTRAL: {NEUTRAL_VARIANT},
    Label.PAIR: {MASCULINE_VARIANT, FEMININE_VARIANT},
}
ONE_GENDER = ({MASCULINE_VARIANT}, {FEMININE_VARIANT})
"""Texts of a candidate that would be a pair if its other variant were not missing."""

UNDECIDED = 0
"""Stands for the position of the last decision where there is none; the log begins at 1."""


class PairCheck(Protocol):
    """Says whether two texts are a minimal pair in a language."""

    def __call__(self, language: str, masculine: str, feminine: str) -> str | None:
        """What keeps the texts from being a pair, in words, or None if they are one."""
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a curator wants done with one candidate."""

    subject_id: str
    seen_hash: str
    """Content hash of the candidate as the curator saw it."""
    action: DecisionAction
    reason: str
    label: Label | None = None
    """New label, for `relabel`; `discarded` takes a candidate out that has one gender only."""
    variants: Mapping[str, str] | None = None
    """New texts, for `edit` and `relabel`; a variant that is missing is written."""
    rule: str | None = None
    seen_decision: int | None = None
    """Position of the last decision that was seen, `UNDECIDED` for none; None: not asked."""


def decide(
    store: Store,
    verdict: Verdict,
    by: str,
    check: PairCheck | None = None,
    origin: Origin = Origin.HUMAN,
) -> Decision:
    """Stores a decision, with its entry in the audit trail, in one transaction.

    Raises:
        StaleError: if the content or the last decision is not the one that was seen.
        StateError: if there is no such candidate, or the verdict does not fit it.
    """
    with store.writing(origin) as writer:
        reviewed = review_candidate(writer, verdict.subject_id)
        last = reviewed.decision.stamp if reviewed.decision else None
        if verdict.seen_decision not in (None, last.position if last else UNDECIDED):
            raise StaleError(
                f"{verdict.subject_id} was decided meanwhile; look at it again and decide anew."
            )
        return store_verdict(writer, reviewed, verdict, by, check)


def store_verdict(
    writer: Writer,
    reviewed: ReviewedCandidate,
    verdict: Verdict,
    by: str,
    check: PairCheck | None = None,
) -> Decision:
    """Stores a decision and its entry in the audit trail in the writer's transaction.

    Args:
        writer: of the transaction.
        reviewed: the candidate with its decisions applied, as the writer has it.
        verdict: what is decided.
        by: who decides.
        check: of new texts of a pair.

    Raises:
        StaleError: if the candidate's content is not the one that was seen.
        StateError: if the verdict does not fit the candidate.
    """
    current = reviewed.candidate
    if current.content_hash != verdict.seen_hash:
        raise StaleError(
            f"{verdict.subject_id} was changed meanwhile; look at it again and decide anew."
        )
    if verdict.action is DecisionAction.REOPEN and reviewed.decision is None:
        raise StateError(f"{verdict.subject_id} is undecided; there is nothing to take back.")
    decision = _decision(current, verdict, by, check)
    if decision.variants is not None:
        _check_kept(writer, reviewed.generated, decision.variants)
    written = _find_written(writer, decision)
    [stored] = writer.append([replace(decision, written=written)])
    details: dict[str, Any] = {"reason": verdict.reason}
    if verdict.rule is not None:
        details["rule"] = verdict.rule
    if written:
        details["written"] = list(written)
    writer.append_audit(
        AuditEntry(
            by,
            f"decide {verdict.action}",
            verdict.subject_id,
            before=_content(current.label, current.variants),
            after=_content(decision.label or current.label, decision.variants) | details,
        )
    )
    return stored


def current_candidate(state: State, subject_id: str) -> Candidate:
    """The candidate with its decisions applied.

    Raises:
        StateError: if there is none.
    """
    return review_candidate(state, subject_id).candidate


def review_candidate(state: State, subject_id: str) -> ReviewedCandidate:
    """The candidate beside what it was before its decisions, and the last of them.

    Raises:
        StateError: if there is none.
    """
    candidate = state.candidate(subject_id)
    decisions = state.decisions(candidate.instrument, candidate.language)
    return apply_decisions([candidate], decisions)[0]


def _decision(current: Candidate, verdict: Verdict, by: str, check: PairCheck | None) -> Decision:
    if not verdict.reason.strip():
        raise StateError("A decision needs a reason.")
    label, variants = _new_content(current, verdict)
    if variants is not None:
        _check_texts(current.instrument, label or current.label, variants)
        is_pair = (label or current.label) is Label.PAIR
        if is_pair and current.instrument is not Instrument.SECTORS:
            _check_pair(current.language, variants, check)
    return Decision(
        subject_id=verdict.subject_id,
        content_hash=verdict.seen_hash,
        action=verdict.action,
        reason=verdict.reason,
        by=by,
        label=label,
        variants=variants,
        rule=verdict.rule,
    )


def _find_written(writer: Writer, decision: Decision) -> tuple[str, ...]:
    """Variants of a decision whose text generation never gave: somebody wrote it."""
    if decision.variants is None:
        return ()
    generated = writer.candidate_texts(decision.subject_id)
    return tuple(sorted(name for name, text in decision.variants.items() if text not in generated))


def _new_content(
    current: Candidate, verdict: Verdict
) -> tuple[Label | None, dict[str, str] | None]:
    """New label and new texts; None where the verdict leaves them as they are."""
    variants = None
    if verdict.variants is not None:
        variants = {name: nfc(text.strip()) for name, text in verdict.variants.items()}
    if verdict.action is DecisionAction.EDIT:
        if variants is None or verdict.label is not None:
            raise StateError("An edit gives new texts and keeps the label.")
        return None, variants
    if verdict.action is DecisionAction.RELABEL:
        if current.instrument is not Instrument.EUROGEST:
            raise StateError(
                "Prompts and sector sentences have no label to change; edit or reject them."
            )
        if verdict.label is None or variants is None:
            raise StateError("A relabelling gives the new label and all its texts.")
        if verdict.label is Label.DISCARDED:
            _check_one_gender(current, variants)
        return verdict.label, variants
    if verdict.label is not None or variants is not None:
        raise StateError(f"To {verdict.action} leaves label and texts as they are.")
    if verdict.action is DecisionAction.ACCEPT and current.label is Label.DISCARDED:
        raise StateError("A discarded candidate cannot be accepted; relabel it with its texts.")
    return None, None


def _check_one_gender(current: Candidate, variants: Mapping[str, str]) -> None:
    """Makes sure that a candidate is discarded by its label only for want of a variant."""
    if set(variants) not in ONE_GENDER:
        raise StateError(
            "To take a candidate out, reject it; or give the one text, masculine or feminine, "
            "that there is of a pair."
        )
    if not set(variants.values()) <= set(current.variants.values()):
        raise StateError("The text of the one gender stays as it is; to change it, edit it first.")


def _check_texts(instrument: Instrument, label: Label, variants: Mapping[str, str]) -> None:
    expected = VARIANTS_OF_LABEL.get(label, set())
    # Which texts a candidate with one gender has was checked with its label.
    if set(variants) != expected and label is not Label.DISCARDED:
        raise StateError(
            f"A {label} candidate of {instrument} has the variants "
            f"{', '.join(sorted(expected))}; given: {', '.join(sorted(variants)) or 'none'}."
        )
    for name, text in variants.items():
        if not text:
            raise StateError(f"The {name} text is empty.")
        problem = unstorable(text)
        if problem is not None:
            raise StateError(f"The {name} text holds a {problem}; remove it.")


def _check_pair(language: str, variants: Mapping[str, str], check: PairCheck | None) -> None:
    if check is None:
        raise StateError("New texts of a pair must be checked; no check was given.")
    problem = check(language, variants[MASCULINE_VARIANT], variants[FEMININE_VARIANT])
    if problem is not None:
        raise StateError(f"These texts are not a minimal pair: {problem}.")


def _check_kept(writer: Writer, generated: Candidate, variants: Mapping[str, str]) -> None:
    """Makes sure that an edited prompt or sector sentence still is the test it was."""
    if generated.instrument is Instrument.EUROGEST:
        return
    known = {source.key: source for source in writer.sources(generated.instrument)}
    problem = find_lost(generated, known[generated.source_key], variants)
    if problem is not None:
        raise StateError(f"This is not the same test any more: {problem}.")


def _content(label: Label, variants: Mapping[str, str] | None) -> dict[str, Any]:
    content: dict[str, Any] = {"label": str(label)}
    return content if variants is None else content | {"variants": dict(variants)}
