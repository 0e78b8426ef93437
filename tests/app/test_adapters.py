"""Engines by name: opened with their settings, and refused in one sentence before any work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.adapters import open_estimator, open_translation_engine
from corpus.errors import EngineError, SettingsError
from corpus.settings import load_settings
from engines.chat import ChatEngine, ChatSettings
from engines.comet import CometEstimator, CometSettings
from engines.google import GoogleEngine, GoogleSettings
from engines.quality_models import DEFAULT_MODEL
from engines.seq2seq import Seq2SeqSettings


def test_google_takes_all_its_settings() -> None:
    plain = open_translation_engine(load_settings(None, {"engine": "google"}))
    assert isinstance(plain, GoogleEngine)
    assert (plain.name, plain.model, plain.version) == ("google", "general/nmt", "v3")
    assert plain.settings == GoogleSettings()
    given = {
        "engine": "google",
        "translation_model": "general/translation-llm",
        "google_project": "gender-study",
        "google_location": "us-central1",
        "google_glossary": "terms",
        "google_code_points_per_request": 5000,
        "google_usd_per_million_characters": 10.0,
    }
    engine = open_translation_engine(load_settings(None, given))
    assert isinstance(engine, GoogleEngine)
    assert (engine.model, engine.version) == ("general/translation-llm", "v3,glossary-terms")
    assert engine.settings == GoogleSettings(
        project="gender-study",
        location="us-central1",
        model="general/translation-llm",
        glossary="terms",
        code_points_per_request=5000,
        usd_per_million_characters=10.0,
    )


def test_transformers_takes_all_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Seq2SeqSettings] = []
    monkeypatch.setattr("engines.seq2seq.open_seq2seq_engine", asked.append)
    given = {
        "engine": "transformers",
        "translation_model": "made/model",
        "device": "cuda:1",
        "dtype": "bfloat16",
        "transformers_beams": 2,
        "transformers_batch_size": 64,
        "transformers_new_tokens": 99,
    }
    open_translation_engine(load_settings(None, given))
    assert asked == [
        Seq2SeqSettings(
            "made/model",
            device="cuda:1",
            dtype="bfloat16",
            beams=2,
            texts_per_batch=64,
            new_tokens=99,
        )
    ]


def test_comet_takes_all_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CometEstimator, "start", lambda _: None)
    given = {
        "estimator": "comet",
        "comet_python": "/opt/comet/bin/python",
        "comet_batch_size": 64,
        "comet_gpus": 1,
    }
    with open_estimator(load_settings(None, given)) as estimator:
        assert isinstance(estimator, CometEstimator)
        assert estimator.settings == CometSettings(
            DEFAULT_MODEL, Path("/opt/comet/bin/python"), batch_size=64, gpus=1
        )


def test_chat_takes_its_server_and_the_key_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STEREOSCOPE_CHAT_API_KEY", "ключ")
    given: dict[str, Any] = {
        "engine": "chat",
        "chat_url": "http://127.0.0.1:9/v1",
        "translation_model": "made",
    }
    with pytest.raises(SettingsError, match="STEREOSCOPE_CHAT_API_KEY holds characters"):
        open_translation_engine(load_settings(None, given))
    monkeypatch.setenv("STEREOSCOPE_CHAT_API_KEY", "c0ffee")
    given |= {
        "chat_temperature": 0.25,
        "chat_texts_per_request": 7,
        "chat_json_schema": False,
    }
    engine = open_translation_engine(load_settings(None, given))
    assert isinstance(engine, ChatEngine)
    assert (engine.name, engine.model) == ("chat", "made")
    assert engine.version.endswith(",temperature-0.25")
    assert engine.settings == ChatSettings(
        "http://127.0.0.1:9/v1",
        "made",
        temperature=0.25,
        texts_per_request=7,
        json_schema=False,
    )


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
