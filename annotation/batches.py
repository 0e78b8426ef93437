"""Batches: a sample of one language, and which rater answers which items in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.batch_drafts import draft_batch
from annotation.degradation import WordExchange
from annotation.design import BatchPlan, check_plan
from corpus.errors import StateError
from corpus.records import Assignment, AuditEntry, Batch, Item, Origin
from corpus.standing import language_standing, language_templates
from corpus.store import Store
from corpus.store.state import State

__all__ = ["BatchPlan", "CreatedBatch", "check_raters", "create_batch"]


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
        existing = [batch for batch in writer.batches(plan.instrument) if batch.id == plan.id]
        if existing:
            return CreatedBatch(
                existing[0],
                tuple(writer.items([plan.id])),
                tuple(writer.assignments([plan.id])),
                created=False,
            )
        check_raters(writer, plan.raters)
        standing = language_standing(
            writer, plan.instrument, plan.language, language_templates(plan.language)
        )
        sources = {source.key: source for source in writer.sources(plan.instrument)}
        draft = draft_batch(standing, sources, plan, exchange)
        writer.append_form(draft.form)
        [stored] = writer.append([draft.batch])
        items = writer.append(draft.items)
        assignments = writer.append(draft.assignments)
        after = {"items": len(items), "raters": list(plan.raters)}
        writer.append_audit(AuditEntry(actor, "batch create", plan.id, after=after))
        return CreatedBatch(stored, tuple(items), tuple(assignments), created=True)


def check_raters(state: State, raters: Sequence[str]) -> None:
    """Refuses raters that nobody added.

    Raises:
        StateError: with all that are unknown.
    """
    known = {person.id for person in state.people() if person.kind == "rater"}
    unknown = sorted(set(raters) - known)
    if unknown:
        raise StateError(
            f"Unknown raters: {', '.join(unknown)}. Add them with `stereoscope raters add ID`; "
            f"known: {', '.join(sorted(known)) or 'none yet'}."
        )
