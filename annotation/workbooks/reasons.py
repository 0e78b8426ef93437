"""Reason codes as sentences: what is wrong with a cell, and what to do about it."""

from __future__ import annotations

from annotation.workbooks.layout import describe_condition
from annotation.workbooks.spreadsheet import Cell, CellKind
from annotation.workbooks.values import quote
from corpus.forms import Field, Form

EMPTY_ROW = "or empty the whole row if it is not rated yet"


def describe_reason(form: Form, reason: str, cell: Cell | None) -> tuple[str, str]:
    """Problem and remedy of a reason code `<problem>:<field>`, for the cell it is about.

    The code itself is part of the problem: the app shows the same one for browser answers.
    """
    code, _, name = reason.partition(":")
    [question] = [each for each in form.fields if each.name == name]
    problem, remedy = _describe(form, question, code, cell)
    return f"{problem} ({reason})", remedy


def _describe(form: Form, question: Field, code: str, cell: Cell | None) -> tuple[str, str]:
    held = _describe_cell(cell)
    if code == "missing":
        return _describe_missing(form, question)
    if code == "not_shown" and question.shown_when is not None:
        condition = describe_condition(form, question.shown_when)
        return f"this is only asked if {condition}", "empty this cell, or correct that one"
    if code == "unknown_choice":
        choices = ", ".join(f"“{text}”" for text in question.choices.values())
        return f"it holds {held}, which is not in the list", f"choose one of {choices}"
    if code == "not_text":
        return f"it holds {held}, not a text", "write it in words"
    if code == "unreadable_cell":
        return f"it holds {held}", "type the answer itself"
    scale = f"a whole number from {question.low} to {question.high}"
    remedy = f"type {scale}, without a % sign"
    if code == "out_of_range":
        return f"it holds {held}, which is off the scale", remedy
    return f"it holds {held}, not {scale}", remedy


def _describe_missing(form: Form, question: Field) -> tuple[str, str]:
    condition = question.required_when
    if condition is None or question.required:
        return "the answer is missing", f"answer it, {EMPTY_ROW}"
    when = describe_condition(form, condition)
    return f"a text is needed if {when}", f"write one, {EMPTY_ROW}"


def _describe_cell(cell: Cell | None) -> str:
    if cell is None:
        return "nothing"
    if cell.kind is CellKind.NUMBER and isinstance(cell.value, float):
        return f"{cell.value:g}" if cell.value.is_integer() else repr(cell.value)
    if cell.kind is CellKind.TEXT:
        return quote(cell.value)
    if cell.kind is CellKind.PERCENT and isinstance(cell.value, float):
        return f"a percentage ({cell.value:.6g} shown as {cell.value:.6%})"
    if cell.kind is CellKind.BOOLEAN:
        return "true or false"
    return f"{_ARTICLES[cell.kind]} ({quote(cell.value)})"


_ARTICLES = {
    CellKind.DATE: "a date or time",
    CellKind.ERROR: "an error",
    CellKind.FORMULA: "a formula",
}
