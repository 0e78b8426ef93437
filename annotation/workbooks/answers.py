"""Answers out of the cells of a ratings sheet, and every fault by its cell.

Answers are validated as those of the browser form are, by the form itself, so both refuse the same
things for the same reasons. A cell whose content says something else than it shows (a formula, a
percentage, a date) is never guessed at. A row without any answer says nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.workbooks.layout import (
    DECLINED,
    RATINGS_SHEET,
    Binding,
    Column,
    ColumnKind,
    Layout,
    cell_address,
    compute_row_check,
)
from annotation.workbooks.reasons import describe_reason
from annotation.workbooks.spreadsheet import Cell, Cells
from annotation.workbooks.values import (
    is_blank,
    is_choice,
    is_readable,
    is_same_text,
    quote,
    read_value,
)
from corpus.errors import Fault
from corpus.forms import validate_answers
from corpus.records import Item, RatingState

RESTORE = "take it back, or copy the answers into a fresh export of this batch"
HEADING_ROW = 1


@dataclass(frozen=True, slots=True)
class RowAnswer:
    """What a row says of its item."""

    row: int
    item_id: str
    state: RatingState
    """`valid`; `skipped` where she declined; `invalid` if there are reasons."""
    answers: Mapping[str, Any]
    """Field name → value, as the browser form gives them."""
    reasons: tuple[str, ...] = ()
    """Reason codes of what is wrong with the answers."""


@dataclass(frozen=True, slots=True)
class SheetReading:
    """What a ratings sheet holds."""

    answered: tuple[RowAnswer, ...]
    """The rows that say something, in the sheet's order."""
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Expected:
    """What a ratings sheet must hold besides the answers."""

    layout: Layout
    binding: Binding
    items: Mapping[str, Item]
    """The batch's items by id."""
    assigned: Collection[str]
    """Ids of the items that are the rater's now."""


def read_sheet(file: str, cells: Cells, expected: Expected) -> SheetReading:
    """The answers of a ratings sheet, and all its faults under the name of the file."""
    rows: dict[int, dict[int, Cell]] = {}
    for (row, place), cell in cells.items():
        rows.setdefault(row, {})[place] = cell
    reader = _Reader(file, expected)
    reader.check_heading(rows.pop(HEADING_ROW, {}))
    answered = [reader.read(row, rows[row]) for row in sorted(rows)]
    return SheetReading(tuple(each for each in answered if each is not None), tuple(reader.faults))


