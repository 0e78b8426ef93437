"""The comparison form of a text: what two texts must share to count as the same.

Only ever used to compare; what is stored and shown is the original.
"""

from __future__ import annotations

import re

from corpus.hashing import nfc
from corpus.words import STRAIGHT_QUOTES

_SPACES = re.compile(r"[\s\u200b\ufeff]+")


def normalise(text: str) -> str:
    """The text in NFC, with single spaces, straight quotes and a small first letter."""
    form = _SPACES.sub(" ", nfc(text).translate(STRAIGHT_QUOTES)).strip()
    for index, character in enumerate(form):
        if character.isalpha():
            return f"{form[:index]}{character.lower()}{form[index + 1 :]}"
    return form


def count_differing_letters(first: str, second: str) -> int:
    """Letters that differ in place, the difference in length counted, case ignored; 0 or more.

    Source: the rule of EuroGEST's paper (at most two letters), counted as its published code does.
    """
    length = abs(len(first) - len(second))
    pairs = zip(first, second, strict=False)
    return length + sum(a.casefold() != b.casefold() for a, b in pairs)
