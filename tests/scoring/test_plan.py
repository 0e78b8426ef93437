"""What is to be scored is checked before a model is asked; what a language lacks is said."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from scored_releases import ask_for, build_small_release
from toy_engine import ToyEngine

from corpus.errors import InputError, ReleaseError
from corpus.release import Release
from corpus.stereotypes import parse_inventory
from scoring.plan import ItemChoice, plan_items
from scoring.scores import score_release

SMALL = b"""
name = "two"
stereotypes = [
  { id = 1, pole = "feminine", name = "emotional" },
  { id = 9, pole = "masculine", name = "strong" },
]
"""


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return build_small_release(tmp_path_factory.mktemp("plan"))


def test_a_language_without_templates_is_refused(release: Release, tmp_path: Path) -> None:
    moved = replace(release, path=shutil.copytree(release.path, tmp_path / "moved"))
    templates = moved.path / "templates" / "sk.json"
    templates.write_text("{", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(ReleaseError, match=r"sk\.json cannot be read as templates") as caught:
            plan_items(moved, ("en", "sk"), ItemChoice())
        assert "\n" not in str(caught.value)
        templates.unlink(missing_ok=True)


def test_a_stereotype_that_the_inventory_lacks_is_refused_before_a_model_is_asked(
    release: Release, tmp_path: Path
) -> None:
    engine, request = ToyEngine(), ask_for(release)
    other = replace(request, inventory=parse_inventory(SMALL, "two.toml"))
    with pytest.raises(InputError) as caught:
        score_release(engine, other, tmp_path)
    assert [fault.problem for fault in caught.value.faults] == [
        f"stereotype {number} is not in the inventory two" for number in (2, 3, 8, 16)
    ]
    assert engine.scored == []
    assert list(tmp_path.iterdir()) == []


def test_a_language_without_all_stereotypes_says_so_and_has_no_g_s(
    release: Release, tmp_path: Path
) -> None:
    result = score_release(ToyEngine(), ask_for(release), tmp_path)
    assert set(result.manifest["stereotypes_missing"]) == {"en", "sk"}
    assert result.manifest["stereotypes_missing"]["en"] == [4, 5, 6, 7, 10, 11, 12, 13, 14, 15]
    ratios = [figure for figure in result.figures if figure.name == "g_s"]
    assert ratios
    assert all((each.value, each.reason) == (None, "missing_stereotype") for each in ratios)


def test_a_language_without_any_row_is_a_gap(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = Release.rows
    monkeypatch.setattr(
        Release, "rows", lambda this, code: rows(this, code) if code == "en" else []
    )
    result = score_release(ToyEngine(), ask_for(release), tmp_path)
    assert result.gaps == {"sk": "The release has no row of this language that can be scored."}
    assert result.manifest["languages"] == ["en"]
