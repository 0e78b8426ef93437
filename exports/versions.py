"""Versions: how far a release's number must rise above the one before it.

MAJOR when scores stop being comparable: an item of an existing language added, changed or removed,
its templates, its stereotypes or the guidelines of its raters changed, or a language removed. MINOR
for an added language, PATCH for what is only said about the data. Numbers below 1.0.0 follow the
same rules, because figures of such releases are compared all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from corpus.errors import ReleaseError
from corpus.release import parse_version
from corpus.release_schema import ReleaseRow
from exports.diff import LanguageDiff, ReleaseContent

NAMED = 5
"""So many ids are named; the count is of all."""


class Step(IntEnum):
    """Which number of a version must rise."""

    PATCH = 0
    MINOR = 1
    MAJOR = 2


@dataclass(frozen=True, slots=True)
class Returned:
    """An item that an earlier release held, a later one did not, and the new one holds again."""

    id: str
    last_version: str
    """The last release that held it."""
    is_same: bool
    """Whether its content is what it was there."""


def find_step(diffs: Iterable[LanguageDiff]) -> tuple[Step, list[str]]:
    """Which number must rise between two releases, and a sentence for each reason."""
    found: list[tuple[Step, str]] = []
    for each in diffs:
        found += [(step, f"{each.language}: {reason}") for step, reason in _find_reasons(each)]
    step = max((step for step, _ in found), default=Step.PATCH)
    return step, [reason for needed, reason in found if needed is step]


def check_step(version: str, previous: str, diffs: Iterable[LanguageDiff]) -> None:
    """Refuses a version that promises more than it keeps.

    Raises:
        ReleaseError: saying what differs and from which version on that may be.
    """
    step, reasons = find_step(diffs)
    least = next_version(previous, step)
    if parse_version(version) >= parse_version(least):
        return
    raise ReleaseError(
        f"Version {version} is too low after {previous}: it must be {least} or higher, because\n"
        + "\n".join(reasons)
    )


def next_version(version: str, step: Step) -> str:
    """The lowest version that is a step above another."""
    major, minor, patch = parse_version(version)
    match step:
        case Step.MAJOR:
            return f"{major + 1}.0.0"
        case Step.MINOR:
            return f"{major}.{minor + 1}.0"
        case _:
            return f"{major}.{minor}.{patch + 1}"


def find_returned(earlier: Sequence[ReleaseContent], after: ReleaseContent) -> tuple[Returned, ...]:
    """Items of the new release that the one before it lacks and an earlier one held.

    Args:
        earlier: All earlier releases, the oldest first.
        after: The new release.
    """
    if not earlier:
        return ()
    known: dict[str, tuple[str, str]] = {}
    for content in earlier:
        for row in _rows(content.rows):
            known[row.id] = (content.version, row.content_hash)
    present = {row.id for row in _rows(earlier[-1].rows)}
    return tuple(
        Returned(row.id, known[row.id][0], known[row.id][1] == row.content_hash)
        for row in _rows(after.rows)
        if row.id in known and row.id not in present
    )


def check_returned(returned: Iterable[Returned]) -> None:
    """Refuses ids that are back with another content: whoever joins by id would mix two items.

    Raises:
        ReleaseError: naming them.
    """
    other = [each for each in returned if not each.is_same]
    if other:
        lines = [f"{each.id}: last in release {each.last_version}" for each in other]
        raise ReleaseError(
            f"{len(other)} items were removed in an earlier release and are back with another "
            "text or label. Bring back what they were or reject them; if it is meant, build with "
            "`--take-back`, and the changelog names them.\n" + "\n".join(lines)
        )


def _find_reasons(diff: LanguageDiff) -> Iterable[tuple[Step, str]]:
    if diff.before is None:
        yield Step.MINOR, "the language is new"
        return
    if diff.after is None:
        yield Step.MAJOR, "the language is gone"
        return
    changed = [each.id for each in diff.changed if each.changes_score]
    for ids, what in (
        ([row.id for row in diff.added], "added"),
        (changed, "changed"),
        ([row.id for row in diff.removed], "removed"),
    ):
        if ids:
            more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
            yield Step.MAJOR, f"{len(ids)} items {what}: {', '.join(ids[:NAMED])}{more}"
    if diff.inventory_changed:
        yield Step.MAJOR, "its inventory of stereotypes changed"
    if diff.templates_changed:
        yield Step.MAJOR, "its templates changed"
    if diff.guidelines_changed:
        yield Step.MAJOR, f"its raters' forms changed: {', '.join(diff.guidelines_changed)}"


def _rows(rows: Mapping[str, Sequence[ReleaseRow]]) -> Iterable[ReleaseRow]:
    return (row for each in rows.values() for row in each)
