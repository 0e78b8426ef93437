"""`sectors score --control occupations` beside the sectors, as a user starts it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus.occupations import load_occupations
from corpus.sector_files import load_sector_languages
from engines.tiny_model import build_tiny_masked_model
from tests.command_line import run_here

pytestmark = pytest.mark.slow


def test_the_control_of_a_model_is_scored_and_drawn_beside_its_sectors(tmp_path: Path) -> None:
    of_sectors = {s.text for each in load_sector_languages(["en"]) for s in each.build_sentences()}
    of_control = {s.text for each in load_occupations(["en"]) for s in each.build_sentences()}
    texts = sorted(of_sectors | of_control)
    model = build_tiny_masked_model(tmp_path / "river", texts)
    workspace = tmp_path / "study"
    assert run_here("init", workspace, "--name", "S").code == 0
    with (workspace / "stereoscope.toml").open("a", encoding="utf-8") as settings:
        settings.write("draws = 100\n")
    score = ("sectors", "score", "-m", model, "-l", "en", "-w", workspace)
    assert run_here(*score).code == 0
    ended = run_here(*score, "--control", "occupations")
    assert ended.code == 0, ended.text
    assert "Control: occupations with river" in ended.out
    assert "no measure of stereotypes" in ended.message
    (path,) = workspace.glob("results/occupations/*/manifest.json")
    manifest = json.loads(path.read_text(encoding="utf-8"))
    assert manifest["status"] == {"en": "unreviewed"}
    assert len(list(workspace.glob("results/sectors/*/manifest.json"))) == 1
    out = tmp_path / "out"
    ended = run_here("sectors", "figures", "-o", out, "-w", workspace, "--format", "svg")
    assert ended.code == 0, ended.text
    assert {each.name for each in out.iterdir()} == {
        "distributions.svg", "occupations.svg", "sb-rb.svg",
    }  # fmt: skip
