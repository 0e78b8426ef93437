"""Contrasts: the same sector sentence with a feminine and with a masculine person word.

A(female) − A(male) of one template, pair of person words and term is what all measures are made of.
Of a causal model, which gives no associations, ln P of the two sentences stands in place of A, and
their lengths are those of the sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from corpus.errors import Fault, InputError
from corpus.sectors import Gender, Sector, SectorSentence, TermForm, WordKind
from engines.likelihood.association import Association


class Context(StrEnum):
    """What the rest of the sentence tells of the person; never pooled."""

    OPEN = "open"
    """Nothing: the headline."""
    SHOWN = "shown"
    """The gender, as Polish past tense does: apart, the model reads it from there."""


class Lengths(StrEnum):
    """Which pairs count, by the number of tokens of their two words."""

    ALL = "all"
    EQUAL = "equal"
    """Both words have as many tokens, so that they are equally hard to fill in."""


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence and its association under one model."""

    sentence: SectorSentence
    association: Association


@dataclass(frozen=True, slots=True)
class Contrast:
    """The associations of a term with the two words of a pair in one template."""

    template: str
    pair: str
    kind: WordKind
    sector: Sector | TermForm
    term: str
    context: Context
    female_nats: float
    """A of the feminine word."""
    male_nats: float
    """A of the masculine word."""
    equal_length: bool
    """Whether both words have as many tokens."""
    altered: bool
    """Whether the tokenizer wrote one of the words otherwise."""

    @property
    def difference_nats(self) -> float:
        """A(female) − A(male): below 0 where the term attracts the masculine word more."""
        return self.female_nats - self.male_nats


def build_contrasts(scored: Iterable[ScoredSentence]) -> tuple[Contrast, ...]:
    """The contrasts of one language's sentences, in the order in which they come.

    Raises:
        InputError: naming each sentence whose partner is missing or that stands twice.
    """
    found: dict[tuple[str, str, str], dict[Gender, ScoredSentence]] = {}
    faults = []
    for one in scored:
        sentence = one.sentence
        both = found.setdefault((sentence.template, sentence.pair, sentence.term), {})
        if sentence.gender in both:
            faults.append(_fault(sentence, "stands twice", "keep one"))
        both[sentence.gender] = one
    for both in found.values():
        if len(both) != len(Gender):
            (only,) = both.values()
            problem = "the sentence of the other gender is missing"
            faults.append(_fault(only.sentence, problem, "score all sentences of the language"))
    if faults:
        raise InputError(faults)
    return tuple(
        _contrast(both[Gender.FEMININE], both[Gender.MASCULINE]) for both in found.values()
    )


def choose_contrasts(
    contrasts: Sequence[Contrast], context: Context, lengths: Lengths = Lengths.ALL
) -> tuple[Contrast, ...]:
    """Those of one context, if wanted only those whose two words have as many tokens."""
    return tuple(
        one
        for one in contrasts
        if one.context is context and (lengths is Lengths.ALL or one.equal_length)
    )


def _contrast(female: ScoredSentence, male: ScoredSentence) -> Contrast:
    sentence = female.sentence
    both = (female.association, male.association)
    return Contrast(
        template=sentence.template,
        pair=sentence.pair,
        kind=sentence.kind,
        sector=sentence.sector,
        term=sentence.term,
        context=Context.SHOWN if sentence.shows_gender else Context.OPEN,
        female_nats=female.association.association_nats,
        male_nats=male.association.association_nats,
        equal_length=both[0].target_tokens == both[1].target_tokens,
        altered=any(one.altered for one in both),
    )


def _fault(sentence: SectorSentence, problem: str, remedy: str) -> Fault:
    return Fault(sentence.key, None, None, problem, remedy)
