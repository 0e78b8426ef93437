"""Referrals: a curator asks raters about one candidate before she decides it.

Sent back, its raters are asked again, with her question; or a rater who has not seen it is asked.
Either is a batch of its own with the purpose `adjudication`: who is asked because of earlier
answers says nothing about how well raters agree, so no figure of agreement is drawn from it. While
an answer is awaited the candidate stays open and no rule decides it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from annotation.batches import CreatedBatch, check_raters, store_batch
from annotation.decisions import review_candidate
from annotation.labels import STATED
from corpus.content_notes import CONTENT_NOTE
from corpus.errors import StaleError, StateError
from corpus.forms import Form, load_form
from corpus.hashing import nfc, sha256_json, unstorable
from corpus.records import (
    Assignment,
    AssignmentState,
    Batch,
    Item,
    Origin,
    Purpose,
    RatingState,
)
from corpus.review import LanguageEvent, ReviewedCandidate, next_state
from corpus.standing import DATA_PURPOSES, Standing, find_left_out, language_standing
from corpus.store import Store, Writer
from corpus.store.state import State

KIND, SUBJECT, QUESTION, ASKED_BY = "referral", "subject", "question", "by"
"""Names in `Batch.design`."""
LONGEST_QUESTION = 500
"""Characters; it stands above the texts."""
ASKS = "The study asks: "
"""Before the question, above the texts that a rater sees."""


class ReferralKind(StrEnum):
    """Who is asked about a candidate."""

    SENT_BACK = "sent back"
    """Its raters, each about what she rated."""
    ANOTHER_RATER = "another rater"
    """Somebody who was given none of its texts."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a curator asks about one candidate."""

    subject_id: str
    seen_hash: str | None
    """Content hash of the candidate as the curator saw it; None: as it is now."""
    text: str
    """Shown to the raters; may be empty where another rater is asked."""
    rater_id: str | None = None
    """Who is asked; None: its raters, again."""


@dataclass(frozen=True, slots=True)
class Referral:
    """A candidate about which somebody was asked."""

    batch_id: str
    kind: ReferralKind
    question: str
    by: str
    asked: tuple[str, ...]
    """Ids of the raters."""
    awaited: tuple[str, ...]
    """Those of them who have not answered and still may."""


def refer_candidate(
    store: Store, question: Question, actor: str, origin: Origin = Origin.HUMAN
) -> CreatedBatch:
    """A batch that asks about one candidate, in one transaction.

    Args:
        store: where it is stored.
        question: what is asked, about what, of whom.
        actor: who asks.
        origin: who or what the batch comes from.

    Raises:
        StaleError: if the candidate's content is not the one that was seen.
        StateError: if it is decided, or nobody can be asked, or who is asked was before, or the
            question does not fit; with each of candidate, question and rater that is at fault.
    """
    asked = [] if question.rater_id is None else [question.rater_id]
    with store.writing(origin) as writer:
        _check_all(
            lambda: _find_undecided(writer, question),
            lambda: _check_question(question),
            lambda: check_raters(writer, asked),
        )
        reviewed, text = _find_undecided(writer, question), _check_question(question)
        language = reviewed.candidate.language
        standing = language_standing(writer, reviewed.candidate.instrument, language)
        if question.rater_id is None:
            items = _find_rated(standing, reviewed)
            _check_awaited(standing, question.subject_id, items)
        else:
            _check_awaited(standing, question.subject_id, asked)
            items = {question.rater_id: _find_unseen(standing, reviewed, question.rater_id)}
        next_state(standing.review.state, LanguageEvent.SEND_BATCH, language)
        return _write(writer, standing, items, replace(question, text=text), actor)


def find_referrals(standing: Standing) -> dict[str, tuple[Referral, ...]]:
    """Subject id → who was asked about it, oldest first."""
    answered = {
        (each.rating.item_id, each.rating.rater_id)
        for each in standing.answers
        if each.rating.state in (RatingState.VALID, RatingState.SKIPPED)
    }
    left_out = find_left_out(standing.exclusions)
    found: dict[str, tuple[Referral, ...]] = {}
    for batch in standing.batches:
        if KIND not in batch.design:
            continue
        given = [each for each in standing.assignments if each.batch_id == batch.id]
        awaited = [
            each.rater_id
            for each in given
            if each.state is AssignmentState.ACTIVE
            and (batch.id, each.rater_id) not in left_out
            and any((item_id, each.rater_id) not in answered for item_id in each.item_ids)
        ]
        subject = str(batch.design[SUBJECT])
        referral = Referral(
            batch.id,
            ReferralKind(batch.design[KIND]),
            str(batch.design[QUESTION]),
            str(batch.design[ASKED_BY]),
            tuple(each.rater_id for each in given),
            tuple(awaited),
        )
        found[subject] = (*found.get(subject, ()), referral)
    return found


def find_awaited(standing: Standing) -> frozenset[str]:
    """Ids of the candidates about which somebody is asked and has not answered."""
    return frozenset(
        subject
        for subject, referrals in find_referrals(standing).items()
        if any(each.awaited for each in referrals)
    )


def find_free_raters(standing: Standing, subject_id: str, raters: Sequence[str]) -> tuple[str, ...]:
    """Those of the raters who were given none of a candidate's texts."""
    mine = {item.id for item in standing.items if item.subject_id == subject_id}
    given = {each.rater_id for each in standing.assignments if mine & set(each.item_ids)}
    return tuple(each for each in raters if each not in given)


