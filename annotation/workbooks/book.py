"""Writing a rater's workbook: instructions, the sheet to fill in, and what binds the file.

Every text is written as a text, never as a formula or a link. The same batch, rater and form give
the same bytes, so a second export is the first one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from io import BytesIO

import xlsxwriter
from xlsxwriter.utility import xl_range_abs
from xlsxwriter.worksheet import Worksheet

from annotation.workbooks.guidance import guide_answers
from annotation.workbooks.instructions import build_instructions
from annotation.workbooks.layout import (
    BINDING_SHEET,
    DECLINED,
    FIRST_ROW,
    INSTRUCTIONS_SHEET,
    RATINGS_SHEET,
    Binding,
    Column,
    ColumnKind,
    Layout,
    compute_row_check,
)
from annotation.workbooks.pen import Pen
from corpus.errors import Fault, InputError
from corpus.forms import FieldKind, ShownKind
from corpus.records import Item

LONGEST_TEXT = 32_767
"""UTF-16 code units in one cell."""
WIDTHS = {
    ColumnKind.ITEM: 12,
    ColumnKind.CHECK: 12,
    ColumnKind.NUMBER: 5,
    ColumnKind.SHOWN: 44,
    ColumnKind.DECLINE: 15,
}
WIDTH_OF_FIELD = {FieldKind.SCORE: 26, FieldKind.CHOICE: 24, FieldKind.TEXT: 44}
WIDTH_OF_NOTE = 20
WIDTH_OF_INSTRUCTIONS = 80
"""Widths in digits of the standard font, as Excel counts them."""
LINE_POINTS = 15
HIGHEST_ROW_POINTS = 400
FEWEST_LINES = 2
"""Of a row to fill in: room for a comment. Programs differ in fitting rows to what they hold, so
every height is set here; a rater may change it."""
PAPER_A4 = 9
LIST_COLUMN = 3
"""First column of the hidden sheet with the texts of drop-downs."""
PROTECTION = {"format_columns": True, "format_rows": True, "autofilter": True}
"""What stays possible on a protected sheet: wider columns, higher rows, filtering."""


def build_workbook(
    layout: Layout, binding: Binding, items: Sequence[Item], created: datetime
) -> bytes:
    """The bytes of a rater's .xlsx file.

    Args:
        layout: columns of the form.
        binding: what the file belongs to.
        items: the rater's items in her order.
        created: when the batch was created; the file says it was made then.

    Raises:
        InputError: with every text that is too long for a cell.
    """
    _check_lengths(layout, items)
    content = BytesIO()
    book = xlsxwriter.Workbook(content, {"in_memory": True})
    book.set_properties({"created": created.astimezone(UTC).replace(tzinfo=None)})
    instructions = book.add_worksheet(INSTRUCTIONS_SHEET)
    ratings = book.add_worksheet(RATINGS_SHEET)
    hidden = book.add_worksheet(BINDING_SHEET)
    hidden.hide()
    pen = Pen(book)
    _write_instructions(instructions, pen, layout, binding)
    lists = _write_binding(hidden, pen, layout, binding)
    _write_heading(ratings, pen, layout)
    for number, item in enumerate(items, start=1):
        _write_item(ratings, pen, layout, binding, number, item)
    if items:
        guide_answers(ratings, pen, layout, lists, last_row=FIRST_ROW + len(items) - 1)
    for sheet in (instructions, ratings, hidden):
        sheet.protect("", PROTECTION)
    book.close()
    return pen.texts.fill(content.getvalue())


def _check_lengths(layout: Layout, items: Sequence[Item]) -> None:
    faults = [
        Fault(
            item.id,
            None,
            column.name,
            f"the text is longer than the {LONGEST_TEXT:,} characters that a cell holds",
            "send this batch through Label Studio",
        )
        for item in items
        for column in layout.of_kind(ColumnKind.SHOWN)
        if _length(item.shown.get(column.name, "")) > LONGEST_TEXT
    ]
    if faults:
        raise InputError(faults)


def _length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _write_instructions(sheet: Worksheet, pen: Pen, layout: Layout, binding: Binding) -> None:
    sheet.hide_gridlines(2)
    sheet.set_column(0, 0, WIDTH_OF_INSTRUCTIONS)
    sheet.set_paper(PAPER_A4)
    sheet.fit_to_pages(1, 0)
    pen.write(sheet, 0, 0, layout.form.title, pen.title)
    row = 2
    for title, paragraphs in build_instructions(layout, binding):
        pen.write(sheet, row, 0, title, pen.section)
        for paragraph in paragraphs:
            row += 1
            sheet.set_row(row, _height([(paragraph, WIDTH_OF_INSTRUCTIONS)]))
            pen.write(sheet, row, 0, paragraph, pen.paragraph)
        row += 2


def _write_binding(sheet: Worksheet, pen: Pen, layout: Layout, binding: Binding) -> dict[str, str]:
    """Writes the hidden sheet; gives the range of each drop-down's texts by column name."""
    for row, name in enumerate(Binding.__dataclass_fields__):
        pen.write(sheet, row, 0, name, None)
        pen.write(sheet, row, 1, getattr(binding, name), None)
    ranges: dict[str, str] = {}
    for place, (name, texts) in enumerate(_drop_downs(layout), start=LIST_COLUMN):
        for row, text in enumerate(texts):
            pen.write(sheet, row, place, text, None)
        ranges[name] = f"={BINDING_SHEET}!{xl_range_abs(0, place, len(texts) - 1, place)}"
    return ranges


