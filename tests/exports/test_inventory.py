"""A release carries the study's own stereotypes, and its tasks and coverage are of those."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from app.views.release_contents import build_stereotype_rows
from corpus.errors import ReleaseError
from corpus.release import Release, open_release
from corpus.settings import FILE_NAME
from corpus.stereotypes import Inventory, Pole, Stereotype, load_inventory
from corpus.store import Store
from corpus.workspace import DATABASE_NAME, find_workspace, init_workspace
from exports.build import build_release
from exports.files import write_sums
from exports.verify import verify_release
from tests.command_line import run_here
from tests.exports.release_builders import make_approved_store

COAST = Inventory(
    "coast",
    "Stereotypes collected on the coast",
    (Stereotype(1, Pole.FEMININE, "patient"), Stereotype(9, Pole.MASCULINE, "seafaring")),
    (1, 9),
)
FILE = """
name = "coast"
title = "Stereotypes collected on the coast"
stereotypes = [
  { id = 1, pole = "feminine", name = "patient" },
  { id = 9, pole = "masculine", name = "seafaring" },
]
"""


@pytest.fixture
def release(store: Store, tmp_path: Path) -> Release:
    built = build_release(store, "1.0.0", ["en", "sk"], tmp_path / "releases", inventory=COAST)
    return open_release(built.path)


def test_the_stereotypes_are_read_back_and_everything_is_of_them(release: Release) -> None:
    assert release.inventory == COAST
    assert release.provenance["inventory"] == {
        "name": "coast",
        "title": "Stereotypes collected on the coast",
        "sha256": COAST.content_hash,
    }
    settings = json.loads((release.path / "lm_eval" / "settings.json").read_text("utf-8"))
    assert (settings["inventory"], settings["feminine"], settings["masculine"]) == (
        "coast",
        [1],
        [9],
    )
    assert [each.stereotype for each in build_stereotype_rows(release, "sk")] == [
        "1 patient",
        "9 seafaring",
    ]
    card = (release.path / "README.md").read_text("utf-8")
    assert "the 2 stereotypes of `coast` with their poles, 2 of them in the 10 rows" in card
    assert verify_release(release.path) == []


def test_other_stereotypes_need_a_major_version(store: Store, release: Release) -> None:
    folder = release.path.parent
    with pytest.raises(ReleaseError, match="its inventory of stereotypes changed"):
        build_release(store, "1.1.0", ["en", "sk"], folder)
    later = open_release(build_release(store, "2.0.0", ["en", "sk"], folder).path)
    assert later.inventory == load_inventory()
    changes = (later.path / "CHANGELOG.md").read_text("utf-8")
    assert "Its stereotypes or their poles changed" in changes


@pytest.mark.parametrize("content", ["{", "[]", '{"name": "coast"}', None])
def test_a_file_that_holds_something_else_is_found(release: Release, content: str | None) -> None:
    file = release.path / "inventory.json"
    document = COAST.as_json() | {"default_rate_ids": [9, 1], "title": "Coast", "name": "coast"}
    document["stereotypes"][0]["name"] = "restless"
    file.write_text(json.dumps(document) if content is None else content, "utf-8")
    (release.path / "SHA256SUMS").unlink()
    write_sums(release.path)
    (problem,) = verify_release(release.path)
    assert problem.startswith("inventory.json")


def test_a_workspace_names_its_inventory_and_the_command_releases_it(tmp_path: Path) -> None:
    assert init_workspace(tmp_path / "plain").load_inventory() == load_inventory()
    study = init_workspace(tmp_path / "study", "Coast")
    (study.path / "coast.toml").write_text(FILE, "utf-8")
    with (study.path / FILE_NAME).open("a", encoding="utf-8") as file:
        file.write('inventory = "coast.toml"\n')
    assert find_workspace(study.path).load_inventory() == COAST
    make_approved_store(tmp_path / "made").close()
    shutil.copy(tmp_path / "made" / "store.sqlite", study.path / DATABASE_NAME)
    done = run_here("release", "build", "1.0.0", "-l", "sk", "-w", study.path)
    assert done.code == 0, done.text
    assert open_release(study.releases / "1.0.0").inventory == COAST
