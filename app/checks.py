"""Checks that a decision needs from another stage: whether two texts are a minimal pair."""

from __future__ import annotations

from corpus.records import Label
from pipeline.extended.strategy import compare_sentences
from pipeline.reasons import REASONS


def check_pair(language: str, masculine: str, feminine: str) -> str | None:
    """What keeps two texts from being a minimal pair, in words, or None if they are one.

    A `PairCheck` of `annotation.decisions`. The rule is that of the strategy `extended`, by the
    language's table: each word that differs is the same word in another gender.
    """
    found = compare_sentences(language, masculine, feminine)
    if found.label is Label.PAIR:
        return None
    if found.label is Label.NEUTRAL:
        return "both texts are the same sentence, so the label is neutral"
    return REASONS.get(found.reason, found.reason)
