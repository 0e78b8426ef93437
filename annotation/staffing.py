"""Staffing: who answers a batch once it is out: raters join, are replaced, take over what is open.

What a rater finished is never touched. All of it can be repeated: the second time nothing changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.batch_drafts import order_items, origin_of
from annotation.batches import check_raters
from annotation.controls import MOST_CONTROLS
from annotation.design import raters_planned_for
from corpus.errors import StateError
from corpus.hashing import sha256_text
from corpus.records import (
    Assignment,
    AssignmentState,
    AuditEntry,
    Batch,
    Item,
    Origin,
    RatingState,
)
from corpus.review import LanguageEvent, next_state
from corpus.standing import Standing, language_standing
from corpus.store import Store, Writer


@dataclass(frozen=True, slots=True)
class Restaffed:
    """What became of a rater's part of a batch."""

    assignment: Assignment
    """Hers as it is now."""
    added: tuple[str, ...]
    """Items that are new to her; empty if nothing changed."""
    left_open: tuple[str, ...] = ()
    """Items that lack a rater still, because she has seen them or their other variant."""


@dataclass(frozen=True, slots=True)
class _Board:
    """A batch with who has what of it."""

    batch: Batch
    items: dict[str, Item]
    assignments: dict[str, Assignment]
    states: dict[tuple[str, str], RatingState]
    """(item id, rater id) → state of her current answer."""

    @property
    def originals(self) -> list[Item]:
        """All items but control items, by id."""
        return [item for item in self.items.values() if origin_of(item) is None]

    def held_by(self, rater: str) -> set[str]:
        """Items that a rater was given."""
        mine = self.assignments.get(rater)
        return set(mine.item_ids) if mine else set()

    def finished_by(self, rater: str) -> set[str]:
        """Her items with a valid answer."""
        return {
            item_id
            for item_id in self.held_by(rater)
            if self.states.get((item_id, rater)) is RatingState.VALID
        }

    def declined_by(self, rater: str) -> set[str]:
        """Items that a rater skipped."""
        return {
            item_id
            for (item_id, who), state in self.states.items()
            if who == rater and state is RatingState.SKIPPED
        }

    def may_answer(self, item: Item, held: Iterable[str]) -> bool:
        """Whether whoever holds these items may get this one: not twice, no other variant."""
        held = set(held)
        if item.id in held:
            return False
        return not any(
            self.items[each].subject_id == item.subject_id
            and self.items[each].variant != item.variant
            for each in held
        )

    def open_items(self) -> list[Item]:
        """Items with fewer raters than planned: declined, or left behind by a rater who left."""
        holders: Counter[str] = Counter()
        for rater in self.assignments:
            holders.update(self.held_by(rater) - self.declined_by(rater))
        return [
            item
            for item in self.originals
            if holders[item.id] < raters_planned_for(self.batch, item)
        ]


def add_rater(
    store: Store,
    batch_id: str,
    rater_id: str,
    actor: str,
    share: float = 1.0,
    origin: Origin = Origin.HUMAN,
) -> Restaffed:
    """Gives a further rater the whole batch, or a random part of it; she enters agreement.

    Which part is drawn by the seed of the batch and the rater's id, never by earlier answers; a
    larger share holds the smaller one. Control items come with what they were made from. Of a pair
    shown in both variants she gets one.

    Args:
        store: where the batch is.
        batch_id: the batch.
        rater_id: who joins; one who has a part of it already gets what she lacks.
        actor: who adds her.
        share: part of the items she gets, above 0 and at most 1.
        origin: who or what the change comes from.

    Raises:
        StateError: if there is no such batch or rater, or the share does not work.
    """
    if not 0 < share <= 1:
        raise StateError(f"The share of a batch is above 0 and at most 1, not {share}.")

    def choose(board: _Board) -> list[str]:
        count = round(share * len({item.subject_id for item in board.originals}))
        chosen: list[str] = []
        # By the item alone, so that the part does not depend on what she holds already.
        for item in sorted(board.originals, key=lambda each: _rank(board, rater_id, each.id)):
            if len(chosen) == max(1, count):
                break
            if board.may_answer(item, chosen):
                chosen.append(item.id)
        held = board.held_by(rater_id)
        new = [each for each in chosen if board.may_answer(board.items[each], held)]
        return _with_controls(board, new)

    details = {"share": share}
    return _give(store, batch_id, rater_id, actor, "batch add-rater", choose, details, origin)