class _Reader:
    """Reads one sheet row by row and gathers its faults."""

    def __init__(self, file: str, expected: Expected) -> None:
        self.faults: list[Fault] = []
        self._file = file
        self._expected = expected
        self._layout = expected.layout
        self._id = expected.layout.only(ColumnKind.ITEM)
        self._decline = expected.layout.only(ColumnKind.DECLINE)
        self._texts = expected.layout.of_kind(ColumnKind.SHOWN)
        self._row_of: dict[str, int] = {}

    def check_heading(self, cells: Mapping[int, Cell]) -> None:
        """Notes columns that were moved, removed or renamed."""
        for column in self._layout.columns:
            if not is_same_text(cells.get(column.index), column.heading):
                problem = f"the heading {quote(column.heading.splitlines()[0])} is not here"
                self._note(column.address(HEADING_ROW), problem, RESTORE)

    def read(self, row: int, cells: Mapping[int, Cell]) -> RowAnswer | None:
        """What a row says, None if it says nothing or nothing that can be told."""
        self._check_outside(row, cells)
        given = dict(self._given(cells))
        item = self._find_item(row, cells, given)
        if item is None:
            return None
        self._check_item(row, item, cells, is_answered=bool(given))
        if not given:
            return None
        return self._declined(row, item, given) or self._answered(row, item, given)

    def _given(self, cells: Mapping[int, Cell]) -> Iterator[tuple[Column, Cell]]:
        for column in (*self._layout.of_kind(ColumnKind.ANSWER), self._decline):
            cell = cells.get(column.index)
            if cell is not None and not is_blank(cell):
                yield column, cell

    def _find_item(
        self, row: int, cells: Mapping[int, Cell], given: Mapping[Column, Cell]
    ) -> Item | None:
        cell = cells.get(self._id.index)
        if cell is None:
            texts = [column for column in self._texts if column.index in cells]
            for column in [*given, *texts][:1]:
                problem = "this row was added: it is about no item"
                self._note(column.address(row), problem, "delete the row")
            return None
        item = self._expected.items.get(str(cell.value))
        if item is None:
            problem = f"this batch has no item {quote(cell.value)}"
            self._note(self._id.address(row), problem, RESTORE)
        return item

    def _check_item(
        self, row: int, item: Item, cells: Mapping[int, Cell], is_answered: bool
    ) -> None:
        """Notes what is wrong with what the row is about."""
        binding = self._expected.binding
        first = self._row_of.setdefault(item.id, row)
        if first != row:
            problem = f"item {item.id} is there twice, first in row {first}"
            self._note(self._id.address(row), problem, "delete one of the two rows")
        if is_answered and item.id not in self._expected.assigned:
            problem = f"item {item.id} is not {binding.rater}'s to rate"
            self._note(self._id.address(row), problem, "empty the answers of this row")
        check = self._layout.only(ColumnKind.CHECK)
        if not is_same_text(
            cells.get(check.index), compute_row_check(binding, item.id, item.shown)
        ):
            problem = f"the check of item {item.id} does not fit this workbook"
            self._note(check.address(row), problem, RESTORE)
        for column in self._texts:
            text = item.shown.get(column.name, "")
            if not is_same_text(cells.get(column.index), text):
                problem = f"the text was changed; it was {quote(text)}"
                self._note(column.address(row), problem, RESTORE)

    def _check_outside(self, row: int, cells: Mapping[int, Cell]) -> None:
        for place, cell in cells.items():
            if place >= len(self._layout.columns) and not is_blank(cell):
                self._note(
                    cell_address(RATINGS_SHEET, row, place),
                    "nothing is asked here, so this would be lost",
                    "move it into an answer of its row, or empty the cell",
                )

    def _declined(self, row: int, item: Item, given: Mapping[Column, Cell]) -> RowAnswer | None:
        cell = given.get(self._decline)
        if cell is None:
            return None
        where = self._decline.address(row)
        if not is_choice(cell, DECLINED):
            problem = f"it holds {quote(cell.value)}, which is not in the list"
            self._note(where, problem, f"choose “{DECLINED}”, or empty the cell")
        elif len(given) > 1:
            problem = "the row is declined and answered at once"
            self._note(where, problem, "empty this cell, or the answers of its row")
        return RowAnswer(row, item.id, RatingState.SKIPPED, {})

    def _answered(self, row: int, item: Item, given: Mapping[Column, Cell]) -> RowAnswer:
        unreadable = [column.name for column, cell in given.items() if not is_readable(cell)]
        answers = {
            column.name: read_value(column.field, cell)
            for column, cell in given.items()
            if column.field is not None and column.name not in unreadable
        }
        found = validate_answers(self._layout.form, answers)
        reasons = (
            *(f"unreadable_cell:{name}" for name in unreadable),
            *(each for each in found if each.partition(":")[2] not in unreadable),
        )
        for reason in reasons:
            column = self._layout.answer_column(reason.partition(":")[2])
            problem, remedy = describe_reason(self._layout.form, reason, given.get(column))
            self._note(column.address(row), problem, remedy)
        state = RatingState.INVALID if reasons else RatingState.VALID
        return RowAnswer(row, item.id, state, answers, reasons)

    def _note(self, address: str, problem: str, remedy: str) -> None:
        self.faults.append(Fault(self._file, None, address, problem, remedy))
