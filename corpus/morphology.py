"""Morphology tables: by which words and endings a language shows whether a man or a woman speaks.

One file a language, `corpus/morphology/<code>.toml`, data and no code; docs/how-to describes the
keys. A language without a table is paired by what its own translations teach.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from corpus.errors import Fault, InputError
from corpus.hashing import nfc
from corpus.languages import load_languages
from corpus.toml_files import parse_toml

_STRAIGHT_APOSTROPHES = str.maketrans(dict.fromkeys("‚‘’‛‹›`´ʼ", "'"))


class WordKind(StrEnum):
    """What kind of word an exchange is about."""

    ADJECTIVE = "adjective"
    PARTICIPLE = "participle"
    VERB = "verb"
    NUMERAL = "numeral"
    PRONOUN = "pronoun"
    ARTICLE = "article"
    NOUN = "noun"
    """A noun and the noun derived from it for the other gender (študent, študentka)."""


class Agreement(StrEnum):
    """Whose gender a form shows."""

    SPEAKER = "speaker"
    """The form itself is first person (Polish byłem, byłam): always the speaker's."""
    SUBJECT = "subject"
    """The subject's: the speaker's only where the clause has a first-person cue."""
    OBJECT = "object"
    """A first-person object's (they left me alone): the speaker's only where the clause has one."""
    ANY = "any"
    """Of whatever it belongs to: the speaker, another person or a thing."""
    OTHER = "other"
    """Never the speaker's: words for other persons (he, she)."""


def _check_form(text: str) -> str:
    form = nfc(text.translate(_STRAIGHT_APOSTROPHES).casefold())
    if form != text:
        raise ValueError(f"not in the form that is compared: write {form!r}")
    if text != text.strip() or any(character.isspace() for character in text):
        raise ValueError("holds a space: an entry is one word or a part of one")
    return text


def _check_word(text: str) -> str:
    if not text:
        raise ValueError("an empty word")
    return text


Ending = Annotated[str, AfterValidator(_check_form)]
"""End of a word, small letters, NFC, straight apostrophes; may be empty."""
Word = Annotated[str, AfterValidator(_check_form), AfterValidator(_check_word)]
"""A word or the beginning of one, in the same form; never empty."""
Text = Annotated[str, AfterValidator(_check_word)]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Exchange(_Entry):
    """A masculine ending and the feminine one that takes its place on the same stem."""

    masculine: Ending
    feminine: Ending
    kind: WordKind
    agrees_with: Agreement = Agreement.ANY
    minimal_stem: int = Field(default=2, ge=0)
    """Letters that must stand before the ending in both words."""
    predicate: bool = True
    """Whether the form can be said of the speaker (I am a teacher); False for oblique cases, which
    belong to other persons, and for the speaker only beside a word for her or him."""
    alone: bool = True
    """Whether a single word with one of the endings may be taken for such a form; False for endings
    that many other words have (plural nouns in `y`): the word must have been seen to change."""
    at_copula: tuple[Literal["masculine", "feminine"], ...] = ()
    """Which of the two endings hardly another word has right after a copula of the speaker's: there
    the form is enough although `alone` is False."""
    example: tuple[Word, Word]


class WordPair(_Entry):
    """Two whole words, masculine and feminine: closed classes and irregular forms."""

    masculine: Word
    feminine: Word
    kind: WordKind
    agrees_with: Agreement = Agreement.ANY
    predicate: bool = True


class OtherExchange(_Entry):
    """Two endings (or whole words) whose exchange looks like one of gender and is none.

    It holds in both directions and is looked up before the exchanges of gender where both fit and
    its endings are at least as long.
    """

    first: Ending
    second: Ending
    reason: Literal["number", "aspect_or_tense", "synonym"]
    """`synonym` stands for case, person, degree and all other differences."""
    whole_word: bool = False
    kind: WordKind | None = None
    example: tuple[Word, Word]


class Aspect(_Entry):
    """How two verbs of one stem differ in aspect; only ever names the reason of a discard."""

    prefixes: tuple[Word, ...] = ()
    """With and without one of them, or with two different ones, are two aspects."""
    infixes: tuple[tuple[Ending, Ending], ...] = ()
    """Ends of the two stems before the ending of gender (`i`, `ova`)."""


class SubjectEndings(_Entry):
    """Ends of nouns that can be the subject of a singular verb of each gender."""

    masculine: tuple[Word, ...] = ()
    feminine: tuple[Word, ...] = ()


