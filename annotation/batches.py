"""Batches: a sample of one language, and which rater answers which items in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.batch_drafts import draft_batch
from annotation.degradation import WordExchange
from annotation.design import BatchPlan, check_plan
from corpus.errors import StateError
from corpus.people import RATER
from corpus.records import Assignment, AuditEntry, Batch, Instrument, Item, Origin
from corpus.standing import language_standing
from corpus.store import Store, Writer
from corpus.store.state import State

__all__ = [
    "BatchPlan",
    "CreatedBatch",
    "check_raters",
    "create_batch",
    "find_created",
    "store_batch",
]


@dataclass(frozen=True, slots=True)
class CreatedBatch:
    """A batch with its items and assignments."""

    batch: Batch
    items: tuple[Item, ...]
    assignments: tuple[Assignment, ...]
    created: bool
    """False if the batch was there already and nothing was written."""


def create_batch(
    store: Store,
    plan: BatchPlan,
    actor: str,
    origin: Origin,
    exchange: WordExchange | None = None,
) -> CreatedBatch:
    """Draws the sample and stores batch, items and assignments in one transaction.

    Args:
        store: where it is stored.
        plan: what the batch is to be.
        actor: who creates it.
        origin: who or what it comes from.
        exchange: the other gender's form of a word, for wrong agreement; None takes what the
            language's own pairs attest.

    Raises:
        InputError: if there is no such language.
        StateError: if a rater is unknown or named twice, the plan contradicts itself, or the
            language has nothing to rate or needs no ratings (English).
    """
    check_plan(plan)
    with store.writing(origin) as writer:
        existing = find_created(writer, plan.instrument, plan.id)
        if existing is not None:
            return existing
        check_raters(writer, plan.raters)
        standing = language_standing(writer, plan.instrument, plan.language)
        sources = {source.key: source for source in writer.sources(plan.instrument)}
        draft = draft_batch(standing, sources, plan, exchange)
        writer.append_form(draft.form)
        return store_batch(
            writer, draft.batch, draft.items, draft.assignments, actor, "batch create"
        )


def find_created(state: State, instrument: Instrument, batch_id: str) -> CreatedBatch | None:
    """The batch with this id, if it is there already."""
    for batch in state.batches(instrument):
        if batch.id == batch_id:
            items, assignments = state.items([batch_id]), state.assignments([batch_id])
            return CreatedBatch(batch, tuple(items), tuple(assignments), created=False)
    return None


def store_batch(
    writer: Writer,
    batch: Batch,
    items: Sequence[Item],
    assignments: Sequence[Assignment],
    actor: str,
    action: str,
    details: Mapping[str, Any] | None = None,
) -> CreatedBatch:
    """Stores a new batch, whose form is stored, and notes it.

    Args:
        writer: where it is stored.
        batch: the batch.
        items: its items.
        assignments: who answers which.
        actor: who creates it.
        action: what the audit entry calls it.
        details: what the entry says besides the number of items and the raters.
    """
    [stored] = writer.append([batch])
    stored_items = writer.append(items)
    stored_assignments = writer.append(assignments)
    after = {"items": len(items), "raters": [each.rater_id for each in assignments]}
    writer.append_audit(AuditEntry(actor, action, batch.id, after=after | dict(details or {})))
    return CreatedBatch(stored, tuple(stored_items), tuple(stored_assignments), created=True)


def check_raters(state: State, raters: Sequence[str]) -> None:
    """Refuses raters that nobody added.

    Raises:
        StateError: with all that are unknown.
    """
    known = {person.id for person in state.people() if person.kind == RATER}
    unknown = sorted(set(raters) - known)
    if unknown:
        raise StateError(
            f"Unknown raters: {', '.join(unknown)}. Add them with `stereoscope raters add ID`; "
            f"known: {', '.join(sorted(known)) or 'none yet'}."
        )
