"""Page Releases: what a release holds, how two differ, one archive of all of it."""

from __future__ import annotations

import io
import os
import shutil
import zipfile
from pathlib import Path

import pytest
import workspaces
from pages import open_page, texts

from app.views.release_contents import build_archive
from corpus.hashing import sha256_file
from corpus.release import list_files
from corpus.settings import load_settings
from corpus.workspace import Workspace
from exports.build import build_release


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspaces.build_small_workspace(tmp_path_factory.mktemp("releases") / "small").path


@pytest.fixture
def small(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    copied = shutil.copytree(template, tmp_path / "small")
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(copied))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", "curator-1")
    return Workspace(copied, load_settings(copied))


@pytest.fixture
def two_releases(small: Workspace) -> Workspace:
    """Slovak joins on request, though nobody approved it."""
    store = small.open_store()
    build_release(store, "0.2.0", ["en", "es", "sk"], small.releases, include_unvalidated=True)
    store.close()
    return small


def test_a_language_shows_its_agreement_and_its_coverage(small: Workspace) -> None:
    app = open_page("releases", language="es")
    tables = [each.value for each in app.dataframe]
    agreement = next(each for each in tables if "measure" in each)
    assert "label_accuracy" in set(agreement["code"])
    coverage = next(each for each in tables if "stereotype" in each)
    assert len(coverage) == 16
    assert coverage["all"].sum() == 5
    assert any("no other release of this instrument" in each.value for each in app.info)


@pytest.mark.parametrize(("code", "said"), [("en", "nothing is translated"), ("sk", "No approval")])
def test_what_nobody_approved_says_whether_it_is_a_source(
    two_releases: Workspace, code: str, said: str
) -> None:
    app = open_page("releases", language=code)
    assert [said in each.value for each in app.text].count(True) == 1


def test_two_releases_are_compared_and_an_unapproved_language_is_named(
    two_releases: Workspace,
) -> None:
    app = open_page("releases", release="0.2.0", compare="0.1.0")
    assert any("NOT VALIDATED" in each.value for each in app.warning)
    assert "Slovak (sk)" in texts(app)
    assert any(each.startswith("A MINOR step from 0.1.0 to 0.2.0.") for each in texts(app))
    tables = [each.value for each in app.dataframe]
    contents = next(each for each in tables if "seen by a human" in each)
    assert dict(zip(contents["language"], contents["validation"], strict=True)) == {
        "English (en)": "source",
        "Spanish (es)": "approved",
        "Slovak (sk)": "unvalidated",
    }
    summary = next(each for each in tables if "counts" in each).set_index("language")
    assert summary.loc["sk"]["counts"].startswith("new: rows ")
    assert summary.loc["es"]["added"] == 0
    values = next(each for each in tables if "before" in each)
    assert set(values["change"]) == {"added"}
    assert {workspaces.MASCULINE, workspaces.FEMININE} <= set(values["after"])


def test_a_tampered_release_is_not_compared(two_releases: Workspace) -> None:
    (two_releases.releases / "0.1.0" / "csv" / "es.csv").write_text("x", encoding="utf-8")
    app = open_page("releases", release="0.2.0", compare="0.1.0")
    assert any("cannot be compared" in each.value for each in app.error)
    assert any("csv/es.csv: changed" in each for each in texts(app))


def test_files_are_read_again_only_once_one_was_written(
    two_releases: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def read_file(path: Path) -> str:
        read.append(path)
        return sha256_file(path)

    for module in ("corpus.release", "app.views.release_contents"):
        monkeypatch.setattr(f"{module}.sha256_file", read_file)
    wanted = {"release": "0.2.0", "compare": "0.1.0", "language": "es"}
    assert not open_page("releases", **wanted).error
    assert {path.parent.parent.name for path in read} >= {"0.1.0", "0.2.0"}
    read.clear()
    open_page("releases", **wanted)
    assert read == []
    file = two_releases.releases / "0.2.0" / "jsonl" / "es.jsonl"
    status = file.stat()
    file.write_bytes(file.read_bytes().replace(b"{", b"[", 1))
    # Whoever sets back the time of a file cannot hide that it was written.
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    app = open_page("releases", **wanted)
    assert len(app.error) == 2
    assert any("jsonl/es.jsonl: changed" in each for each in texts(app))


def test_an_archive_holds_every_file_and_is_the_same_each_time(small: Workspace) -> None:
    folder = small.releases / "0.1.0"
    packed = build_archive(folder)
    assert packed == build_archive(folder)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    assert found == {f"0.1.0/{name}": (folder / name).read_bytes() for name in list_files(folder)}
