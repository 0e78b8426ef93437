"""Exclusions: a rater left out of the figures of batches with a written reason, or put back."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.errors import StateError
from corpus.records import AuditEntry, Exclusion, Origin
from corpus.store import Store


def exclude_rater(
    store: Store, exclusions: Sequence[Exclusion], origin: Origin = Origin.HUMAN
) -> tuple[Exclusion, ...]:
    """Leaves a rater out of all figures of batches, or puts her back; her ratings stay.

    All of it happens or nothing does, in one transaction.

    Raises:
        StateError: if a batch has no such rater, or no reason is given.
    """
    if not all(each.reason.strip() for each in exclusions):
        raise StateError("Excluding or reinstating a rater needs a written reason.")
    with store.writing(origin) as writer:
        for each in exclusions:
            writer.batch(each.batch_id)
            raters = {given.rater_id for given in writer.assignments([each.batch_id])}
            if each.rater_id not in raters:
                raise StateError(
                    f"Batch {each.batch_id} has no rater {each.rater_id}; its raters: "
                    f"{', '.join(sorted(raters))}."
                )
        stored = writer.append(exclusions)
        for each in stored:
            action = "exclude rater" if each.excluded else "reinstate rater"
            subject = f"{each.batch_id}/{each.rater_id}"
            after = {"reason": each.reason}
            writer.append_audit(AuditEntry(each.by, action, subject, after=after))
        return tuple(stored)
