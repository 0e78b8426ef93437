"""The layout of a rating workbook: the columns of a form, and what binds a file to its rater.

Writing and reading both derive from it. A file is bound to its batch, rater and form version by the
workbook id, and each row to its item and text by the row check, so that rows may be sorted, removed
or returned in parts while a changed text or a row from elsewhere is noticed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from xlsxwriter.utility import xl_rowcol_to_cell

from corpus.forms import Condition, Field, FieldKind, Form, ShownKind
from corpus.hashing import sha256_json
from corpus.records import Assignment, Batch, Item

LAYOUT = "1"
"""Version of the layout; a file of another one is refused."""
INSTRUCTIONS_SHEET = "Instructions"
RATINGS_SHEET = "Ratings"
BINDING_SHEET = "Workbook"
"""Hidden: what the file is bound to, and the texts of the drop-downs."""
DECLINED = "I decline"
"""What a rater chooses in the last column instead of answering; a skip in the browser."""
FIRST_ROW = 2
"""The first row under the heading, counted from 1."""
HASH_LENGTH = 16


class ColumnKind(StrEnum):
    """What a column of the ratings sheet holds."""

    ITEM = "item"
    CHECK = "check"
    NUMBER = "number"
    SHOWN = "shown"
    ANSWER = "answer"
    DECLINE = "decline"


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One column of the ratings sheet; a layout holds each once."""

    index: int
    """0 is column A."""
    kind: ColumnKind
    name: str
    """Name of the shown text or of the field."""
    heading: str
    field: Field | None = None
    """The question that an answer column answers."""

    def address(self, row: int) -> str:
        """`Ratings!D17` for the sheet's 17th row."""
        return cell_address(RATINGS_SHEET, row, self.index)


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a form's ratings sheet, from A on."""

    form: Form
    columns: tuple[Column, ...]

    def of_kind(self, kind: ColumnKind) -> tuple[Column, ...]:
        """The columns of that kind, in order."""
        return tuple(column for column in self.columns if column.kind is kind)

    def answer_column(self, field_name: str) -> Column:
        """The column of a field of the form."""
        [found] = [each for each in self.of_kind(ColumnKind.ANSWER) if each.name == field_name]
        return found

    def only(self, kind: ColumnKind) -> Column:
        """The one column of a kind that there is once."""
        [found] = self.of_kind(kind)
        return found


@dataclass(frozen=True, slots=True)
class Binding:
    """What a workbook belongs to, as its hidden sheet says."""

    workbook: str
    batch: str
    rater: str
    form: str
    layout: str = LAYOUT


def build_layout(form: Form, items: Iterable[Item]) -> Layout:
    """The columns for a form and all items of its batch; a note that no item has takes none."""
    filled = {name for item in items for name, text in item.shown.items() if text}
    shown = [
        (each.name, each.title)
        for each in form.shown
        if each.kind is not ShownKind.NOTE or each.name in filled
    ]
    plan: list[tuple[ColumnKind, str, str, Field | None]] = [
        (ColumnKind.ITEM, "item", "Item", None),
        (ColumnKind.CHECK, "check", "Check", None),
        (ColumnKind.NUMBER, "number", "No.", None),
        *((ColumnKind.SHOWN, name, title, None) for name, title in shown),
        *((ColumnKind.ANSWER, each.name, _heading(form, each), each) for each in form.fields),
        (ColumnKind.DECLINE, "decline", "Decline: leave this sentence unrated", None),
    ]
    return Layout(form, tuple(Column(index, *parts) for index, parts in enumerate(plan)))


def _heading(form: Form, question: Field) -> str:
    """The question with all that a rater needs to answer it in a cell."""
    lines = [question.question]
    if question.help:
        lines.append(question.help)
    if question.kind is FieldKind.SCORE:
        lines.append(f"Whole number from {question.low} to {question.high}.")
        lines += [f"{point}: {meaning}" for point, meaning in question.anchors.items()]
    if question.shown_when is not None:
        lines.append(f"Only if {describe_condition(form, question.shown_when)}.")
    if question.required_when is not None and question.question_when_required:
        condition = describe_condition(form, question.required_when)
        lines.append(f"If {condition}: {question.question_when_required}")
    return "\n".join(lines)


def describe_condition(form: Form, condition: Condition) -> str:
    """When a condition holds, in the words of the sheet: `“2. …” is “Yes”`."""
    [asked] = [each for each in form.fields if each.name == condition.field]
    if condition.below is not None:
        return f"“{asked.question}” is below {condition.below}"
    value = str(condition.value)
    return f"“{asked.question}” is “{asked.choices.get(value, value)}”"


def cell_address(sheet: str, row: int, column: int) -> str:
    """`Ratings!D17` for row 17 and column 3: rows count from 1, columns from 0."""
    return f"{sheet}!{xl_rowcol_to_cell(row - 1, column)}"


def bind_workbook(batch: Batch, assignment: Assignment) -> Binding:
    """What a rater's workbook of a batch is bound to; the same whenever it is asked.

    The time the batch was created tells studies apart that drew the same batch.
    """
    created = batch.stamp.at.isoformat() if batch.stamp else ""
    made_of = [batch.id, created, assignment.rater_id, batch.form, LAYOUT]
    workbook = f"wb-{sha256_json(made_of)[:HASH_LENGTH]}"
    return Binding(workbook, batch.id, assignment.rater_id, batch.form)


def compute_row_check(binding: Binding, item_id: str, shown: Mapping[str, str]) -> str:
    """What ties a row to its workbook, item and texts."""
    return sha256_json([binding.workbook, item_id, dict(shown)])[:HASH_LENGTH]
