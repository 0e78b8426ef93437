"""Approval: what to do where raters agree too little, and what changed since an approval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.approval_changes import Change, ChangeKind
from annotation.gates import Gate, GateState
from app.views.gates import AGREEMENT_GATES
from corpus.records import Purpose
from corpus.standing import Standing

OUTLIER_RATERS = 3
"""So many raters are needed to tell who of them stands apart."""
NAMED = 5
"""So many of what changed are named; the number is of all."""
NO_LANGUAGE = (
    "There is no language to approve yet. Add source sentences with `stereoscope source add "
    "FILE.csv`, then run `stereoscope generate`."
)
SOURCE_NEEDS_NO_APPROVAL = "The sources' own language needs no approval. Choose another language."
NOTHING_STORED_CHANGED = (
    "No candidate, rating, exclusion or choice of a template differs. What the product itself "
    "ships does, such as a template, or a rater's answers were erased."
)
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
    """What can be done where a gate fails on agreement, in two sentences; empty if none does."""
    failed = any(gate.name in AGREEMENT_GATES and gate.state is GateState.FAILED for gate in gates)
    sampled = {each.batch_id for each in standing.items if each.purpose is Purpose.SAMPLE}
    batches = [each for each in standing.batches if each.id in sampled and each.raters_planned > 1]
    if not failed or not batches:
        return ""
    latest = batches[-1].id
    items = {each.id for each in standing.items if each.batch_id == latest}
    raters = {each.rater_id for each in standing.counted if each.item_id in items}
    command = f"stereoscope batch add-rater {latest} RATER"
    if len(raters) < OUTLIER_RATERS:
        return (
            "The raters agree too little; a third rater shows who stands apart: "
            f"{command}. Page Planning says what it costs."
        )
    return (
        "The raters agree too little; page Agreement shows who stands apart and what excluding "
        f"her changes. A further rater: {command}."
    )
