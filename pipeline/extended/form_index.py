"""Form index: which gender a single word form may show, by the endings and words of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from corpus.morphology import Agreement, Exchange, Morphology, WordKind, WordPair
from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT

_SAYS_TOO_LITTLE = frozenset({WordKind.NOUN, WordKind.PRONOUN, WordKind.ARTICLE})
"""Kinds whose single form follows its noun or is used of everybody."""


@dataclass(frozen=True, slots=True)
class FormReading:
    """What one form may show by itself."""

    gender: str
    """`masculine` or `feminine`."""
    agrees_with: Agreement
    counterpart: str
    """The same word in the other gender."""
    ending: str
    other: str
    """Its ending and the counterpart's; both words as a whole for a whole word."""
    whole_word: bool
    alone: bool
    """Whether the form is enough, or its word must have been seen to change with the speaker."""
    at_copula: bool
    """Whether the form is enough right after a copula of the speaker's."""


@dataclass(frozen=True, slots=True)
class _Ending:
    gender: str
    other: str
    minimal_stem: int
    agrees_with: Agreement
    alone: bool
    at_copula: bool


@dataclass(slots=True)
class FormIndex:
    """Readings of single forms; each form is looked up once."""

    words: Mapping[str, tuple[FormReading, ...]]
    endings: Mapping[str, tuple[_Ending, ...]]
    longest: int
    sided: Mapping[str, frozenset[str]]
    """Whole words of the table → genders they may show, of whomever."""
    articles: Mapping[str, FormReading]
    """Articles that show one gender, in the nominative."""
    noun_endings: Mapping[str, tuple[str, ...]]
    """Gender → endings of nouns derived for it."""
    _known: dict[str, tuple[FormReading, ...]] = field(default_factory=dict)

    def read(self, form: str) -> tuple[FormReading, ...]:
        """All readings of a form: whole words first, then by the length of the ending."""
        if form not in self._known:
            self._known[form] = self.words.get(form) or tuple(self._read_endings(form))
        return self._known[form]

    def agrees_with_subject(self, form: str) -> bool:
        """Whether a form shows the gender of its subject, whoever that is."""
        return any(each.agrees_with is Agreement.SUBJECT for each in self.read(form))

    def _read_endings(self, form: str) -> Iterable[FormReading]:
        for length in range(min(self.longest, len(form)), 0, -1):
            stem = form[: len(form) - length]
            for each in self.endings.get(form[-length:], ()):
                if len(stem) >= each.minimal_stem:
                    yield FormReading(
                        each.gender,
                        each.agrees_with,
                        stem + each.other,
                        form[-length:],
                        each.other,
                        whole_word=False,
                        alone=each.alone,
                        at_copula=each.at_copula,
                    )


def build_form_index(table: Morphology | None) -> FormIndex:
    """The forms that a table's exchanges and words give a gender; empty without a table."""
    words: dict[str, list[FormReading]] = {}
    endings: dict[str, list[_Ending]] = {}
    if table is None:
        return FormIndex({}, {}, 0, {}, {}, {})
    sided: dict[str, set[str]] = {}
    for pair in table.words:
        for gender, form, _ in _sides(pair):
            sided.setdefault(form, set()).add(gender)
        if _may_show_speaker(pair):
            for gender, form, other in _sides(pair):
                words.setdefault(form, []).append(_read_word(pair, gender, form, other))
    for each in table.exchanges:
        if _may_show_speaker(each):
            for gender, form, other in _sides(each):
                if form:
                    entry = _Ending(
                        gender,
                        other,
                        each.minimal_stem,
                        each.agrees_with,
                        each.alone,
                        each.alone or gender in each.at_copula,
                    )
                    endings.setdefault(form, []).append(entry)
    return FormIndex(
        {key: tuple(found) for key, found in words.items()},
        {key: tuple(found) for key, found in endings.items()},
        max(map(len, endings), default=0),
        {key: frozenset(found) for key, found in sided.items()},
        _find_articles(table),
        _find_noun_endings(table),
    )


def _find_articles(table: Morphology) -> dict[str, FormReading]:
    articles = [pair for pair in table.words if pair.kind is WordKind.ARTICLE]
    found: dict[str, FormReading] = {}
    # Of a form that is in two cases that of the nominative counts (der, of die and of dem).
    for pair in sorted(articles, key=lambda each: not each.predicate):
        for gender, form, other in _sides(pair):
            found.setdefault(form, _read_word(pair, gender, form, other))
    return found


def _find_noun_endings(table: Morphology) -> dict[str, tuple[str, ...]]:
    endings: dict[str, set[str]] = {MASCULINE_VARIANT: set(), FEMININE_VARIANT: set()}
    for each in table.exchanges:
        if each.kind is WordKind.NOUN and each.predicate:
            for gender, ending, other in _sides(each):
                if len(ending) > len(other):
                    endings[gender].add(ending)
    return {gender: tuple(sorted(found)) for gender, found in endings.items()}


def _read_word(pair: WordPair, gender: str, form: str, other: str) -> FormReading:
    return FormReading(
        gender, pair.agrees_with, other, form, other, whole_word=True, alone=True, at_copula=True
    )


def _may_show_speaker(entry: Exchange | WordPair) -> bool:
    if entry.agrees_with in (Agreement.SPEAKER, Agreement.OBJECT):
        return True
    if entry.agrees_with is Agreement.OTHER or not entry.predicate:
        return False
    return entry.agrees_with is Agreement.SUBJECT or entry.kind not in _SAYS_TOO_LITTLE


def _sides(entry: Exchange | WordPair) -> tuple[tuple[str, str, str], ...]:
    return (
        (MASCULINE_VARIANT, entry.masculine, entry.feminine),
        (FEMININE_VARIANT, entry.feminine, entry.masculine),
    )
