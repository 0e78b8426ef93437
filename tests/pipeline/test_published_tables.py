"""Tables in the published EuroGEST layout, made here with the published columns and types."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.errors import InputError
from corpus.hashing import nfc
from corpus.records import Label
from pipeline.published_tables import COLUMNS, load_published

ROWS: list[tuple[Any, ...]] = [
    (0, "I am emotional.", None, "Som emotívny", "Som emotívna", 1),
    (1, "NA", "null", None, None, 2),
    (7, 'I said: "None",\nand left.', "None", None, None, 16),
    (8, "nan", None, "NA", "None", 9),
]
SCHEMA = pa.schema(
    [(name, pa.int64() if name.endswith("_ID") else pa.string()) for name in COLUMNS]
)


def write_csv(path: Path, rows: Sequence[Sequence[Any]], columns: Sequence[str] = COLUMNS) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return path


def write_parquet(path: Path, rows: Sequence[Sequence[Any]], schema: pa.Schema = SCHEMA) -> Path:
    columns = [list(values) for values in zip(*rows, strict=True)] if rows else [[] for _ in schema]
    pq.write_table(pa.table(columns, schema=schema), path)
    return path


def faults_of(*paths: Path, **options: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_published(paths, **options)
    return [str(fault).replace(f"{paths[0].parent}/", "") for fault in caught.value.faults]


@pytest.mark.parametrize("kind", ["sk.csv", "sk.parquet"])
def test_every_text_is_read_as_it_is(tmp_path: Path, kind: str) -> None:
    write = write_csv if kind.endswith("csv") else write_parquet
    data = load_published([write(tmp_path / kind, ROWS)])
    assert data.languages == ("sk",)
    assert [row.source.text for row in data.rows] == [row[1] for row in ROWS]
    assert [dict(row.variants) for row in data.rows] == [
        {"masculine": "Som emotívny", "feminine": "Som emotívna"},
        {"neutral": "null"},
        {"neutral": "None"},
        {"masculine": "NA", "feminine": "None"},
    ]
    assert [row.label for row in data.rows] == [
        Label.PAIR,
        Label.NEUTRAL,
        Label.NEUTRAL,
        Label.PAIR,
    ]
    assert [row.source.stereotype_id for row in data.rows] == [1, 2, 16, 9]
    # GEST_ID counts from 0 under the header; sources are named by their line.
    assert [row.source.key for row in data.rows] == [f"eurogest/{row[0] + 2}" for row in ROWS]
    assert data.warnings == ()


_TEXT = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), min_size=1
).filter(lambda text: bool(text.strip()))


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(_TEXT, _TEXT, _TEXT), min_size=1, max_size=6))
def test_csv_and_parquet_hold_the_same(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("both")
    table = [
        (number, source, None, first, f"{second}x{first}", 3)
        for number, (source, first, second) in enumerate(rows)
    ]
    read = [
        load_published([write(folder / f"sk.{ending}", table)])
        for write, ending in ((write_csv, "csv"), (write_parquet, "parquet"))
    ]
    texts = [[(row.source.text, dict(row.variants)) for row in data.rows] for data in read]
    assert texts[0] == texts[1]
    assert [text for text, _ in texts[0]] == [nfc(source) for source, _, _ in rows]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("sk.csv", "sk"),
        ("no.csv", "no"),
        ("Slovak.csv", "sk"),
        ("norwegian.csv", "no"),
        ("Slovak-00000-of-00001.csv", "sk"),
    ],
)
def test_the_name_of_a_file_says_its_language(tmp_path: Path, name: str, code: str) -> None:
    assert load_published([write_csv(tmp_path / name, ROWS)]).languages == (code,)


def test_files_of_several_languages_share_their_sources(tmp_path: Path) -> None:
    paths = [write_csv(tmp_path / "sk.csv", ROWS), write_parquet(tmp_path / "cs.parquet", ROWS)]
    data = load_published(paths, dataset="gest_1.0")
    assert data.languages == ("cs", "sk")
    assert {row.source.key for row in data.rows} == {f"gest_1.0/{row[0] + 2}" for row in ROWS}


def test_other_columns_are_named_and_not_read(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "sk.csv", [(*ROWS[0], "x")], [*COLUMNS, "item_id"])
    (warning,) = load_published([path]).warnings
    assert "columns that are not read: item_id" in str(warning)


def test_a_dictionary_or_large_strings_are_texts(tmp_path: Path) -> None:
    schema = SCHEMA.set(1, pa.field("Source", pa.large_string()))
    schema = schema.set(2, pa.field("Neutral", pa.null())).set(0, pa.field("GEST_ID", pa.float64()))
    data = load_published([write_parquet(tmp_path / "sk.parquet", [ROWS[0]], schema)])
    assert data.rows[0].source.text == "I am emotional."
    assert data.rows[0].source.key == "eurogest/2"


@pytest.mark.parametrize("kind", ["sk.csv", "sk.parquet"])
def test_every_fault_of_a_row_is_named(tmp_path: Path, kind: str) -> None:
    rows = [
        (0, "Fine.", "Dobre", None, None, 1),
        (None, "a", "a", None, None, 17),
        (-1, None, "a", None, None, 2),
        (3, "b", "b", "c", "d", 2),
        (4, "b", None, None, None, 2),
        (5, "b", None, "c", None, 2),
        (6, "b", None, "d", "d", 2),
        (7, "  ", "e\x00", None, None, 2),
    ]
    is_csv = kind.endswith("csv")
    found = faults_of((write_csv if is_csv else write_parquet)(tmp_path / kind, rows))
    # The first row under the header is line 2 of a CSV and row 1 of a Parquet file.
    number = (lambda row: row + 1) if is_csv else (lambda row: row)
    for row, field, problem in [
        (2, "GEST_ID", "no number"),
        (3, "GEST_ID", "-1"),
        (2, "Stereotype_ID", "unknown stereotype id 17"),
        (3, "Source", "no source sentence"),
        (4, "Neutral", "a neutral text beside a masculine or feminine one"),
        (6, "Feminine", "the pair's other text is missing"),
        (7, "Feminine", "both texts of the pair are the same"),
        (8, "Source", "only spaces"),
        (8, "Neutral", "NUL character"),
    ]:
        assert any(
            each.startswith(f"{kind}:{number(row)} [{field}]: ") and problem in each
            for each in found
        ), (row, field, found)
    assert any(each.startswith(f"{kind}:{number(5)}: no text. fill Neutral") for each in found)
    # Each fault is said once.
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("position", "kind", "problem"),
    [
        (0, pa.string(), "[GEST_ID]: holds string, not whole numbers"),
        (5, pa.string(), "[Stereotype_ID]: holds string, not whole numbers"),
        (1, pa.int64(), "[Source]: holds int64, not texts"),
        (3, pa.binary(), "[Masculine]: holds binary, not texts"),
    ],
)
def test_columns_of_another_type_are_named(
    tmp_path: Path, position: int, kind: pa.DataType, problem: str
) -> None:
    schema = SCHEMA.set(position, pa.field(COLUMNS[position], kind))
    values: tuple[Any, ...] = (0, "a", "b", None, None, 1)
    other: Any = {pa.string(): "0", pa.int64(): 1, pa.binary(): b"x"}[kind]
    row = (*values[:position], other, *values[position + 1 :])
    assert problem in "\n".join(faults_of(write_parquet(tmp_path / "sk.parquet", [row], schema)))


def test_a_number_with_a_fraction_is_refused(tmp_path: Path) -> None:
    schema = SCHEMA.set(0, pa.field("GEST_ID", pa.float64()))
    row = (0.5, *ROWS[1][1:])
    assert (
        "[GEST_ID]: holds double"
        in faults_of(write_parquet(tmp_path / "sk.parquet", [row], schema))[0]
    )
    found = faults_of(write_csv(tmp_path / "sk.csv", [(1.0, *ROWS[1][1:])]))
    assert "'1.0' is not a row's number from 0 on" in found[0]


def test_missing_and_repeated_columns_are_named(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "sk.csv", [row[:5] for row in ROWS], COLUMNS[:5])
    assert "missing column 'Stereotype_ID'" in faults_of(path)[0]
    pq.write_table(pa.table({"GEST_ID": [1], "Source": ["a"]}), tmp_path / "cs.parquet")
    assert len(faults_of(tmp_path / "cs.parquet")) == 4
    twice = pa.table([[1], ["a"], ["b"]], names=["GEST_ID", "Source", "Source"])
    pq.write_table(twice, tmp_path / "pl.parquet")
    assert "[Source]: repeated column" in faults_of(tmp_path / "pl.parquet")[0]


def test_all_files_are_looked_at_before_any_is_refused(tmp_path: Path) -> None:
    bad = tmp_path / "sk.parquet"
    bad.write_bytes(b"PAR1 but no more")
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    unnamed = write_csv(tmp_path / "train.csv", ROWS)
    found = faults_of(bad, tmp_path / "cs.csv", tmp_path / "notes.txt", unnamed)
    assert [each.split(". ")[0] for each in found] == [
        "sk.parquet: cannot be read as Parquet (ArrowInvalid)",
        "cs.csv: the file does not exist",
        "notes.txt: neither .csv nor .parquet",
        "notes.txt: the file's name names no language",
        "train.csv: the file's name names no language",
    ]


def test_the_language_that_is_given_must_be_that_of_the_name(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "sk.csv", ROWS)
    assert "says sk, --language says cs" in faults_of(path, language="cs")[0]
    other = write_csv(tmp_path / "mine.csv", ROWS)
    assert load_published([other], "cs").languages == ("cs",)


def test_invalid_utf8_is_refused(tmp_path: Path) -> None:
    raw = pa.array([b"\xff\xfe"], pa.binary()).view(pa.string())
    values = [pa.array([0]), raw, pa.array(["a"]), *[pa.array([None], pa.string())] * 2]
    pq.write_table(pa.table([*values, pa.array([1])], names=list(COLUMNS)), tmp_path / "sk.parquet")
    assert "cannot be read as Parquet" in faults_of(tmp_path / "sk.parquet")[0]


@pytest.mark.parametrize("dataset", ["a/b", " ", ""])
def test_a_dataset_is_a_name(tmp_path: Path, dataset: str) -> None:
    path = write_csv(tmp_path / "sk.csv", ROWS)
    assert "--dataset: not a name" in faults_of(path, dataset=dataset)[0]


def test_files_without_rows_are_refused(tmp_path: Path) -> None:
    assert "the files have no rows" in faults_of(write_csv(tmp_path / "sk.csv", []))[0]
