"""The numbers of a figure that has too many to list: one CSV in a ZIP file, unrounded."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from corpus.figures import Figure
from corpus.spreadsheet_cells import ENCODING, make_inert

VALUE_COLUMNS = ("value", "low", "high", "level", "n", "reason", "interval_reason", "notes")
NO_DATE = (1980, 1, 1, 0, 0, 0)
"""The same numbers give the same bytes, whenever they are written."""


def build_archive(name: str, figures: Sequence[Figure]) -> bytes:
    """The ZIP file with `<name>.csv`: a row a figure, a column for each part of what it is about.

    Text that a spreadsheet would run as a formula begins with an apostrophe.
    """
    parts = tuple(dict.fromkeys(part for figure in figures for part, _ in figure.scope))
    table = io.StringIO(newline="")
    writer = csv.writer(table)
    writer.writerow(("measure", *parts, *VALUE_COLUMNS))
    writer.writerows(_rows(figures, parts))
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        entry = ZipInfo(f"{name}.csv", NO_DATE)
        entry.compress_type = ZIP_DEFLATED
        archive.writestr(entry, table.getvalue().encode(ENCODING))
    return packed.getvalue()


def _rows(figures: Sequence[Figure], parts: Sequence[str]) -> Iterator[list[str]]:
    for figure in figures:
        scope, interval = dict(figure.scope), figure.interval
        low, high = (interval.low, interval.high) if interval else (None, None)
        texts = [figure.name, *(scope.get(part, "") for part in parts)]
        numbers = (figure.value, low, high, interval.level if interval else None, figure.n)
        reasons = (figure.reason, interval.reason if interval else None, "; ".join(figure.notes))
        yield [
            *map(make_inert, texts),
            *("" if number is None else repr(number) for number in numbers),
            *(make_inert(text or "") for text in reasons),
        ]
