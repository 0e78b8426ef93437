"""What a bulk rule would decide, as a table and in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.bulk_rules import BulkRule
from annotation.decisions import Verdict
from corpus.standing import Standing

_RULES = {
    BulkRule.MAJORITY: "majority: accept or reject what most raters of an item say",
    BulkRule.AGAINST_SYSTEM: "all raters against the system: reject",
    BulkRule.LOW_DA: "median DA below a limit: reject",
}


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """What a rule would decide of one candidate."""

    candidate: str
    decision: str
    why: str
    texts: str
    """All variants, a line each."""


def describe_rule(rule: BulkRule) -> str:
    """The rule and what it does, for a select box."""
    return _RULES[rule]


def count_preview(verdicts: Sequence[Verdict]) -> str:
    """How many candidates a rule would decide, by decision."""
    counts = Counter(str(each.action) for each in verdicts)
    parts = ", ".join(f"{action} {number}" for action, number in sorted(counts.items()))
    return f"It would decide {len(verdicts)}: {parts}. Nothing is stored before you apply it."


def build_preview(standing: Standing, verdicts: Sequence[Verdict]) -> tuple[PreviewRow, ...]:
    """One row for each verdict, in their order."""
    candidates = {each.candidate.id: each.candidate for each in standing.candidates}
    return tuple(
        PreviewRow(
            verdict.subject_id,
            str(verdict.action),
            verdict.reason,
            "\n".join(candidates[verdict.subject_id].variants.values()),
        )
        for verdict in verdicts
    )