def _check_all(*checks: Callable[[], object]) -> None:
    """Makes checks that do not need one another, and raises once for all that fail."""
    found: list[StateError] = []
    for check in checks:
        try:
            check()
        except StateError as error:
            found.append(error)
    if len(found) == 1:
        raise found[0]
    if found:
        raise StateError("\n".join(map(str, found)))


def _find_undecided(state: State, question: Question) -> ReviewedCandidate:
    found = review_candidate(state, question.subject_id)
    if question.seen_hash not in (None, found.candidate.content_hash):
        raise StaleError(
            f"{question.subject_id} was changed meanwhile; look at it again and ask anew."
        )
    if found.decision is not None:
        raise StateError(f"{question.subject_id} is decided; reopen it before you ask about it.")
    return found


def _check_question(question: Question) -> str:
    """The question as it is stored."""
    text = nfc(" ".join(question.text.split()))
    if question.rater_id is None and not text:
        raise StateError("Raters who are asked again need a question.")
    if len(text) > LONGEST_QUESTION:
        raise StateError(f"A question has at most {LONGEST_QUESTION} characters, not {len(text)}.")
    problem = unstorable(text)
    if problem is not None:
        raise StateError(f"The question holds a {problem}; remove it.")
    return text


def _shown_items(standing: Standing, reviewed: ReviewedCandidate) -> dict[str, Item]:
    """Items that show a text of the candidate as it is now, by id."""
    variants = reviewed.candidate.variants
    return {
        item.id: item
        for item in standing.items
        if item.subject_id == reviewed.candidate.id
        and item.purpose in DATA_PURPOSES
        and variants.get(item.variant) == item.shown.get("mt_text")
    }


def _find_rated(standing: Standing, reviewed: ReviewedCandidate) -> dict[str, Item]:
    """Rater → what she rated of a candidate last, of those whose rating counts."""
    shown = _shown_items(standing, reviewed)
    found = {
        each.rater_id: shown[each.item_id] for each in standing.counted if each.item_id in shown
    }
    if not found:
        raise StateError(f"Nobody has rated {reviewed.candidate.id} as it is now.")
    return found


def _find_unseen(standing: Standing, reviewed: ReviewedCandidate, rater_id: str) -> Item:
    """What another rater is shown: the text that was rated first."""
    if not find_free_raters(standing, reviewed.candidate.id, [rater_id]):
        raise StateError(
            f"{rater_id} was given a text of {reviewed.candidate.id} herself; ask somebody else, "
            "or send it back."
        )
    shown = _shown_items(standing, reviewed)
    if not shown:
        raise StateError(f"Nobody was given {reviewed.candidate.id} as it is now.")
    return shown[min(shown)]


def _check_awaited(standing: Standing, subject_id: str, raters: Iterable[str]) -> None:
    asked = {
        rater for each in find_referrals(standing).get(subject_id, ()) for rater in each.awaited
    }
    if still := sorted(asked & set(raters)):
        raise StateError(
            f"{', '.join(still)} was asked about {subject_id} and has not answered yet."
        )


def _write(
    writer: Writer, standing: Standing, asked: Mapping[str, Item], question: Question, actor: str
) -> CreatedBatch:
    kind = ReferralKind.SENT_BACK if question.rater_id is None else ReferralKind.ANOTHER_RATER
    of = next(each for each in standing.batches if each.id == next(iter(asked.values())).batch_id)
    form = load_form(of.form.rpartition("/")[0])
    before = sum(len(each) for each in find_referrals(standing).values())
    digest = sha256_json([question.subject_id, sorted(asked), question.text, before])
    design = {
        "size": len(asked),
        "purpose": str(Purpose.ADJUDICATION),
        KIND: str(kind),
        SUBJECT: question.subject_id,
        QUESTION: question.text,
        ASKED_BY: actor,
        **({"cost": of.design["cost"]} if "cost" in of.design else {}),
    }
    batch = Batch(
        id=f"{standing.language}-{digest[:8]}",
        instrument=standing.instrument,
        language=standing.language,
        form=form.name,
        seed=of.seed,
        raters_planned=1,
        design=design,
    )
    items = [
        replace(
            item,
            id=f"{batch.id}/{number:04}",
            batch_id=batch.id,
            purpose=Purpose.ADJUDICATION,
            shown=_shown_with_question(form, item, question.text),
            weight=1.0,
            making={**_keep_stated(item), "of": item.id},
            stamp=None,
        )
        for number, item in enumerate(asked.values(), start=1)
    ]
    assignments = [
        Assignment(batch.id, rater, (item.id,)) for rater, item in zip(asked, items, strict=True)
    ]
    writer.append_form(form)
    details = {KIND: str(kind), SUBJECT: question.subject_id, QUESTION: question.text}
    return store_batch(writer, batch, items, assignments, actor, "refer candidate", details)


def _keep_stated(item: Item) -> dict[str, Any]:
    return {STATED: item.making[STATED]} if STATED in item.making else {}


def _shown_with_question(form: Form, item: Item, question: str) -> dict[str, str]:
    """What an item shows, and the question in the note above it."""
    names = {each.name for each in form.shown}
    if question and CONTENT_NOTE not in names:
        raise StateError(f"The form {form.name} has no place for a question; leave it empty.")
    shown = {each: item.shown.get(each, "") for each in names}
    if question:
        shown[CONTENT_NOTE] = " ".join(filter(None, (shown[CONTENT_NOTE], ASKS + question)))
    return shown
