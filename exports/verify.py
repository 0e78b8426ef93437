"""Verifying a release: its files against their checksums, then its contents against themselves."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from corpus.errors import ReleaseError
from corpus.hashing import content_hash, nfc, sha256_json
from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT, Instrument, Label
from corpus.release import (
    INVENTORY_NAME,
    check_sums,
    load_provenance,
    load_released_inventory,
    load_rows,
    load_templates,
)
from corpus.release_schema import SCHEMA, ReleaseRow, table_of
from exports.files import line_of, rows_cells


def verify_release(folder: Path) -> list[str]:
    """What is wrong with a release folder, one sentence each; empty if nothing is.

    Checks every checksum and missing or extra files, the schema, the counts of the provenance,
    pairs for completeness, ids for being unique, texts for NFC, and that all formats agree.
    """
    problems = check_sums(folder)
    try:
        provenance = load_provenance(folder)
    except ReleaseError as error:
        return [*problems, str(error)]
    problems += _check_inventory(folder, provenance)
    ids: Counter[str] = Counter()
    for code, described in sorted(provenance["languages"].items()):
        file = folder / "data" / f"{code}.parquet"
        try:
            rows = load_rows(file)
        except ReleaseError as error:
            problems.append(f"{code}: {error}")
            continue
        ids.update(row.id for row in rows)
        if not pq.read_table(file, partitioning=None).equals(table_of(rows)):
            problems.append(f"{code}: {file.name}: columns contradict one another")
        instrument = provenance.get("instrument")
        problems += [f"{code}: {each}" for each in _check_rows(rows, code, instrument)]
        problems += [f"{code}: {each}" for each in _check_counts(rows, described)]
        problems += _check_templates(folder / "templates" / f"{code}.json", described)
        problems += _check_csv(folder / "csv" / f"{code}.csv", rows)
        problems += _check_jsonl(folder / "jsonl" / f"{code}.jsonl", rows)
    problems += [
        f"{each}: the id is used {number} times" for each, number in ids.items() if number > 1
    ]
    return problems


def _check_rows(rows: Iterable[ReleaseRow], code: str, instrument: Any) -> Iterable[str]:
    for row in rows:
        for problem in (*_check_belongs(row, code, instrument), *_check_texts(row)):
            yield f"{row.id}: {problem}"


def _check_belongs(row: ReleaseRow, code: str, instrument: Any) -> Iterable[str]:
    if row.language != code:
        yield f"its language is {row.language}"
    if str(row.instrument) != instrument:
        yield f"its instrument is {row.instrument}"
    if row.instrument is Instrument.EUROGEST and row.stereotype_id is None:
        yield "it has no stereotype id"
    if row.content_hash != content_hash(
        row.instrument, row.language, row.label, dict(row.variants)
    ):
        yield "its content hash is not that of its content"


def _check_texts(row: ReleaseRow) -> Iterable[str]:
    texts = [row.source, *row.variants.values()]
    if any(not text for text in texts):
        yield "a text is empty"
    if not {*row.repaired, *row.human_written} <= set(row.variants):
        yield "a variant is said to be built or written that the row does not have"
    if any(nfc(text) != text for text in texts):
        yield "a text is not in Unicode normal form C"
    if row.label is Label.PAIR:
        yield from _check_pair(row)
    elif row.label is Label.NEUTRAL:
        if len(row.variants) != 1 or row.masculine is not None or row.feminine is not None:
            yield "a neutral row has one text and no masculine or feminine one"
    else:
        yield f"a {row.label} row is never released"


def _check_pair(row: ReleaseRow) -> Iterable[str]:
    missing = {MASCULINE_VARIANT, FEMININE_VARIANT} - set(row.variants)
    if missing:
        yield f"the pair is without its {' and '.join(sorted(missing))} text"
    elif row.masculine == row.feminine:
        yield "both texts of the pair are the same"
    if row.neutral is not None:
        yield "a pair has no neutral text"


def _check_counts(rows: Sequence[ReleaseRow], described: Any) -> Iterable[str]:
    try:
        counts = described["counts"]
        candidates, left_out = counts["candidates"], sum(counts["left_out"].values())
        expected = {name: counts[name] for name in ("rows", "labels", "decided")}
    except (KeyError, TypeError, AttributeError):
        yield "provenance.json holds no counts of it"
        return
    found = {
        "rows": len(rows),
        "labels": {
            str(label): sum(row.label is label for row in rows)
            for label in (Label.NEUTRAL, Label.PAIR)
        },
        "decided": sum(row.decision is not None for row in rows),
    }
    for name, value in found.items():
        if expected[name] != value:
            yield f"provenance.json counts {name} {expected[name]}, the table holds {value}"
    if candidates != len(rows) + left_out:
        yield "rows and left out in provenance.json do not add up to the candidates"


def _check_inventory(folder: Path, provenance: Mapping[str, Any]) -> Iterable[str]:
    described = provenance.get("inventory")
    expected = described.get("sha256") if isinstance(described, dict) else None
    try:
        inventory = load_released_inventory(folder)
    except ReleaseError as error:
        return [str(error)]
    if expected != (inventory.content_hash if inventory else None):
        return [f"{INVENTORY_NAME}: does not hold what provenance.json says"]
    return []


def _check_templates(file: Path, described: Any) -> Iterable[str]:
    try:
        templates = load_templates(file)
    except ReleaseError as error:
        return [f"templates/{error}"]
    expected = described.get("templates_sha256") if isinstance(described, dict) else None
    if sha256_json(templates) != expected:
        return [f"templates/{file.name}: does not hold what provenance.json says"]
    return []


def _check_csv(file: Path, rows: Sequence[ReleaseRow]) -> Iterable[str]:
    try:
        text = file.read_bytes().decode("utf-8")
        found = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        return [f"csv/{file.name}: cannot be read ({type(error).__name__})"]
    if found != [SCHEMA.names, *rows_cells(rows)]:
        return [f"csv/{file.name}: does not hold what the Parquet file holds"]
    return []


def _check_jsonl(file: Path, rows: Sequence[ReleaseRow]) -> Iterable[str]:
    try:
        found = file.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return [f"jsonl/{file.name}: cannot be read ({type(error).__name__})"]
    if found != "".join(map(line_of, rows)):
        return [f"jsonl/{file.name}: does not hold what the Parquet file holds"]
    return []
