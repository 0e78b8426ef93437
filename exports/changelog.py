"""Changelog: which rows of a release differ from the release before it, one by one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpus.languages import language as find_language
from corpus.release import Release
from corpus.release_schema import ReleaseRow, columns_of


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that both releases have with other values."""

    id: str
    before: Mapping[str, Any]
    """The changed columns only."""
    after: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LanguageDiff:
    """How the rows of one language differ between two releases."""

    language: str
    added: tuple[ReleaseRow, ...]
    changed: tuple[RowChange, ...]
    removed: tuple[ReleaseRow, ...]


def compute_diff(
    language: str, before: Sequence[ReleaseRow], after: Sequence[ReleaseRow]
) -> LanguageDiff:
    """What was added, changed and removed, rows matched by their ids, each in its own order."""
    old = {row.id: row for row in before}
    new = {row.id: row for row in after}
    changed: list[RowChange] = []
    for row in after:
        if row.id not in old or old[row.id] == row:
            continue
        was, now = columns_of(old[row.id]), columns_of(row)
        names = [name for name in now if was[name] != now[name]]
        changed.append(
            RowChange(row.id, {name: was[name] for name in names}, {n: now[n] for n in names})
        )
    return LanguageDiff(
        language,
        tuple(row for row in after if row.id not in old),
        tuple(changed),
        tuple(row for row in before if row.id not in new),
    )


def build_changelog(
    version: str, rows: Mapping[str, Sequence[ReleaseRow]], previous: Release | None
) -> str:
    """The text of CHANGELOG.md.

    Args:
        version: The new release's.
        rows: Its rows by language.
        previous: The release before it, None if it is the first.
    """
    lines = ["# Changes", "", f"## {version}", ""]
    if previous is None:
        counts = [f"- {_name(code)} ({code}): {len(rows[code])} rows" for code in sorted(rows)]
        return "\n".join([*lines, "First release.", "", *counts, ""])
    lines += [f"Compared with {previous.version} (SHA256SUMS `{previous.sums_sha256}`).", ""]
    for code in sorted({*rows, *previous.languages}):
        before = previous.rows(code) if code in previous.languages else []
        lines += _describe_diff(compute_diff(code, before, rows.get(code, ())))
    return "\n".join(lines)


def _describe_diff(diff: LanguageDiff) -> list[str]:
    lines = [
        f"### {_name(diff.language)} ({diff.language})",
        "",
        f"{len(diff.added)} added, {len(diff.changed)} changed, {len(diff.removed)} removed.",
        "",
    ]
    entries = [f"added {row.id} {_quote(dict(row.variants))}" for row in diff.added]
    for change in diff.changed:
        entries += [
            f"changed {change.id} {name}: {_quote(change.before[name])} -> "
            f"{_quote(change.after[name])}"
            for name in change.after
        ]
    entries += [f"removed {row.id} {_quote(dict(row.variants))}" for row in diff.removed]
    # Indented by four spaces, so that no text under test can end the block or become markup.
    return [*lines, *("    " + entry for entry in entries), ""] if entries else lines


def _quote(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _name(code: str) -> str:
    return find_language(code).name
