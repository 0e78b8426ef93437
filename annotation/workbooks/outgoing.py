"""Workbooks out to raters: one file each, the same bytes whenever they are written again.

An export changes nothing in the store, and never a file that may hold answers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from annotation.workbooks.book import build_workbook
from annotation.workbooks.layout import bind_workbook, build_layout
from corpus.drafts import replacing
from corpus.errors import StateError
from corpus.hashing import sha256_text
from corpus.records import Assignment, AssignmentState
from corpus.store import Store

LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class ExportedWorkbook:
    """A rater's workbook in its folder."""

    assignment: Assignment
    path: Path
    items: int


def export_sheets(
    store: Store, batch_id: str, folder: Path, rater: str | None = None
) -> list[ExportedWorkbook]:
    """Writes a workbook for each rater of a batch who still answers, or for one of them.

    Raises:
        StateError: if there is no such batch or rater, or a file of that name holds anything else
            than what would be written.
        InputError: if a text does not fit into a cell.
    """
    with store.reading() as state:
        batch = state.batch(batch_id)
        form = state.form(batch.form)
        items = {item.id: item for item in state.items([batch_id])}
        assignments = state.assignments([batch_id])
    chosen = _choose_assignments(batch_id, assignments, rater)
    layout = build_layout(form, items.values())
    created = batch.stamp.at if batch.stamp else datetime(1980, 1, 1, tzinfo=UTC)
    files = [
        (
            ExportedWorkbook(each, folder / _file_name(each), len(each.item_ids)),
            build_workbook(
                layout,
                bind_workbook(batch, each),
                [items[item_id] for item_id in each.item_ids],
                created,
            ),
        )
        for each in chosen
    ]
    _write_files([(exported.path, content) for exported, content in files])
    return [exported for exported, _ in files]


def _choose_assignments(
    batch_id: str, assignments: Sequence[Assignment], rater: str | None
) -> list[Assignment]:
    active = [each for each in assignments if each.state is AssignmentState.ACTIVE]
    chosen = [each for each in active if rater in (None, each.rater_id)]
    if not chosen:
        known = ", ".join(each.rater_id for each in active) or "nobody"
        raise StateError(f"{rater or 'Nobody'} rates batch {batch_id}; its raters: {known}.")
    return chosen


def _file_name(assignment: Assignment) -> str:
    """`<batch>_<rater>.xlsx`, in characters that every file system takes."""
    name = f"{assignment.batch_id}_{assignment.rater_id}"
    safe = re.sub(r"[^A-Za-z0-9._-]", "_", name)[:LONGEST_NAME]
    return f"{safe}.xlsx" if safe == name else f"{safe}-{sha256_text(name)[:8]}.xlsx"


def _write_files(files: Sequence[tuple[Path, bytes]]) -> None:
    try:
        for path, content in files:
            if path.exists() and path.read_bytes() != content:
                raise StateError(
                    f"{path} is there already and is not what would be written; it may hold "
                    "answers. Import it or move it away, then export again."
                )
        for path, content in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as stream:
                stream.write(content)
    except OSError as error:
        raise StateError(f"{error.filename} cannot be written: {error.strerror}.") from error
