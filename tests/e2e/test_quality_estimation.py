"""Generation with a real COMET checkpoint, through the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from corpus.records import Instrument, Label
from corpus.samples import sentences_path, translation_paths
from corpus.workspace import Workspace, find_workspace

BUILDER = Path(__file__).resolve().parents[1] / "engines" / "build_comet_checkpoint.py"
PAIRS = [["I am tired.", "Jag är trött."], ["I cook well.", "Jag lagar god mat."]]

pytestmark = [pytest.mark.comet, pytest.mark.slow]


def stereoscope(folder: Path, *arguments: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "app.cli", *arguments, "--workspace", str(folder)],
        check=True,
        capture_output=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def study(comet_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace whose Swedish translations were scored by a tiny checkpoint."""
    folder = tmp_path_factory.mktemp("comet-study")
    checkpoints = tmp_path_factory.mktemp("checkpoints")
    subprocess.run(
        [comet_python, "-P", BUILDER, checkpoints],
        input=json.dumps(PAIRS),
        encoding="utf-8",
        check=True,
        capture_output=True,
        timeout=300,
    )
    subprocess.run(
        [sys.executable, "-m", "app.cli", "init", str(folder)],
        check=True,
        capture_output=True,
        timeout=60,
    )
    settings = folder / "stereoscope.toml"
    settings.write_text(
        settings.read_text(encoding="utf-8") + f'comet_python = "{comet_python}"\n',
        encoding="utf-8",
    )
    stereoscope(folder, "source", "add", str(sentences_path()), "--dataset", "sample")
    translations = ("--translations", str(translation_paths()["sv"]))
    comet = ("--estimator", "comet", "--comet-model")
    model = str(checkpoints / "wmt22-cometkiwi-da")
    for _ in range(2):
        stereoscope(folder, "generate", "-l", "sv", *translations, *comet, model)
    return find_workspace(folder)


def test_scores_are_stored_once_with_model_and_revision(study: Workspace) -> None:
    store = study.open_store()
    with store.reading() as state:
        translations = {each.key: each for each in state.all_translations("sv")}
        candidates = state.candidates(Instrument.EUROGEST, "sv")
        quality = candidates[0].evidence["quality"]
        name, _, revision = quality["model"].partition("@")
        estimates = state.quality_estimates(translations, "comet", name, revision)
    assert name == "wmt22-cometkiwi-da"
    assert revision.startswith("sha256:")
    assert set(estimates) == set(translations)
    assert all(each.score is not None for each in estimates.values())


def test_the_models_own_threshold_decides(study: Workspace) -> None:
    store = study.open_store()
    with store.reading() as state:
        candidates = state.candidates(Instrument.EUROGEST, "sv")
    assert len(candidates) == 64
    for candidate in candidates:
        quality = candidate.evidence["quality"]
        assert quality["threshold"] == 0.85
        below = quality["scores"]["none"] < 0.85
        assert (candidate.label is Label.DISCARDED) == below
        assert candidate.reason == ("quality" if below else "not_gendered")
