"""Alignment: which words of two sentences stand for each other.

Word order must be equal, so words are aligned by place; what this module adds is telling a changed
order, whose words are all there, from other words.
"""

from __future__ import annotations

from collections import Counter

from pipeline.extended.exchanges import Exchanges, GenderExchange
from pipeline.extended.words import Sentence


def find_differing(masculine: Sentence, feminine: Sentence) -> list[int] | None:
    """Places whose words differ, None where the numbers of words do."""
    if len(masculine.words) != len(feminine.words):
        return None
    pairs = enumerate(zip(masculine.words, feminine.words, strict=True))
    return [index for index, (first, second) in pairs if first.form != second.form]


def has_moved(
    exchanges: Exchanges, masculine: Sentence, feminine: Sentence, differing: list[int]
) -> bool:
    """Whether the differing words are the same ones in another order, gender apart."""
    left = Counter(masculine.words[index].form for index in differing)
    right = Counter(feminine.words[index].form for index in differing)
    shared = left & right
    if not shared:
        return False
    left, right = left - shared, right - shared
    for form in sorted(left.elements()):
        partner = next(
            (other for other in sorted(right) if _exchanged(exchanges, form, other)), None
        )
        if partner is None:
            return False
        right -= Counter([partner])
    return True


def _exchanged(exchanges: Exchanges, masculine: str, feminine: str) -> bool:
    return isinstance(exchanges.compare(masculine, feminine), GenderExchange)
