"""Candidates of a language as rows, and the filters of the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.views import words
from app.views.differences import mark_pair
from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT, NEUTRAL_VARIANT, Source
from corpus.review import ReviewedCandidate
from corpus.standing import Standing

ANY = "any"


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One candidate with its decisions applied; texts as stored."""

    label: str
    source: str
    neutral: str
    masculine: str
    feminine: str
    differing_words: str
    """`emotívny / emotívna`, several with semicolons."""
    reason: str
    stereotype: str
    flags: str
    decision: str
    """A curator's last valid decision; empty while undecided."""
    source_key: str


def build_candidate_rows(
    standing: Standing, sources: Mapping[str, Source]
) -> tuple[CandidateRow, ...]:
    """All candidates of a language in the sources' order."""
    return tuple(_row(each, sources.get(each.candidate.source_key)) for each in standing.candidates)


def filter_candidates(
    rows: Iterable[CandidateRow],
    label: str = ANY,
    reason: str = ANY,
    stereotype: str = ANY,
    text: str = "",
) -> tuple[CandidateRow, ...]:
    """The rows that fit every filter; `text` is looked for in all texts, in any case."""
    wanted = text.casefold()
    return tuple(
        row
        for row in rows
        if label in (ANY, row.label)
        and reason in (ANY, row.reason)
        and stereotype in (ANY, row.stereotype)
        and any(
            wanted in each.casefold()
            for each in (row.source, row.neutral, row.masculine, row.feminine)
        )
    )


def choices(values: Iterable[str]) -> Sequence[str]:
    """The options of a filter: any, then each value once in its order."""
    return [ANY, *dict.fromkeys(values)]


def _row(reviewed: ReviewedCandidate, source: Source | None) -> CandidateRow:
    candidate = reviewed.candidate
    variants = candidate.variants
    masculine, feminine = variants.get(MASCULINE_VARIANT, ""), variants.get(FEMININE_VARIANT, "")
    differences = mark_pair(masculine, feminine).differences if masculine and feminine else ()
    return CandidateRow(
        source_key=candidate.source_key,
        stereotype=words.describe_stereotype(source.stereotype_id if source else None),
        source=source.text if source else "",
        label=str(candidate.label),
        reason=words.describe_candidate_reason(candidate.reason),
        neutral=variants.get(NEUTRAL_VARIANT, ""),
        masculine=masculine,
        feminine=feminine,
        differing_words="; ".join(f"{one} / {other}" for one, other in differences),
        flags=", ".join(candidate.flags),
        decision=str(reviewed.decision.action) if reviewed.decision else "",
    )
