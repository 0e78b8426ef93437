from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.errors import ReleaseError
from corpus.hashing import sha256_file
from corpus.records import DecisionAction, Instrument, Label, Origin
from corpus.release import list_files, open_release, parse_version
from corpus.release_schema import (
    RELEASE_FORMAT,
    SCHEMA,
    HumanSeen,
    ReleaseRow,
    Validation,
    columns_of,
    gest_id,
    row_from_columns,
    table_of,
)
from tests.store_builders import make_source

ROW = ReleaseRow(
    id="eurogest/sk/made/2",
    instrument=Instrument.EUROGEST,
    language="sk",
    source="I am emotional.",
    gest_id=0,
    stereotype_id=1,
    label=Label.PAIR,
    reason="inflection",
    flags=("object_gender",),
    variants={"masculine": "Som emotívny.", "feminine": "Som emotívna."},
    attributes={},
    strategy="strict/1",
    quality_score=0.85,
    quality_model="made@1",
    raters=2,
    mean_quality=90.0,
    human_seen=HumanSeen.ONE,
    adjudicated=True,
    decision=DecisionAction.ACCEPT,
    validation=Validation.APPROVED,
    origin=Origin.MACHINE,
    content_hash="0" * 64,
)


def make_release(folder: Path) -> Path:
    """A release folder written by hand, with no help of the code that builds releases."""
    import pyarrow.parquet as pq

    (folder / "data").mkdir(parents=True)
    (folder / "templates").mkdir()
    pq.write_table(table_of([ROW]), folder / "data" / "sk.parquet")
    (folder / "templates" / "sk.json").write_text(
        '{"templates": {"sk/noun": [["„", "“ a"], ["„", "“ b"]]}}'
    )
    provenance = {"format": RELEASE_FORMAT, "version": "1.2.0", "languages": {"sk": {}}}
    (folder / "provenance.json").write_text(json.dumps(provenance))
    write_sums(folder)
    return folder


def write_sums(folder: Path) -> None:
    (folder / "SHA256SUMS").unlink(missing_ok=True)
    lines = [f"{sha256_file(folder / name)}  {name}\n" for name in list_files(folder)]
    (folder / "SHA256SUMS").write_text("".join(lines))


def test_release_is_read_as_it_was_written(tmp_path: Path) -> None:
    release = open_release(make_release(tmp_path / "1.2.0"))
    assert (release.version, release.languages) == ("1.2.0", ("sk",))
    assert release.sums_sha256 == sha256_file(tmp_path / "1.2.0" / "SHA256SUMS")
    assert release.rows("sk") == [ROW]
    assert release.templates("sk") == {"sk/noun": [["„", "“ a"], ["„", "“ b"]]}
    with pytest.raises(ReleaseError, match="no language cs; it has sk"):
        release.rows("cs")


def change_byte(folder: Path) -> None:
    file = folder / "data" / "sk.parquet"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))


@pytest.mark.parametrize(
    ("tamper", "message"),
    [
        (change_byte, r"data/sk\.parquet: changed"),
        (lambda folder: (folder / "data" / "sk.parquet").unlink(), r"data/sk\.parquet: missing"),
        (lambda folder: (folder / "notes.txt").write_text("x"), r"notes\.txt: not listed"),
        (lambda folder: (folder / "SHA256SUMS").unlink(), "SHA256SUMS: missing"),
        (lambda folder: (folder / "SHA256SUMS").write_text("x\n"), "line 1 is not a checksum"),
        (lambda folder: (folder / "SHA256SUMS").write_bytes(b"\xff"), "cannot be read"),
        (
            lambda folder: (folder / "SHA256SUMS").write_text(f"{'0' * 64}  ../secret\n"),
            "line 1 is not a checksum",
        ),
    ],
)
def test_tampered_release_is_refused_by_file_name(
    tmp_path: Path, tamper: Callable[[Path], object], message: str
) -> None:
    folder = make_release(tmp_path / "1.2.0")
    tamper(folder)
    with pytest.raises(ReleaseError, match=message):
        open_release(folder)


def test_link_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    folder = make_release(tmp_path / "1.2.0")
    file = folder / "templates" / "sk.json"
    file.rename(tmp_path / "elsewhere.json")
    file.symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(ReleaseError, match=r"templates/sk\.json: changed"):
        open_release(folder)


def test_folder_that_is_no_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="SHA256SUMS: missing"):
        open_release(tmp_path / "nowhere")


def test_release_of_another_format_is_refused(tmp_path: Path) -> None:
    folder = make_release(tmp_path / "1.2.0")
    (folder / "provenance.json").write_text('{"format": 99}')
    write_sums(folder)
    with pytest.raises(ReleaseError, match="another format"):
        open_release(folder)


def test_table_with_other_columns_is_refused(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    folder = make_release(tmp_path / "1.2.0")
    pq.write_table(table_of([ROW]).drop_columns(["flags"]), folder / "data" / "sk.parquet")
    write_sums(folder)
    with pytest.raises(ReleaseError, match="does not have the columns"):
        open_release(folder).rows("sk")


def test_value_that_no_release_has_is_refused(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    folder = make_release(tmp_path / "1.2.0")
    column = SCHEMA.get_field_index("label")
    table = table_of([ROW]).set_column(column, SCHEMA.field("label"), [["maybe"]])
    pq.write_table(table, folder / "data" / "sk.parquet")
    write_sums(folder)
    with pytest.raises(ReleaseError, match="maybe"):
        open_release(folder).rows("sk")


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(source=TEXT, text=TEXT, variant=TEXT, number=st.integers(0, 2**40))
def test_rows_survive_the_table(source: str, text: str, variant: str, number: int) -> None:
    row = replace(
        ROW,
        source=source,
        gest_id=number,
        variants={variant: text},
        attributes={"concern": text, "roles": [1, None]},
        quality_score=None,
        quality_model=None,
        decision=None,
    )
    assert row_from_columns(table_of([row]).to_pylist()[0]) == row
    assert list(columns_of(row)) == SCHEMA.names


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"row": 2}, 0),
        ({"row": 3566}, 3564),
        ({"row": 2, "explicit_id": "0042"}, 42),
        ({"row": 5, "explicit_id": "a7"}, 3),
        ({"row": 5, "explicit_id": "²"}, 3),
        ({"row": 5, "instrument": Instrument.SECTORS}, None),
    ],
)
def test_gest_id_is_the_explicit_number_or_the_rows(
    values: dict[str, object], expected: int | None
) -> None:
    assert gest_id(make_source(text="I sleep.", **values)) == expected  # type: ignore[arg-type]


def test_versions_are_compared_by_number() -> None:
    assert parse_version("0.10.0") > parse_version("0.9.9")
    with pytest.raises(ReleaseError, match=r"1\.0"):
        parse_version("1.0")
