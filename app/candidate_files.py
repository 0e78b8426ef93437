"""Candidates as a CSV file: exact by default, safe to open in a spreadsheet on request."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from app.views.repairs import describe_short
from corpus.drafts import write_file
from corpus.errors import StateError
from corpus.hashing import canonical_json
from corpus.records import Instrument, Label
from corpus.review import ReviewedCandidate, apply_decisions
from corpus.spreadsheet_cells import ENCODING, make_inert
from corpus.store import Store

COLUMNS = (
    "item_id",
    "language",
    "stereotype_id",
    "source",
    "label",
    "reason",
    "neutral",
    "masculine",
    "feminine",
    "flags",
    "repaired",
    "strategy",
    "decision",
    "origin",
    "evidence",
)


def write_candidates(
    store: Store,
    instrument: Instrument,
    language: str,
    path: Path,
    *,
    label: Label | None = None,
    spreadsheet: bool = False,
) -> int:
    """Writes the current candidates (decisions applied) and returns how many.

    Raises:
        StateError: if the language has no candidates, or the file cannot be written.
    """
    with store.reading() as state:
        sources = {each.key: each for each in state.sources(instrument)}
        found = apply_decisions(
            state.candidates(instrument, language), state.decisions(instrument, language)
        )
    if not found:
        raise StateError(f"Language {language} has no candidates; run `stereoscope generate`.")
    rows = []
    for each in found:
        if label is None or each.candidate.label is label:
            source = sources[each.candidate.source_key]
            rows.append(_row(each, source.text, source.stereotype_id))
    if spreadsheet:
        rows = [[make_inert(cell) for cell in row] for row in rows]
    _write(path, rows, ENCODING if spreadsheet else "utf-8")
    return len(rows)


def _row(reviewed: ReviewedCandidate, source: str, stereotype_id: int | None) -> list[str]:
    candidate = reviewed.candidate
    texts = [candidate.variants.get(name, "") for name in ("neutral", "masculine", "feminine")]
    return [
        candidate.id,
        candidate.language,
        "" if stereotype_id is None else str(stereotype_id),
        source,
        str(candidate.label),
        candidate.reason,
        *texts,
        " ".join(candidate.flags),
        describe_short(reviewed),
        candidate.strategy,
        str(reviewed.decision.action) if reviewed.decision else "",
        str(candidate.stamp.origin) if candidate.stamp else "",
        canonical_json(dict(candidate.evidence)),
    ]


def _write(path: Path, rows: list[list[str]], encoding: str) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    write_file(path, text.getvalue().encode(encoding))
