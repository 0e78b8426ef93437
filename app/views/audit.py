"""The audit trail as rows: who, when, what, before, after; and as files for people and programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from corpus.hashing import canonical_json
from corpus.records import AuditEntry
from corpus.spreadsheet_cells import ENCODING, make_inert

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


def filter_audit(
    entries: Iterable[AuditEntry], who: str = ANY, what: str = ANY, subject: str = ""
) -> tuple[AuditEntry, ...]:
    """The entries that fit every filter, newest first; `subject` is a part of the subject."""
    fitting = [
        entry
        for entry in entries
        if who in (ANY, entry.actor) and what in (ANY, entry.action) and subject in entry.subject
    ]
    return tuple(reversed(fitting))


def build_audit_rows(
    entries: Iterable[AuditEntry], who: str = ANY, what: str = ANY, subject: str = ""
) -> tuple[AuditRow, ...]:
    """The entries that fit every filter as rows, newest first."""
    return tuple(_row(entry) for entry in filter_audit(entries, who, what, subject))


def format_audit_csv(rows: Iterable[AuditRow]) -> bytes:
    """The rows as a CSV for spreadsheets, where no cell runs as a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([field.name for field in fields(AuditRow)])
    writer.writerows([make_inert(cell) for cell in asdict(row).values()] for row in rows)
    return text.getvalue().encode(ENCODING)


def format_audit_json(entries: Iterable[AuditEntry]) -> bytes:
    """The entries as JSON for programs, every value as it is, times in UTC with microseconds."""
    documents = [
        {
            "position": entry.stamp.position if entry.stamp else None,
            "at": entry.stamp.at.isoformat() if entry.stamp else None,
            "origin": str(entry.stamp.origin) if entry.stamp else None,
            "actor": entry.actor,
            "action": entry.action,
            "subject": entry.subject,
            "before": dict(entry.before),
            "after": dict(entry.after),
        }
        for entry in entries
    ]
    return (json.dumps(documents, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


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
