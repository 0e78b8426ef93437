"""Items of an older release: what of a newer one is scored, so that old and new figures compare.

Kept are rows that the older release holds with the same text, label, source and stereotype, in the
newer one's order, and neutral rows get the older one's templates. Where nothing of the older
release changed since, its own numbers come out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from corpus.errors import ReleaseError
from corpus.release import Release
from corpus.release_schema import ReleaseRow


@dataclass(frozen=True, slots=True)
class OlderItems:
    """What a newer release has of an older one's items."""

    release: Release
    """The older one."""
    rows: tuple[ReleaseRow, ...]
    """Rows of the newer one that are in the older one as they are."""
    missing: Mapping[str, int]
    """Language → items of the older one that were changed or removed since."""

    @property
    def mark(self) -> str:
        """What a signature says of them."""
        return f"{self.release.version}:{self.release.sums_sha256}"


def select_older_items(newer: Release, older: Release, languages: tuple[str, ...]) -> OlderItems:
    """The rows of a release that an older one holds, too.

    Raises:
        ReleaseError: if one of them is without a language, or nothing of it is in both.
    """
    kept: list[ReleaseRow] = []
    missing: dict[str, int] = {}
    for code in languages:
        known = {row.id: row for row in older.rows(code)}
        same = [
            row
            for row in newer.rows(code)
            if row.id in known and _scored(row) == _scored(known[row.id])
        ]
        if not same:
            raise ReleaseError(
                f"Release {newer.version} has no item of {code} as it is in {older.version}; score "
                f"release {older.version} itself."
            )
        kept += same
        missing[code] = len(known) - len(same)
    return OlderItems(older, tuple(kept), missing)


def _scored(row: ReleaseRow) -> tuple[object, ...]:
    return (row.content_hash, row.source, row.stereotype_id)
