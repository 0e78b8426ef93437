"""The whole loop of sector sentences by commands: files, workbooks, approval, release, scores."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from annotation.labels import STATED
from corpus.records import Item
from corpus.release import open_release
from corpus.release_schema import HumanSeen
from corpus.store import open_store
from engines.tiny_model import build_tiny_model
from tests.annotation.workbook_files import set_cells
from tests.annotation.workbook_studies import SheetStudy
from tests.command_line import database_of, succeed_here

pytestmark = pytest.mark.slow

SAMPLE = 24
OF_SECTORS = ("--instrument", "sectors")


def answers_of(item: Item, rater: str) -> Mapping[str, Any]:
    """Good scores that differ by item and a little by rater; the gender shows where it is said."""
    number = int(item.id.rpartition("/")[2])
    quality = 72 + (7 * number) % 25 + (number % 3 if rater == "r2" else 0)
    return {"quality": quality, "gender_elsewhere": item.making[STATED]}


def rate_in_workbooks(study: Path, batch_id: str, sheets: Path) -> list[Item]:
    """Both raters fill in their workbooks; the items they rated."""
    store = open_store(f"sqlite:///{database_of(study)}")
    with store.reading() as state:
        batch = state.batch(batch_id)
        items, form = state.items([batch_id]), state.form(batch.form)
    filled = SheetStudy(store, batch, items, form, sheets)
    paths = []
    for rater in ("r1", "r2"):
        paths.append(filled.export(rater))
        cells: dict[str, str] = {}
        for item in items:
            cells |= filled.cells_of(item, answers_of(item, rater), rater)
        set_cells(paths[-1], cells)
    store.close()
    succeed_here("batch", "import-sheet", *paths, "-w", study)
    return items


def test_sentences_are_rated_approved_released_and_scored_as_they_are(tmp_path: Path) -> None:
    study = tmp_path / "study"
    succeed_here("init", study, "--name", "Sectors")
    with (study / "stereoscope.toml").open("a", encoding="utf-8") as settings:
        settings.write("draws = 100\n")
    succeed_here("sectors", "import", "-l", "es", "-w", study)
    for rater in ("r1", "r2"):
        succeed_here("raters", "add", rater, "--address", f"{rater}@sectors.example", "-w", study)
    created = succeed_here(
        *("batch", "create", "-l", "es", "--raters", "r1,r2", "--size", str(SAMPLE)),
        *(*OF_SECTORS, "-w", study),
    )
    items = rate_in_workbooks(study, created.out.split()[-1], tmp_path / "sheets")
    assert len(items) == SAMPLE
    assert all(item.shown["mt_text"].endswith(".") for item in items)

    override = ("--override", "a test of the way, not of the sentences")
    succeed_here("approve", "es", *OF_SECTORS, *override, "-w", study)
    succeed_here("release", "build", "1.0.0", "-l", "es", *OF_SECTORS, "-w", study)
    release = open_release(study / "releases" / "sectors" / "1.0.0")
    rows = release.rows("es")
    assert sum(row.human_seen is not HumanSeen.NONE for row in rows) == SAMPLE
    card = (release.path / "README.md").read_text(encoding="utf-8")
    assert f"{SAMPLE} of {len(rows)}" in card

    model = build_tiny_model(tmp_path / "tiny", sorted({row.feminine or "" for row in rows}))
    told = succeed_here(
        *("sectors", "score", "-m", model, "--release", "1.0.0", "--demonstration", "-w", study)
    )
    seen = f"{SAMPLE} of {2 * len(rows)} sentences seen by a human"
    assert f"es: sentences {seen}, release 1.0.0" in told.message
    (path,) = study.glob("results/sectors/*/manifest.json")
    manifest = json.loads(path.read_text(encoding="utf-8"))
    assert manifest["human_eyes"] == {"es": seen}
    assert manifest["release"]["sums_sha256"] == release.sums_sha256
    assert manifest["sentences"] == {"es": 2 * len(rows)}
