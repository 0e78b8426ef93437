"""What a workbook is written with: its texts, and the formats of its cells."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from annotation.workbooks.texts import TextTable

HEADING, LOCKED, NEEDED, VOID = "#D9E2EC", "#F3F4F6", "#FFE8A3", "#BFC5CC"
"""Colours of the heading, of texts to read, of cells that still need an answer and of cells that
stay empty."""


class Pen:
    """Writes texts, and the formats of cells, each made once."""

    def __init__(self, book: xlsxwriter.Workbook) -> None:
        self.texts = TextTable()
        self._book = book
        edge = {"border": 1, "border_color": HEADING, "text_wrap": True, "valign": "top"}
        # Quote prefix: a text stays one even if somebody edits it and presses Enter.
        literal = edge | {"quote_prefix": True}
        self.heading = self._add(edge | {"bold": True, "bg_color": HEADING})
        self.title = self._add({"bold": True, "font_size": 16, "text_wrap": True})
        self.section = self._add({"bold": True, "text_wrap": True, "valign": "top"})
        self.paragraph = self._add({"text_wrap": True, "valign": "top", "quote_prefix": True})
        self.number = self._add(edge | {"bg_color": LOCKED, "align": "center"})
        self.text = self._add(literal | {"bg_color": LOCKED})
        self.text_from_right = self._add(
            literal | {"bg_color": LOCKED, "reading_order": 2, "align": "right"}
        )
        # Text format where words are expected: Excel would make dates and formulas of some.
        self.score = self._add(edge | {"locked": False, "num_format": "0", "align": "center"})
        self.words = self._add(edge | {"locked": False, "num_format": "@"})
        self.needed = self._add({"bg_color": NEEDED})
        self.void = self._add({"bg_color": VOID})

    def _add(self, properties: Mapping[str, object]) -> Format:
        return self._book.add_format(dict(properties))

    def write(
        self, sheet: Worksheet, row: int, column: int, text: str, style: Format | None
    ) -> None:
        """Writes a text as a text, never as a formula, a link or markup; rows count from 0."""
        if text:
            sheet.write_string(row, column, self.texts.token(text), style)
        else:
            sheet.write_blank(row, column, None, style)

    def of_text(self, text: str) -> Format:
        """The format of a text to read, by the direction of its first letter."""
        for character in text:
            direction = unicodedata.bidirectional(character)
            if direction in {"R", "AL"}:
                return self.text_from_right
            if direction == "L":
                break
        return self.text
