from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from corpus.hashing import content_hash
from corpus.records import Instrument, Label
from corpus.release import list_files, load_rows
from corpus.release_schema import ReleaseRow
from exports.build import build_release
from exports.files import write_jsonl, write_parquet, write_rows_csv, write_sums
from exports.verify import verify_release
from tests.exports.release_builders import make_approved_store


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verify")
    store = make_approved_store(folder / "store")
    path = build_release(store, "0.1.0", ["en", "sk"], folder / "releases").path
    store.close()
    return path


@pytest.fixture
def release(built: Path, tmp_path: Path) -> Path:
    return shutil.copytree(built, tmp_path / "0.1.0")


def rewrite(release: Path, change: Callable[[list[ReleaseRow]], list[ReleaseRow]]) -> None:
    """Changes the Slovak rows in both formats and makes the checksums fit again."""
    rows = change(load_rows(release / "data" / "sk.parquet"))
    write_parquet(release / "data" / "sk.parquet", rows)
    write_rows_csv(release / "csv" / "sk.csv", rows)
    write_jsonl(release / "jsonl" / "sk.jsonl", rows)
    (release / "SHA256SUMS").unlink()
    write_sums(release)


def with_texts(row: ReleaseRow, variants: Mapping[str, str], **others: Any) -> ReleaseRow:
    changed = replace(row, variants=dict(variants), **others)
    fitting = content_hash(changed.instrument, "sk", changed.label, dict(variants))
    return replace(changed, content_hash=fitting)


def test_a_built_release_is_right(release: Path) -> None:
    assert verify_release(release) == []


def test_one_changed_byte_of_any_file_is_found(release: Path) -> None:
    names = list_files(release)
    assert len(names) >= 21
    for name in names:
        file = release / name
        original = file.read_bytes()
        for place in {0, len(original) // 2, len(original) - 1}:
            changed = bytearray(original)
            changed[place] ^= 1
            file.write_bytes(bytes(changed))
            problems = verify_release(release)
            assert problems, (name, place)
            # A changed checksum speaks against the file that it is of.
            if name != "SHA256SUMS":
                assert any(each.startswith(name) for each in problems), (name, place, problems)
        file.write_bytes(original)
    assert verify_release(release) == []


def test_every_removed_file_is_found(release: Path) -> None:
    for name in list_files(release):
        file = release / name
        data = file.read_bytes()
        file.unlink()
        assert any(each.startswith(f"{name}: missing") for each in verify_release(release)), name
        file.write_bytes(data)


def test_added_file_is_found(release: Path) -> None:
    (release / "data" / "sv.parquet").write_bytes(b"")
    assert verify_release(release) == ["data/sv.parquet: not listed in SHA256SUMS"]


def test_folder_without_anything_is_no_release(tmp_path: Path) -> None:
    problems = verify_release(tmp_path)
    assert problems[0].startswith("SHA256SUMS: missing")
    assert "provenance.json: missing" in problems[1]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            lambda row: with_texts(row, {"masculine": "Som."}),
            "the pair is without its feminine text",
        ),
        (
            lambda row: with_texts(row, {"masculine": "Som.", "feminine": "Som."}),
            "both texts of the pair are the same",
        ),
        (
            lambda row: with_texts(row, {**row.variants, "neutral": "Som."}),
            "a pair has no neutral text",
        ),
        (
            lambda row: with_texts(row, {**row.variants, "masculine": ""}),
            "a text is empty",
        ),
        (
            lambda row: with_texts(row, {**row.variants, "masculine": "cafe\u0301"}),
            "a text is not in Unicode normal form C",
        ),
        (
            lambda row: with_texts(row, row.variants, label=Label.NEUTRAL),
            "a neutral row has one text and no masculine or feminine one",
        ),
        (
            lambda row: with_texts(row, row.variants, label=Label.DISCARDED),
            "a discarded row is never released",
        ),
        (
            lambda row: with_texts(row, row.variants, instrument=Instrument.SECTORS),
            "its instrument is sectors",
        ),
        (lambda row: replace(row, stereotype_id=None), "it has no stereotype id"),
        (lambda row: replace(row, language="cs"), "its language is cs"),
        (
            lambda row: replace(row, variants={**row.variants, "masculine": "Iný."}),
            "its content hash is not that of its content",
        ),
    ],
)
def test_wrong_rows_are_found_under_right_checksums(
    release: Path, change: Callable[[ReleaseRow], ReleaseRow], problem: str
) -> None:
    rewrite(release, lambda rows: [change(rows[0]), *rows[1:]])
    assert f"sk: eurogest/sk/made/2: {problem}" in verify_release(release)


def test_repeated_id_and_wrong_counts_are_found(release: Path) -> None:
    rewrite(release, lambda rows: [*rows, rows[0]])
    assert verify_release(release) == [
        "sk: provenance.json counts rows 4, the table holds 5",
        "sk: provenance.json counts labels {'neutral': 3, 'pair': 1}, "
        "the table holds {'neutral': 3, 'pair': 2}",
        "sk: rows and left out in provenance.json do not add up to the candidates",
        "eurogest/sk/made/2: the id is used 2 times",
    ]


def test_csv_that_holds_something_else_is_found(release: Path) -> None:
    file = release / "csv" / "sk.csv"
    file.write_bytes(file.read_bytes().replace("Som emotívny.".encode(), b"Som iny."))
    (release / "SHA256SUMS").unlink()
    write_sums(release)
    assert verify_release(release) == ["csv/sk.csv: does not hold what the Parquet file holds"]


@pytest.mark.parametrize(("column", "value"), [("Masculine", "Som iný."), ("spans", "{}")])
def test_a_column_that_contradicts_the_others_is_found(
    release: Path, column: str, value: str
) -> None:
    file = release / "data" / "sk.parquet"
    table = pq.read_table(file)
    values = [value, *table[column].to_pylist()[1:]]
    place = table.schema.get_field_index(column)
    pq.write_table(table.set_column(place, table.schema.field(column), [values]), file)
    (release / "SHA256SUMS").unlink()
    write_sums(release)
    assert verify_release(release) == ["sk: sk.parquet: columns contradict one another"]


@pytest.mark.parametrize("templates", ["[]", '{"templates": []}', '{"templates": {}}', "{"])
def test_templates_that_hold_something_else_are_found(release: Path, templates: str) -> None:
    (release / "templates" / "sk.json").write_text(templates)
    (release / "SHA256SUMS").unlink()
    write_sums(release)
    (problem,) = verify_release(release)
    assert problem.startswith("templates/sk.json")


def test_table_that_is_no_parquet_is_found(release: Path) -> None:
    (release / "data" / "sk.parquet").write_bytes(b"PAR1")
    (release / "SHA256SUMS").unlink()
    write_sums(release)
    (problem,) = verify_release(release)
    assert problem.startswith("sk: sk.parquet cannot be read as Parquet")


@pytest.mark.parametrize("languages", [["sk"], {"sk": None}, {"sk": {"counts": {"left_out": 1}}}])
def test_odd_provenance_is_a_problem_and_no_crash(release: Path, languages: Any) -> None:
    file = release / "provenance.json"
    provenance = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(provenance | {"languages": languages}), encoding="utf-8")
    problems = verify_release(release)
    assert len(problems) >= 2
    assert problems[0] == "provenance.json: changed since the release was built"
