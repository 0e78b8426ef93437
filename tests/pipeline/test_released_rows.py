"""Rows of a release as they are imported: keys, attributes, quality and origin."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corpus.errors import InputError, ReleaseError
from corpus.records import Instrument, Label, Origin, Source
from corpus.release import Release, load_rows, open_release
from corpus.release_schema import ReleaseRow
from exports.build import build_release
from exports.files import write_parquet, write_sums
from pipeline.imported import import_data
from pipeline.released_rows import load_released
from tests.exports.release_builders import PAIR, make_approved_store
from tests.exports.test_other_instruments import (
    PROMPT,
    PROMPT_TEXT,
    SECTOR,
    SECTOR_TEXT,
    take_to_release,
)
from tests.store_builders import make_store


@pytest.fixture
def release(tmp_path: Path) -> Release:
    store = make_approved_store(tmp_path / "made")
    built = build_release(store, "0.1.0", ["sk", "en"], tmp_path / "releases")
    store.close()
    return open_release(built.path)


def change(release: Release, **changes: object) -> None:
    """Changes the first Slovak row, and makes the checksums anew."""
    file = release.path / "data" / "sk.parquet"
    first, *others = load_rows(file)
    write_parquet(file, [replace(first, **changes), *others])
    (release.path / "SHA256SUMS").unlink()
    write_sums(release.path)


def test_a_row_keeps_what_the_release_says_of_it(release: Release) -> None:
    data = load_released(release.path)
    assert (data.name, data.sha256) == ("release 0.1.0", release.sums_sha256)
    assert data.languages == ("en", "sk")
    row = next(each for each in data.rows if each.candidate.id == PAIR.id)
    assert (row.label, dict(row.variants)) == (Label.PAIR, dict(PAIR.variants))
    assert row.candidate.content_hash == PAIR.content_hash
    assert row.evidence["quality"] == {
        "model": "made@1",
        "threshold": None,
        "scores": {"lowest": 0.85},
    }
    said = row.evidence["imported"]
    assert (said["release"], said["reason"], said["strategy"]) == (
        "0.1.0",
        "inflection",
        "strict/1",
    )
    assert (said["human_seen"], said["decision"], said["validation"]) == ("one", None, "approved")


@pytest.mark.parametrize(
    ("source", "text", "kind", "form"),
    [
        (PROMPT, PROMPT_TEXT, "prompt_template", "prompt_template/1"),
        (SECTOR, SECTOR_TEXT, "sector_sentence", "sentence/1"),
    ],
    ids=["prompt template", "sector sentence"],
)
def test_the_other_instruments_are_imported_alike(
    tmp_path: Path, source: Source, text: str, kind: str, form: str
) -> None:
    (tmp_path / "first").mkdir()
    store = make_store(tmp_path / "first")
    corrected = f"{text} (sic)"
    _, row, path = take_to_release(
        store, tmp_path / "releases", source, text, kind, form, corrected
    )
    store.close()
    second = make_store(tmp_path)
    with second.runs.watched("source import-release") as progress:
        import_data(second, load_released(path), progress)
    with second.reading() as state:
        (stored,) = state.sources(source.instrument)
        (candidate,) = state.candidates(source.instrument, "es")
    second.close()
    assert (stored.key, stored.text, dict(stored.attributes)) == (
        source.key,
        source.text,
        dict(source.attributes),
    )
    assert (candidate.id, dict(candidate.variants)) == (row.id, {"neutral": corrected})


def test_demo_rows_are_known_as_such(release: Release) -> None:
    change(release, origin=Origin.DEMO)
    marks = [each.is_demo for each in load_released(release.path, ["sk"]).rows]
    assert marks == [True, False, False, False]


@pytest.mark.parametrize(
    "item_id", ["made/2", "eurogest/cs/made/2", "eurogest/sk/2", "eurogest/sk//2", "eurogest/sk/m/"]
)
def test_ids_that_are_none_are_named(release: Release, item_id: str) -> None:
    change(release, id=item_id)
    with pytest.raises(InputError) as caught:
        load_released(release.path)
    (fault,) = caught.value.faults
    assert (fault.row, fault.field) == (1, "item_id")
    assert repr(item_id) in fault.problem


def test_a_changed_release_is_not_read(release: Release) -> None:
    (release.path / "data" / "en.parquet").write_bytes(b"")
    with pytest.raises(ReleaseError, match=r"data/en\.parquet: changed since"):
        load_released(release.path, ["sk"])


def test_sources_have_the_lines_that_their_rows_count(release: Release) -> None:
    rows: list[ReleaseRow] = release.rows("en")
    sources = [each.source for each in load_released(release.path, ["en"]).rows]
    assert [each.row - 2 for each in sources] == [row.gest_id for row in rows]
    assert {each.explicit_id for each in sources} == {None}
    assert {each.instrument for each in sources} == {Instrument.EUROGEST}
