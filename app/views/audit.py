"""The audit trail as rows: who, when, what, before, after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from corpus.hashing import canonical_json
from corpus.records import AuditEntry

ANY = "any"


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One entry of the audit trail; everything as text."""

    when: str
    """UTC, to the second."""
    who: str
    what: str
    subject: str
    before: str
    """JSON; empty where there is nothing."""
    after: str
    demo: str
    """`demo` for an entry of the demo; empty otherwise."""


def build_audit_rows(
    entries: Iterable[AuditEntry], who: str = ANY, what: str = ANY, subject: str = ""
) -> tuple[AuditRow, ...]:
    """The entries that fit every filter, newest first; `subject` is a part of the subject."""
    rows = [_row(entry) for entry in entries]
    return tuple(
        row
        for row in reversed(rows)
        if who in (ANY, row.who) and what in (ANY, row.what) and subject in row.subject
    )


def _row(entry: AuditEntry) -> AuditRow:
    stamp = entry.stamp
    return AuditRow(
        when=f"{stamp.at:%Y-%m-%d %H:%M:%S}" if stamp else "",
        who=entry.actor,
        what=entry.action,
        subject=entry.subject,
        before=_json(entry.before),
        after=_json(entry.after),
        demo="demo" if stamp and stamp.origin == "demo" else "",
    )


def _json(values: Mapping[str, Any]) -> str:
    return canonical_json(dict(values)) if values else ""
