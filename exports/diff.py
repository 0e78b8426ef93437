"""Differences of two releases: rows one by one, templates, guidelines, and counts.

A row is the same item in both if its id is. What a score rests on (text, label, source, stereotype,
attributes) is told apart from what is only said about it (ratings, decisions, quality).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpus.records import Label
from corpus.release import Release
from corpus.release_schema import ReleaseRow, columns_of
from corpus.version import PRODUCT

COUNTED = (Label.NEUTRAL, Label.PAIR)


@dataclass(frozen=True, slots=True)
class ReleaseContent:
    """What a release holds, whether it is built already or about to be."""

    version: str
    rows: Mapping[str, Sequence[ReleaseRow]]
    """By language code, in the release's order."""
    templates: Mapping[str, Any]
    """By language code: the frames for neutral rows."""
    guidelines: Mapping[str, Mapping[str, Any]]
    """By language code: name → definition of each form its raters filled in."""
    unvalidated: tuple[str, ...] = ()
    """Codes of languages that are not approved."""
    inventory: str | None = None
    """Hash of its stereotypes; None if it has none."""


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that both releases have with other values."""

    id: str
    before: Mapping[str, Any]
    """The changed columns only."""
    after: Mapping[str, Any]
    changes_score: bool
    """Whether a score rests on any of them."""


@dataclass(frozen=True, slots=True)
class LanguageDiff:
    """How one language differs between two releases; of a language that one lacks, all rows do."""

    language: str
    added: tuple[ReleaseRow, ...]
    changed: tuple[RowChange, ...]
    removed: tuple[ReleaseRow, ...]
    templates_changed: bool = False
    inventory_changed: bool = False
    """Whether the release has other stereotypes, or other poles of them."""
    guidelines_changed: tuple[str, ...] = ()
    """Names of forms that are not used any more or ask something else."""
    before: Mapping[str, int] | None = None
    """Rows, and rows by label; None if the older release lacks the language."""
    after: Mapping[str, int] | None = None

    @property
    def is_same(self) -> bool:
        """Whether nothing differs."""
        return not (
            self.added
            or self.changed
            or self.removed
            or self.templates_changed
            or self.inventory_changed
            or self.guidelines_changed
        )

    def as_json(self) -> dict[str, Any]:
        """The differences as plain data, rows as the release's columns."""
        return {
            "language": self.language,
            "counts": {"before": self.before, "after": self.after},
            "added": [columns_of(row) for row in self.added],
            "changed": [
                {"item_id": each.id, "before": dict(each.before), "after": dict(each.after)}
                for each in self.changed
            ],
            "removed": [columns_of(row) for row in self.removed],
            "templates_changed": self.templates_changed,
            "inventory_changed": self.inventory_changed,
            "guidelines_changed": list(self.guidelines_changed),
        }


def read_content(release: Release) -> ReleaseContent:
    """What a built release holds.

    Raises:
        ReleaseError: if a table has other columns.
    """
    forms = release.provenance.get("forms", {})
    return ReleaseContent(
        release.version,
        {code: release.rows(code) for code in release.languages},
        {code: release.templates(code) for code in release.languages},
        {
            code: {
                batch["form"]: forms.get(batch["form"])
                for batch in release.provenance["languages"][code].get("batches", ())
            }
            for code in release.languages
        },
        release.unvalidated,
        (release.provenance.get("inventory") or {}).get("sha256"),
    )


def diff_releases(before: ReleaseContent, after: ReleaseContent) -> tuple[LanguageDiff, ...]:
    """How each language of either release differs, by language code."""
    return tuple(
        _diff_language(code, before, after) for code in sorted({*before.rows, *after.rows})
    )


def describe_diff(before: Release, after: Release, diffs: Sequence[LanguageDiff]) -> dict[str, Any]:
    """The differences of two releases as plain data, in the shape that commands print."""
    return {
        "command": "release diff",
        "version": PRODUCT,
        "inputs_sha256": [before.sums_sha256, after.sums_sha256],
        "before": before.version,
        "after": after.version,
        "languages": [each.as_json() for each in diffs],
    }


def compute_diff(
    language: str, before: Sequence[ReleaseRow], after: Sequence[ReleaseRow]
) -> LanguageDiff:
    """What was added, changed and removed, rows matched by their ids, each in its own order."""
    old = {row.id: row for row in before}
    new = {row.id: row for row in after}
    return LanguageDiff(
        language,
        tuple(row for row in after if row.id not in old),
        tuple(_compare(old[row.id], row) for row in after if row.id in old and old[row.id] != row),
        tuple(row for row in before if row.id not in new),
    )


def count_labels(rows: Sequence[ReleaseRow]) -> dict[str, int]:
    """Rows, and rows by label."""
    labels = Counter(row.label for row in rows)
    return {"rows": len(rows)} | {str(label): labels[label] for label in COUNTED}


def _diff_language(code: str, before: ReleaseContent, after: ReleaseContent) -> LanguageDiff:
    rows = compute_diff(code, before.rows.get(code, ()), after.rows.get(code, ()))
    in_both = code in before.rows and code in after.rows
    asked, asks = before.guidelines.get(code, {}), after.guidelines.get(code, {})
    return LanguageDiff(
        code,
        rows.added,
        rows.changed,
        rows.removed,
        in_both and before.templates.get(code) != after.templates.get(code),
        in_both and before.inventory != after.inventory,
        tuple(name for name in sorted(asked) if in_both and asks.get(name) != asked[name]),
        count_labels(before.rows[code]) if code in before.rows else None,
        count_labels(after.rows[code]) if code in after.rows else None,
    )


def _compare(old: ReleaseRow, new: ReleaseRow) -> RowChange:
    was, now = columns_of(old), columns_of(new)
    names = [name for name in now if was[name] != now[name]]
    return RowChange(
        new.id,
        {name: was[name] for name in names},
        {name: now[name] for name in names},
        _what_is_scored(old) != _what_is_scored(new),
    )


def _what_is_scored(row: ReleaseRow) -> tuple[object, ...]:
    return (row.content_hash, row.source, row.stereotype_id, row.gest_id, dict(row.attributes))
