"""Checks that a decision needs from another stage: whether two texts are a minimal pair."""

from __future__ import annotations

from corpus.records import Label
from pipeline.reasons import REASONS
from pipeline.strict import compare_sentences


def check_pair(language: str, masculine: str, feminine: str) -> str | None:
    """What keeps two texts from being a minimal pair, in words, or None if they are one.

    A `PairCheck` of `annotation.decisions`. The rule is that of the strategy `strict`, which is the
    same in every language: one word differs, by at most two letters.
    """
    found = compare_sentences(masculine, feminine)
    if found.label is Label.PAIR:
        return None
    if found.label is Label.NEUTRAL:
        return "both texts are the same sentence, so the label is neutral"
    return REASONS.get(found.reason, found.reason)
