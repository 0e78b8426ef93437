"""`score --items-of`: what an older release holds is scored alone, and gives its own numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corpus.errors import ReleaseError
from corpus.records import DecisionAction
from corpus.release import Release, open_release
from corpus.stereotypes import load_inventory
from corpus.store import Store
from exports.build import build_release
from scoring.older_items import select_older_items
from scoring.protocols import protocol_named
from scoring.scores import ScoreRequest, ScoreResult, score_release
from tests.exports.release_builders import NEUTRAL, PAIR, decide, make_approved_store
from tests.scoring.toy_engine import ToyEngine
from tests.store_builders import approve


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_approved_store(tmp_path / "store")


def build(store: Store, folder: Path, version: str) -> Release:
    return open_release(build_release(store, version, ["sk"], folder / "releases").path)


def score(folder: Path, release: Release, items_of: Release | None = None) -> ScoreResult:
    request = ScoreRequest(
        release, ("sk",), (protocol_named("paper"),), load_inventory(), 1, 20, items_of=items_of
    )
    engine = ToyEngine({"Som": -2.0, "emotívna.": -0.5, "Dobre": -3.0})
    return score_release(engine, request, folder / "results")


def test_an_older_set_gives_its_own_numbers_on_a_newer_release(
    store: Store, tmp_path: Path
) -> None:
    old = build(store, tmp_path, "1.0.0")
    decide(store, NEUTRAL[2], DecisionAction.ACCEPT)
    approve(store, "sk")
    new = build(store, tmp_path, "2.0.0")
    assert len(new.rows("sk")) == len(old.rows("sk")) + 1
    before, whole, again = (
        score(tmp_path, old),
        score(tmp_path, new),
        score(tmp_path, new, items_of=old),
    )
    values = [[figure.value for figure in each.figures] for each in (before, whole, again)]
    assert values[2] == values[0]
    assert values[1] != values[0]
    assert again.manifest["items_missing"] == {"sk": 0}
    mark = f"|items:1.0.0:{old.sums_sha256}|"
    assert all(mark in each for each in again.manifest["signatures"])
    assert all("|items:all|" in each for each in whole.manifest["signatures"])
    assert len({each.folder for each in (before, whole, again)}) == 3


def test_what_was_changed_or_removed_since_is_counted(store: Store, tmp_path: Path) -> None:
    old = build(store, tmp_path, "1.0.0")
    edited = {"masculine": "Som citlivý.", "feminine": "Som citlivá."}
    decide(store, PAIR, DecisionAction.EDIT, variants=edited)
    decide(store, NEUTRAL[1], DecisionAction.REJECT)
    approve(store, "sk")
    new = build(store, tmp_path, "2.0.0")
    found = select_older_items(new, old, ("sk",))
    assert [row.id for row in found.rows] == [NEUTRAL[0].id, NEUTRAL[3].id]
    assert found.missing == {"sk": 2}
    assert score(tmp_path, new, items_of=old).manifest["items_missing"] == {"sk": 2}


def test_nothing_in_common_is_refused(store: Store, tmp_path: Path) -> None:
    old = build(store, tmp_path, "1.0.0")
    edited = replace(NEUTRAL[0], variants={"neutral": "nič"})
    for each in (PAIR, edited, NEUTRAL[1], NEUTRAL[3]):
        decide(store, each, DecisionAction.REJECT)
    decide(store, NEUTRAL[2], DecisionAction.ACCEPT)
    approve(store, "sk")
    new = build(store, tmp_path, "2.0.0")
    with pytest.raises(
        ReleaseError, match=r"no item of sk as it is in 1\.0\.0; score release 1\.0\.0"
    ):
        select_older_items(new, old, ("sk",))
    with pytest.raises(ReleaseError, match="has no language en"):
        select_older_items(new, old, ("en",))
