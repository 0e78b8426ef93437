"""Source sentences from a file: GEST 1.0 and 1.1, and any CSV of the same two columns."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from corpus.csv_table import CsvRow, load_csv_table
from corpus.errors import Fault, InputError, SettingsError
from corpus.hashing import nfc
from corpus.records import Instrument, Source

_NEEDED = ("sentence", "stereotype")
_OPTIONAL = ("id",)
_WHOLE_NUMBER = re.compile(r"[0-9]+")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The sources of one file, the file's checksum and what is odd but no fault."""

    file: str
    """Path as the user gave it."""
    sha256: str
    dataset: str
    sources: tuple[Source, ...]
    """In the order of the file; repeated sentences are kept as rows of their own."""
    warnings: tuple[Fault, ...]
    """One per repeated sentence, naming all its rows."""


def load_sources(
    path: Path,
    instrument: Instrument = Instrument.EUROGEST,
    dataset: str | None = None,
    *,
    valid_ids: Collection[int] = range(1, 17),
) -> SourceFile:
    """The sources in a CSV with columns `sentence`, `stereotype` and, if it has ids, `id`.

    Args:
        path: the file, UTF-8.
        instrument: only eurogest is read from such a file.
        dataset: first part of every source's key; the file's name without its ending by default.
        valid_ids: the stereotype ids of the inventory in use.

    Raises:
        InputError: with every fault of the file; nothing of it is used then.
        SettingsError: if the instrument has another kind of source file.
    """
    if instrument is not Instrument.EUROGEST:
        raise SettingsError(
            f"Sentences with a stereotype belong to the instrument eurogest, not {instrument}; "
            "leave the instrument out or give a file of that instrument's own kind."
        )
    table = load_csv_table(path, _NEEDED, _OPTIONAL)
    dataset = path.stem if dataset is None else dataset
    faults = list(table.faults)
    sources = []
    for row in table.rows:
        found = list(_check_row(row, table.file, valid_ids))
        faults.extend(found)
        if not found:
            sources.append(_build_source(row, instrument, dataset))
    faults.extend(_find_repeated_ids(table.rows, table.file))
    if not table.rows and not faults:
        faults.append(Fault(table.file, None, None, "no sentence under the header", "add rows"))
    if faults:
        raise InputError(sorted(faults, key=lambda fault: fault.row or 0))
    warnings = tuple(_find_repeated_sentences(sources, table.file))
    return SourceFile(table.file, table.sha256, dataset, tuple(sources), warnings)


def _check_row(row: CsvRow, file: str, valid_ids: Collection[int]) -> Iterable[Fault]:
    if not row.cells["sentence"].strip():
        yield Fault(file, row.row, "sentence", "empty sentence", "write it or delete the row")
    stereotype = row.cells["stereotype"].strip()
    if not _WHOLE_NUMBER.fullmatch(stereotype) or int(stereotype) not in valid_ids:
        names = _name_ids(valid_ids)
        problem = f"unknown stereotype id {stereotype!r}"
        yield Fault(file, row.row, "stereotype", problem, f"valid ids are {names}")
    explicit_id = row.cells.get("id")
    if explicit_id is not None and not explicit_id.strip():
        yield Fault(file, row.row, "id", "empty id", "give every row an id or drop the column")
    elif explicit_id is not None and "/" in explicit_id:
        yield Fault(file, row.row, "id", "id with a slash", "keys are dataset/id: use another mark")


def _name_ids(valid_ids: Collection[int]) -> str:
    ids = sorted(valid_ids)
    if len(ids) > 2 and ids == list(range(ids[0], ids[-1] + 1)):
        return f"{ids[0]} to {ids[-1]}"
    return ", ".join(str(number) for number in ids)


def _build_source(row: CsvRow, instrument: Instrument, dataset: str) -> Source:
    return Source(
        instrument=instrument,
        dataset=dataset,
        row=row.row,
        text=nfc(row.cells["sentence"]),
        explicit_id=nfc(row.cells["id"].strip()) if "id" in row.cells else None,
        stereotype_id=int(row.cells["stereotype"]),
    )


def _find_repeated_ids(rows: Iterable[CsvRow], file: str) -> Iterable[Fault]:
    first_rows: dict[str, int] = {}
    for row in rows:
        explicit_id = nfc(row.cells.get("id", "").strip())
        if not explicit_id:
            continue
        first = first_rows.setdefault(explicit_id, row.row)
        if first != row.row:
            problem = f"id {explicit_id!r} is already that of row {first}"
            yield Fault(file, row.row, "id", problem, "give every row an id of its own")


def _find_repeated_sentences(sources: Iterable[Source], file: str) -> Iterable[Fault]:
    rows: dict[str, list[int]] = defaultdict(list)
    for source in sources:
        rows[source.text].append(source.row)
    for text, found in rows.items():
        if len(found) > 1:
            problem = f"the same sentence in rows {', '.join(map(str, found))}: {text!r}"
            remedy = "all rows are kept and it is translated once"
            yield Fault(file, found[0], "sentence", problem, remedy)
