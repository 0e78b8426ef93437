"""The bundled sample: 64 source sentences and translations in four languages; 12 prompt tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

SAMPLE_LANGUAGES = ("es", "sk", "sv", "tr")
"""Two languages that mark the speaker's gender (Spanish, Slovak) and two that do not."""


def sentences_path() -> Path:
    """Path of the sample's source sentences, columns `sentence,stereotype`."""
    return _sample_folder() / "sentences.csv"


def translation_paths() -> dict[str, Path]:
    """Path of the recorded translations of each language code, columns `source,translation`."""
    folder = _sample_folder()
    return {code: folder / f"translations_{code}.csv" for code in SAMPLE_LANGUAGES}


def prompt_paths() -> tuple[Path, ...]:
    """Paths of the sample's prompt templates in two languages and of their requirements."""
    folder = _sample_folder() / "prompts"
    return (*sorted(folder.glob("prompts_*.csv")), folder / "requirements.json")


@lru_cache(maxsize=1)
def prompt_answers() -> Mapping[str, Any]:
    """Recorded `translations` (English → Spanish) and `paraphrases` (Spanish → texts)."""
    path = _sample_folder() / "prompts" / "answers_es.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _sample_folder() -> Path:
    return Path(str(files("corpus"))) / "sample"
