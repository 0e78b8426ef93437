"""Pairing of a file: anybody's masculine and feminine translations in, labels out, row by row.

A file has the columns `masculine_wrapped` and `feminine_wrapped` (translations with the wrapper
around them) or `masculine` and `feminine` (bare sentences), perhaps `language`, and any others,
which are kept. What is written is the input with the columns of `ADDED` behind it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus.csv_table import CsvRow, CsvTable, load_csv_table
from corpus.drafts import write_file
from corpus.errors import Fault, InputError
from corpus.hashing import canonical_json, nfc
from corpus.languages import load_languages
from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT, NEUTRAL_VARIANT
from corpus.repaired import REPAIRED_FLAG
from corpus.spreadsheet_cells import ENCODING, make_inert
from pipeline import reasons
from pipeline.pairing import PairingStrategy
from pipeline.pairing_result import PairingResult, build_discarded

WRAPPED = ("masculine_wrapped", "feminine_wrapped")
BARE = (MASCULINE_VARIANT, FEMININE_VARIANT)
LANGUAGE = "language"
ADDED = ("label", "reason", MASCULINE_VARIANT, FEMININE_VARIANT, "spans", "confidence", "flags")
"""Columns of the output, in this order. A bare file's sentences stay where they are."""


@dataclass(frozen=True, slots=True)
class PairRow:
    """One row to pair."""

    language: str
    masculine: str
    """NFC, with or without wrapper as in the whole file; empty if the cell is."""
    feminine: str
    cells: Mapping[str, str]
    """Every cell of the input by column."""


@dataclass(frozen=True, slots=True)
class PairFile:
    """A file that can be paired."""

    sha256: str
    columns: tuple[str, ...]
    wrapped: bool
    """Whether the translations have their wrappers around them."""
    rows: tuple[PairRow, ...]

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages in it, sorted."""
        return tuple(sorted({row.language for row in self.rows}))


def load_pair_file(path: Path, language: str | None = None) -> PairFile:
    """The rows of a file in their order.

    Args:
        path: a CSV in UTF-8.
        language: code of the language of every row that names none itself.

    Raises:
        InputError: with every fault of the file.
    """
    table = load_csv_table(path, (), others_allowed=True)
    wrapped = any(column in table.columns for column in WRAPPED)
    texts = WRAPPED if wrapped else BARE
    faults = [*_find_column_faults(table, texts, language), *table.faults]
    rows = []
    for row in table.rows:
        code = row.cells.get(LANGUAGE, "").strip() or language or ""
        if LANGUAGE in row.cells or language is not None:
            faults += _find_language_faults(table.file, row, code, language)
        masculine, feminine = (nfc(row.cells.get(column, "")) for column in texts)
        rows.append(PairRow(code, masculine, feminine, row.cells))
    if faults:
        raise InputError(sorted(faults, key=lambda fault: fault.row or 0))
    return PairFile(table.sha256, table.columns, wrapped, tuple(rows))


def pair_rows(file: PairFile, strategy: PairingStrategy) -> list[PairingResult]:
    """The label of every row; the strategy learns from the file's own rows, language by language.

    An empty cell is a discarded row, `empty`.
    """
    prepared = {
        code: strategy.prepare(
            code,
            [
                (row.masculine or None, row.feminine or None)
                for row in file.rows
                if row.language == code
            ],
            wrapped=file.wrapped,
        )
        for code in file.languages
    }
    return [_pair_row(row, prepared[row.language], file.wrapped) for row in file.rows]


def write_pairs(
    file: PairFile, results: Sequence[PairingResult], path: Path, *, spreadsheet: bool = False
) -> None:
    """Writes the input's rows with the columns of `ADDED`, as a whole or not at all.

    Args:
        file: the input.
        results: the labels, row by row.
        path: the CSV to write.
        spreadsheet: whether it is for people: marked as UTF-8, and no cell can act as a formula.

    Raises:
        StateError: if the file cannot be written.
    """
    columns = [*file.columns, *(column for column in ADDED if column not in file.columns)]
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    rows = [columns]
    for row, result in zip(file.rows, results, strict=True):
        cells = {**row.cells, **_describe(row, result, file.wrapped)}
        rows.append([cells[column] for column in columns])
    if spreadsheet:
        rows = [[make_inert(cell) for cell in row] for row in rows]
    writer.writerows(rows)
    write_file(path, text.getvalue().encode(ENCODING if spreadsheet else "utf-8"))


def _find_column_faults(table: CsvTable, texts: Sequence[str], language: str | None) -> list[Fault]:
    named = " and ".join(texts)
    faults = [
        Fault(table.file, 1, column, "missing column", f"give both {named}")
        for column in texts
        if column not in table.columns
    ]
    if len(faults) == len(texts):
        problem = "there are no translations to pair"
        remedy = f"name the columns {' and '.join(WRAPPED)}, or {' and '.join(BARE)}"
        faults = [Fault(table.file, 1, None, problem, remedy)]
    if LANGUAGE not in table.columns and language is None:
        problem, remedy = "no language is named", "give --language CODE or a column language"
        faults.append(Fault(table.file, 1, LANGUAGE, problem, remedy))
    return faults + [
        Fault(table.file, 1, column, "a column of this name is added", "rename or remove it")
        for column in ADDED
        if column in table.columns and column not in texts
    ]


def _find_language_faults(file: str, row: CsvRow, code: str, given: str | None) -> list[Fault]:
    known = load_languages()
    if not code:
        remedy = "fill the cell, or give --language CODE"
        return [Fault(file, row.row, LANGUAGE, "the row names no language", remedy)]
    if code not in known:
        problem, remedy = f"unknown language {code!r}", f"use one of {', '.join(known)}"
        return [Fault(file, row.row, LANGUAGE, problem, remedy)]
    if given is not None and code != given:
        problem = f"the row is {code!r}, --language says {given!r}"
        return [Fault(file, row.row, LANGUAGE, problem, "leave --language out, or correct the row")]
    return []


def _pair_row(row: PairRow, strategy: PairingStrategy, wrapped: bool) -> PairingResult:
    if wrapped:
        return strategy.pair(row.language, row.masculine, row.feminine)
    if not row.masculine.strip() or not row.feminine.strip():
        return build_discarded(row.masculine, row.feminine, reasons.EMPTY)
    return strategy.compare(row.language, row.masculine, row.feminine)


def _describe(row: PairRow, result: PairingResult, wrapped: bool) -> dict[str, str]:
    """The added cells: a neutral sentence stands in both, spans are of the texts beside them."""
    texts = {MASCULINE_VARIANT: row.masculine, FEMININE_VARIANT: row.feminine}
    if wrapped or REPAIRED_FLAG in result.flags:
        neutral = result.variants.get(NEUTRAL_VARIANT, "")
        texts = {variant: result.variants.get(variant, neutral) for variant in texts}
    confidence = result.evidence.get("confidence")
    return {
        "label": str(result.label),
        "reason": result.reason,
        **texts,
        "spans": canonical_json(result.evidence.get("differences", [])),
        "confidence": "" if confidence is None else str(confidence),
        "flags": " ".join(result.flags),
    }
