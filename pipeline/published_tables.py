"""Tables in the published EuroGEST layout: one CSV or Parquet file a language.

Columns GEST_ID, Source, Neutral, Masculine, Feminine and Stereotype_ID. A row is neutral (one text)
or a pair (two); an absent text is null, in a CSV an empty cell. GEST_ID is the zero-based number of
the row under the header of the source file, so that `dataset/GEST_ID + 2` is the key a workspace
gives the same sentence when it reads that file itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from corpus.csv_table import load_csv_table
from corpus.errors import Fault, InputError
from corpus.hashing import combined_hash, nfc, sha256_file, unstorable_fault
from corpus.languages import load_languages
from corpus.records import (
    FEMININE_VARIANT,
    MASCULINE_VARIANT,
    NEUTRAL_VARIANT,
    Instrument,
    Label,
    Source,
)
from pipeline.imported import ImportedData, ImportedRow

DATASET = "eurogest"
"""Dataset of the sources where nothing else is said."""
NUMBERS = ("GEST_ID", "Stereotype_ID")
TEXTS = {"Neutral": NEUTRAL_VARIANT, "Masculine": MASCULINE_VARIANT, "Feminine": FEMININE_VARIANT}
"""Column → the variant in it."""
COLUMNS = ("GEST_ID", "Source", *TEXTS, "Stereotype_ID")
ENDINGS = (".csv", ".parquet")
_SHARD = re.compile(r"-\d{5}-of-\d{5}$")
_LARGEST = 2**31
_FILL = "fill Neutral, or both Masculine and Feminine, or delete the row"


@dataclass(frozen=True, slots=True)
class _Row:
    """A row as the file has it: numbers and texts by column, None where there is nothing.

    What should be a number and is none is still a text.
    """

    number: int
    cells: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Table:
    file: str
    sha256: str
    rows: Sequence[_Row]
    unread: Sequence[str]
    """Columns that are not of the layout."""
    faults: Sequence[Fault]


def load_published(
    paths: Sequence[Path],
    language: str | None = None,
    dataset: str = DATASET,
    *,
    valid_ids: Collection[int] = range(1, 17),
) -> ImportedData:
    """The rows of the files.

    Args:
        paths: CSV or Parquet files, each of one language.
        language: code of the language of all files; by default a file's name says it, as a code
            (`sk.csv`) or English name (`Slovak-00000-of-00001.parquet`).
        dataset: first part of every source's key.
        valid_ids: the stereotype ids of the inventory in use.

    Raises:
        InputError: with every fault of every file.
    """
    faults: list[Fault] = []
    warnings: list[Fault] = []
    rows: list[ImportedRow] = []
    hashes: list[str] = []
    for path in paths:
        code, table = None, None
        try:
            table = _load_table(path)
        except InputError as error:
            faults += error.faults
        try:
            code = _find_language(path, language)
        except InputError as error:
            faults += error.faults
        if code is None or table is None:
            continue
        hashes.append(table.sha256)
        faults += table.faults
        warnings += _warn_of_unread(table)
        for row in table.rows:
            found = sorted(_check_row(row, table.file, valid_ids), key=str)
            faults += found
            if not found:
                rows.append(_build_row(row, table, code, dataset))
    if "/" in dataset or not dataset.strip():
        faults.append(Fault("--dataset", None, None, "not a name", "write one without a slash"))
    if not rows and not faults:
        faults.append(Fault(str(paths[0]), None, None, "the files have no rows", "add rows"))
    if faults:
        raise InputError(list(dict.fromkeys(faults)))
    name = ", ".join(path.name for path in paths)
    return ImportedData(
        name, combined_hash(hashes), Instrument.EUROGEST, tuple(rows), tuple(warnings)
    )


def _find_language(path: Path, given: str | None) -> str:
    stem = _SHARD.sub("", path.stem)
    known = load_languages()
    names = {each.name.casefold(): code for code, each in known.items()}
    said = stem if stem in known else names.get(stem.casefold())
    if given is None and said is None:
        problem = "the file's name names no language"
        remedy = "give --language CODE, or name the file by code or English name, e.g. sk.csv"
        raise InputError([Fault(str(path), None, None, problem, remedy)])
    if given is not None and said is not None and said != given:
        problem = f"the file's name says {said}, --language says {given}"
        raise InputError([Fault(str(path), None, None, problem, "leave --language out")])
    return given or said or ""


def _load_table(path: Path) -> _Table:
    if path.suffix.lower() not in ENDINGS:
        problem, remedy = "neither .csv nor .parquet", "name files of one of these kinds"
        raise InputError([Fault(str(path), None, None, problem, remedy)])
    return _load_csv(path) if path.suffix.lower() == ".csv" else _load_parquet(path)


def _load_csv(path: Path) -> _Table:
    table = load_csv_table(path, COLUMNS, others_allowed=True)
    rows = []
    for row in table.rows:
        cells: dict[str, Any] = {name: row.cells[name] or None for name in COLUMNS}
        for name in NUMBERS:
            text = row.cells[name].strip()
            cells[name] = int(text) if text.isascii() and text.isdigit() else text or None
        rows.append(_Row(row.row, cells))
    unread = [name for name in table.columns if name not in COLUMNS]
    return _Table(table.file, table.sha256, rows, unread, table.faults)


def _load_parquet(path: Path) -> _Table:
    file = str(path)
    try:
        table = pq.ParquetFile(path).read()
        # Invalid UTF-8 is found here and nowhere later.
        table.validate(full=True)
    except (OSError, pa.ArrowException) as error:
        problem = f"cannot be read as Parquet ({type(error).__name__})"
        raise InputError([Fault(file, None, None, problem, "check the file")]) from None
    repeated = {name for name in table.column_names if table.column_names.count(name) > 1}
    faults = [
        Fault(file, None, name, "repeated column", "keep one")
        for name in sorted(repeated & set(COLUMNS))
    ]
    faults += [
        Fault(file, None, name, "missing column", f"the columns are {', '.join(COLUMNS)}")
        for name in COLUMNS
        if name not in table.column_names
    ]
    if faults:
        raise InputError(faults)
    columns: dict[str, list[Any]] = {}
    for name in COLUMNS:
        wanted = pa.int64() if name in NUMBERS else pa.string()
        try:
            columns[name] = _cast(table.column(name), wanted).to_pylist()
        except (pa.ArrowException, TypeError):
            kind = "whole numbers" if name in NUMBERS else "texts"
            problem = f"holds {table.schema.field(name).type}, not {kind}"
            faults.append(Fault(file, None, name, problem, f"store it as {wanted}"))
    if faults:
        raise InputError(faults)
    rows = [
        _Row(number, {name: values[number - 1] for name, values in columns.items()})
        for number in range(1, table.num_rows + 1)
    ]
    unread = [name for name in table.column_names if name not in COLUMNS]
    return _Table(file, sha256_file(path), rows, unread, [])


def _cast(column: pa.ChunkedArray, wanted: pa.DataType) -> pa.ChunkedArray:
    """The column as texts or whole numbers; an empty column of nulls is either.

    Raises:
        TypeError: if its values are of another kind: numbers are no texts, and the other way round.
    """
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    fits = is_text if pa.types.is_string(wanted) else is_number
    if not fits and not pa.types.is_null(kind):
        raise TypeError(str(kind))
    return column.cast(wanted)


def _warn_of_unread(table: _Table) -> Iterator[Fault]:
    if table.unread:
        problem = f"columns that are not read: {', '.join(table.unread)}"
        remedy = "to keep what a release says of its rows, import the release's folder"
        yield Fault(table.file, None, None, problem, remedy)


def _check_row(row: _Row, file: str, valid_ids: Collection[int]) -> Iterator[Fault]:
    number, stereotype = (row.cells[name] for name in NUMBERS)
    if not isinstance(number, int) or not 0 <= number < _LARGEST:
        problem = "no number" if number is None else f"{number!r} is not a row's number from 0 on"
        remedy = "give the row its number, without a decimal point"
        yield Fault(file, row.number, "GEST_ID", problem, remedy)
    if stereotype not in valid_ids:
        problem = "no number" if stereotype is None else f"unknown stereotype id {stereotype!r}"
        remedy = f"valid ids are {', '.join(map(str, sorted(valid_ids)))}"
        yield Fault(file, row.number, "Stereotype_ID", problem, remedy)
    for name in ("Source", *TEXTS):
        text = row.cells[name]
        if text and (fault := unstorable_fault(text, file, row.number, name)):
            yield fault
        if text is not None and not text.strip() and (text or name == "Source"):
            yield Fault(file, row.number, name, "only spaces", "write the text, or leave it out")
    if row.cells["Source"] is None:
        yield Fault(file, row.number, "Source", "no source sentence", "write it")
    yield from _check_variants(row, file)


def _check_variants(row: _Row, file: str) -> Iterator[Fault]:
    neutral, masculine, feminine = (row.cells[name] or None for name in TEXTS)
    if neutral and (masculine or feminine):
        problem = "a neutral text beside a masculine or feminine one"
        yield Fault(file, row.number, "Neutral", problem, "a row is neutral or a pair; keep one")
    elif not neutral and not masculine and not feminine:
        yield Fault(file, row.number, None, "no text", _FILL)
    elif not neutral and not (masculine and feminine):
        missing = "Feminine" if masculine else "Masculine"
        yield Fault(file, row.number, missing, "the pair's other text is missing", _FILL)
    elif masculine and feminine and nfc(masculine) == nfc(feminine):
        problem = "both texts of the pair are the same"
        yield Fault(file, row.number, "Feminine", problem, "put it in Neutral, or correct one")


def _build_row(row: _Row, table: _Table, language: str, dataset: str) -> ImportedRow:
    variants = {variant: nfc(row.cells[name]) for name, variant in TEXTS.items() if row.cells[name]}
    imported = {"file": Path(table.file).name, "sha256": table.sha256, "row": row.number}
    return ImportedRow(
        file=table.file,
        row=row.number,
        language=language,
        source=Source(
            instrument=Instrument.EUROGEST,
            dataset=dataset,
            row=row.cells["GEST_ID"] + 2,
            text=nfc(row.cells["Source"]),
            stereotype_id=row.cells["Stereotype_ID"],
        ),
        label=Label.NEUTRAL if NEUTRAL_VARIANT in variants else Label.PAIR,
        variants=variants,
        evidence={"imported": imported},
    )
