"""The comparison form of a text: what two texts must share to count as the same.

Only ever used to compare; what is stored and shown is the original.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from corpus.hashing import nfc

_QUOTE_FORMS = str.maketrans(
    {
        **dict.fromkeys("„“”‟«»＂", '"'),
        **dict.fromkeys("‚‘’‛‹›`´ʼ", "'"),
    }
)
_SPACES = re.compile(r"[\s\u200b\ufeff]+")
# A word starts and ends with a letter or digit (or its combining mark) and may hold anything but
# spaces between: l'uomo and ex-muž are one word, the dash in "a – b" is none.
_WORD = re.compile(r"\w(?:\S*\w)?[\u0300-\u036f]*")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text: as written, where, and in the form that is compared."""

    text: str
    start: int
    """Code points from the start of the text; `end` is the first one after the word."""
    end: int
    form: str
    """NFC, straight apostrophes, case folded."""


def normalise(text: str) -> str:
    """The text in NFC, with single spaces, straight quotes and a small first letter."""
    form = _SPACES.sub(" ", nfc(text).translate(_QUOTE_FORMS)).strip()
    for index, character in enumerate(form):
        if character.isalpha():
            return f"{form[:index]}{character.lower()}{form[index + 1 :]}"
    return form


def split_words(text: str) -> tuple[Word, ...]:
    """The words of a text in their order, punctuation left out."""
    # One translation of the whole text: word by word it would take most of pairing's time.
    straight = text.translate(_QUOTE_FORMS)
    return tuple(
        Word(match[0], *match.span(), nfc(straight[match.start() : match.end()].casefold()))
        for match in _WORD.finditer(text)
    )


def count_differing_letters(first: str, second: str) -> int:
    """Letters that differ in place, the difference in length counted, case ignored; 0 or more.

    Source: the rule of EuroGEST's paper (at most two letters), counted as its published code does.
    """
    length = abs(len(first) - len(second))
    pairs = zip(first, second, strict=False)
    return length + sum(a.casefold() != b.casefold() for a, b in pairs)
