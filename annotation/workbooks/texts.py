"""The texts of a workbook, to the character.

XlsxWriter takes a text such as `<r>…</r>` for markup and escapes `_x005F_x0041_` so that it reads
as another text. So it is given a token for each text, and the table of texts is written here.

Source: ECMA-376, part 1, 18.4.8 (string item), 22.9.2.19 (ST_Xstring).
"""

from __future__ import annotations

import re
from io import BytesIO
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

PART = "xl/sharedStrings.xml"
TOKEN = re.compile(r"<si><t>text-(\d+)</t></si>")
LOOKS_LIKE_ESCAPE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
NOT_IN_XML = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")


class TextTable:
    """Gives tokens for texts, and puts the texts into the finished file."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def token(self, text: str) -> str:
        """What is written in place of the text."""
        return f"text-{self._numbers.setdefault(text, len(self._numbers))}"

    def fill(self, content: bytes) -> bytes:
        """The file with its texts; whatever else it holds stays the same."""
        texts = list(self._numbers)
        filled = BytesIO()
        with (
            ZipFile(BytesIO(content)) as source,
            ZipFile(filled, "w", ZIP_DEFLATED) as target,
        ):
            for part in source.infolist():
                data = source.read(part)
                if part.filename == PART:
                    table = data.decode("utf-8")
                    data = TOKEN.sub(lambda found: _item(texts[int(found[1])]), table).encode()
                target.writestr(part, data)
        return filled.getvalue()


def _item(text: str) -> str:
    return f'<si><t xml:space="preserve">{escape(escape_text(text))}</t></si>'


def escape_text(text: str) -> str:
    """The text with `_xHHHH_` for what XML cannot hold, and for what looks like such an escape."""
    unambiguous = LOOKS_LIKE_ESCAPE.sub("_x005F_", text)
    return NOT_IN_XML.sub(lambda found: f"_x{ord(found[0]):04X}_", unambiguous)
