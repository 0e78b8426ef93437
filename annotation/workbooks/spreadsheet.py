"""Cells out of an .xlsx file, without running, resolving or fetching anything that it holds.

Only the parts that hold cells are read. A formula is never evaluated and its stored result never
used; a document type declaration, and with it every entity, is refused. Texts come back to the
character, with the escapes `_xHHHH_` that the format uses for control characters; openpyxl removes
parts of such texts, which is why this file reads them itself.

Source: ECMA-376, part 1, 18.3.1.4 (cell), 18.4.8 (string item), 22.9.2.19 (ST_Xstring).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from io import BytesIO
from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree as ET
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError  # noqa: N812

from corpus.errors import Fault, InputError

LARGEST_FILE_BYTES = 20 * 1024 * 1024
LARGEST_PARTS_BYTES = 32 * 1024 * 1024
"""All parts that are read, unpacked: a thousand rated sentences take about two."""
MOST_ELEMENTS = 1_000_000
"""Of one part; so many take less than 100 MB of memory."""
SAVE_AS = "open it in Excel or LibreOffice and save it as an Excel workbook (.xlsx)"
ZIP_START = b"PK\x03\x04"
OLE_START = bytes.fromhex("d0cf11e0a1b11ae1")
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
WORKBOOK_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
REFERENCE = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")
PERCENT_FORMATS = frozenset({9, 10})
DATE_FORMATS = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
"""Built-in number formats of dates and times, those of East Asian editions too."""
NOT_FORMAT = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]|general', re.IGNORECASE)
"""What a format code shows literally, and its colours and conditions."""


class CellKind(StrEnum):
    """What a cell holds."""

    TEXT = "text"
    NUMBER = "number"
    PERCENT = "percentage"
    DATE = "date or time"
    BOOLEAN = "true or false"
    ERROR = "error"
    FORMULA = "formula"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that is not empty."""

    kind: CellKind
    value: str | float | bool
    """A number for numbers, percentages (0.77 for 77%) and dates, the formula for formulas."""


Cells = Mapping[tuple[int, int], Cell]
"""Row (from 1) and column (from 0) → cell, for those that are not empty."""


def load_sheets(path: Path) -> dict[str, Cells]:
    """The cells of each worksheet of an .xlsx file, by the sheet's name.

    Raises:
        InputError: if it is not such a file, or one that must not be opened.
    """
    package = _Package(path)
    package.check_kind()
    texts = package.shared_texts()
    formats = package.number_kinds()
    sheets: dict[str, Cells] = {}
    for name, part in package.sheets():
        if name in sheets:
            package.refuse(f"it has two sheets named {name!r}", "delete the one you did not get")
        sheets[name] = dict(_read_cells(package, part, texts, formats))
    return sheets


