"""Approval: each gate with its interval and the reason for its default, and what changed since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.approval_changes import Change, ChangeKind
from annotation.gates import Gate, GateState
from app.views.overview import build_gate_rows
from corpus.records import Purpose
from corpus.standing import Standing

NAMED = 5
"""So many of what changed are named; the number is of all."""
NO_LANGUAGE = (
    "There is no language to approve yet. Add source sentences with `stereoscope source add "
    "FILE.csv`, then run `stereoscope generate`."
)
NOTHING_STORED_CHANGED = (
    "No candidate, rating, exclusion or choice of a template differs. What the product itself "
    "ships does, such as a template, or a rater's answers were erased."
)
AGREEMENT_GATES = frozenset({"raw_agreement"})
"""Gates that a further rater can help with."""
WHY_DEFAULT = {
    "mean_da": "Asks that raters find the texts good on the whole; below, many need work.",
    "label_accuracy": "Of ten texts at most one may say another gender than the system does.",
    "raw_agreement": "If raters differ on more than one text in ten, the labels are no one's.",
    "open_disagreements": "What a curator has not decided would enter the release unseen.",
    "items": "Half the width of a share's interval is at most 0.1 from about 100 items on.",
}
"""Why each default is what it is; the developers' reading. `gate_…` in the settings change them."""
CHANGES = {
    ChangeKind.CANDIDATE_ADDED: "candidates added",
    ChangeKind.CANDIDATE_REMOVED: "candidates gone",
    ChangeKind.CANDIDATE_CHANGED: "candidates with another text or label",
    ChangeKind.CANDIDATE_REJECTED: "candidates rejected",
    ChangeKind.CANDIDATE_TAKEN_BACK: "candidates no longer rejected",
    ChangeKind.RATING_ADDED: "valid ratings added",
    ChangeKind.RATING_REMOVED: "ratings no longer valid or gone",
    ChangeKind.RATING_CHANGED: "ratings changed",
    ChangeKind.RATER_EXCLUDED: "raters excluded from a batch",
    ChangeKind.RATER_REINSTATED: "raters reinstated in a batch",
    ChangeKind.TEMPLATE_CHANGED: "templates with another wording",
}


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One kind of change since an approval."""

    what_changed: str
    number: int
    which: str
    """The first few."""


@dataclass(frozen=True, slots=True)
class ApprovalGateRow:
    """One gate as the page shows it."""

    condition: str
    state: str
    value: str
    interval: str
    """Of 95 %; empty for a count and for an undefined figure."""
    needed: str
    why_this_default: str
    why_undefined: str


def build_approval_gate_rows(gates: Sequence[Gate]) -> tuple[ApprovalGateRow, ...]:
    """The gates as a table, in their order."""
    return tuple(
        ApprovalGateRow(
            condition=row.condition,
            state=row.state,
            value=row.value,
            interval=_describe_interval(gate),
            needed=row.needed,
            why_this_default=WHY_DEFAULT.get(gate.name, ""),
            why_undefined=row.why,
        )
        for gate, row in zip(gates, build_gate_rows(gates), strict=True)
    )


def build_change_rows(changes: Sequence[Change]) -> tuple[ChangeRow, ...]:
    """What changed since an approval as a table, in the order of the kinds."""
    return tuple(
        ChangeRow(
            what_changed=CHANGES[each.kind],
            number=len(each.about),
            which="; ".join(each.about[:NAMED]) + ("; …" if len(each.about) > NAMED else ""),
        )
        for each in changes
    )


def propose_third_rater(standing: Standing, gates: Sequence[Gate]) -> str:
    """The command that gives a further rater the language's batch, if a gate fails on agreement."""
    failed = any(gate.name in AGREEMENT_GATES and gate.state is GateState.FAILED for gate in gates)
    sampled = {each.batch_id for each in standing.items if each.purpose is Purpose.SAMPLE}
    batches = [
        each.id for each in standing.batches if each.id in sampled and each.raters_planned > 1
    ]
    if not failed or not batches:
        return ""
    return (
        "The raters agree too little; a third rater shows who stands apart: "
        f"stereoscope batch add-rater {batches[-1]} RATER. Page Planning says what it costs."
    )


def _describe_interval(gate: Gate) -> str:
    if gate.low is None or gate.high is None:
        return ""
    return f"{gate.low:.3f} to {gate.high:.3f}"
