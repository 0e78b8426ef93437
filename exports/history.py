"""History: a release beside those before it, which must be there to be compared with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from corpus.errors import ReleaseError
from corpus.records import ReleaseRecord
from corpus.release import Release, is_version, open_release, parse_version
from exports.diff import LanguageDiff, diff_releases, read_content
from exports.provenance import Draft, draft_content
from exports.versions import Returned, check_returned, check_step, find_returned


@dataclass(frozen=True, slots=True)
class History:
    """What a new release has of those before it."""

    version: str
    """The new one's."""
    previous: Release | None = None
    """The one before it, None if it is the first."""
    diffs: tuple[LanguageDiff, ...] = ()
    """Differences from the previous one, by language code."""
    returned: tuple[Returned, ...] = ()
    """Items that the previous one lacks and an earlier one held."""

    def check_version(self, *, take_back: bool) -> None:
        """Refuses a version that is too low for what changed.

        Args:
            take_back: Whether removed items may be back with another content.

        Raises:
            ReleaseError: naming what changed, or which removed items are back.
        """
        if not take_back:
            check_returned(self.returned)
        if self.previous is not None:
            check_step(self.version, self.previous.version, self.diffs)


def read_history(folder: Path, draft: Draft, recorded: Iterable[ReleaseRecord]) -> History:
    """A draft beside the releases of its instrument with lower versions.

    Args:
        folder: The workspace's folder of releases.
        draft: What is to be released.
        recorded: What the store says was built.

    Raises:
        ReleaseError: if an earlier release is not as it was built, or not there at all.
    """
    earlier = _read_earlier(folder, draft, recorded)
    if not earlier:
        return History(draft.version)
    contents = [read_content(each) for each in earlier]
    after = draft_content(draft)
    return History(
        draft.version,
        earlier[-1],
        diff_releases(contents[-1], after),
        find_returned(contents, after),
    )


def _read_earlier(folder: Path, draft: Draft, recorded: Iterable[ReleaseRecord]) -> list[Release]:
    """The lowest first."""
    newest = parse_version(draft.version)
    found = []
    for each in folder.iterdir():
        if is_version(each.name) and parse_version(each.name) < newest:
            release = open_release(each)
            if release.provenance.get("instrument") == str(draft.instrument):
                found.append(release)
    there = {each.version for each in found}
    missing = sorted(
        each.version
        for each in recorded
        if each.version not in there and parse_version(each.version) < newest
    )
    if missing:
        raise ReleaseError(
            f"Release {', '.join(missing)} was built and is not in {folder}. Put it back, so that "
            "the new one can be compared with it."
        )
    return sorted(found, key=lambda each: parse_version(each.version))
