"""What commands print: data on standard output, talk on standard error, texts literally."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from corpus.figures import REASONS, Figure, Interval
from corpus.version import PRODUCT

WIDTH_OF_FILES = 160
"""Columns of a table that goes to a file or another program, where nothing says how wide it is."""

UNDEFINED = "–"
"""Stands where a figure has no value."""
NO_INTERVAL = {
    "degenerate": "all draws alike",
    "undefined_draws": "undefined in many draws",
    "no_data": "nothing to compute from",
}
"""Reasons of an interval in few words; `corpus.figures.REASONS` has them in full."""


def find_width() -> int | None:
    """The width of tables; None leaves it to the terminal, or to COLUMNS where that is set."""
    known = sys.stdout.isatty() or "COLUMNS" in os.environ
    return None if known else WIDTH_OF_FILES


talk_console = Console(stderr=True, highlight=False)


def say(message: str) -> None:
    """Tells the person at the terminal something; never part of a command's data."""
    # Lines are not broken here: a path or a checksum must stay whole.
    talk_console.print(Text(literal(message)), soft_wrap=True)


def literal(text: str) -> str:
    """The text with control characters made visible, so that it cannot steer the terminal."""
    return "".join(
        character
        if character in "\n\t" or (character.isprintable() or character == "\u00a0")
        else _visible(character)
        for character in text
    )


def _visible(character: str) -> str:
    # Joiners and marks of direction belong to the text; only what steers a terminal is replaced.
    return f"\\u{ord(character):04x}" if ord(character) < 0xA0 else character


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A table on standard output; every cell is shown as it is, markup included."""
    table = Table()
    for column in columns:
        table.add_column(Text(column), overflow="fold")
    for row in rows:
        table.add_row(*(Text(literal("" if cell is None else str(cell))) for cell in row))
    # Made anew for each table: the width may change while a command runs.
    console = Console(highlight=False, width=find_width())
    # A title of the table itself would be broken to the table's width.
    console.print(Text(literal(title)), soft_wrap=True)
    console.print(table)


def print_figures(command: str, inputs_sha256: str, figures: Sequence[Figure]) -> None:
    """The one JSON object of a command, numbers unrounded."""
    print_json(figures_document(command, inputs_sha256, figures))


def figures_document(command: str, inputs_sha256: str, figures: Sequence[Figure]) -> dict[str, Any]:
    """The object `print_figures` prints, also stored with results."""
    return {
        "command": command,
        "version": PRODUCT,
        "inputs_sha256": inputs_sha256,
        "definitions": {figure.name: figure.definition for figure in figures},
        "figures": [figure.as_json() for figure in figures],
    }


def print_json(document: Mapping[str, Any]) -> None:
    """A JSON object on standard output."""
    json.dump(document, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")


def count_figure(name: str, count: int, definition: str, **scope: str) -> Figure:
    """A count as a figure."""
    return Figure(
        name=name,
        value=float(count),
        n=count,
        definition=definition,
        method="count",
        scope=tuple(scope.items()),
    )


def describe_figure(figure: Figure, *, why: bool = True) -> str:
    """A figure for a table: value with interval, or the reason why there is none of them.

    Args:
        figure: What is told.
        why: Whether the reason for what is missing stands here, not in a column of its own.
    """
    if figure.value is None:
        told = REASONS.get(figure.reason or "", figure.reason)
        return f"{UNDEFINED} ({told})" if why else UNDEFINED
    interval = figure.interval
    if interval is None or (interval.low is None and not why):
        return f"{figure.value:.3f}"
    if interval.low is None or interval.high is None:
        return f"{figure.value:.3f} ({describe_no_interval(interval)})"
    return f"{figure.value:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def describe_no_interval(interval: Interval) -> str:
    """`no interval: too few templates`."""
    return f"no interval: {describe_lack(interval)}"


def describe_lack(interval: Interval) -> str:
    """Why a figure has no interval, as short as a cell needs it.

    What there are too few of is what was drawn, which may be other things than n counts.
    """
    _, _, drawn = interval.method.partition(" over ")
    if interval.reason == "too_few":
        return f"too few {drawn or 'values'}"
    if interval.reason == "degenerate" and interval.draws is None:
        return "the value is at its limit"
    return NO_INTERVAL.get(interval.reason or "", str(interval.reason))
