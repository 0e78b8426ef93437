"""Candidates of a language as rows, the filters of the page, and all about one candidate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.views import words
from app.views.differences import mark_variants
from app.views.groups import TITLES, describe_frame, describe_group
from app.views.repairs import describe_reason, describe_short
from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT, NEUTRAL_VARIANT, Source
from corpus.repaired import REPAIRED_FLAG, is_repaired
from corpus.review import ReviewedCandidate
from corpus.standing import Standing
from corpus.stereotypes import Inventory
from corpus.written import WRITTEN_FLAG

ANY = "any"


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One candidate with its decisions applied; texts as stored."""

    label: str
    repaired: str
    """What the product built of it; empty where every text is a translation."""
    source: str
    masculine: str
    feminine: str
    neutral: str
    differing_words: str
    """`emotívny / emotívna`, several with semicolons."""
    reason: str
    """In words."""
    stereotype: str
    flags: str
    """Codes with commas."""
    decision: str
    """A curator's last valid decision; empty while undecided."""
    reason_code: str
    id: str


@dataclass(frozen=True, slots=True)
class Filters:
    """What rows are shown; codes, or `ANY`."""

    label: str = ANY
    reason: str = ANY
    flag: str = ANY
    stereotype: str = ANY
    text: str = ""
    """Looked for in all texts, in any case."""


def build_candidate_rows(
    standing: Standing, sources: Mapping[str, Source], inventory: Inventory
) -> tuple[CandidateRow, ...]:
    """All candidates of a language in the sources' order."""
    return tuple(
        _row(each, sources.get(each.candidate.source_key), inventory)
        for each in standing.candidates
    )


def filter_candidates(rows: Iterable[CandidateRow], filters: Filters) -> tuple[CandidateRow, ...]:
    """The rows that fit every filter."""
    wanted = filters.text.casefold()
    return tuple(
        row
        for row in rows
        if filters.label in (ANY, row.label)
        and filters.reason in (ANY, row.reason_code)
        and filters.flag in (ANY, *list_flags([row]))
        and filters.stereotype in (ANY, row.stereotype)
        and any(
            wanted in each.casefold()
            for each in (row.source, row.neutral, row.masculine, row.feminine)
        )
    )


def choices(values: Iterable[str]) -> Sequence[str]:
    """The options of a filter: any, then each value once in its order."""
    return [ANY, *dict.fromkeys(values)]


def list_flags(rows: Iterable[CandidateRow]) -> list[str]:
    """The flags of the rows, each once."""
    return list(dict.fromkeys(flag for row in rows for flag in row.flags.split(", ") if flag))


def describe_facts(
    reviewed: ReviewedCandidate, source: Source | None, inventory: Inventory
) -> tuple[str, ...]:
    """What is known of one candidate besides its texts, a line each."""
    candidate, generated = reviewed.candidate, reviewed.generated
    facts = {
        "Label": str(candidate.label),
        "Reason": describe_reason(reviewed),
        "Before the decision": words.describe_candidate_reason(generated.reason)
        if candidate.reason != generated.reason
        else "",
        "Imported from": words.describe_import(candidate.evidence),
        "Confidence of pairing": str(candidate.evidence.get("confidence", "")),
        "Estimated quality": words.describe_quality(candidate.evidence),
        TITLES[candidate.instrument]: describe_group(source, inventory),
        **describe_frame(candidate),
        "Strategy": candidate.strategy,
        "Decision": _describe_decision(reviewed),
        "Written by a curator": ", ".join(
            f"{variant} ({by})" for variant, by in reviewed.written.items()
        ),
    }
    flags = [f"Flag: {words.describe_flag(each)}" for each in _flags(reviewed)]
    lines = [f"{title}: {value}" for title, value in facts.items() if value]
    return (*lines, *(each for each in flags if REPAIRED_FLAG not in each))


def _describe_decision(reviewed: ReviewedCandidate) -> str:
    decision = reviewed.decision
    return "" if decision is None else f"{decision.action} by {decision.by}: {decision.reason}"


def _flags(reviewed: ReviewedCandidate) -> tuple[str, ...]:
    """The flags that hold for the texts as they are now."""
    flags = reviewed.candidate.flags
    if not is_repaired(reviewed):
        flags = tuple(each for each in flags if each != REPAIRED_FLAG)
    return (*flags, *([WRITTEN_FLAG] if reviewed.written else []))


def _row(reviewed: ReviewedCandidate, source: Source | None, inventory: Inventory) -> CandidateRow:
    candidate = reviewed.candidate
    variants = candidate.variants
    marked = mark_variants(variants)
    return CandidateRow(
        label=str(candidate.label),
        repaired=describe_short(reviewed),
        source=source.text if source else "",
        neutral=variants.get(NEUTRAL_VARIANT, ""),
        masculine=variants.get(MASCULINE_VARIANT, ""),
        feminine=variants.get(FEMININE_VARIANT, ""),
        differing_words="; ".join(
            f"{one} / {other}" for one, other in (marked.differences if marked else ())
        ),
        reason=describe_reason(reviewed),
        stereotype=describe_group(source, inventory),
        flags=", ".join(_flags(reviewed)),
        decision=str(reviewed.decision.action) if reviewed.decision else "",
        reason_code=candidate.reason,
        id=candidate.id,
    )
