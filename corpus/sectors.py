"""Sentences of the instrument sectors: a person word with a gender, a term of an economic sector.

A language's data are templates with the places `{target}` (the person word) and `{attribute}` (the
term), pairs of a feminine and a masculine person word, and terms of three sectors. Pairs, terms and
templates that do not show the gender have ids that all languages share, so that languages are
compared in the same things.

Reading and checking the files is the work of `sector_files`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from corpus.hashing import sha256_json

TARGET = "{target}"
ATTRIBUTE = "{attribute}"
DOTTED_I = ("az", "tr")
"""Languages whose capital of i is İ; that of ı is I in all."""
UNREVIEWED = "unreviewed"
"""Status of sentences that no person but their authors has judged."""


class Sector(StrEnum):
    """An economic sector, as statistics of employment divide them."""

    PRIMARY = "primary"
    """Agriculture, forestry and fishing."""
    SECONDARY = "secondary"
    """Industry: mining, manufacturing, construction and supply of energy and water."""
    TERTIARY = "tertiary"
    """Services."""


class TermForm(StrEnum):
    """The gender that the form of a control's term has, in place of a sector."""

    MASCULINE = "masculine_form"
    FEMININE = "feminine_form"
    COMMON = "one_form"
    """One form for all, as in English."""


class Gender(StrEnum):
    """The gender of a person word."""

    FEMININE = "feminine"
    MASCULINE = "masculine"


class WordKind(StrEnum):
    """What a pair of person words is."""

    PRONOUN = "pronoun"
    KINSHIP = "kinship"
    NOUN = "noun"
    """A neutral noun with a gendered form: my female friend, my male friend."""


@dataclass(frozen=True, slots=True)
class SectorTemplate:
    """A sentence with two places, in one wording or in one for each gender."""

    id: str
    shows_gender: bool
    """Whether another word than the person word shows the gender, as Polish past tense does."""
    feminine: str
    masculine: str
    """The same text as `feminine` unless the template shows the gender."""


@dataclass(frozen=True, slots=True)
class PersonPair:
    """Two words for a person that differ in gender, with what stands before them."""

    id: str
    kind: WordKind
    feminine: str
    masculine: str


@dataclass(frozen=True, slots=True)
class SectorTerm:
    """A word for a branch of a sector, in the form that fits the language's templates."""

    id: str
    sector: Sector
    text: str
    grammatical_gender: str
    """Of the term itself: feminine, masculine, neuter; none where one form serves for all."""


@dataclass(frozen=True, slots=True)
class SectorSentence:
    """One sentence, and where its person word and its term stand in it."""

    language: str
    template: str
    shows_gender: bool
    pair: str
    kind: WordKind
    gender: Gender
    sector: Sector | TermForm
    """Its sector; of a sentence of the control the form of its term."""
    term: str
    text: str
    target: tuple[int, int]
    """First and behind the last character of the person word in `text`."""
    attribute: tuple[int, int]
    """The same of the term."""
    status: str = UNREVIEWED

    @property
    def key(self) -> str:
        """What tells the sentence apart from all others, never its text."""
        parts = (self.language, self.template, self.pair, self.gender, self.sector, self.term)
        return "/".join(parts)

    @property
    def target_text(self) -> str:
        """The person word as it stands in the sentence."""
        return self.text[slice(*self.target)]

    @property
    def attribute_text(self) -> str:
        """The term as it stands in the sentence."""
        return self.text[slice(*self.attribute)]


class SectorSentences(Protocol):
    """The sentences of one language, from its file or from a release."""

    @property
    def code(self) -> str:
        """ISO 639-1."""

    @property
    def title(self) -> str:
        """Name of the language."""

    @property
    def status(self) -> str:
        """What people have judged of the sentences."""

    @property
    def source(self) -> str:
        """Whose reading of the language they were made of."""

    @property
    def content_hash(self) -> str:
        """sha256 of all that the sentences are."""

    def build_sentences(self) -> Iterator[SectorSentence]:
        """All of them, always in the same order."""


