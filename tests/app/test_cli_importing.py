"""`source import-release`: a data set goes through the loop of another workspace."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from app.views.candidates import describe_facts
from app.web import FOLDER
from corpus.records import Instrument, Label, Origin, Source, TemplateChoice
from corpus.release import open_release
from corpus.release_schema import ReleaseRow
from corpus.settings import FILE_NAME
from corpus.standing import Standing
from corpus.stereotypes import load_inventory
from corpus.store import Store
from corpus.workspace import DATABASE_NAME, init_workspace
from exports.build import build_release
from exports.files import write_sums
from tests.command_line import Outcome, run_here, snapshot_of
from tests.exports.release_builders import make_approved_store
from tests.store_builders import (
    add_candidates,
    add_sources,
    approve,
    make_candidate,
    make_source,
    make_store,
    standing_of,
)

GEST = load_inventory()
COLUMNS = ("GEST_ID", "Source", "Neutral", "Masculine", "Feminine", "Stereotype_ID")
PUBLISHED: list[tuple[Any, ...]] = [
    (0, "I am emotional.", None, "Som emotívny", "Som emotívna", 1),
    (1, "NA", "null", None, None, 2),
    (2, "I cook.", "None", None, None, 3),
    (5, "I lead.", None, "Bol som prvý", "Bola som prvá", 13),
]


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """A workspace with release 1.0.0 of English and Slovak."""
    study = init_workspace(tmp_path / "first", "First")
    make_approved_store(tmp_path / "made").close()
    shutil.copy(tmp_path / "made" / "store.sqlite", study.path / DATABASE_NAME)
    assert run_here("release", "build", "1.0.0", "-l", "en,sk", "-w", study.path).code == 0
    return study.path


@pytest.fixture
def second(tmp_path: Path) -> Path:
    return init_workspace(tmp_path / "second", "Second").path


def import_into(workspace: Path, *arguments: str | Path) -> Outcome:
    return run_here("source", "import-release", *arguments, "-w", workspace)


def read(workspace: Path, language: str) -> Standing:
    store = init_workspace(workspace).open_store()
    found = standing_of(store, language)
    store.close()
    return found


def content(rows: Sequence[ReleaseRow]) -> list[tuple[Any, ...]]:
    """What a row is, without what people and this product said of it."""
    found = []
    for row in rows:
        source = (row.gest_id, row.source, row.stereotype_id)
        quality = (row.quality_score, row.quality_model)
        said = (row.label, dict(row.variants), row.flags, row.content_hash)
        found.append((row.id, source, said, quality))
    return found


def test_a_release_becomes_the_candidates_of_another_workspace(first: Path, second: Path) -> None:
    release = open_release(first / "releases" / "1.0.0")
    done = import_into(second, release.path)
    assert done.code == 0, done.text
    for language in ("en", "sk"):
        rows = release.rows(language)
        found = [each.candidate for each in read(second, language).candidates]
        assert [(each.id, each.label, dict(each.variants)) for each in found] == [
            (row.id, row.label, dict(row.variants)) for row in rows
        ]
        assert [each.content_hash for each in found] == [row.content_hash for row in rows]
        assert {each.stamp.origin for each in found} == {Origin.IMPORT}
    before = snapshot_of(second)
    again = import_into(second, release.path)
    assert again.code == 0
    assert "nothing was added" in again.message
    assert snapshot_of(second) == before


@pytest.mark.parametrize(
    ("screen", "expected"),
    [
        ("overview", "Slovak"),
        ("generation", "Slovak"),
        ("candidates", "the label comes from an existing data set"),
    ],
)
def test_pages_show_what_was_imported(
    first: Path, second: Path, screen: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert import_into(second, first / "releases" / "1.0.0").code == 0
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(second))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", "curator-1")
    app = AppTest.from_file(str(FOLDER / "web.py"), default_timeout=60)
    app.run().switch_page(f"screens/{screen}.py")
    app.query_params["language"] = "sk"
    app.run()
    assert not app.exception
    shown = "\n".join(each.value.to_string() for each in app.dataframe)
    assert expected in shown


def test_where_a_candidate_comes_from_is_shown(first: Path, second: Path, tmp_path: Path) -> None:
    assert import_into(second, first / "releases" / "1.0.0").code == 0
    facts = {
        each.generated.id: describe_facts(each, None, GEST)
        for each in read(second, "sk").candidates
    }
    told = "Imported from: release 1.0.0, row 1; reason there neutral; texts seen by humans there: "
    assert told + "none; decided there: edit" in facts["eurogest/sk/made/3"]
    third = init_workspace(tmp_path / "third", "Third").path
    assert import_into(third, write(tmp_path / "sk.csv", PUBLISHED)).code == 0
    [found] = [
        each for each in read(third, "sk").candidates if each.generated.source_key[-1] == "7"
    ]
    assert "Imported from: sk.csv, row 5" in describe_facts(found, None, GEST)
    assert not [
        each
        for each in describe_facts(read(first, "sk").candidates[0], None, GEST)
        if "Imp" in each
    ]


def test_what_was_imported_is_rated_approved_and_released_again(first: Path, second: Path) -> None:
    release = open_release(first / "releases" / "1.0.0")
    assert import_into(second, release.path).code == 0
    for number in (1, 2):
        added = run_here("raters", "add", f"rater-{number}", "-w", second)
        assert added.code == 0, added.text
    raters = ["--raters", "rater-1,rater-2", "--size", "2"]
    made = run_here("batch", "create", "-l", "sk", *raters, "-w", second)
    assert made.code == 0, made.text
    assert len(read(second, "sk").items) == 2
    report = run_here("candidates", "report", "-l", "sk", "-w", second)
    assert report.code == 0, report.text
    shown = run_here("candidates", "export", "-l", "sk", "-o", second / "sk.csv", "-w", second)
    assert shown.code == 0, shown.text
    workspace = init_workspace(second)
    store = workspace.open_store()
    approve(store, "sk")
    built = build_release(store, "1.0.0", ["sk", "en"], workspace.releases)
    store.close()
    again = open_release(built.path)
    for language in ("en", "sk"):
        assert content(again.rows(language)) == content(release.rows(language))
    assert {row.reason for row in again.rows("sk")} == {"imported"}


def test_wordings_that_were_chosen_come_along_and_none_of_ones_own_is_replaced(
    first: Path, second: Path
) -> None:
    mine = TemplateChoice("sk", "noun", ("„", "“ povedal."), ("„", "“ povedala."), "rated", "ann")
    store = init_workspace(first).open_store()
    with store.writing(Origin.HUMAN) as writer:
        writer.append([mine])
    approve(store, "sk")
    store.close()
    assert run_here("release", "build", "2.0.0", "-l", "en,sk", "-w", first).code == 0
    release = first / "releases" / "2.0.0"
    assert import_into(second, release, "-l", "sk").code == 0
    (choice,) = read(second, "sk").template_choices
    assert (choice.kind, choice.masculine, choice.feminine) == (
        "noun",
        mine.masculine,
        mine.feminine,
    )
    assert choice.reason == "chosen in release 2.0.0, language approved"
    assert choice.by != "ann"
    assert choice.stamp.origin is Origin.IMPORT
    before = snapshot_of(second)
    assert "nothing was added" in import_into(second, release, "-l", "sk").message
    assert snapshot_of(second) == before
    # Whoever has chosen a wording keeps it.
    store = init_workspace(second).open_store()
    own = replace(mine, masculine=("", " (on)"), feminine=("", " (ona)"), by="eve")
    with store.writing(Origin.HUMAN) as writer:
        writer.append([own])
    store.close()
    assert import_into(second, release).code == 0
    assert read(second, "sk").template_choices[0].by == "eve"


def test_other_stereotypes_than_the_workspaces_are_said(first: Path, second: Path) -> None:
    (second / "coast.toml").write_text(
        'name = "coast"\nstereotypes = [\n  { id = 1, pole = "feminine", name = "patient" },\n'
        '  { id = 2, pole = "masculine", name = "seafaring" },\n]\n',
        encoding="utf-8",
    )
    with (second / FILE_NAME).open("a", encoding="utf-8") as file:
        file.write('inventory = "coast.toml"\n')
    done = import_into(second, first / "releases" / "1.0.0")
    assert done.code == 0
    assert "stereotypes are those of gest, this workspace's are coast's" in done.message


def test_one_language_of_a_release_is_enough(first: Path, second: Path) -> None:
    done = import_into(second, first / "releases" / "1.0.0", "--language", "sk")
    assert done.code == 0, done.text
    assert (len(read(second, "sk").candidates), len(read(second, "en").candidates)) == (
        len(open_release(first / "releases" / "1.0.0").rows("sk")),
        0,
    )
    missing = import_into(second, first / "releases" / "1.0.0", "--language", "cs")
    assert missing.code == 1
    assert "has no language cs" in missing.message


def test_items_keep_their_ids_whatever_their_sources_were_named(tmp_path: Path) -> None:
    sources: list[Source] = [
        make_source(2, "By its line."),
        make_source(9, "By a word.", explicit_id="first"),
        make_source(4, "By a number.", explicit_id="17"),
        make_source(5, "By its line less two.", dataset="other", explicit_id="3"),
        make_source(30, "With attributes.", dataset="other", attributes={"concern": "age"}),
    ]
    store = make_store(tmp_path)
    add_sources(store, sources)
    add_candidates(store, [make_candidate(each, "en", Label.NEUTRAL) for each in sources])
    release = open_release(build_release(store, "0.1.0", ["en"], tmp_path / "releases").path)
    store.close()
    second = init_workspace(tmp_path / "second", "Second").path
    assert import_into(second, release.path).code == 0
    store = init_workspace(second).open_store()
    again = open_release(build_release(store, "0.1.0", ["en"], second / "releases").path)
    store.close()
    ids = {row.id: (row.gest_id, row.source) for row in release.rows("en")}
    assert {row.id: (row.gest_id, row.source) for row in again.rows("en")} == ids
    assert [dict(row.attributes) for row in again.rows("en") if row.attributes] == [
        {"concern": "age"}
    ]


def write(path: Path, rows: Sequence[Sequence[Any]]) -> Path:
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(COLUMNS)
            writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    else:
        types = [pa.int64() if name.endswith("_ID") else pa.string() for name in COLUMNS]
        schema = pa.schema(list(zip(COLUMNS, types, strict=True)))
        columns = [list(values) for values in zip(*rows, strict=True)]
        pq.write_table(pa.table(columns, schema=schema), path)
    return path


@pytest.mark.parametrize("name", ["Slovak-00000-of-00001.parquet", "sk.csv"])
def test_the_published_layout_goes_through_the_loop(
    tmp_path: Path, second: Path, name: str
) -> None:
    path = write(tmp_path / name, PUBLISHED)
    done = import_into(second, path)
    assert done.code == 0, done.text
    found = [each.candidate for each in read(second, "sk").candidates]
    assert [dict(each.variants) for each in found] == [
        {"masculine": "Som emotívny", "feminine": "Som emotívna"},
        {"neutral": "null"},
        {"neutral": "None"},
        {"masculine": "Bol som prvý", "feminine": "Bola som prvá"},
    ]
    assert run_here("raters", "add", "rater-1", "-w", second).code == 0
    options = ["--raters", "rater-1", "--size", "2"]
    made = run_here("batch", "create", "-l", "sk", *options, "-w", second)
    assert made.code == 0, made.text
    before = snapshot_of(second)
    # The same rows in another kind of file are the same candidates.
    others = [write(tmp_path / other, PUBLISHED) for other in ("sk.csv", "Slovak.parquet")]
    for each in (path, *others):
        again = import_into(second, each)
        assert again.code == 0, again.text
        assert snapshot_of(second) == before
    workspace = init_workspace(second)
    store = workspace.open_store()
    approve(store, "sk")
    built = build_release(store, "1.0.0", ["sk"], workspace.releases)
    store.close()
    table = pq.read_table(built.path / "data" / "sk.parquet", columns=list(COLUMNS))
    assert [tuple(row.values()) for row in table.to_pylist()] == PUBLISHED


def test_the_sources_of_a_file_are_those_of_the_published_rows(
    tmp_path: Path, second: Path
) -> None:
    sentences = tmp_path / "gest.csv"
    sentences.write_text("sentence,stereotype\nI am emotional.,1\nNA,2\n", encoding="utf-8")
    assert run_here("source", "add", sentences, "-w", second).code == 0
    done = import_into(second, write(tmp_path / "sk.csv", PUBLISHED[:2]), "--dataset", "gest")
    assert done.code == 0, done.text
    store: Store = init_workspace(second).open_store()
    with store.reading() as state:
        assert [each.key for each in state.sources(Instrument.EUROGEST)] == ["gest/2", "gest/3"]
    store.close()


def refuse(workspace: Path, *arguments: str | Path) -> str:
    before = snapshot_of(workspace)
    done = import_into(workspace, *arguments)
    assert done.code == 1, done.text
    assert snapshot_of(workspace) == before
    return done.message


def test_a_tampered_release_is_refused_with_the_file_named(first: Path, second: Path) -> None:
    folder = first / "releases" / "1.0.0"
    table = folder / "csv" / "sk.csv"
    table.write_bytes(table.read_bytes().replace(b"=1+1", b"=1+2"))
    assert "csv/sk.csv: changed since the release was built" in refuse(second, folder)
    # With new checksums it still contradicts itself.
    (folder / "SHA256SUMS").unlink()
    write_sums(folder)
    assert "csv/sk.csv: does not hold what the Parquet file holds" in refuse(second, folder)


def test_bad_files_are_refused_as_a_whole(tmp_path: Path, second: Path) -> None:
    good = write(tmp_path / "cs.csv", PUBLISHED)
    bad = write(
        tmp_path / "sk.csv", [(0, "a", None, "b", None, 99), (0, "I lead.", "c", None, None, 1)]
    )
    said = refuse(second, good, bad)
    assert "sk.csv:2 [Feminine]: the pair's other text is missing" in said
    assert "sk.csv:2 [Stereotype_ID]: unknown stereotype id 99" in said
    twice = write(tmp_path / "pl.csv", [PUBLISHED[0], (0, "I lead.", "c", None, None, 1)])
    said = refuse(second, twice, good)
    assert "pl.csv:3 [Source]: eurogest/2 has another text in" in said
    assert "pl.csv:3 [GEST_ID]: eurogest/2 is in" in said


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["csv"], "this folder is no release"),
        ([".", "csv/sk.csv"], "Import one release at a time"),
        ([".", "--dataset", "x"], "leave --dataset out"),
        (["csv/sk.csv", "--language", "xx"], "--language"),
        (["README.md"], "neither .csv nor .parquet"),
    ],
)
def test_what_cannot_be_imported_is_said(
    first: Path, second: Path, arguments: list[str], problem: str
) -> None:
    release = first / "releases" / "1.0.0"
    is_path = [(release / each).exists() for each in arguments]
    given = [
        release / each if path else each for each, path in zip(arguments, is_path, strict=True)
    ]
    assert problem in refuse(second, *given)


def test_generated_candidates_are_left_alone(first: Path, tmp_path: Path) -> None:
    # A release of other candidates than those that stand in the workspace where it is imported.
    said = refuse(first, write(tmp_path / "sk.csv", PUBLISHED))
    assert "6 candidates of sk were generated here. import into a new workspace" in said
