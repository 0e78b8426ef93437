"""Strategy `strict`: the rule of the EuroGEST paper on carefully extracted sentences.

Identical texts are neutral, one word that differs by at most two letters makes a pair, everything
else is discarded. Punctuation, case and spelling variants of the same characters mark no gender and
never make a difference.

Source: Rowe et al. 2025 (EuroGEST), section on pairing. As in the paper, an identical text is
called neutral without looking for gender in it; engines that ignore the wrapper make some of these
wrong, which a detector of the speaker's gender has to find.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from corpus.words import split_words
from pipeline import reasons
from pipeline.extracted import pair_extracted
from pipeline.normalisation import count_differing_letters, normalise
from pipeline.pairing_result import (
    PairingResult,
    build_discarded,
    build_neutral,
    build_pair,
    describe_differences,
)

_MAX_LETTERS = 2

SPELLING_FLAG = "spelling"
"""Flag of a neutral sentence whose two texts differ in punctuation or case; the masculine
wrapper's text is kept."""


class StrictStrategy:
    """One word, two letters, and nothing but the sentence itself is compared."""

    name = "strict"
    version = "2"

    def prepare(
        self,
        language: str,
        pairs: Iterable[tuple[str | None, str | None]],
        *,
        wrapped: bool = True,
    ) -> StrictStrategy:
        """Itself: the rule is the same in every language."""
        return self

    def pair(
        self, language: str, masculine_wrapped: str | None, feminine_wrapped: str | None
    ) -> PairingResult:
        """The paper's label for two wrapped translations in a language."""
        return pair_extracted(language, masculine_wrapped, feminine_wrapped, compare_sentences)

    def compare(self, language: str, masculine: str, feminine: str) -> PairingResult:
        """The paper's label for two sentences without a wrapper."""
        return compare_sentences(masculine, feminine)


def compare_sentences(
    masculine: str, feminine: str, evidence: Mapping[str, Any] | None = None
) -> PairingResult:
    """The paper's label for two sentences without a wrapper, with `evidence` and what differs."""
    found = evidence or {}
    if normalise(masculine) == normalise(feminine):
        return build_neutral(masculine, reasons.IDENTICAL, evidence=found)
    masculine_words, feminine_words = split_words(masculine), split_words(feminine)
    if len(masculine_words) != len(feminine_words):
        return build_discarded(masculine, feminine, reasons.WORD_COUNT, found)
    pairs = zip(masculine_words, feminine_words, strict=True)
    differing = [(m, f) for m, f in pairs if m.form != f.form]
    if not differing:
        return build_neutral(masculine, reasons.IDENTICAL, (SPELLING_FLAG,), found)
    found = {**found, "differences": describe_differences(differing)}
    if len(differing) > 1:
        return build_discarded(masculine, feminine, reasons.SEVERAL_WORDS, found)
    if count_differing_letters(differing[0][0].form, differing[0][1].form) > _MAX_LETTERS:
        return build_discarded(masculine, feminine, reasons.LETTERS, found)
    return build_pair(masculine, feminine, reasons.INFLECTION, evidence=found)
