"""Telling the narrator from the sentence: which words are a narrator, and which texts hold one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from corpus.narrators import NarratorPart, Narrators, load_narrators

_WORD = re.compile(r"\w+")
_SEGMENT_ENDS = re.compile(r"[,;:–—―!?.…\"“”„«»‹›\n]+|\s-\s?|\s['‘‚]|['’]\s")
_MAX_WORDS = 6
_UNTRANSLATED = "en"
"""Engines leave the narrator in the source's language now and then."""


@dataclass(frozen=True, slots=True)
class Narration:
    """The narrators that may stand around a sentence in one language."""

    languages: tuple[Narrators, ...]
    """The language's own and the untranslated ones; none if the language is not known."""
    elisions: tuple[str, ...]

    @property
    def known(self) -> bool:
        """Whether there are narrators to recognise."""
        return bool(self.languages)

    def judge(self, words: Sequence[str]) -> NarratorPart:
        """What these words, case folded, are of a narrator in one of the languages."""
        if not 0 < len(words) <= _MAX_WORDS:
            return NarratorPart.NONE
        parts = [narrators.judge(words) for narrators in self.languages]
        for part in (NarratorPart.WHOLE, NarratorPart.SPEAKER, NarratorPart.SAYING):
            if part in parts:
                return part
        return NarratorPart.NONE

    def holds_narrator(self, text: str, *, at_start: bool) -> bool:
        """Whether a stretch of the text between punctuation marks is a whole narrator.

        Args:
            text: what was taken for a sentence.
            at_start: whether words that go on without a punctuation mark count too, as in
                "The man said that he was tired".
        """
        words = fold_words(text)
        if all(narrators.nouns.isdisjoint(words) for narrators in self.languages):
            return False
        if any(
            self.judge(fold_words(segment)) is NarratorPart.WHOLE
            for segment in _SEGMENT_ENDS.split(text)
        ):
            return True
        beginnings = range(2, min(len(words), _MAX_WORDS) + 1) if at_start else ()
        return any(self.judge(words[:count]) is NarratorPart.WHOLE for count in beginnings)


@cache
def find_narration(language: str | None) -> Narration:
    """The narrators of a language; none if it is not known."""
    known = load_narrators()
    if language is None or language not in known:
        return Narration((), ())
    codes = dict.fromkeys((language, _UNTRANSLATED))
    return Narration(tuple(known[code] for code in codes), known[language].elisions)


def fold_words(text: str) -> list[str]:
    """The words of a text in their order, case folded."""
    return [word.casefold() for word in _WORD.findall(text)]
