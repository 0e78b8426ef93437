"""Reading a CSV of named columns as data that may be wrong: every fault with its place.

Text is UTF-8 (a byte-order mark is tolerated) and comes back as it was written; the caller decides
about NFC. Rows are numbered by the line of the file on which they start, multi-line cells included.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus.errors import Fault, InputError
from corpus.hashing import sha256_bytes, unstorable_fault

SEPARATORS: Mapping[str, str] = {";": "semicolons", "\t": "tabs"}
"""What spreadsheets write between cells where the comma is the decimal sign."""
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_SAVE_AS_UTF8 = "save the file as UTF-8"


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One record: the line it starts on and its cells by column name."""

    row: int
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CsvTable:
    """A CSV whose columns are right; `faults` are those of its bytes and rows, if any."""

    file: str
    """Path as the caller gave it."""
    sha256: str
    columns: tuple[str, ...]
    rows: tuple[CsvRow, ...]
    """Rows that could be read; a row with a missing or surplus cell is only in `faults`."""
    faults: tuple[Fault, ...]


def load_csv_table(
    path: Path,
    needed: Sequence[str],
    optional: Collection[str] = (),
    *,
    others_allowed: bool = False,
) -> CsvTable:
    """The rows of a CSV with the needed columns, any of the optional ones and no others.

    Faults of single rows are returned, so that the caller reports them together with its own.

    Args:
        path: the file.
        needed: columns that must be there.
        optional: columns that may be there.
        others_allowed: whether columns nobody knows may be there too.

    Raises:
        InputError: if the file cannot be read, is empty or has other columns.
    """
    file = str(path)
    data = _read_bytes(path)
    faults = _find_encoding_faults(data, file)
    text = data.decode("utf-8", errors="replace").removeprefix("\ufeff")
    records = _split_records(text, file, faults)
    header = next(records, None)
    if header is None:
        raise InputError([*faults, Fault(file, None, None, "the file is empty", _name(needed))])
    columns = tuple(cell.strip() for cell in header[1])
    problem = _find_column_problem(columns, needed, None if others_allowed else optional)
    if problem is not None:
        remedy = _find_separator_remedy(columns) or _name(needed, optional)
        raise InputError([*faults, Fault(file, header[0], None, problem, remedy)])
    rows = []
    for row, cells in records:
        if len(cells) != len(columns):
            problem = f"{len(cells)} cells where the header has {len(columns)}"
            remedy = "quote cells that contain commas and give every column a cell"
            faults.append(Fault(file, row, None, problem, remedy))
            continue
        named = dict(zip(columns, cells, strict=True))
        found = (unstorable_fault(cell, file, row, column) for column, cell in named.items())
        faults.extend(fault for fault in found if fault is not None)
        rows.append(CsvRow(row, named))
    faults.sort(key=lambda fault: fault.row or 0)
    return CsvTable(file, sha256_bytes(data), columns, tuple(rows), tuple(faults))


def _read_bytes(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        problem, remedy = "the file does not exist", "check the path"
    except IsADirectoryError:
        problem, remedy = "this is a folder", "name a CSV file"
    except OSError as error:
        problem, remedy = f"cannot be read ({error.strerror})", "check the file's permissions"
    else:
        if data.startswith(_UTF16_MARKS):
            raise InputError([Fault(str(path), None, None, "the file is UTF-16", _SAVE_AS_UTF8)])
        return data
    raise InputError([Fault(str(path), None, None, problem, remedy)])


def _find_encoding_faults(data: bytes, file: str) -> list[Fault]:
    """One fault for the first bad byte of each line."""
    faults = []
    offset = 0
    for row, line in enumerate(data.split(b"\n"), start=1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            bad = line[error.start : error.start + 2]
            what = f"invalid UTF-8 at byte {offset + error.start} (0x{bad[0]:02X})"
            if len(bad) == 2 and bad[0] == 0xED and 0xA0 <= bad[1] <= 0xBF:
                what += ", a lone surrogate"
            faults.append(Fault(file, row, None, what, _SAVE_AS_UTF8))
        offset += len(line) + 1
    return faults


def _split_records(text: str, file: str, faults: list[Fault]) -> Iterator[tuple[int, list[str]]]:
    """Records with the line they start on; blank lines are left out, a broken quote ends it."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        row = reader.line_num + 1
        try:
            record = next(reader, None)
        except csv.Error as error:
            remedy = "close every quotation mark and double those inside a quoted cell"
            faults.append(Fault(file, row, None, f"not valid CSV ({error})", remedy))
            return
        if record is None:
            return
        if record:
            yield row, record


def _find_column_problem(
    columns: Sequence[str], needed: Sequence[str], optional: Collection[str] | None
) -> str | None:
    """What is wrong with the columns; with None for `optional` any others are right."""
    missing = [column for column in needed if column not in columns]
    unknown = [
        column
        for column in columns
        if optional is not None and column not in needed and column not in optional
    ]
    repeated = sorted({column for column in columns if columns.count(column) > 1})
    parts = [
        f"{what} {', '.join(repr(name) for name in names)}"
        for what, names in (
            ("missing column", missing),
            ("unknown column", unknown),
            ("repeated column", repeated),
        )
        if names
    ]
    if not parts:
        return None
    return f"{'; '.join(parts)}; found {', '.join(repr(column) for column in columns)}"


def _find_separator_remedy(columns: Sequence[str]) -> str | None:
    """What helps where something else than commas parts the cells."""
    if len(columns) == 1:
        for separator, name in SEPARATORS.items():
            if separator in columns[0]:
                return f"save the file with commas between the cells, not {name}"
    return None


def _name(needed: Sequence[str], optional: Collection[str] = ()) -> str:
    remedy = f"the first line must name the columns {', '.join(needed)}"
    return f"{remedy} (and may name {', '.join(sorted(optional))})" if optional else remedy
