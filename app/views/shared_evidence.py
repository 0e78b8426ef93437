"""Candidates that share a candidate's evidence: the same word change, reason or quality band."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import floor

from app.views import words
from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT, Instrument, Source
from corpus.review import ReviewedCandidate
from corpus.standing import Standing
from corpus.words import Word, find_differences

BANDS = 20
"""Quality bands from 0 to 1; each is 0.05 wide."""
FIRST_FEW = 5


class SharedBy(StrEnum):
    """What candidates may have in common."""

    WORD_CHANGE = "word change"
    REASON = "reason"
    QUALITY_BAND = "quality band"


Trait = tuple[SharedBy, str]
"""What a candidate rests on; a word change, a reason code, or a band with its model."""


@dataclass(frozen=True, slots=True)
class EvidenceIndex:
    """Which candidates of a language rest on what."""

    candidates: Mapping[Trait, tuple[str, ...]]
    """Ids, in the sources' order."""
    traits: Mapping[str, tuple[Trait, ...]]
    """Of each candidate, by id."""


@dataclass(frozen=True, slots=True)
class Shared:
    """The other candidates that rest on one thing that a candidate rests on."""

    trait: Trait
    others: tuple[str, ...]
    """Ids, without the candidate itself."""

    @property
    def key(self) -> str:
        """Tells it from the others of a candidate."""
        return f"{self.trait[0]}: {self.trait[1]}"


@dataclass(frozen=True, slots=True)
class SharedRow:
    """One of the candidates that share some evidence."""

    candidate: str
    label: str
    source: str
    texts: str
    """A line each."""
    decision: str
    """Empty while undecided."""


def build_evidence_index(standing: Standing) -> EvidenceIndex:
    """What each candidate of a language rests on, by what generation made of it."""
    traits = {each.candidate.id: tuple(_find_traits(each)) for each in standing.candidates}
    candidates: defaultdict[Trait, list[str]] = defaultdict(list)
    for candidate_id, found in traits.items():
        for trait in found:
            candidates[trait].append(candidate_id)
    return EvidenceIndex({trait: tuple(ids) for trait, ids in candidates.items()}, traits)


def find_shared(index: EvidenceIndex, subject_id: str) -> tuple[Shared, ...]:
    """What a candidate shares with others, the most telling first; nothing that it has alone."""
    found = [
        Shared(trait, tuple(each for each in index.candidates[trait] if each != subject_id))
        for trait in index.traits.get(subject_id, ())
    ]
    return tuple(each for each in found if each.others)


def count_undecided(standing: Standing, subject_ids: Collection[str]) -> int:
    """How many of them nobody has decided."""
    return sum(
        each.decision is None for each in standing.candidates if each.candidate.id in subject_ids
    )


def describe_shared(shared: Shared, undecided: int) -> str:
    """What is shared and by how many, for a select box."""
    by, what = shared.trait
    told = words.describe_candidate_reason(what) if by is SharedBy.REASON else what
    return f"{by}: {told} ({len(shared.others)} others, {undecided} undecided)"


def build_shared_rows(
    standing: Standing, sources: Mapping[str, Source], subject_ids: Collection[str]
) -> tuple[SharedRow, ...]:
    """A row for each of the first few, undecided ones first."""
    mine = [each for each in standing.candidates if each.candidate.id in subject_ids]
    mine.sort(key=lambda each: each.decision is not None)
    return tuple(_row(each, sources) for each in mine[:FIRST_FEW])


def _row(reviewed: ReviewedCandidate, sources: Mapping[str, Source]) -> SharedRow:
    candidate, decision = reviewed.candidate, reviewed.decision
    source = sources.get(candidate.source_key)
    return SharedRow(
        candidate.id,
        str(candidate.label),
        source.text if source else "",
        "\n".join(candidate.variants.values()),
        str(decision.action) if decision else "",
    )


def _changes(masculine: Sequence[Word], feminine: Sequence[Word]) -> Iterator[str]:
    """The changes of words that stand for one another; one for all if they cannot be told."""
    one, other = ([word.form for word in each] for each in (masculine, feminine))
    if len(one) == len(other):
        yield from (f"{here} / {there}" for here, there in zip(one, other, strict=True))
    elif one and other:
        yield f"{' '.join(one)} / {' '.join(other)}"


def _find_traits(reviewed: ReviewedCandidate) -> Iterator[Trait]:
    generated = reviewed.generated
    texts = [generated.variants.get(name) for name in (MASCULINE_VARIANT, FEMININE_VARIANT)]
    if texts[0] and texts[1]:
        changes = {
            each
            for words_of in find_differences(texts[0], texts[1])
            for each in _changes(*words_of)
        }
        yield from ((SharedBy.WORD_CHANGE, each) for each in sorted(changes))
    if generated.instrument is Instrument.EUROGEST:
        # What is imported or written by a chat model has one reason for all of a language.
        yield SharedBy.REASON, generated.reason
    quality = generated.evidence.get("quality") or {}
    scores = [each for each in (quality.get("scores") or {}).values() if each is not None]
    if scores:
        # Rounded before it is cut, so that binary 0.8 is not in the band below.
        low = floor(round(min(scores) * BANDS, 6)) / BANDS
        band = f"{low:.2f} to {low + 1 / BANDS:.2f} ({quality.get('model')})"
        yield SharedBy.QUALITY_BAND, band