class _Package:
    """The parts of one file, each read once and within limits."""

    def __init__(self, path: Path) -> None:
        self.path = path
        data = self._load()
        try:
            self._zip = ZipFile(BytesIO(data))
            names = self._zip.namelist()
        except (BadZipFile, ValueError, OSError, NotImplementedError):
            self.refuse("it is damaged", "save it again, or send it again")
        self._names = {name.lower(): name for name in names}
        if len(self._names) != len(names):
            self.refuse("it holds the same part twice", SAVE_AS)
        self._left = LARGEST_PARTS_BYTES
        self.main = ""
        self._related: dict[str, tuple[str, str]] = {}

    def refuse(self, problem: str, remedy: str) -> NoReturn:
        """Refuses the file as a whole.

        Raises:
            InputError: always.
        """
        raise InputError([Fault(str(self.path), None, None, problem, remedy)])

    def _load(self) -> bytes:
        try:
            with self.path.open("rb") as stream:
                data = stream.read(LARGEST_FILE_BYTES + 1)
        except OSError as error:
            self.refuse(f"it cannot be read ({error.strerror})", "check its name and permissions")
        if len(data) > LARGEST_FILE_BYTES:
            limit = LARGEST_FILE_BYTES // 1024 // 1024
            self.refuse(f"it is larger than {limit} MiB", "remove what does not belong to it")
        if data.startswith(OLE_START):
            if ENCRYPTED in data:
                self.refuse("it is protected by a password", "save it without a password to open")
            self.refuse("it is in the old Excel format (.xls)", SAVE_AS)
        if not data.startswith(ZIP_START):
            self.refuse("it is not an Excel workbook", SAVE_AS)
        return data

    def check_kind(self) -> None:
        """Makes sure that this is an Excel workbook without macros, and finds its main part."""
        if "mimetype" in self._names:
            self.refuse("it is an OpenDocument file", SAVE_AS)
        if any(name.endswith("vbaproject.bin") for name in self._names):
            self.refuse("it holds macros", SAVE_AS)
        for kind, target in self._relations("_rels/.rels", "").values():
            if kind == "officeDocument":
                self.main = target
        types = {
            each.get("PartName", "").lower().lstrip("/"): each.get("ContentType", "")
            for each in self.parse("[Content_Types].xml")
        }
        kind = types.get(self.main.lower(), "")
        if "macroEnabled" in kind:
            self.refuse("it holds macros", SAVE_AS)
        if kind != WORKBOOK_TYPE:
            self.refuse("it is not an Excel workbook (.xlsx)", SAVE_AS)
        folder, name = posixpath.split(self.main)
        self._related = self._relations(posixpath.join(folder, "_rels", f"{name}.rels"), folder)

    def sheets(self) -> Iterator[tuple[str, str]]:
        """Name and part of each worksheet."""
        for sheet in _within(self.parse(self.main), "sheets"):
            identifier = next((v for k, v in sheet.items() if _local(k) == "id"), "")
            kind, part = self._related.get(identifier, ("", ""))
            if kind == "worksheet":
                yield sheet.get("name", ""), part

    def shared_texts(self) -> list[str]:
        """The texts that cells refer to by number."""
        parts = [part for kind, part in self._related.values() if kind == "sharedStrings"]
        return [_text(item) for part in parts for item in self.parse(part)]

    def number_kinds(self) -> list[CellKind]:
        """What a number is that is shown in each cell style."""
        kinds: list[CellKind] = []
        for part in [part for kind, part in self._related.values() if kind == "styles"]:
            root = self.parse(part)
            codes = {
                each.get("numFmtId", ""): each.get("formatCode", "")
                for each in _within(root, "numFmts")
            }
            for style in _within(root, "cellXfs"):
                number = style.get("numFmtId", "0")
                kinds.append(_number_kind(number, codes.get(number)))
        return kinds

    def parse(self, name: str) -> ET.Element:
        """The root element of a part."""
        parser = ET.XMLParser(target=_Builder())
        try:
            parser.feed(self._read(name))
            root: ET.Element = parser.close()
        except (ET.ParseError, ValueError, LookupError):
            self.refuse(f"its part {name} cannot be read", SAVE_AS)
        except _ForbiddenError as error:
            self.refuse(f"its part {name} {error}", SAVE_AS)
        return root

    def _read(self, name: str) -> bytes:
        known = self._names.get(name.lower())
        if known is None:
            self.refuse(f"its part {name} is missing", SAVE_AS)
        try:
            with self._zip.open(known) as stream:
                content = stream.read(self._left + 1)
        except (BadZipFile, ZlibError, EOFError, OSError, NotImplementedError, ValueError):
            self.refuse("it is damaged", "save it again, or send it again")
        except RuntimeError:
            self.refuse("it is protected by a password", "save it without a password to open")
        self._left -= len(content)
        if self._left < 0:
            limit = LARGEST_PARTS_BYTES // 1024 // 1024
            self.refuse(f"it unpacks to more than {limit} MiB", "remove what does not belong to it")
        return content

    def _relations(self, name: str, folder: str) -> dict[str, tuple[str, str]]:
        """Id → kind and part of what a part refers to, within the file."""
        return {
            each.get("Id", ""): (
                each.get("Type", "").rpartition("/")[2],
                posixpath.normpath(posixpath.join("/", folder, each.get("Target", "")))[1:],
            )
            for each in self.parse(name)
            if each.get("TargetMode") != "External"
        }


