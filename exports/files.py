"""Files of a release: each written whole and to the disk, the same bytes for the same content."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from corpus.hashing import sha256_file
from corpus.release import SUMS_NAME, list_files
from corpus.release_schema import SCHEMA, ReleaseRow, columns_of, table_of
from corpus.spreadsheet_cells import ENCODING, make_inert

Cell = str | int | float | None | Sequence[Any]


def write_parquet(file: Path, rows: Iterable[ReleaseRow]) -> None:
    """Writes the rows as Parquet: fixed schema, zstd, no time and no machine in it."""
    sink = pa.BufferOutputStream()
    pq.write_table(table_of(rows), sink, compression="zstd", compression_level=6)
    write_bytes(file, sink.getvalue().to_pybytes())


def write_rows_csv(
    file: Path,
    rows: Iterable[ReleaseRow],
    *,
    formula_safe: bool = False,
    byte_order_mark: bool = False,
) -> None:
    """Writes the rows as CSV with the columns of the Parquet file.

    Args:
        file: Where to.
        rows: The rows.
        formula_safe: Whether cells that a spreadsheet would run as a formula begin with an
            apostrophe; such a file is for people, no program reads it back as it was.
        byte_order_mark: Whether it begins with the mark that Excel knows UTF-8 by.
    """
    cells = rows_cells(rows)
    if formula_safe:
        cells = ([make_inert(cell) for cell in row] for row in cells)
    write_csv(file, SCHEMA.names, cells, encoding=ENCODING if byte_order_mark else "utf-8")


def write_jsonl(file: Path, rows: Iterable[ReleaseRow]) -> None:
    """Writes the rows as one JSON object a line, with the columns of the Parquet file."""
    write_text(file, "".join(map(line_of, rows)))


def line_of(row: ReleaseRow) -> str:
    """The row as a line of JSON, columns in the schema's order."""
    return json.dumps(columns_of(row), ensure_ascii=False, allow_nan=False) + "\n"


def rows_cells(rows: Iterable[ReleaseRow]) -> Iterator[list[str]]:
    """The rows as CSV cells, in the schema's order."""
    for row in rows:
        yield [cell_of(value) for value in columns_of(row).values()]


def cell_of(value: Cell) -> str:
    """A value as a CSV cell: nothing for null, JSON for a list, every text as it is.

    Texts such as `NA` or `None` are not changed; whoever reads with pandas passes
    `keep_default_na=False`, so that they stay texts.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, int):
        return str(value)
    return json.dumps(list(value), ensure_ascii=False, separators=(",", ":"))


def write_csv(
    file: Path,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    encoding: str = "utf-8",
) -> None:
    """Writes a CSV after RFC 4180: CRLF between records, quotes where needed."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows(rows)
    write_bytes(file, stream.getvalue().encode(encoding))


def write_json(file: Path, value: Mapping[str, Any] | Sequence[Any]) -> None:
    """Writes indented JSON with sorted keys; refuses NaN."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=2, allow_nan=False)
    write_text(file, text + "\n")


def write_text(file: Path, text: str) -> None:
    """Writes a text as UTF-8, its line ends unchanged."""
    write_bytes(file, text.encode("utf-8"))


def write_bytes(file: Path, data: bytes) -> None:
    """Writes a file and waits until it is on the disk."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def write_sums(folder: Path) -> None:
    """Writes SHA256SUMS over all files of the folder, as `sha256sum -c` reads it."""
    lines = [f"{sha256_file(folder / name)}  {name}\n" for name in list_files(folder)]
    write_text(folder / SUMS_NAME, "".join(lines))


def sync_folders(folder: Path) -> None:
    """Waits until the names in the folder and its subfolders are on the disk."""
    for each in (folder, *(found for found in folder.rglob("*") if found.is_dir())):
        sync_folder(each)


def sync_folder(folder: Path) -> None:
    """Waits until the names in one folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
