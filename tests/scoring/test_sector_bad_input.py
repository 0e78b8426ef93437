"""What `sectors score` refuses, by name and before anything is stored."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import corpus
from corpus.sector_files import load_sector_languages
from engines.tiny_model import build_tiny_masked_model
from tests.command_line import run_here


@pytest.fixture(scope="module")
def english_only(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A masked model that knows the words of the English sentences and no others."""
    (english,) = load_sector_languages(["en"])
    texts = [one.text for one in english.build_sentences()]
    return build_tiny_masked_model(tmp_path_factory.mktemp("models") / "english", texts)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    assert run_here("init", folder, "--name", "Sectors").code == 0
    return folder


def refuse(workspace: Path, *arguments: str | Path) -> str:
    ended = run_here("sectors", "score", *arguments, "-w", workspace)
    assert ended.code == 1, ended.text
    assert not list(workspace.glob("results/sectors/**/*.*"))
    return ended.message


def test_a_model_without_a_mask_token_is_refused(
    english_only: Path, workspace: Path, tmp_path: Path
) -> None:
    bare = Path(shutil.copytree(english_only, tmp_path / "bare"))
    for name in ("tokenizer_config.json", "special_tokens_map.json"):
        file = bare / name
        if file.exists():
            told = json.loads(file.read_text(encoding="utf-8"))
            told.pop("mask_token", None)
            file.write_text(json.dumps(told), encoding="utf-8")
    assert "bare has no mask token" in refuse(workspace, "-m", bare, "-l", "en")


def test_person_words_and_terms_that_become_unknown_are_named(
    english_only: Path, workspace: Path
) -> None:
    message = refuse(workspace, "-m", english_only, "-l", "en,pl")
    assert "does not know" in message
    assert "siostra" in message or "Ona" in message or "Ta kobieta" in message


def test_a_workforce_that_does_not_add_up_and_a_missing_term_are_named(
    english_only: Path, workspace: Path, tmp_path: Path
) -> None:
    brought = Path(corpus.__file__).parent
    table = tmp_path / "mine.toml"
    text = (brought / "workforce" / "study.toml").read_text(encoding="utf-8")
    table.write_text(text.replace("men = 75.78", "men = 70.78"), encoding="utf-8")
    message = refuse(workspace, "-m", english_only, "-l", "en", "--workforce", table)
    assert "[languages.en.secondary]: women and men sum to 95, not 100" in message
    data = Path(shutil.copytree(brought / "sectors", tmp_path / "sectors"))
    spanish = (data / "es.toml").read_text(encoding="utf-8")
    (data / "es.toml").write_text(spanish.replace("construction =", "building ="), "utf-8")
    message = refuse(workspace, "-m", english_only, "-l", "en", "--data", data)
    assert "es.toml [sectors.secondary]: 'construction' is missing" in message
    message = refuse(
        workspace, "-m", english_only, "-l", "en", "--data", data, "--workforce", table
    )
    assert "women and men sum to 95" in message
    assert "'construction' is missing" in message


def test_all_models_of_a_file_that_cannot_be_scored_are_named_before_one_is_loaded(
    english_only: Path, workspace: Path, tmp_path: Path
) -> None:
    file = tmp_path / "models.toml"
    file.write_text(
        f'[[models]]\nname = "{english_only}"\nbos = "always"\n'
        f'[[models]]\nname = "{tmp_path / "nothing"}"\n',
        encoding="utf-8",
    )
    message = refuse(workspace, "--models", file, "-l", "en")
    assert "[models[1].bos]: not of sectors" in message
    assert "[models[2].name]" in message
    assert "Name one model with --model" in refuse(workspace)
    assert "Name one model with --model" in refuse(workspace, "-m", "a", "--models", file)


def test_a_control_that_is_none_or_whose_words_are_unknown_is_refused(
    english_only: Path, workspace: Path
) -> None:
    asked = ("-m", english_only, "-l", "en", "--control")
    assert "--control takes occupations, not jobs." in refuse(workspace, *asked, "jobs")
    message = refuse(workspace, *asked, "occupations", "--workforce", "study")
    assert "leave those out" in message
    # The model was made of the sentences about sectors and has no such letters in its pieces.
    message = refuse(workspace, "-m", english_only, "-l", "pl", "--control", "occupations")
    assert "does not know" in message
    assert not list(workspace.glob("results/occupations/**/*.json"))
