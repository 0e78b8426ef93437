"""Explanations: a curator looked at an invalid rating and writes down why it may stay so."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.errors import StaleError, StateError
from corpus.invalid_ratings import Explanation, InvalidRating
from corpus.records import AuditEntry, Origin, RatingState
from corpus.standing import Standing
from corpus.store import Store
from corpus.store.state import State

EXPLAIN_ACTION = "explain invalid rating"


def list_unexplained(
    standing: Standing, batch_id: str | None = None, rater_id: str | None = None
) -> tuple[InvalidRating, ...]:
    """The invalid ratings of a language, a batch or a rater that no curator has explained yet."""
    batch_of = {item.id: item.batch_id for item in standing.items}
    return tuple(
        each
        for each in standing.invalid
        if each.explanation is None
        and batch_id in {None, batch_of[each.rating.item_id]}
        and rater_id in {None, each.rating.rater_id}
    )


def explain_ratings(
    store: Store,
    invalid: Sequence[InvalidRating],
    reason: str,
    by: str,
    origin: Origin = Origin.HUMAN,
) -> list[Explanation]:
    """Explains invalid ratings as they were seen, each with its entry in the audit trail.

    Raises:
        StaleError: if one of them has a newer revision by now, or somebody else explained it since
            it was seen; then nothing is stored.
        StateError: if no reason is given, or there is nothing to explain.
    """
    if not reason.strip():
        raise StateError("Explaining an invalid rating needs a written reason.")
    if not invalid:
        raise StateError("There is no invalid rating to explain.")
    with store.writing(origin) as writer:
        _check_unchanged(writer, invalid)
        stored = writer.append(
            [
                Explanation(each.rating.item_id, each.rating.rater_id, each.revision, reason, by)
                for each in invalid
            ]
        )
        for each in invalid:
            after = {
                "rater": each.rating.rater_id,
                "revision": each.revision,
                "invalid because": list(each.rating.reasons),
                "reason": reason,
            }
            entry = AuditEntry(by, EXPLAIN_ACTION, each.rating.item_id, after=after)
            writer.append_audit(entry)
        return stored


def _check_unchanged(state: State, seen: Sequence[InvalidRating]) -> None:
    items = [each.rating.item_id for each in seen]
    current = {
        each.stamp.position
        for each in state.ratings(items)
        if each.stamp is not None and each.state is RatingState.INVALID
    }
    explained = state.explanations(items)
    changed = [each.rating.item_id for each in seen if each.revision not in current]
    if changed:
        raise StaleError(
            f"What was answered to {', '.join(changed)} has changed; look at it again."
        )
    meanwhile = [
        f"{each.rating.item_id} (by {explained[each.revision].by})"
        for each in seen
        if each.revision in explained and explained[each.revision] != each.explanation
    ]
    if meanwhile:
        raise StaleError(f"Explained meanwhile: {', '.join(meanwhile)}; look at it again.")