class _ForbiddenError(Exception):
    """A part holds what no part of a workbook holds."""


class _Builder(ET.TreeBuilder):
    """Builds elements, and stops at a document type or at too many of them."""

    def __init__(self) -> None:
        super().__init__()
        self._count = 0

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        raise _ForbiddenError("declares a document type")

    def start(self, tag: str, attributes: dict[str, str], /) -> ET.Element:
        self._count += 1
        if self._count > MOST_ELEMENTS:
            raise _ForbiddenError(f"has more than {MOST_ELEMENTS} elements")
        return super().start(tag, attributes)


def _read_cells(
    package: _Package, part: str, texts: list[str], formats: list[CellKind]
) -> Iterator[tuple[tuple[int, int], Cell]]:
    row, column = 0, -1
    for line in _within(package.parse(part), "sheetData"):
        # A row or cell without a place stands after the one before it.
        row, column = row + 1, -1
        try:
            row = int(line.get("r", row))
            for element in line:
                place = element.get("r")
                row, column = (row, column + 1) if place is None else _place(place)
                cell = _read_cell(element, texts, formats)
                if cell is not None:
                    yield (row, column), cell
        except (ValueError, IndexError):
            package.refuse(f"a cell in row {row} of its part {part} cannot be read", SAVE_AS)


def _place(reference: str) -> tuple[int, int]:
    found = REFERENCE.fullmatch(reference)
    if found is None:
        raise ValueError(reference)
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(found[2]), column - 1


def _read_cell(element: ET.Element, texts: list[str], formats: list[CellKind]) -> Cell | None:
    parts = {_local(child.tag): child for child in element}
    if "f" in parts:
        return Cell(CellKind.FORMULA, parts["f"].text or "")
    kind = element.get("t", "n")
    if kind == "inlineStr":
        return _text_cell(_text(parts["is"]) if "is" in parts else "")
    raw = parts["v"].text if "v" in parts else None
    if not raw:
        return None
    if kind == "s":
        return _text_cell(texts[_number(raw)])
    if kind == "str":
        return _text_cell(unescape(raw))
    if kind == "b":
        return Cell(CellKind.BOOLEAN, raw == "1")
    if kind == "e":
        return Cell(CellKind.ERROR, raw)
    if kind == "d":
        return Cell(CellKind.DATE, raw)
    style = _number(element.get("s", "0"))
    return Cell(formats[style] if style < len(formats) else CellKind.NUMBER, float(raw))


def _number(text: str) -> int:
    """A place in a list; a negative one would count from its end."""
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


def _text_cell(text: str) -> Cell | None:
    return Cell(CellKind.TEXT, text) if text else None


def _text(item: ET.Element) -> str:
    """The text of a string item: plain or in runs, without the readings of East Asian texts."""
    parts: list[str] = []
    for child in item:
        if _local(child.tag) == "t":
            parts.append(child.text or "")
        elif _local(child.tag) == "r":
            parts += [each.text or "" for each in child if _local(each.tag) == "t"]
    return unescape("".join(parts))


def unescape(text: str) -> str:
    """The text that `_xHHHH_` escapes stand for."""
    if "_x" not in text:
        return text
    decoded = ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
    # Two escapes may be the halves of one character.
    return decoded.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _number_kind(number: str, code: str | None) -> CellKind:
    if code is None:
        known = int(number) if number.isdecimal() else 0
        if known in PERCENT_FORMATS:
            return CellKind.PERCENT
        return CellKind.DATE if known in DATE_FORMATS else CellKind.NUMBER
    shown = NOT_FORMAT.sub("", code).lower()
    if "%" in shown:
        return CellKind.PERCENT
    return CellKind.DATE if re.search("[dmyhs]", shown) else CellKind.NUMBER


def _within(root: ET.Element, name: str) -> Iterator[ET.Element]:
    """Children of the root's child of that name, whatever the namespace."""
    for child in root:
        if _local(child.tag) == name:
            yield from child


def _local(name: str) -> str:
    return name.rpartition("}")[2]