def replace_rater(
    store: Store,
    batch_id: str,
    old_id: str,
    new_id: str,
    actor: str,
    origin: Origin = Origin.HUMAN,
) -> Restaffed:
    """Gives what a rater has not finished to another one; what she finished stays and counts.

    What she skipped goes to the new rater too. A control item whose original she finished is given
    to nobody: it would compare the new rater with her. Pull first, so that her last answers count.

    Raises:
        StateError: if there is no such batch or rater, or she has left already and another one
            replaced her.
    """
    if old_id == new_id:
        raise StateError("A rater cannot replace herself.")
    with store.writing(origin) as writer:
        board, standing = _read_board(writer, batch_id)
        old = board.assignments.get(old_id)
        if old is None:
            raters = ", ".join(board.assignments)
            raise StateError(f"Batch {batch_id} has no rater {old_id}; its raters: {raters}.")
        if old.state is AssignmentState.LEFT:
            if new_id in board.assignments:
                return Restaffed(board.assignments[new_id], ())
            raise StateError(
                f"{old_id} has left batch {batch_id} already; give what is open to {new_id} with "
                f"`stereoscope batch reassign {batch_id} {new_id}`."
            )
        check_raters(writer, [new_id])
        next_state(standing.review.state, LanguageEvent.SEND_BATCH, standing.language)
        finished = board.finished_by(old_id)
        rest = [
            board.items[each]
            for each in old.item_ids
            if each not in finished and origin_of(board.items[each]) not in finished
        ]
        held = board.held_by(new_id)
        given = [item.id for item in rest if board.may_answer(item, held)]
        kept = tuple(each for each in old.item_ids if each in finished)
        left = replace(old, item_ids=kept, state=AssignmentState.LEFT, stamp=None)
        writer.append([left])
        assignment = _append(writer, board, new_id, given)
        added = tuple(each for each in assignment.item_ids if each not in held)
        now = {**board.assignments, old_id: left, new_id: assignment}
        lacking = {item.id for item in replace(board, assignments=now).open_items()}
        left_open = tuple(item.id for item in rest if item.id in lacking)
        after: dict[str, Any] = {"by": new_id, "kept": len(kept), "given": len(added)}
        entry = AuditEntry(
            actor, "batch replace-rater", old.id, {"items": len(old.item_ids)}, after
        )
        writer.append_audit(entry)
        return Restaffed(assignment, added, left_open)


def reassign_open(
    store: Store,
    batch_id: str,
    rater_id: str,
    actor: str,
    declined_by: str | None = None,
    origin: Origin = Origin.HUMAN,
) -> Restaffed:
    """Gives a rater the items that have fewer raters than planned and that she may answer.

    Args:
        store: where the batch is.
        batch_id: the batch.
        rater_id: who gets them; she may be new to the batch.
        actor: who gives them.
        declined_by: only what this rater skipped; None gives all that is open.
        origin: who or what the change comes from.

    Raises:
        StateError: if there is no such batch or rater.
    """
    left_open: list[str] = []

    def choose(board: _Board) -> list[str]:
        wanted = board.open_items()
        if declined_by is not None:
            wanted = [item for item in wanted if item.id in board.declined_by(declined_by)]
        held = board.held_by(rater_id)
        chosen: list[str] = []
        for item in wanted:
            fits = board.may_answer(item, held | set(chosen))
            (chosen if fits else left_open).append(item.id)
        return chosen

    given = _give(store, batch_id, rater_id, actor, "batch reassign", choose, {}, origin)
    return replace(given, left_open=tuple(left_open))


def _give(
    store: Store,
    batch_id: str,
    rater_id: str,
    actor: str,
    action: str,
    choose: Callable[[_Board], Sequence[str]],
    details: dict[str, Any],
    origin: Origin,
) -> Restaffed:
    with store.writing(origin) as writer:
        board, standing = _read_board(writer, batch_id)
        check_raters(writer, [rater_id])
        chosen = choose(board)
        if not chosen:
            nothing = Assignment(batch_id, rater_id, ())
            return Restaffed(board.assignments.get(rater_id, nothing), ())
        next_state(standing.review.state, LanguageEvent.SEND_BATCH, standing.language)
        before = board.held_by(rater_id)
        assignment = _append(writer, board, rater_id, chosen)
        added = tuple(each for each in assignment.item_ids if each not in before)
        after = details | {"items": len(assignment.item_ids), "added": len(added)}
        writer.append_audit(AuditEntry(actor, action, assignment.id, {"items": len(before)}, after))
        return Restaffed(assignment, added)


def _append(writer: Writer, board: _Board, rater_id: str, chosen: Sequence[str]) -> Assignment:
    """Stores a rater's assignment with these items after those she has."""
    known = board.assignments.get(rater_id)
    held = known.item_ids if known else ()
    new = _fit_controls(board, [each for each in chosen if each not in held])
    if known and not new:
        return known
    ordered = order_items(new, board.batch.seed, rater_id)
    assignment = (
        replace(known, item_ids=(*held, *ordered), state=AssignmentState.ACTIVE, stamp=None)
        if known
        else Assignment(board.batch.id, rater_id, ordered)
    )
    [stored] = writer.append([assignment])
    return stored


def _with_controls(board: _Board, chosen: Collection[str]) -> list[str]:
    """These items and the control items made from them."""
    return [item.id for item in board.items.values() if (origin_of(item) or item.id) in chosen]


def _fit_controls(board: _Board, chosen: Sequence[str]) -> list[Item]:
    """These items without the control items that could not be far from what they were made of."""
    items = [board.items[each] for each in chosen]
    originals = [item for item in items if origin_of(item) is None]
    ids = {item.id for item in originals}
    controls = [item for item in items if origin_of(item) in ids]
    return originals + controls[: int(MOST_CONTROLS * len(originals))]


def _rank(board: _Board, rater_id: str, item_id: str) -> str:
    return sha256_text(f"{board.batch.seed}/{rater_id}/{item_id}")


def _read_board(writer: Writer, batch_id: str) -> tuple[_Board, Standing]:
    batch = writer.batch(batch_id)
    standing = language_standing(writer, batch.instrument, batch.language)
    items = {item.id: item for item in standing.items if item.batch_id == batch_id}
    board = _Board(
        batch,
        dict(sorted(items.items())),
        {each.rater_id: each for each in standing.assignments if each.batch_id == batch_id},
        {
            (each.rating.item_id, each.rating.rater_id): each.rating.state
            for each in standing.answers
            if each.rating.item_id in items
        },
    )
    return board, standing
