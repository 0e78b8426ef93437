"""Figures as a table: the exact numbers behind every chart, and what is downloaded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from app.output import describe_lack
from app.views import words
from corpus.figures import Figure

COLUMNS = (
    "measure",
    "about",
    "value",
    "low",
    "high",
    "n",
    "why undefined",
    "notes",
    "interval",
    "method",
    "definition",
    "code",
)


def build_figure_table(
    figures: Iterable[Figure],
    leave_out: Sequence[str] = (),
    signatures: Sequence[str] | None = None,
) -> pd.DataFrame:
    """One row for each figure, numbers unrounded, missing where undefined; measures in words.

    The code of a measure, by which commands name it, stands last.

    Args:
        figures: In the order they are shown.
        leave_out: Parts of the scope that are the same for all and stand elsewhere.
        signatures: What made each figure; None leaves the column out.
    """
    rows = [_row(figure, leave_out) for figure in figures]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    if signatures is not None:
        table["signature"] = list(signatures)
    for name in ("value", "low", "high"):
        table[name] = table[name].astype("float64")
    return table


def _row(figure: Figure, leave_out: Sequence[str]) -> dict[str, Any]:
    interval = figure.interval
    return {
        "measure": words.describe_measure_of(figure),
        "about": ", ".join(
            f"{name} {value}" for name, value in figure.scope if name not in leave_out
        ),
        "value": figure.value,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "n": figure.n,
        "why undefined": words.describe_figure_reason(figure.reason),
        "notes": "; ".join(map(words.describe_note, figure.notes)),
        "interval": _interval_in_words(figure),
        "method": figure.method,
        "definition": figure.definition,
        "code": figure.name,
    }


def _interval_in_words(figure: Figure) -> str:
    interval = figure.interval
    if interval is None:
        return ""
    if interval.reason is not None:
        return f"none: {describe_lack(interval)}"
    drawn = f", {interval.draws} draws, seed {interval.seed}" if interval.draws else ""
    return f"{interval.level:.0%} {interval.method}{drawn}"
