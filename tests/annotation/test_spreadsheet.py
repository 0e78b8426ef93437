"""Files that are no workbook, or one that must not be opened; and what a careful reader reads."""

from __future__ import annotations

import struct
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import openpyxl
import pytest
import xlsxwriter

from annotation.workbooks import spreadsheet
from annotation.workbooks.spreadsheet import Cell, CellKind, load_sheets
from corpus.errors import InputError
from tests.annotation.workbook_files import edit_part, load_parts, save_package, save_parts

MAIN = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
MACROS = "application/vnd.ms-excel.sheet.macroEnabled.main+xml"
BINARY = "application/vnd.ms-excel.sheet.binary.macroEnabled.main"
WORDS = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
OLE = bytes.fromhex("d0cf11e0a1b11ae1")
SHEET = "xl/worksheets/sheet1.xml"


def make_book(path: Path) -> None:
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet("One")
    sheet.write_string("A1", "text")
    sheet.write_number("B2", 7)
    book.close()


def save_open_document(path: Path) -> None:
    with ZipFile(path, "w") as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet", ZIP_STORED)
        package.writestr("content.xml", "<office/>")


def save_with_macros_beside(path: Path) -> None:
    make_book(path)
    save_parts(path, load_parts(path) | {"xl/vbaProject.bin": OLE})


def save_repeated(path: Path) -> None:
    make_book(path)
    parts = load_parts(path)
    content = BytesIO()
    with ZipFile(content, "w") as package:
        for name, data in parts.items():
            package.writestr(name, data)
        package.writestr(SHEET.upper(), parts[SHEET])
    path.write_bytes(content.getvalue())


def save_bomb(path: Path) -> None:
    make_book(path)
    rows = b'<row r="1"><c r="A1"><v>1</v></c></row>' * 1_200_000
    head, tail = b"<worksheet><sheetData>", b"</sheetData></worksheet>"
    save_parts(path, load_parts(path) | {SHEET: head + rows + tail})


def save_bomb_of_elements(path: Path) -> None:
    make_book(path)
    cells = b"<c/>" * 1_100_000
    content = b"<worksheet><sheetData><row>" + cells + b"</row></sheetData></worksheet>"
    save_parts(path, load_parts(path) | {SHEET: content})


def save_encrypted_part(path: Path) -> None:
    """Sets the flag of an encrypted entry in its local header and in the directory."""
    make_book(path)
    data = bytearray(path.read_bytes())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = data.find(signature)
        while start >= 0:
            data[start + flags] |= 1
            start = data.find(signature, start + 1)
    path.write_bytes(bytes(data))


def save_unknown_compression(path: Path) -> None:
    make_book(path)
    data = bytearray(path.read_bytes())
    for signature, method in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        start = data.find(signature)
        while start >= 0:
            data[start + method : start + method + 2] = struct.pack("<H", 97)
            start = data.find(signature, start + 1)
    path.write_bytes(bytes(data))


def save_cut(path: Path) -> None:
    make_book(path)
    path.write_bytes(path.read_bytes()[:-40])


def save_changed_byte(path: Path) -> None:
    make_book(path)
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 0xFF
    path.write_bytes(bytes(data))


def save_with_declaration(declaration: str) -> Callable[[Path], None]:
    def save(path: Path) -> None:
        make_book(path)
        edit_part(path, SHEET, lambda xml: xml.replace("<worksheet", f"{declaration}<worksheet", 1))

    return save


def save_edited(part: str, old: str, new: str) -> Callable[[Path], None]:
    def save(path: Path) -> None:
        make_book(path)
        edit_part(path, part, lambda xml: xml.replace(old, new, 1))

    return save


def save_without(part: str) -> Callable[[Path], None]:
    def save(path: Path) -> None:
        make_book(path)
        parts = load_parts(path)
        del parts[part]
        save_parts(path, parts)

    return save


def write(content: bytes) -> Callable[[Path], None]:
    def save(path: Path) -> None:
        path.write_bytes(content)

    return save


