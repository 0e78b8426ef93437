"""Changelog: what of a release differs from the release before it, row by row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from corpus.prompt_languages import name_of
from exports.diff import LanguageDiff, ReleaseContent
from exports.history import History
from exports.markdown import warn_unvalidated
from exports.versions import Returned


def build_changelog(content: ReleaseContent, history: History) -> str:
    """The text of CHANGELOG.md."""
    lines = ["# Changes", "", f"## {content.version}", ""]
    for warning in warn_unvalidated(content.unvalidated):
        lines += [warning, ""]
    previous = history.previous
    if previous is None:
        counts = [
            f"- {_name(code)} ({code}): {len(content.rows[code])} rows"
            for code in sorted(content.rows)
        ]
        return "\n".join([*lines, "First release.", "", *counts, ""])
    lines += [f"Compared with {previous.version} (SHA256SUMS `{previous.sums_sha256}`).", ""]
    returned = {each.id: each for each in history.returned}
    for diff in history.diffs:
        lines += _describe_diff(diff, returned)
    return "\n".join(lines)


def describe_counts(before: Mapping[str, int] | None, after: Mapping[str, int] | None) -> str:
    """Counts of a language in both releases, e.g. `rows 3 -> 4, neutral 2 -> 2, pair 1 -> 2`."""
    if before is None or after is None:
        there = after or before or {}
        counts = ", ".join(f"{name} {number}" for name, number in there.items())
        return f"{'new' if before is None else 'gone'}: {counts}"
    return ", ".join(f"{name} {before[name]} -> {number}" for name, number in after.items())


def _describe_diff(diff: LanguageDiff, returned: Mapping[str, Returned]) -> list[str]:
    lines = [
        f"### {_name(diff.language)} ({diff.language})",
        "",
        f"{len(diff.added)} added, {len(diff.changed)} changed, {len(diff.removed)} removed; "
        f"{describe_counts(diff.before, diff.after)}.",
        "",
    ]
    if diff.inventory_changed:
        lines += ["Its stereotypes or their poles changed: measures are not comparable.", ""]
    if diff.templates_changed:
        lines += ["Its templates changed: scores of neutral rows are not comparable.", ""]
    if diff.guidelines_changed:
        lines += [f"Forms of its raters changed: {', '.join(diff.guidelines_changed)}.", ""]
    # Indented by four spaces, so that no text under test can end the block or become markup.
    entries = [f"    {entry}" for entry in describe_rows(diff, returned)]
    return [*lines, *entries, ""] if entries else lines


def describe_rows(
    diff: LanguageDiff, returned: Mapping[str, Returned] = MappingProxyType({})
) -> Iterator[str]:
    """A line for each row that differs, texts in quotation marks, with before and after."""
    for row in diff.added:
        back = returned.get(row.id)
        note = f" (returned, last in {back.last_version})" if back else ""
        yield f"added {row.id}{note} {_quote(dict(row.variants))}"
    for change in diff.changed:
        for name, after in change.after.items():
            yield f"changed {change.id} {name}: {_quote(change.before[name])} -> {_quote(after)}"
    for row in diff.removed:
        yield f"removed {row.id} {_quote(dict(row.variants))}"


def _quote(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _name(code: str) -> str:
    return name_of(code)
