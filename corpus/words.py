"""Words of a text, and where two variants of a sentence differ."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from corpus.hashing import nfc
from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT

STRAIGHT_QUOTES = str.maketrans(
    {
        **dict.fromkeys("„“”‟«»＂", '"'),
        **dict.fromkeys("‚‘’‛‹›`´ʼ", "'"),
    }
)
"""Typographic quotation marks and apostrophes → the straight ones they are compared as."""
KEPT = 8192
"""Pairs whose spans are remembered: those of one language of a large release."""
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


def split_words(text: str) -> tuple[Word, ...]:
    """The words of a text in their order, punctuation left out."""
    # One translation of the whole text: word by word it would take most of pairing's time.
    straight = text.translate(STRAIGHT_QUOTES)
    return tuple(
        Word(match[0], *match.span(), nfc(straight[match.start() : match.end()].casefold()))
        for match in _WORD.finditer(text)
    )


def find_differences(
    masculine: str, feminine: str
) -> list[tuple[tuple[Word, ...], tuple[Word, ...]]]:
    """Words of both texts that stand for one another and differ; one side may be empty.

    Computed from the texts as they are, so it also fits texts that a curator edited.
    """
    first, second = split_words(masculine), split_words(feminine)
    matcher = SequenceMatcher(
        None, [word.form for word in first], [word.form for word in second], autojunk=False
    )
    return [
        (first[a:b], second[c:d]) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"
    ]


def find_gendered_spans(variants: Mapping[str, str]) -> dict[str, list[list[int]]]:
    """Variant → [start, end) of each word that marks the gender, in code points; {} without both.

    A word that only one variant has is marked in that one.
    """
    masculine, feminine = variants.get(MASCULINE_VARIANT), variants.get(FEMININE_VARIANT)
    if masculine is None or feminine is None:
        return {}
    spans = _find_spans_of_pair(masculine, feminine)
    names = (MASCULINE_VARIANT, FEMININE_VARIANT)
    return {name: [list(span) for span in found] for name, found in zip(names, spans, strict=True)}


# A release writes the rows of a language in three formats and compares them afterwards.
@lru_cache(maxsize=KEPT)
def _find_spans_of_pair(
    masculine: str, feminine: str
) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    blocks = find_differences(masculine, feminine)
    return (
        tuple((word.start, word.end) for words, _ in blocks for word in words),
        tuple((word.start, word.end) for _, words in blocks for word in words),
    )
