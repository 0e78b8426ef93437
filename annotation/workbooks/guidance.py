"""What helps while a sheet is filled in: lists to choose from, ranges, and colours.

Programs may ignore or lose all of it; what counts is checked when the file comes back.
"""

from __future__ import annotations

from collections.abc import Mapping

from xlsxwriter.format import Format
from xlsxwriter.utility import xl_col_to_name
from xlsxwriter.worksheet import Worksheet

from annotation.workbooks.layout import FIRST_ROW, Column, ColumnKind, Layout
from annotation.workbooks.pen import Pen
from corpus.forms import Condition, FieldKind


def guide_answers(
    sheet: Worksheet, pen: Pen, layout: Layout, lists: Mapping[str, str], last_row: int
) -> None:
    """Gives answer cells their lists, ranges and colours.

    Args:
        sheet: the ratings sheet.
        pen: what it is written with.
        layout: its columns.
        lists: range of the texts of each drop-down, by column name.
        last_row: last row of the sheet, counted from 1.
    """
    decline = layout.only(ColumnKind.DECLINE)
    sheet.autofilter(0, 0, last_row - 1, decline.index)
    for column in (*layout.of_kind(ColumnKind.ANSWER), decline):
        area = (FIRST_ROW - 1, column.index, last_row - 1, column.index)
        if column.name in lists:
            sheet.data_validation(*area, _list_rule(lists[column.name]))
        elif column.field is not None and column.field.kind is FieldKind.SCORE:
            sheet.data_validation(*area, _range_rule(column.field.low, column.field.high))
        for formula, style in _colour_rules(layout, column, pen):
            rule = {"type": "formula", "criteria": formula, "format": style, "stop_if_true": True}
            sheet.conditional_format(*area, rule)


def _list_rule(source: str) -> dict[str, object]:
    return {
        "validate": "list",
        "source": source,
        "error_title": "Not one of the answers",
        "error_message": "Please choose one of the answers of the list.",
    }


def _range_rule(low: int, high: int) -> dict[str, object]:
    return {
        "validate": "integer",
        "criteria": "between",
        "minimum": low,
        "maximum": high,
        "error_title": "Not on the scale",
        "error_message": f"Please type a whole number from {low} to {high}, without a % sign.",
    }


def _colour_rules(layout: Layout, column: Column, pen: Pen) -> list[tuple[str, Format]]:
    """Conditions, in the order they are tried, and the colours of a cell where they hold."""
    question = column.field
    if question is None:
        return []
    declined = f'{_cell(layout.only(ColumnKind.DECLINE))}<>""'
    empty = f'{_cell(column)}=""'
    started = ",".join(f'{_cell(each)}<>""' for each in layout.of_kind(ColumnKind.ANSWER))
    rules = [(f"={declined}", pen.void)]
    if question.required_when is not None:
        condition = _holds(layout, question.required_when)
        rules.append((f"=AND({empty},{condition})", pen.needed))
    if question.shown_when is not None:
        rules.append((f"=NOT({_holds(layout, question.shown_when)})", pen.void))
    if question.required:
        rules.append((f"=AND({empty},OR({started}))", pen.needed))
    return rules


def _holds(layout: Layout, condition: Condition) -> str:
    asked = layout.answer_column(condition.field)
    if condition.below is not None:
        return f"AND(ISNUMBER({_cell(asked)}),{_cell(asked)}<{condition.below})"
    value = str(condition.value)
    choices = asked.field.choices if asked.field is not None else {}
    text = choices.get(value, value).replace('"', '""')
    return f'{_cell(asked)}="{text}"'


def _cell(column: Column) -> str:
    """The column's cell in the first row of a rule's area, the row free to move."""
    return f"${xl_col_to_name(column.index)}{FIRST_ROW}"
