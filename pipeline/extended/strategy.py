"""Strategy `extended`: the default way to tell pairs, neutral sentences and what is neither."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pipeline.extended.classification import classify
from pipeline.extended.knowledge import Knowledge, load_knowledge
from pipeline.extended.learning import learn
from pipeline.extended.repair import repair
from pipeline.extracted import pair_extracted
from pipeline.extraction import extract_sentence
from pipeline.pairing_result import PairingResult

_VERSION = "2"

WrappedPair = tuple[str | None, str | None]
"""Masculine and feminine wrapped translation of one source; None where there is none."""


@dataclass(frozen=True, slots=True)
class ExtendedStrategy:
    """Any number of words may differ if each is the same word in another gender.

    Knows the languages' tables; `prepare` adds what a language's own translations show. Repair
    builds on that; unprepared it knows no counterparts.
    """

    knowledge: Knowledge | None = None
    """Of the language it was prepared for; None before."""
    repairs: bool = False
    """Whether a missing variant is built from the other one."""

    name = "extended"

    @property
    def version(self) -> str:
        """`2`, or `2+repair`."""
        return f"{_VERSION}+repair" if self.repairs else _VERSION

    def prepare(
        self, language: str, pairs: Iterable[WrappedPair], *, wrapped: bool = True
    ) -> ExtendedStrategy:
        """This strategy with what the translations of a language teach, whatever their order."""
        bare = (_extract_both(language, *pair) for pair in pairs) if wrapped else pairs
        sentences = [
            (masculine, feminine)
            for masculine, feminine in bare
            if masculine is not None and feminine is not None
        ]
        return replace(self, knowledge=learn(language, sentences))

    def pair(
        self, language: str, masculine_wrapped: str | None, feminine_wrapped: str | None
    ) -> PairingResult:
        """The label of two wrapped translations."""
        return pair_extracted(
            language, masculine_wrapped, feminine_wrapped, partial(self.compare, language)
        )

    def compare(
        self,
        language: str,
        masculine: str,
        feminine: str,
        evidence: dict[str, Any] | None = None,
    ) -> PairingResult:
        """The label of two sentences without wrappers."""
        knowledge = self._knowledge_of(language)
        found = classify(knowledge, masculine, feminine, evidence)
        return repair(knowledge, found) if self.repairs else found

    def _knowledge_of(self, language: str) -> Knowledge:
        if self.knowledge is not None and self.knowledge.language == language:
            return self.knowledge
        return load_knowledge(language)


def compare_sentences(language: str, masculine: str, feminine: str) -> PairingResult:
    """The label of two sentences without wrappers, by the language's table alone."""
    return ExtendedStrategy().compare(language, masculine, feminine)


def _extract_both(
    language: str, masculine: str | None, feminine: str | None
) -> tuple[str | None, str | None]:
    if not masculine or not feminine:
        return None, None
    return extract_sentence(masculine, language).text, extract_sentence(feminine, language).text
