"""Keys and content hashes: the same content gives the same sha256 on every machine."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from corpus.errors import Fault


def sha256_text(text: str) -> str:
    """Hex sha256 of the UTF-8 bytes of `text`."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def sha256_bytes(data: bytes) -> str:
    """Hex sha256 of `data`."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path) -> str:
    """Hex sha256 of a file's bytes, read in blocks."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        for block in iter(lambda: stream.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def canonical_json(value: Any) -> str:
    """JSON with sorted keys, no spaces and literal Unicode: one text for one value."""
    return _ENCODER.encode(value)


_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))
"""Made once: making one takes longer than writing a short text with it."""


def sha256_json(value: Any) -> str:
    """Hex sha256 of the canonical JSON of `value`."""
    return sha256_text(canonical_json(value))


def translation_key(text: str, language: str, engine: str, model: str, version: str) -> str:
    """Key of a paid translation: the exact text sent, target language and what translated it."""
    return sha256_json([text, language, engine, model, version])


def content_hash(instrument: str, language: str, label: str, variants: dict[str, str]) -> str:
    """Hash of what a decision is made on: instrument, language, label, variants as stored."""
    return sha256_json([instrument, language, label, variants])


def combined_hash(parts: Iterable[str]) -> str:
    """Hash of a set of strings, whatever their order."""
    return sha256_json(sorted(parts))


def nfc(text: str) -> str:
    """The text in Unicode normal form C, otherwise unchanged."""
    return unicodedata.normalize("NFC", text)


def unstorable(text: str) -> str | None:
    """What keeps a text from being stored (lone surrogate, NUL), or None if nothing does."""
    for character in text:
        if "\ud800" <= character <= "\udfff":
            return f"lone surrogate U+{ord(character):04X}"
        if character == "\x00":
            return "NUL character"
    return None


def unstorable_fault(text: str, file: str, row: int | None, field: str) -> Fault | None:
    """The fault to report for a text that cannot be stored, or None."""
    problem = unstorable(text)
    if problem is None:
        return None
    return Fault(file, row, field, f"text holds a {problem}", "remove the character")
