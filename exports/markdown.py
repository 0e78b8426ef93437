"""Markdown that the card and the data statement of a release share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def build_table(header: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """A table with its header, a line for each row."""
    rows = [header, ["---"] * len(header), *lines]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)