class Cues(_Entry):
    """Words from which whose form a form is can be told, and gender found in identical texts."""

    first_person: tuple[Word, ...] = ()
    """Words that make a clause the speaker's: `I`, auxiliaries of the first person singular."""
    first_person_endings: tuple[Word, ...] = ()
    """Endings of first-person verbs that hardly another word has."""
    first_person_objects: tuple[Word, ...] = ()
    """The speaker as an object (me)."""
    copulas: tuple[Word, ...] = ()
    """First-person words after which an adjective describes the speaker (I am, I feel)."""
    other_person: tuple[Word, ...] = ()
    """Words that make a clause somebody else's: he, who, nobody, a man, relative pronouns."""
    clause_starts: tuple[Word, ...] = ()
    """Conjunctions that start a clause without a comma before them."""
    nominalised_endings: tuple[Word, ...] = ()
    """Endings of adjectives that serve as nouns and show gender by their article alone (der Beste,
    el mejor)."""
    as_words: tuple[Word, ...] = ()
    """Words after which a role is named that the speaker has (as a leader)."""
    coordinators: tuple[Word, ...] = ()
    """Conjunctions after which the subject goes on (and, or): `tired and hungry`."""
    after_predicate: tuple[Word, ...] = ()
    """Words that may follow a predicate adjective (prepositions, conjunctions, adverbs): after
    another word it may belong to a noun (a good man), which shows nothing."""
    before_predicate: tuple[Word, ...] = ()
    """Words that may stand between copula and adjective (very, not, always)."""
    before_predicate_endings: tuple[Word, ...] = ()
    """Endings of such words, mostly of adverbs (financially strong)."""
    prepositions: tuple[Word, ...] = ()
    """Prepositions: what follows one is no subject, and may stand between copula and adjective."""
    pronouns: tuple[Word, ...] = ()
    """Pronouns in other cases than the nominative that follow prepositions (with it, for that)."""
    verb_endings: tuple[Word, ...] = ()
    """Endings of infinitives and other verbs that hardly a noun has: an adjective before such a
    word belongs to no noun after it (ready to help)."""
    oblique_endings: tuple[Word, ...] = ()
    """Endings of nouns, adjectives and pronouns in other cases than the nominative: such a word is
    no subject, and no nominative adjective belongs to it (faithful to the team)."""
    may_drop_subject: bool = False
    """Whether a past form without subject and auxiliary can be the speaker's (Ukrainian)."""
    subject_endings: SubjectEndings = SubjectEndings()
    """Which words may be the subject of such a form; without them, any that is nothing else."""


class Source(_Entry):
    """Where the table's content can be read."""

    work: Text
    section: Text
    used_for: Text
    citation: Literal["verified", "unverified"] = "unverified"


class Morphology(_Entry):
    """The table of one language."""

    language: Word
    reading: Text
    """Whose judgement the table is."""
    sources: tuple[Source, ...]
    word_breaks: str = ""
    """Characters after which a written word is split (French, Italian `'`; Maltese `-`)."""
    exchanges: tuple[Exchange, ...] = ()
    words: tuple[WordPair, ...] = ()
    person_nouns: tuple[Word, ...] = ()
    """Beginnings of masculine words for another person whose gender may follow the speaker's."""
    not_gender: tuple[OtherExchange, ...] = ()
    aspect: Aspect = Aspect()
    cues: Cues = Cues()
    gender_invariable: tuple[Word, ...] = ()
    """Words that end like a gendered form and show no gender of the speaker (hotel)."""


@cache
def load_morphology(code: str) -> Morphology | None:
    """The table of a language, None if it has none; read once.

    Raises:
        InputError: with every fault of the file.
    """
    name = f"{code}.toml"
    if code not in load_languages():
        return None
    file = resources.files("corpus") / "morphology" / name
    if not file.is_file():
        return None
    table = parse_morphology(file.read_bytes(), f"morphology/{name}")
    if table.language != code:
        problem = f"is a table of {table.language!r}"
        raise InputError([Fault(f"morphology/{name}", None, "language", problem, f"use {code}")])
    return table


def parse_morphology(data: bytes, file: str) -> Morphology:
    """The table in the bytes of a TOML file; `file` is its name in messages.

    Raises:
        InputError: with every fault found.
    """
    said = parse_toml(data, file)
    try:
        table = Morphology.model_validate(said)
    except ValidationError as error:
        raise InputError(
            [
                Fault(file, None, _place(fault["loc"]), fault["msg"], "see the how-to on tables")
                for fault in error.errors(include_input=False)
            ]
        ) from None
    faults = list(_find_faults(table, file))
    if faults:
        raise InputError(faults)
    return table


def _place(loc: tuple[int | str, ...]) -> str:
    """`exchanges[3].kind`, entries numbered from 1."""
    place = ""
    for part in loc:
        place += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if place else part
    return place


def _find_faults(table: Morphology, file: str) -> Iterator[Fault]:
    if not table.sources:
        yield Fault(file, None, "sources", "no source", "name a grammar with its section")
    for number, entry in enumerate(table.exchanges, start=1):
        place = f"exchanges[{number}]"
        if entry.masculine == entry.feminine:
            yield Fault(file, None, place, "equal endings", "leave it out")
        elif not _fits(entry.masculine, entry.feminine, entry.example, entry.minimal_stem):
            problem = f"the example {'/'.join(entry.example)} does not show the exchange"
            yield Fault(file, None, f"{place}.example", problem, "give one stem with both endings")
    for number, pair in enumerate(table.words, start=1):
        if pair.masculine == pair.feminine:
            yield Fault(file, None, f"words[{number}]", "equal words", "leave it out")
    for number, other in enumerate(table.not_gender, start=1):
        whole = (other.first, other.second) == other.example
        if not (whole or _fits(other.first, other.second, other.example, 0)):
            problem = f"the example {'/'.join(other.example)} does not show the exchange"
            yield Fault(file, None, f"not_gender[{number}].example", problem, "correct one")
    yield from _find_repeated(table, file)


def _fits(first: str, second: str, example: tuple[str, str], minimal_stem: int) -> bool:
    if not (example[0].endswith(first) and example[1].endswith(second)):
        return False
    stem = example[0][: len(example[0]) - len(first)]
    return len(stem) >= minimal_stem and example[1] == stem + second


def _find_repeated(table: Morphology, file: str) -> Iterator[Fault]:
    groups: dict[str, list[tuple[str, str, str]]] = {
        "exchanges": [(each.masculine, each.feminine, each.kind) for each in table.exchanges],
        "words": [(each.masculine, each.feminine, each.kind) for each in table.words],
    }
    for key, entries in groups.items():
        for (masculine, feminine, kind), count in Counter(entries).items():
            if count > 1:
                problem = f"{masculine!r}/{feminine!r} ({kind}) stands {count} times"
                yield Fault(file, None, key, problem, "keep one")
