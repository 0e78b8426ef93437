"""What an answer says, and whether it begins with a text or holds it.

Compared without case and up to the end of a word.

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
_THOUGHTS_BEGIN = re.compile(r"<think>", re.IGNORECASE)
_THOUGHTS_END = re.compile(r"</think>", re.IGNORECASE)
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'"})


def find_said(answer: str) -> str | None:
    """What follows a reasoning model's thoughts, or the whole answer if it begins with none.

    Many models write `<think>…</think>` in front of what they say. The first tag may be missing,
    because some chat templates end with it.

    Returns:
        None if the answer ends within the thoughts.
    """
    before, closed, after = _split(answer, _THOUGHTS_END)
    outside, opened, _ = _split(before, _THOUGHTS_BEGIN)
    if opened and normalise(outside).strip(_UNSEEN + " "):
        return answer
    if closed:
        return after
    return None if opened else answer


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


def _split(text: str, tag: re.Pattern[str]) -> tuple[str, bool, str]:
    """What stands before the first such tag, whether there is one, and what stands after it."""
    before, *after = tag.split(text, maxsplit=1)
    return before, bool(after), "".join(after)


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
