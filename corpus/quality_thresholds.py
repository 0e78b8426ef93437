"""Calibrated quality thresholds of a workspace: entries of the audit trail, the latest one counts.

A threshold belongs to a model, its revision and a language. It is a sign of a person who looked at
ratings, so it is noted as such: who, when, what before, what after, with the figures it rests on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpus.records import AuditEntry
from corpus.store.state import State
from corpus.store.store import Writer

ACTION = "quality calibrate"


@dataclass(frozen=True, slots=True)
class CalibratedThreshold:
    """The lowest score that passes, for one model and language."""

    model: str
    """`model@revision`, as candidates name it."""
    language: str
    threshold: float
    """On the model's own scale; equal passes."""
    rule: str
    """How it was chosen, in one sentence."""
    figures: Sequence[Mapping[str, Any]]
    """What it rests on, as `Figure.as_json()`."""

    @property
    def subject(self) -> str:
        """What the audit trail calls it: `model@revision/language`."""
        return subject_of(self.model, self.language)


def subject_of(model: str, language: str) -> str:
    """`model@revision/language`."""
    return f"{model}/{language}"


def find_threshold(state: State, model: str, language: str) -> float | None:
    """The threshold calibrated last for a model (`model@revision`) and language, or None."""
    latest = _find_latest(state, subject_of(model, language))
    return float(latest.after["threshold"]) if latest is not None else None


def append_threshold(writer: Writer, calibrated: CalibratedThreshold, actor: str) -> bool:
    """Makes a threshold the current one of its model and language; False if it is that already."""
    latest = _find_latest(writer, calibrated.subject)
    before = {"threshold": latest.after["threshold"] if latest is not None else None}
    after = {
        "threshold": calibrated.threshold,
        "rule": calibrated.rule,
        "figures": [dict(figure) for figure in calibrated.figures],
    }
    if latest is not None and dict(latest.after) == after:
        return False
    writer.append_audit(AuditEntry(actor, ACTION, calibrated.subject, before=before, after=after))
    return True


def _find_latest(state: State, subject: str) -> AuditEntry | None:
    """The latest entry about a subject."""
    found = None
    for entry in state.audit_entries():
        if entry.action == ACTION and entry.subject == subject:
            found = entry
    return found
