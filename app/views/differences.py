"""Differing words of a minimal pair, marked within the plain text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT
from corpus.words import Word, find_differences

OPENING, CLOSING = "⟦", "⟧"
"""Stand around a differing word; plain characters, so that nothing has to be read as markup."""


@dataclass(frozen=True, slots=True)
class MarkedPair:
    """Two texts with their differing words marked, and those words alone."""

    masculine: str
    feminine: str
    differences: tuple[tuple[str, str], ...]
    """Masculine and feminine words that stand for one another; one side may be empty."""


def mark_pair(masculine: str, feminine: str) -> MarkedPair:
    """Both texts with marks around what differs, whatever the texts are.

    Computed from the texts as they are now, so it also fits edited ones.
    """
    blocks = find_differences(masculine, feminine)
    return MarkedPair(
        _mark(masculine, (word for words, _ in blocks for word in words)),
        _mark(feminine, (word for _, words in blocks for word in words)),
        tuple((_join(ours), _join(theirs)) for ours, theirs in blocks),
    )


def mark_variants(variants: Mapping[str, str]) -> MarkedPair | None:
    """The masculine and the feminine text of a candidate, marked; None unless it has both."""
    masculine, feminine = variants.get(MASCULINE_VARIANT), variants.get(FEMININE_VARIANT)
    return mark_pair(masculine, feminine) if masculine and feminine else None


def _mark(text: str, words: Iterable[Word]) -> str:
    parts: list[str] = []
    at = 0
    for word in words:
        parts += [text[at : word.start], OPENING, word.text, CLOSING]
        at = word.end
    return "".join([*parts, text[at:]])


def _join(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)