def _drop_downs(layout: Layout) -> list[tuple[str, list[str]]]:
    chosen = [
        (column.name, list(column.field.choices.values()))
        for column in layout.of_kind(ColumnKind.ANSWER)
        if column.field is not None and column.field.kind is FieldKind.CHOICE
    ]
    return [*chosen, (layout.only(ColumnKind.DECLINE).name, [DECLINED])]


def _write_heading(sheet: Worksheet, pen: Pen, layout: Layout) -> None:
    sheet.set_row(0, _height([(each.heading, _width(layout, each)) for each in layout.columns]))
    for column in layout.columns:
        hidden = {"hidden": True} if column.kind in {ColumnKind.ITEM, ColumnKind.CHECK} else {}
        sheet.set_column(column.index, column.index, _width(layout, column), None, hidden)
        pen.write(sheet, 0, column.index, column.heading, pen.heading)
    sheet.freeze_panes(1, layout.only(ColumnKind.NUMBER).index + 1)
    sheet.set_landscape()
    sheet.set_paper(PAPER_A4)
    sheet.fit_to_pages(1, 0)
    sheet.repeat_rows(0)


def _width(layout: Layout, column: Column) -> int:
    if column.field is not None:
        return WIDTH_OF_FIELD[column.field.kind]
    notes = {each.name for each in layout.form.shown if each.kind is ShownKind.NOTE}
    return WIDTH_OF_NOTE if column.name in notes else WIDTHS[column.kind]


def _height(texts: Iterable[tuple[str, int]], fewest_lines: int = 1) -> int:
    """Points that the highest of these texts needs, each in a column of that width."""
    lines = max((_count_lines(text, width) for text, width in texts), default=0)
    return min(HIGHEST_ROW_POINTS, LINE_POINTS * max(lines, fewest_lines) + 3)


def _count_lines(text: str, width: int) -> int:
    """Lines that a text is broken into; rather one too many, because words are not torn."""
    lines = 0
    for line in text.splitlines() or [""]:
        shown = sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in line)
        lines += 1 + shown // (width - 2)
    return lines


def _write_item(
    sheet: Worksheet,
    pen: Pen,
    layout: Layout,
    binding: Binding,
    number: int,
    item: Item,
) -> None:
    row = FIRST_ROW + number - 2
    texts = [
        (item.shown.get(column.name, ""), _width(layout, column))
        for column in layout.of_kind(ColumnKind.SHOWN)
    ]
    sheet.set_row(row, _height(texts, FEWEST_LINES))
    for column in layout.columns:
        if column.kind is ColumnKind.ITEM:
            pen.write(sheet, row, column.index, item.id, None)
        elif column.kind is ColumnKind.CHECK:
            check = compute_row_check(binding, item.id, item.shown)
            pen.write(sheet, row, column.index, check, None)
        elif column.kind is ColumnKind.NUMBER:
            sheet.write_number(row, column.index, number, pen.number)
        elif column.kind is ColumnKind.SHOWN:
            text = item.shown.get(column.name, "")
            pen.write(sheet, row, column.index, text, pen.of_text(text))
        else:
            is_score = column.field is not None and column.field.kind is FieldKind.SCORE
            sheet.write_blank(row, column.index, None, pen.score if is_score else pen.words)
