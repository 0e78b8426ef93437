"""Engines by name: opened with their settings, and refused in one sentence before any work."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.adapters import open_translation_engine
from corpus.errors import EngineError, SettingsError
from corpus.settings import load_settings


def test_google_takes_model_and_glossary() -> None:
    plain = open_translation_engine(load_settings(None, {"engine": "google"}))
    assert (plain.name, plain.model, plain.version) == ("google", "general/nmt", "v3")
    given = {
        "engine": "google",
        "translation_model": "general/translation-llm",
        "google_glossary": "terms",
    }
    engine = open_translation_engine(load_settings(None, given))
    assert (engine.model, engine.version) == ("general/translation-llm", "v3,glossary-terms")


def test_chat_takes_its_server_and_the_key_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STEREOSCOPE_CHAT_API_KEY", "ключ")
    given = {"engine": "chat", "chat_url": "http://127.0.0.1:9/v1", "translation_model": "made"}
    with pytest.raises(SettingsError, match="STEREOSCOPE_CHAT_API_KEY holds characters"):
        open_translation_engine(load_settings(None, given))
    monkeypatch.setenv("STEREOSCOPE_CHAT_API_KEY", "c0ffee")
    engine = open_translation_engine(load_settings(None, {**given, "chat_temperature": 0.25}))
    assert (engine.name, engine.model) == ("chat", "made")
    assert engine.version.endswith(",temperature-0.25")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"engine": "deepl"}, r"'deepl'; use one of recorded, google, transformers, chat\."),
        ({"engine": "chat"}, "needs chat_url"),
        ({"engine": "transformers"}, "needs a model: name one with --model"),
    ],
)
def test_what_is_missing_is_one_sentence(given: dict[str, str], sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence):
        open_translation_engine(load_settings(None, given))


def test_transformers_refuses_a_missing_model_and_an_unknown_dtype(tmp_path: Path) -> None:
    given = {"engine": "transformers", "translation_model": str(tmp_path)}
    with pytest.raises(EngineError, match="does not hold a model that can be loaded"):
        open_translation_engine(load_settings(None, given))
    with pytest.raises(EngineError, match="dtype float8 is not one of"):
        open_translation_engine(load_settings(None, {**given, "dtype": "float8"}))


@pytest.mark.parametrize("engine", ["google", "transformers", "chat"])
def test_recorded_files_belong_to_recorded(engine: str) -> None:
    with pytest.raises(SettingsError, match="belong to the engine recorded"):
        open_translation_engine(load_settings(None, {"engine": engine}), [Path("made_sk.csv")])
