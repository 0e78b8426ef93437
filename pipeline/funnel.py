"""Funnels: how many of a language's sources were translated, passed and were kept, and why not.

A funnel counts candidates as they were generated, before any curator's decision. Quality and
pairing are judged apart: `passed_quality` counts every translated source with no score known to be
too low, whatever pairing made of it; a candidate whose texts fail both counts as discarded by
pairing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corpus.records import Candidate, Label
from corpus.repaired import REPAIRED_FLAG
from engines.quality import is_good_enough
from pipeline import reasons

_UNTRANSLATED = frozenset({reasons.NOT_TRANSLATED})


@dataclass(frozen=True, slots=True)
class StereotypeCoverage:
    """What was kept of one stereotype's sources."""

    stereotype_id: int
    sources: int
    neutral: int
    pairs: int

    @property
    def kept(self) -> int:
        """Neutral candidates and pairs."""
        return self.neutral + self.pairs


@dataclass(frozen=True, slots=True)
class Funnel:
    """Counts of one language's candidates; every source has one candidate."""

    language: str
    sources: int
    translated: int
    """Sources with a translation for each wrapper they need."""
    passed_quality: int
    """Translated ones of which no text is known to be below its threshold."""
    filtered: bool
    """Whether a threshold held for any of them; if not, all passed."""
    neutral: int
    pairs: int
    repaired: int
    """Neutral candidates and pairs that are kept because repair built or chose a text."""
    discarded: Mapping[str, int]
    """Reason code → discarded candidates, most frequent first."""
    stereotypes: tuple[StereotypeCoverage, ...]
    """By id; sources without a stereotype are in none of them."""

    @property
    def kept(self) -> int:
        """Neutral candidates and pairs."""
        return self.neutral + self.pairs

    @property
    def discarded_by_quality(self) -> int:
        """What pairing kept and quality did not."""
        return self.discarded.get(reasons.QUALITY, 0)

    @property
    def discarded_by_pairing(self) -> int:
        """Translated sources that are neither neutral nor a pair."""
        return self.translated - self.kept - self.discarded_by_quality


def compute_funnel(
    language: str, candidates: Iterable[Candidate], stereotypes: Mapping[str, int | None]
) -> Funnel:
    """The funnel of a language.

    Args:
        language: code of the language.
        candidates: its current candidates, without decisions.
        stereotypes: source key → stereotype id.
    """
    found = list(candidates)
    translated = [each for each in found if each.reason not in _UNTRANSLATED]
    discarded = Counter(each.reason for each in found if each.label is Label.DISCARDED)
    kept = [each for each in found if each.label is not Label.DISCARDED]
    return Funnel(
        language=language,
        sources=len(found),
        translated=len(translated),
        passed_quality=sum(_passed_quality(each) for each in translated),
        filtered=any(_threshold_of(each) is not None for each in translated),
        neutral=sum(each.label is Label.NEUTRAL for each in found),
        pairs=sum(each.label is Label.PAIR for each in found),
        repaired=sum(REPAIRED_FLAG in each.flags for each in kept),
        discarded=dict(sorted(discarded.items(), key=lambda item: (-item[1], item[0]))),
        stereotypes=_count_by_stereotype(found, stereotypes),
    )


def _count_by_stereotype(
    candidates: Iterable[Candidate], stereotypes: Mapping[str, int | None]
) -> tuple[StereotypeCoverage, ...]:
    counts: dict[int, Counter[Label]] = {}
    for candidate in candidates:
        stereotype_id = stereotypes.get(candidate.source_key)
        if stereotype_id is not None:
            counts.setdefault(stereotype_id, Counter())[candidate.label] += 1
    return tuple(
        StereotypeCoverage(each, labels.total(), labels[Label.NEUTRAL], labels[Label.PAIR])
        for each, labels in sorted(counts.items())
    )


def _threshold_of(candidate: Candidate) -> float | None:
    threshold = candidate.evidence.get("quality", {}).get("threshold")
    return None if threshold is None else float(threshold)


def _passed_quality(candidate: Candidate) -> bool:
    threshold = _threshold_of(candidate)
    scores = candidate.evidence.get("quality", {}).get("scores", {})
    return all(is_good_enough(score, threshold) is not False for score in scores.values())
