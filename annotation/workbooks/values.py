"""What a cell says: the value of an answer, and whether a text is still the one it was."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from annotation.workbooks.spreadsheet import Cell, CellKind, unescape
from corpus.forms import Field, FieldKind
from corpus.hashing import unstorable

WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
LONGEST_QUOTE = 60


def read_value(question: Field, cell: Cell) -> Any:
    """The value for the form to validate; the cell itself where it is no answer of that kind.

    Whole numbers may be typed as text and choices in any case; nothing else is guessed at.
    """
    if question.kind is FieldKind.SCORE:
        return _read_score(cell)
    text = _read_text(cell)
    if text is None:
        return cell
    if question.kind is FieldKind.TEXT:
        return text
    return next(
        (value for value, shown in question.choices.items() if is_choice(cell, shown)), text
    )


def _read_score(cell: Cell) -> Any:
    if cell.kind is CellKind.TEXT:
        text = str(cell.value).strip()
        return int(text) if WHOLE_NUMBER.fullmatch(text) else text
    if cell.kind is CellKind.NUMBER and isinstance(cell.value, float):
        return int(cell.value) if cell.value.is_integer() else cell.value
    return cell


def _read_text(cell: Cell) -> str | None:
    """The text of a cell, a number as it is typed; None for what shows otherwise than it is."""
    if cell.kind is CellKind.TEXT:
        return str(cell.value)
    if cell.kind is CellKind.NUMBER and isinstance(cell.value, float):
        return str(int(cell.value)) if cell.value.is_integer() else repr(cell.value)
    return None


def is_choice(cell: Cell, shown: str) -> bool:
    """Whether the cell holds that text of a list, whatever its case and the spaces around it."""
    text = _read_text(cell)
    return text is not None and text.strip().casefold() == shown.strip().casefold()


def is_blank(cell: Cell) -> bool:
    """Whether the cell shows nothing."""
    return cell.kind is CellKind.TEXT and not str(cell.value).strip()


def is_readable(cell: Cell) -> bool:
    """Whether the cell holds a value of its own, and one that can be stored."""
    if cell.kind in {CellKind.FORMULA, CellKind.ERROR}:
        return False
    return not (isinstance(cell.value, str) and unstorable(cell.value))


def is_same_text(cell: Cell | None, text: str) -> bool:
    """Whether a cell still shows a text.

    Programs rewrite line ends, drop tabs and control codes, and forget to escape what looks like
    an escape of the format (`_x0041_`); none of that is an edit.
    """
    if cell is None:
        return _comparable(text) == ""
    shown = _read_text(cell)
    return shown is not None and _comparable(shown) == _comparable(text)


def _comparable(text: str) -> str:
    while (decoded := unescape(text)) != text:
        text = decoded
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(
        character
        for character in lines
        if character == "\n" or unicodedata.category(character) != "Cc"
    )


def quote(value: object) -> str:
    """A short quotation of a value for a message."""
    text = str(value)
    return repr(text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…")
