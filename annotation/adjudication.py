"""Adjudication: a third opinion on the conflicts of a batch, which never enters agreement.

Who is asked because of earlier answers says nothing about how well raters agree; so her items are
a batch of their own, with a purpose that no figure of agreement is drawn from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from annotation.assessment import AssessmentSettings, assess_language
from annotation.batches import CreatedBatch, check_raters, store_batch
from annotation.disagreements import Disagreement, DisagreementKind
from annotation.ordering import order_for_rater
from corpus.hashing import sha256_json
from corpus.records import Assignment, Batch, Item, Origin, Purpose
from corpus.review import LanguageEvent, next_state
from corpus.standing import Standing, language_standing
from corpus.store import Store, Writer

CONFLICTS = (
    DisagreementKind.LABEL_CONFLICT,
    DisagreementKind.SYSTEM_CONFLICT,
    DisagreementKind.DA_SPREAD,
)
"""What is a conflict: raters' labels, a rater's label and the system's, or DA far apart."""


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The open conflicts of a batch that a rater can be asked about."""

    items: tuple[Item, ...]
    """One item for each candidate, by id."""
    asked: int
    """Candidates in conflict that she has been asked about before."""
    hers: int
    """Candidates in conflict that she was given herself and cannot judge."""


def create_adjudication(
    store: Store,
    batch_id: str,
    rater_id: str,
    actor: str,
    settings: AssessmentSettings,
    origin: Origin = Origin.HUMAN,
) -> tuple[CreatedBatch | None, Conflicts]:
    """A batch of the open conflicts of another batch, for one rater, in one transaction.

    Repeated it asks only about conflicts that are new since; None where there are none.

    Args:
        store: where it is stored.
        batch_id: the batch whose conflicts are meant.
        rater_id: who is asked.
        actor: who asks.
        settings: thresholds of the conflicts.
        origin: who or what the batch comes from.

    Raises:
        StateError: if there is no such batch or rater.
    """
    with store.writing(origin) as writer:
        batch = writer.batch(batch_id)
        check_raters(writer, [rater_id])
        standing = language_standing(writer, batch.instrument, batch.language)
        found = assess_language(standing, settings).open_disagreements
        conflicts = find_conflicts(standing, batch, rater_id, found)
        if not conflicts.items:
            return None, conflicts
        next_state(standing.review.state, LanguageEvent.SEND_BATCH, batch.language)
        return _write(writer, batch, rater_id, conflicts.items, actor), conflicts


def find_conflicts(
    standing: Standing, batch: Batch, rater_id: str, found: Iterable[Disagreement]
) -> Conflicts:
    """The conflicts of a batch among all open disagreements of its language."""
    items = {item.id: item for item in standing.items if item.batch_id == batch.id}
    mine = {
        item_id
        for each in standing.assignments
        if each.rater_id == rater_id
        for item_id in each.item_ids
    }
    asked_before = {
        item.subject_id
        for item in standing.items
        if item.purpose is Purpose.ADJUDICATION and item.id in mine
    }
    chosen: list[Item] = []
    asked = hers = 0
    for each in found:
        in_conflict = [items[item_id] for item_id in each.item_ids if item_id in items]
        if not in_conflict or not set(each.kinds) & set(CONFLICTS):
            continue
        if each.subject_id in asked_before:
            asked += 1
            continue
        free = [item for item in in_conflict if item.id not in mine]
        hers += not free
        # One variant of a pair only: the two never go to one rater in one batch.
        chosen += free[:1]
    return Conflicts(tuple(sorted(chosen, key=lambda item: item.id)), asked, hers)


def _write(
    writer: Writer, of: Batch, rater_id: str, items: Sequence[Item], actor: str
) -> CreatedBatch:
    digest = sha256_json([of.id, rater_id, [item.id for item in items]])
    batch = Batch(
        id=f"{of.language}-{digest[:8]}",
        instrument=of.instrument,
        language=of.language,
        form=of.form,
        seed=of.seed,
        raters_planned=1,
        design={
            "size": len(items),
            "purpose": str(Purpose.ADJUDICATION),
            "of": of.id,
            "kinds": [str(kind) for kind in CONFLICTS],
            **({"cost": of.design["cost"]} if "cost" in of.design else {}),
        },
    )
    copies = [
        replace(
            item,
            id=f"{batch.id}/{number:04}",
            batch_id=batch.id,
            purpose=Purpose.ADJUDICATION,
            weight=1.0,
            making={"of": item.id},
            stamp=None,
        )
        for number, item in enumerate(items, start=1)
    ]
    ordered = order_for_rater([item.id for item in copies], batch.seed, rater_id)
    assignments = [Assignment(batch.id, rater_id, ordered)]
    return store_batch(writer, batch, copies, assignments, actor, "batch adjudicate", {"of": of.id})
