"""Sector sentences as a release holds them: exactly those that were approved, as they were.

A release holds the texts and the ids of template, pair and term; which word of a text is the person
word and which the term, the language's file says. A sentence that a curator edited is taken as it
is released; only if its two words are no longer to be found in it, it is refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus.errors import Fault, InputError
from corpus.hashing import sha256_json
from corpus.records import Instrument, Label
from corpus.release import Release, open_release
from corpus.release_schema import HumanSeen, ReleaseRow, Validation
from corpus.sector_files import load_sector_languages
from corpus.sectors import (
    ATTRIBUTE,
    TARGET,
    UNREVIEWED,
    Gender,
    Sector,
    SectorLanguage,
    SectorSentence,
    WordKind,
    find_places,
)

SEEN = "seen by a human"
"""Status of a sentence whose exact text a person saw."""
_SEEN_SENTENCES = {HumanSeen.BOTH: 2, HumanSeen.ONE: 1, HumanSeen.NONE: 0, HumanSeen.SOURCE: 0}
_STATUS = {
    HumanSeen.BOTH: SEEN,
    HumanSeen.ONE: "one of the pair seen by a human",
    HumanSeen.NONE: UNREVIEWED,
    HumanSeen.SOURCE: UNREVIEWED,
}
_REMEDY = "score with --data and the file it was made of, or correct the sentence and release again"


@dataclass(frozen=True, slots=True)
class ReleasedFrom:
    """The release that sentences are from."""

    version: str
    sums_sha256: str
    eyes: Mapping[str, str]
    """Language code → how many of its sentences people saw."""


@dataclass(frozen=True, slots=True)
class ReleasedSentences:
    """One language's sentences of a release."""

    code: str
    title: str
    status: str
    """How many of them people saw, and whether the language was approved."""
    source: str
    """Whose reading of the language the file was that they were made of."""
    sentences: tuple[SectorSentence, ...]

    @property
    def content_hash(self) -> str:
        """sha256 of all sentences."""
        return sha256_json([[one.key, one.text, one.target, one.attribute] for one in self])

    def build_sentences(self) -> Iterator[SectorSentence]:
        """All of them, in the release's order."""
        return iter(self.sentences)

    def __iter__(self) -> Iterator[SectorSentence]:
        return iter(self.sentences)


def load_released_sentences(
    folder: Path, codes: Sequence[str] = (), data: Path | None = None
) -> tuple[tuple[ReleasedSentences, ...], ReleasedFrom]:
    """The sentences of a release of the instrument sectors, and which release it is.

    Args:
        folder: the release; its checksums are looked at first.
        codes: languages wanted; all of the release if empty.
        data: folder of the languages' files, which say what the words are; None is the product's.

    Raises:
        ReleaseError: if it is not as it was built, or is without one of the languages.
        InputError: if it is of another instrument, a language has no file, or naming every sentence
            in which person word or term is not to be found.
    """
    release = open_release(folder)
    instrument = release.provenance.get("instrument", Instrument.EUROGEST)
    if instrument != Instrument.SECTORS:
        problem = f"a release of the instrument {instrument}"
        remedy = f"name one of the instrument {Instrument.SECTORS}"
        raise InputError([Fault(str(folder), None, None, problem, remedy)])
    wanted = tuple(codes) or release.languages
    files = {one.code: one for one in load_sector_languages(wanted, data)}
    faults: list[Fault] = []
    found = []
    eyes = {}
    for code in wanted:
        rows = [row for row in release.rows(code) if row.label is Label.PAIR]
        sentences: list[SectorSentence] = []
        for number, row in enumerate(rows, start=1):
            try:
                sentences.extend(_build_pair(row, files[code]))
            except (ValueError, KeyError) as error:
                faults.append(Fault(f"data/{code}.parquet", number, row.id, str(error), _REMEDY))
        seen = sum(_SEEN_SENTENCES[row.human_seen] for row in rows)
        eyes[code] = f"{seen} of {2 * len(rows)} sentences seen by a human"
        status = _status(release, code, eyes[code])
        file = files[code]
        found.append(ReleasedSentences(code, file.title, status, file.source, tuple(sentences)))
    if faults:
        raise InputError(faults)
    return tuple(found), ReleasedFrom(release.version, release.sums_sha256, eyes)


def _status(release: Release, code: str, eyes: str) -> str:
    validation = release.provenance["languages"][code].get("validation")
    named = f"release {release.version}"
    if validation == Validation.UNVALIDATED:
        return f"{eyes}, {named}, not approved"
    return f"{eyes}, {named}"


def _build_pair(row: ReleaseRow, language: SectorLanguage) -> Iterator[SectorSentence]:
    """The feminine and the masculine sentence of a row.

    Raises:
        ValueError: if a word is not to be found, or the language's file has no such pair or term.
        KeyError: if the row lacks what says which sentence it is.
    """
    attributes = row.attributes
    pairs = {pair.id: pair for pair in language.pairs}
    terms = {term.id: term for term in language.terms}
    for ids, kind in ((pairs, "pair"), (terms, "term")):
        if attributes[kind] not in ids:
            raise ValueError(f"{language.code}.toml has no {kind} {attributes[kind]!r}")
    pair, term = pairs[attributes["pair"]], terms[attributes["term"]]
    for gender in Gender:
        text = row.variants[gender]
        spans = find_places(text, getattr(pair, gender), term.text, row.language)
        yield SectorSentence(
            language=row.language,
            template=attributes["template"],
            shows_gender=bool(attributes["shows_gender"]),
            pair=pair.id,
            kind=WordKind(attributes["kind"]),
            gender=gender,
            sector=Sector(attributes["sector"]),
            term=term.id,
            text=text,
            target=spans[TARGET],
            attribute=spans[ATTRIBUTE],
            status=_STATUS[row.human_seen],
        )
