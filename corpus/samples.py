"""The bundled sample: 64 source sentences and recorded translations in four languages."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

SAMPLE_LANGUAGES = ("es", "sk", "sv", "tr")
"""Two languages that mark the speaker's gender (Spanish, Slovak) and two that do not."""


def sentences_path() -> Path:
    """Path of the sample's source sentences, columns `sentence,stereotype`."""
    return _sample_folder() / "sentences.csv"


def translation_paths() -> dict[str, Path]:
    """Path of the recorded translations of each language code, columns `source,translation`."""
    folder = _sample_folder()
    return {code: folder / f"translations_{code}.csv" for code in SAMPLE_LANGUAGES}


def _sample_folder() -> Path:
    return Path(str(files("corpus"))) / "sample"