LAUGHS = (
    '<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>'
)
REFUSED: dict[str, tuple[Callable[[Path], None], str]] = {
    "an old Excel file": (write(OLE + bytes(512)), "old Excel format"),
    "a password": (
        write(OLE + bytes(512) + "EncryptedPackage".encode("utf-16-le")),
        "protected by a password",
    ),
    "CSV": (write(b"item,quality\n1,2\n"), "not an Excel workbook"),
    "nothing": (write(b""), "not an Excel workbook"),
    "HTML": (write(b"<html><table></table></html>"), "not an Excel workbook"),
    "OpenDocument": (save_open_document, "OpenDocument"),
    "macros": (lambda path: save_package(path, MACROS), "macros"),
    "macros beside": (save_with_macros_beside, "macros"),
    "a binary workbook": (lambda path: save_package(path, BINARY), "macros"),
    "a text document": (lambda path: save_package(path, WORDS), "not an Excel workbook"),
    "an archive of something": (
        lambda path: save_parts(path, {"readme.txt": b"hello"}),
        "_rels/.rels is missing",
    ),
    "a part twice": (save_repeated, "same part twice"),
    "a bomb": (save_bomb, "unpacks to more than 32 MiB"),
    "a bomb of elements": (save_bomb_of_elements, "more than 1000000 elements"),
    "a locked part": (save_encrypted_part, "protected by a password"),
    "odd compression": (save_unknown_compression, "damaged"),
    "a cut file": (save_cut, "damaged"),
    "entities": (save_with_declaration(LAUGHS), "declares a document type"),
    "an entity of a file": (
        save_with_declaration('<!DOCTYPE w [<!ENTITY x SYSTEM "/etc/passwd">]>'),
        "declares a document type",
    ),
    "an outer declaration": (
        save_with_declaration('<!DOCTYPE w SYSTEM "http://127.0.0.1:9/w.dtd">'),
        "declares a document type",
    ),
    "broken XML": (save_edited(SHEET, "</sheetData>", ""), f"{SHEET} cannot be read"),
    "a text that is not there": (save_edited(SHEET, "<v>0</v>", "<v>9</v>"), "row 1"),
    "a text before the first": (save_edited(SHEET, "<v>0</v>", "<v>-1</v>"), "row 1"),
    "no number": (save_edited(SHEET, "<v>7</v>", "<v>seven</v>"), "row 2"),
    "no place": (save_edited(SHEET, '"B2"', '"2B"'), "row 2"),
    "no row": (save_edited(SHEET, 'row r="2"', 'row r="two"'), "row 2"),
    "a missing sheet": (save_without(SHEET), f"{SHEET} is missing"),
    "a missing workbook": (save_without("xl/workbook.xml"), "xl/workbook.xml is missing"),
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_what_is_no_workbook_is_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    save, problem = REFUSED[name]
    path = tmp_path / "ratings.xlsx"
    save(path)
    with pytest.raises(InputError) as refused:
        load_sheets(path)
    [fault] = refused.value.faults
    assert fault.file == str(path)
    assert problem in fault.problem
    assert fault.remedy


def test_no_changed_byte_ends_in_anything_but_a_refusal(tmp_path: Path) -> None:
    """Every place of a small file is flipped once: it is read, or refused as any bad input."""
    path = tmp_path / "ratings.xlsx"
    make_book(path)
    good = path.read_bytes()
    read = refused = 0
    for place in range(0, len(good), 7):
        path.write_bytes(good[:place] + bytes([good[place] ^ 0x55]) + good[place + 1 :])
        try:
            load_sheets(path)
            read += 1
        except InputError:
            refused += 1
    assert read > 0
    assert refused > 0


@pytest.mark.parametrize("name", ["nowhere.xlsx", "folder.xlsx"])
def test_what_cannot_be_opened_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.xlsx").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        load_sheets(tmp_path / name)


def test_a_large_file_is_not_even_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ratings.xlsx"
    make_book(path)
    monkeypatch.setattr(spreadsheet, "LARGEST_FILE_BYTES", path.stat().st_size - 1)
    with pytest.raises(InputError, match="larger than"):
        load_sheets(path)


def test_what_openpyxl_writes_is_read(tmp_path: Path) -> None:
    """An independent writer: inline texts, absolute part names, percentages and dates."""
    path = tmp_path / "ratings.xlsx"
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Ratings & more"
    sheet["A1"] = "žlť ‘x’ 😀 <b>"
    sheet["B1"] = 77
    sheet["C1"] = 0.77
    sheet["C1"].number_format = "0%"
    sheet["D1"] = 45000
    sheet["D1"].number_format = "d. mmm yyyy"
    sheet["E1"] = True
    sheet["F1"] = "=1+1"
    sheet["G1"] = "#N/A"
    sheet["AB3"] = "far"
    book.save(path)
    assert load_sheets(path) == {
        "Ratings & more": {
            (1, 0): Cell(CellKind.TEXT, "žlť ‘x’ 😀 <b>"),
            (1, 1): Cell(CellKind.NUMBER, 77.0),
            (1, 2): Cell(CellKind.PERCENT, 0.77),
            (1, 3): Cell(CellKind.DATE, 45000.0),
            (1, 4): Cell(CellKind.BOOLEAN, True),
            (1, 5): Cell(CellKind.FORMULA, "1+1"),
            (1, 6): Cell(CellKind.ERROR, "#N/A"),
            (3, 27): Cell(CellKind.TEXT, "far"),
        }
    }


CELLS = {
    "runs": ('t="inlineStr"><is><r><t>a</t></r><r><rPr/><t> b</t></r></is>', "a b"),
    "readings": ('t="inlineStr"><is><t>漢字</t><rPh sb="0" eb="2"><t>かん</t></rPh></is>', "漢字"),
    "escapes": ('t="inlineStr"><is><t>_x0041__x000D_x_x005F_x0041_</t></is>', "A\rx_x0041_"),
    "halves": ('t="inlineStr"><is><t>_xD83D__xDE00_</t></is>', "😀"),
    "result": ('t="str"><v>kept</v>', "kept"),
}


@pytest.mark.parametrize("name", list(CELLS))
def test_texts_are_read_as_the_format_says(tmp_path: Path, name: str) -> None:
    inside, text = CELLS[name]
    path = tmp_path / "ratings.xlsx"
    make_book(path)
    edit_part(
        path, SHEET, lambda xml: xml.replace('<c r="B2">', f'<c r="C2" {inside}</c><c r="B2">')
    )
    assert load_sheets(path)["One"][2, 2] == Cell(CellKind.TEXT, text)


def test_cells_without_places_stand_after_one_another(tmp_path: Path) -> None:
    path = tmp_path / "ratings.xlsx"
    make_book(path)
    rows = (
        "<row><c><v>1</v></c><c/><c><v>3</v></c></row>"
        '<row r="5"><c r="C5"><v>5</v></c><c><v>6</v></c></row><row><c><v>7</v></c></row>'
    )
    content = f"<worksheet><sheetData>{rows}</sheetData></worksheet>"
    save_parts(path, load_parts(path) | {SHEET: content.encode()})
    cells = load_sheets(path)["One"]
    assert {place: cell.value for place, cell in cells.items()} == {
        (1, 0): 1.0,
        (1, 2): 3.0,
        (5, 2): 5.0,
        (5, 3): 6.0,
        (6, 0): 7.0,
    }


def test_the_strict_edition_of_the_format_is_read(tmp_path: Path) -> None:
    """Excel's “Strict Open XML” differs in its namespaces."""
    path = tmp_path / "ratings.xlsx"
    make_book(path)
    parts = load_parts(path)
    transitional = b"http://schemas.openxmlformats.org/"
    for name, data in parts.items():
        data = data.replace(
            transitional + b"spreadsheetml/2006/main",
            b"http://purl.oclc.org/ooxml/spreadsheetml/main",
        )
        parts[name] = data.replace(
            transitional + b"officeDocument/2006/relationships",
            b"http://purl.oclc.org/ooxml/officeDocument/relationships",
        )
    save_parts(path, parts)
    assert load_sheets(path)["One"][1, 0] == Cell(CellKind.TEXT, "text")


def test_nothing_outside_the_file_is_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.xml"
    secret.write_text("<worksheet/>", encoding="utf-8")
    path = tmp_path / "ratings.xlsx"
    make_book(path)
    edit_part(
        path,
        "xl/_rels/workbook.xml.rels",
        lambda xml: xml.replace("worksheets/sheet1.xml", "../../../../secret.xml"),
    )
    with pytest.raises(InputError, match=r"secret\.xml is missing"):
        load_sheets(path)


def test_a_compressed_file_within_limits_is_read(tmp_path: Path) -> None:
    path = tmp_path / "ratings.xlsx"
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Many")
    for row in range(2_000):
        sheet.append([f"sentence {row}"] * 10)
    book.save(path)
    with ZipFile(path) as package:
        assert all(part.compress_type == ZIP_DEFLATED for part in package.infolist())
    assert len(load_sheets(path)["Many"]) == 20_000
