"""Workbooks as a rater or an agency leaves them: cells rewritten in the file's own XML.

Written against the file format and not with what the product reads or writes workbooks with, so
that it can hold what no careful program would write.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_DEFLATED, ZipFile

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")
RATINGS_PART = "xl/worksheets/sheet2.xml"


def text(value: str) -> str:
    """The inside of a cell that holds a text, escaped as the format wants it."""
    escaped = re.sub("_(?=x[0-9A-Fa-f]{4}_)", "_x005F_", value)
    escaped = CONTROL.sub(lambda found: f"_x{ord(found[0]):04X}_", escaped)
    return f' t="inlineStr"><is><t xml:space="preserve">{escape(escaped)}</t></is>'


def number(value: str, style: int | None = None) -> str:
    """The inside of a cell that holds a number, in a cell style if one is named."""
    return (f' s="{style}"' if style is not None else "") + f"><v>{value}</v>"


def formula(value: str, result: str) -> str:
    """The inside of a cell that holds a formula and its stored result."""
    return f"><f>{escape(value)}</f><v>{result}</v>"


def error(value: str) -> str:
    """The inside of a cell that holds an error."""
    return f' t="e"><v>{escape(value)}</v>'


def boolean(value: bool) -> str:
    """The inside of a cell that holds true or false."""
    return f' t="b"><v>{int(value)}</v>'


EMPTY = ">"


def set_cells(path: Path, cells: Mapping[str, str], part: str = RATINGS_PART) -> None:
    """Puts these insides into cells of the ratings sheet, by address such as `H2`."""

    def edit(xml: str) -> str:
        for address, inside in cells.items():
            cell = re.compile(rf'<c r="{address}"( s="\d+")?[^>]*?(?:/>|>.*?</c>)', re.DOTALL)
            found = cell.search(xml)
            if found is None:
                xml = _add_cell(xml, address, inside)
                continue
            style = "" if " s=" in inside.partition(">")[0] else found[1] or ""
            new = f'<c r="{address}"{style}{inside}</c>'
            xml = xml[: found.start()] + new + xml[found.end() :]
        return xml

    edit_part(path, part, edit)


def _add_cell(xml: str, address: str, inside: str) -> str:
    row = re.sub("[A-Z]", "", address)
    found = re.search(rf'<row r="{row}"[^>]*>', xml)
    if found is None:
        new = f'<row r="{row}"><c r="{address}"{inside}</c></row></sheetData>'
        return xml.replace("</sheetData>", new)
    end = xml.index("</row>", found.end())
    return f'{xml[:end]}<c r="{address}"{inside}</c>{xml[end:]}'


def edit_part(path: Path, part: str, edit: Callable[[str], str]) -> None:
    """Rewrites one part of the file."""
    parts = load_parts(path)
    parts[part] = edit(parts[part].decode("utf-8")).encode("utf-8")
    save_parts(path, parts)


def load_parts(path: Path) -> dict[str, bytes]:
    with ZipFile(path) as package:
        return {name: package.read(name) for name in package.namelist()}


def save_parts(path: Path, parts: Mapping[str, bytes]) -> None:
    content = BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(name, data)
    path.write_bytes(content.getvalue())


def rows_of_sheet(xml: str) -> list[str]:
    """The row elements of a sheet, in order."""
    return re.findall(r"<row .*?</row>", xml, re.DOTALL)


def reorder_rows(path: Path, order: Callable[[list[str]], list[str]]) -> None:
    """Rewrites the rows under the heading, renumbered, as a program does that sorts them."""

    def edit(xml: str) -> str:
        heading, *rows = rows_of_sheet(xml)
        new = [_renumber(row, place) for place, row in enumerate(order(rows), start=2)]
        start = xml.index("<sheetData>") + len("<sheetData>")
        return xml[:start] + heading + "".join(new) + xml[xml.index("</sheetData>") :]

    edit_part(path, RATINGS_PART, edit)


def _renumber(row: str, place: int) -> str:
    row = re.sub(r'<row r="\d+"', f'<row r="{place}"', row)
    return re.sub(r'<c r="([A-Z]+)\d+"', rf'<c r="\g<1>{place}"', row)


def save_package(path: Path, content_type: str, more: Mapping[str, bytes] | None = None) -> None:
    """A file that is packed as a workbook is, with a main part of that type and no sheets."""
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        f'<Override PartName="/xl/workbook.xml" ContentType={quoteattr(content_type)}/></Types>'
    )
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="rId1" Target="xl/workbook.xml" Type="http://schemas.openxmlformats.org'
        '/officeDocument/2006/relationships/officeDocument"/></Relationships>'
    )
    parts = {
        "[Content_Types].xml": types.encode(),
        "_rels/.rels": relations.encode(),
        "xl/workbook.xml": b"<workbook/>",
        "xl/_rels/workbook.xml.rels": b"<Relationships/>",
    }
    save_parts(path, parts | dict(more or {}))
