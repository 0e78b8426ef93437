"""Erasing a rater: her account, her addresses and what she said of herself; never her ratings.

The order makes every step repeatable. Her answers are pulled a last time and her assignments ended
before her account goes, because a deleted user leaves answers without an author, which a later pull
would take for somebody else's. Her row is emptied last, because it names her account.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from annotation.raters import (
    ERASE_ACTION,
    AccountServer,
    find_assignments,
    find_erased,
    find_rater,
)
from corpus.people import Person
from corpus.records import (
    AssignmentState,
    AuditEntry,
    Origin,
    RatingState,
)
from corpus.store import Store, Writer
from corpus.store.state import State


@dataclass(frozen=True, slots=True)
class Erasure:
    """What was erased, and what remains where."""

    rater_id: str
    accounts: int
    """Accounts deleted on the labelling server."""
    ratings: int
    """Current ratings that stay under the pseudonym."""
    open_items: int
    """Items that she was to rate and did not, that nobody is asked for now."""
    remains: tuple[str, ...]
    """What is still somewhere, in words."""


@dataclass(frozen=True, slots=True)
class LabellingServer:
    """What erasing needs of the labelling server."""

    accounts: AccountServer
    pull: Callable[[str], object]
    """Pulls a batch by its id."""


def erase_rater(store: Store, server: LabellingServer | None, rater_id: str, actor: str) -> Erasure:
    """Removes all that is known of a rater; her ratings stay under her pseudonym.

    Of one who was erased before only the files of the database are cleaned again.

    Args:
        store: Where she is known.
        server: The labelling server; None erases here only.
        rater_id: Her pseudonym.
        actor: Who erases.

    Raises:
        StateError: if there is no such rater, or the token may not delete users; her assignments
            are ended then, and the command can be repeated.
        UnreachableError: if the server does not answer; nothing is erased then.
    """
    with store.reading() as state:
        if rater_id in find_erased(state):
            ratings = _count_ratings(state, rater_id)
            return Erasure(rater_id, 0, ratings, 0, _describe_store(store.purge_erased()))
        person = find_rater(state, rater_id)
        addresses = state.log_in_addresses()[rater_id]
        assignments = find_assignments(state, rater_id)
        known = _find_known(person, addresses)
    deleted = 0
    if server is not None:
        user_ids = server.accounts.user_ids()
        for batch_id in sorted({each.batch_id for each in assignments if each.external_id}):
            server.pull(batch_id)
    with store.writing(Origin.HUMAN) as writer:
        open_items = _end_assignments(writer, rater_id)
    if server is not None:
        for address in sorted(addresses & set(user_ids)):
            deleted += server.accounts.delete_user(user_ids[address])
        # Any member can look the invite link up and hand it on, so she may know it.
        server.accounts.renew_invite_link()
    with store.writing(Origin.HUMAN) as writer:
        writer.erase_person(rater_id)
        writer.append_audit(
            AuditEntry(
                actor,
                ERASE_ACTION,
                rater_id,
                after={"accounts": deleted, "open_items": open_items, "server": server is not None},
            )
        )
        ratings = _count_ratings(writer, rater_id)
        mentions = count_mentions(writer, known)
    purged = store.purge_erased()
    remains = (
        *_describe_ratings(ratings),
        *_describe_mentions(mentions),
        *_describe_store(purged),
        *_describe_server(server is not None, bool(assignments or addresses)),
    )
    return Erasure(rater_id, deleted, ratings, open_items, remains)


def count_mentions(state: State, known: frozenset[str]) -> int:
    """Audit entries that hold one of these names or addresses; there should be none."""
    found = 0
    for entry in state.audit_entries():
        text = repr((entry.actor, entry.subject, entry.before, entry.after)).lower()
        found += any(each in text for each in known)
    return found


def _find_known(person: Person, addresses: frozenset[str]) -> frozenset[str]:
    """Name, addresses and contact, lower case; short names are left out, they are in many words."""
    given = {value.lower() for value in (person.name, person.contact) if value and len(value) > 3}
    return addresses | given


def _end_assignments(writer: Writer, rater_id: str) -> int:
    """Ends her assignments at what she answered; gives how many items are then nobody's."""
    ended, open_items = [], 0
    for each in find_assignments(writer, rater_id):
        answered = {
            rating.item_id
            for rating in writer.ratings(each.item_ids)
            if rating.rater_id == rater_id and rating.state is RatingState.VALID
        }
        kept = tuple(item_id for item_id in each.item_ids if item_id in answered)
        if each.state is AssignmentState.ACTIVE:
            open_items += len(each.item_ids) - len(kept)
        # Without a project nothing is pulled any more, and nothing is pushed to who left.
        after = replace(
            each, item_ids=kept, external_id=None, state=AssignmentState.LEFT, stamp=None
        )
        if after != replace(each, stamp=None):
            ended.append(after)
    writer.append(ended)
    return open_items


def _count_ratings(state: State, rater_id: str) -> int:
    items = [item.id for item in state.items([batch.id for batch in state.batches()])]
    return sum(
        each.rater_id == rater_id and each.state is not RatingState.DELETED
        for each in state.ratings(items)
    )


def _describe_ratings(ratings: int) -> tuple[str, ...]:
    if not ratings:
        return ()
    return (
        f"{ratings} ratings stay under the pseudonym, in figures and, if she agreed, in releases; "
        "`stereoscope raters consent … --no` keeps them out of later releases.",
        "Releases built so far stay as they are.",
    )


def _describe_mentions(mentions: int) -> tuple[str, ...]:
    if not mentions:
        return ()
    return (
        f"{mentions} audit entries hold her name or address, because somebody used it as a "
        "pseudonym or as who acts; the audit trail is never changed.",
    )


def _describe_store(purged: bool) -> tuple[str, ...]:
    copies = (
        "Copies of the database made before now (backups, archived logs, snapshots) hold her row: "
        "let them expire or delete them."
    )
    if purged:
        return (copies,)
    return (
        "Another program has the database open, so its write-ahead log may still hold her row: "
        "close the app and run the command again.",
        copies,
    )


def _describe_server(reached: bool, was_there: bool) -> tuple[str, ...]:
    if not was_there:
        return ()
    if not reached:
        return (
            "Label Studio was not asked: delete her user there by hand and make a new invite link.",
        )
    return (
        "Label Studio keeps her answers without an author, in projects named by the pseudonym.",
        "The folder `export` in Label Studio's data folder keeps a file of each export, with the "
        "addresses of users who had a draft open then; Label Studio's backups and log files keep "
        "what they held: delete them.",
    )
