"""Whether an answer begins with a text or holds it: without case, up to the end of a word.

Deviations from the published tool: an expected value is a text and no pattern; marks in front of
the answer (spaces, quotation marks, emphasis) are passed over; apostrophes are one character.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import resources

from corpus.hashing import nfc

_MARKS_IN_FRONT = " \"'“”„«»‹›`*_#>([¿¡-"
_UNSEEN = "\ufeff\u200b\u2060"
"""Byte-order mark, space without width, word joiner: nobody sees them in front of an answer."""
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'"})


def normalise(text: str) -> str:
    """The text in NFC and small letters, with one kind of apostrophe and single spaces."""
    return " ".join(nfc(text).translate(_APOSTROPHES).casefold().split())


def begins_with(answer: str, values: Iterable[str]) -> str | None:
    """The first of the values that the answer begins with, or None."""
    whole = normalise(answer)
    bare = whole.lstrip(_MARKS_IN_FRONT + _UNSEEN)
    for value in values:
        pattern = _pattern(value)
        if pattern.match(whole) or pattern.match(bare):
            return value
    return None


def includes(answer: str, values: Iterable[str]) -> str | None:
    """The first of the values that the answer holds as whole words, or None."""
    whole = normalise(answer)
    return next((value for value in values if _pattern(value).search(whole)), None)


def is_refusal(answer: str, language: str) -> bool:
    """Whether the answer begins as a refusal does, in its language or in English.

    Args:
        answer: what the model said.
        language: language of the template, `es_es` or `es`.
    """
    phrases = _load_refusals()
    own = phrases.get(language.split("_")[0], ())
    return begins_with(answer, (*own, *phrases["en"])) is not None


def refusal_languages() -> tuple[str, ...]:
    """The languages whose own refusals are known."""
    return tuple(_load_refusals())


@cache
def _pattern(value: str) -> re.Pattern[str]:
    text = normalise(value)
    before = r"(?<!\w)" if re.match(r"\w", text) else ""
    after = r"(?!\w)" if re.search(r"\w$", text) else ""
    return re.compile(before + re.escape(text) + after)


@cache
def _load_refusals() -> dict[str, tuple[str, ...]]:
    text = (resources.files("corpus") / "refusals.toml").read_text(encoding="utf-8")
    return {language: tuple(each) for language, each in tomllib.loads(text)["phrases"].items()}