@dataclass(frozen=True, slots=True)
class SectorLanguage:
    """What one language's sentences are made of."""

    code: str
    title: str
    status: str
    """`unreviewed` until people other than the authors have judged the sentences."""
    source: str
    """Whose reading of the language the data are."""
    templates: tuple[SectorTemplate, ...]
    pairs: tuple[PersonPair, ...]
    terms: tuple[SectorTerm, ...]
    is_draft: bool = False
    """Whether an engine translated it and no person has corrected the file yet."""

    def terms_of(self, sector: Sector) -> tuple[SectorTerm, ...]:
        """The terms of one sector, in the order of the file."""
        return tuple(term for term in self.terms if term.sector is sector)

    @property
    def content_hash(self) -> str:
        """sha256 of all that sentences are made of: for signatures."""
        templates = [[t.id, t.shows_gender, t.feminine, t.masculine] for t in self.templates]
        pairs = [[p.id, p.kind, p.feminine, p.masculine] for p in self.pairs]
        terms = [[t.id, t.sector, t.text] for t in self.terms]
        return sha256_json([self.code, templates, pairs, terms])

    def build_sentences(self) -> Iterator[SectorSentence]:
        """All sentences: templates × pairs × genders × terms, in that order."""
        for template in self.templates:
            for pair in self.pairs:
                for gender in Gender:
                    for term in self.terms:
                        yield self._build(template, pair, gender, term)

    def _build(
        self, template: SectorTemplate, pair: PersonPair, gender: Gender, term: SectorTerm
    ) -> SectorSentence:
        feminine = gender is Gender.FEMININE
        frame = template.feminine if feminine else template.masculine
        word = pair.feminine if feminine else pair.masculine
        text, spans = fill_places(frame, {TARGET: word, ATTRIBUTE: term.text}, self.code)
        return SectorSentence(
            language=self.code,
            template=template.id,
            shows_gender=template.shows_gender,
            pair=pair.id,
            kind=pair.kind,
            gender=gender,
            sector=term.sector,
            term=term.id,
            text=text,
            target=spans[TARGET],
            attribute=spans[ATTRIBUTE],
            status=self.status,
        )


def fill_places(
    frame: str, fillers: Mapping[str, str], language: str
) -> tuple[str, Mapping[str, tuple[int, int]]]:
    """The frame with its places filled, and where each filler stands in it.

    A filler at the very beginning gets a capital, as a sentence begins with one; each place stands
    in the frame once.
    """
    places: Sequence[str] = sorted(fillers, key=frame.index)
    text, end = "", 0
    spans: dict[str, tuple[int, int]] = {}
    for place in places:
        start = frame.index(place)
        text += frame[end:start]
        filler = fillers[place]
        if not text:
            filler = capitalise(filler, language)
        spans[place] = (len(text), len(text) + len(filler))
        text += filler
        end = start + len(place)
    return text + frame[end:], spans


def capitalise(word: str, language: str) -> str:
    """The word as a sentence of the language (ISO 639-1) begins with it.

    Letters of some scripts have upper-case forms that stand in titles in capitals alone (Georgian).
    """
    first = "İ" if word[:1] == "i" and language in DOTTED_I else word[:1].title()
    return first + word[1:]


def find_places(
    text: str, target: str, attribute: str, language: str
) -> Mapping[str, tuple[int, int]]:
    """Where the person word and the term stand in a sentence that somebody may have edited.

    Each is looked for as a whole word, as it is or with a capital.

    Raises:
        ValueError: saying which of them stands in it not once, or that they overlap.
    """
    spans: dict[str, tuple[int, int]] = {}
    problems = []
    for place, word in ((TARGET, target), (ATTRIBUTE, attribute)):
        forms = "|".join({re.escape(word), re.escape(capitalise(word, language))})
        found = [match.span() for match in re.finditer(rf"(?<!\w)(?:{forms})(?!\w)", text)]
        if len(found) != 1:
            problems.append(f"{word!r} stands {len(found)} times, not once")
        else:
            spans[place] = found[0]
    if not problems:
        (first, second) = sorted(spans.values())
        if first[1] > second[0]:
            problems.append(f"{target!r} and {attribute!r} overlap")
    if problems:
        raise ValueError(", ".join(problems))
    return spans


def read_group(value: str) -> Sector | TermForm:
    """The sector, or the form of a control's term, of this name.

    Raises:
        ValueError: if there is neither.
    """
    return Sector(value) if value in set(Sector) else TermForm(value)
