"""Ratings from a CSV that anybody may have made: all faults at once, or a table to compute from.

One row is one rater's answer to one item. Columns `item` and `rater`, and `score` (DA, 0 to 100),
`label` (a gender label) or both; an empty cell is a missing answer. A column `system_label` may
name the label of the system that is judged. Other columns are not read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from annotation.ratings_table import RatedItem, RatingsTable, build_ratings_table
from corpus.csv_table import CsvRow, CsvTable, load_csv_table
from corpus.errors import Fault, InputError
from corpus.hashing import nfc
from corpus.records import GenderLabel

NEEDED = ("item", "rater")
SCORE, LABEL, SYSTEM_LABEL = "score", "label", "system_label"
READ = (*NEEDED, SCORE, LABEL, SYSTEM_LABEL)
BY_NAME: Mapping[str, GenderLabel] = {str(label): label for label in GenderLabel}


@dataclass(frozen=True, slots=True)
class RatingsFile:
    """A file of ratings that is right in every cell."""

    table: RatingsTable
    system_labels: Mapping[str, GenderLabel]
    """By item id; empty without the column."""
    sha256: str
    columns_not_read: tuple[str, ...]


def load_ratings_file(path: Path) -> RatingsFile:
    """The ratings of a CSV file.

    Item and rater names are compared in NFC, without spaces around them.

    Raises:
        InputError: with every fault of the file: columns, cells, a rater's second answer to an
            item, two system labels of one item.
    """
    csv = load_csv_table(path, NEEDED, others_allowed=True)
    if not {SCORE, LABEL} & set(csv.columns):
        problem = f"no column {SCORE!r} and none {LABEL!r}"
        remedy = f"Name a column {SCORE}, {LABEL} or both; columns found: {', '.join(csv.columns)}"
        raise InputError([*csv.faults, Fault(csv.file, 1, None, problem, remedy)])
    reader = _Reader(csv)
    for row in csv.rows:
        reader.read(row)
    faults = sorted([*csv.faults, *reader.faults], key=lambda fault: fault.row or 0)
    if not faults and not reader.answers:
        faults = [Fault(csv.file, None, None, "there is no row", "Give each answer a row")]
    if faults:
        raise InputError(faults)
    return RatingsFile(
        build_ratings_table(reader.answers.values()),
        reader.system_labels,
        csv.sha256,
        tuple(each for each in csv.columns if each not in READ),
    )


class _Reader:
    """What the rows read so far say, and what is wrong with them."""

    def __init__(self, csv: CsvTable) -> None:
        self.file = csv.file
        self.answers: dict[tuple[str, str], RatedItem] = {}
        self.system_labels: dict[str, GenderLabel] = {}
        self.faults: list[Fault] = []
        self._row_of: dict[tuple[str, str], int] = {}

    def read(self, row: CsvRow) -> None:
        """One row, its faults noted."""
        item, rater = (self._name(row, column) for column in NEEDED)
        score = self._score(row)
        label = self._label(row, LABEL)
        system = self._label(row, SYSTEM_LABEL)
        if not item or not rater:
            return
        if system is not None and self.system_labels.setdefault(item, system) is not system:
            problem = f"item {item!r} has the system label {self.system_labels[item]} further up"
            self._add(row, SYSTEM_LABEL, problem, "Give an item one system label in all its rows")
        key = (item, rater)
        if key in self._row_of:
            problem = f"rater {rater!r} has answered item {item!r} in row {self._row_of[key]}"
            self._add(row, "item", problem, "Keep one answer of a rater to an item")
            return
        self._row_of[key] = row.row
        self.answers[key] = RatedItem(item, rater, score, label)

    def _add(self, row: CsvRow, column: str, problem: str, remedy: str) -> None:
        self.faults.append(Fault(self.file, row.row, column, problem, remedy))

    def _name(self, row: CsvRow, column: str) -> str:
        name = nfc(row.cells[column]).strip()
        if not name:
            self._add(row, column, "this cell is empty", f"Name the {column}")
        return name

    def _score(self, row: CsvRow) -> float | None:
        cell = row.cells.get(SCORE, "").strip()
        if not cell:
            return None
        try:
            score = float(cell) if cell.isascii() and "_" not in cell else math.nan
        except ValueError:
            score = math.nan
        if 0 <= score <= 100:
            return score
        self._add(row, SCORE, f"{cell!r} is no score", "Give a number from 0 to 100, 72.5 for one")
        return None

    def _label(self, row: CsvRow, column: str) -> GenderLabel | None:
        cell = row.cells.get(column, "").strip()
        if not cell:
            return None
        label = BY_NAME.get(cell.casefold())
        if label is None:
            self._add(row, column, f"{cell!r} is no label", f"Use one of {', '.join(BY_NAME)}")
        return label
