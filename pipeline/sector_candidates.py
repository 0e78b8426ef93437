"""Sector sentences as sources and candidates, so that people judge and approve them as all others.

A candidate is one template, person pair and term in a language; its two variants are the sentence
with the feminine and with the masculine word. Its source is the same in English. A template that
English lacks (it shows the gender) has sources of its own dataset, which name the English words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from corpus.hashing import combined_hash
from corpus.records import AuditEntry, Candidate, Instrument, Label, Origin, Source
from corpus.sectors import Gender, SectorLanguage, SectorSentence
from corpus.store import Store
from corpus.store.runs import RunProgress
from pipeline.reasons import IMPORTED

DATASET = "sectors"
FILE_STRATEGY = "sector-files/1"
"""Strategy of a candidate made of what people wrote into a language's file."""
DRAFT_STRATEGY = "sector-translation/1"
"""Strategy of a candidate made of a draft that an engine translated."""
SHOWS_GENDER = "shows_gender"
"""Flag of a candidate in which another word than the person word shows the gender."""
NO_ENGLISH = "no English sentence"
CHUNK = 500
"""Candidates a transaction."""

Pair = tuple[SectorSentence, SectorSentence]
"""The feminine and the masculine sentence of one template, person pair and term."""


@dataclass(frozen=True, slots=True)
class SectorImport:
    """What an import did for one language."""

    language: str
    candidates: int
    """All of the language's, from the file."""
    changed: int
    """Those that are new or other than before."""
    shows_gender: int
    """Those in which another word shows the gender."""
    left_over: int
    """Candidates in the store that the file no longer has; reject them before an approval."""


def import_sectors(
    store: Store,
    languages: Sequence[SectorLanguage],
    english: SectorLanguage,
    progress: RunProgress,
    by: str = "system",
    dataset: str = DATASET,
) -> list[SectorImport]:
    """Adds sources and candidates of the languages; one report a language.

    A sentence that is there as the file has it is left alone; one that the file has otherwise is
    added as the candidate's new content, which makes decisions about the old one void.

    Raises:
        StateError: if a source of the dataset has another English text; nothing was written then.
    """
    made = {one.code: list(_build(one, english, dataset)) for one in languages}
    sources = {source.key: source for rows in made.values() for source, _ in rows}
    progress.plan(sum(map(len, made.values())))
    after: dict[str, Any] = {
        "languages": [one.code for one in languages],
        "sha256": combined_hash(one.content_hash for one in (english, *languages)),
    }
    with store.writing(Origin.IMPORT) as writer:
        if added := writer.append_sources(list(sources.values())):
            after |= {"sources": len(added)}
            writer.append_audit(AuditEntry(by, "sectors import", dataset, after=after))
    reports = []
    for one in languages:
        candidates = [candidate for _, candidate in made[one.code]]
        changed = 0
        origin = Origin.MACHINE if one.is_draft else Origin.IMPORT
        for start in range(0, len(candidates), CHUNK):
            chunk = candidates[start : start + CHUNK]
            with store.writing(origin) as writer:
                changed += len(writer.append_candidates(chunk))
            progress.advance(len(chunk))
        flagged = sum(SHOWS_GENDER in each.flags for each in candidates)
        ids = {each.id for each in candidates}
        with store.reading() as state:
            stored = state.candidates(Instrument.SECTORS, one.code)
        left_over = sum(each.id not in ids for each in stored)
        reports.append(SectorImport(one.code, len(candidates), changed, flagged, left_over))
    return reports


def pair_sentences(language: SectorLanguage) -> Iterator[Pair]:
    """The language's sentences, feminine and masculine side by side."""
    waiting: dict[str, SectorSentence] = {}
    for sentence in language.build_sentences():
        other = waiting.pop(_local_id(sentence), None)
        if other is None:
            waiting[_local_id(sentence)] = sentence
        elif sentence.gender is Gender.MASCULINE:
            yield other, sentence
        else:
            yield sentence, other


def _build(
    language: SectorLanguage, english: SectorLanguage, dataset: str
) -> Iterator[tuple[Source, Candidate]]:
    originals = {_local_id(pair[0]): pair for pair in pair_sentences(english)}
    words = {pair.id: (pair.feminine, pair.masculine) for pair in english.pairs}
    terms = {term.id: term.text for term in english.terms}
    for row, pair in enumerate(pair_sentences(language), start=2):
        sentence = pair[0]
        original = originals.get(_local_id(sentence))
        if original is not None:
            texts = (original[0].text, original[1].text)
        else:
            term = terms[sentence.term]
            feminine, masculine = words[sentence.pair]
            texts = (
                f"[{NO_ENGLISH}: {feminine}, {term}]",
                f"[{NO_ENGLISH}: {masculine}, {term}]",
            )
        named = dataset if original is not None else f"{dataset}.{language.code}"
        source = _source(sentence, texts, row, named)
        yield source, _candidate(language, pair, source)


def _source(sentence: SectorSentence, texts: tuple[str, str], row: int, dataset: str) -> Source:
    return Source(
        instrument=Instrument.SECTORS,
        dataset=dataset,
        row=row,
        text=" / ".join(texts),
        explicit_id=_local_id(sentence),
        attributes={
            "template": sentence.template,
            "pair": sentence.pair,
            "kind": str(sentence.kind),
            "sector": str(sentence.sector),
            "term": sentence.term,
            SHOWS_GENDER: sentence.shows_gender,
            "feminine": texts[0],
            "masculine": texts[1],
        },
    )


def _candidate(language: SectorLanguage, pair: Pair, source: Source) -> Candidate:
    feminine, masculine = pair
    return Candidate(
        instrument=Instrument.SECTORS,
        language=language.code,
        source_key=source.key,
        label=Label.PAIR,
        reason=IMPORTED,
        variants={"masculine": masculine.text, "feminine": feminine.text},
        strategy=DRAFT_STRATEGY if language.is_draft else FILE_STRATEGY,
        flags=(SHOWS_GENDER,) if feminine.shows_gender else (),
        evidence={
            "status": language.status,
            "source": language.source,
            "words": {
                "feminine": feminine.target_text,
                "masculine": masculine.target_text,
                "term": feminine.attribute_text,
            },
        },
    )


def _local_id(sentence: SectorSentence) -> str:
    return ".".join((sentence.template, sentence.pair, sentence.term))
