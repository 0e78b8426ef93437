"""Filled workbooks back into the store: all files or none, as often as one likes.

Every fault of every file is found before anything is written. An answer that is as it was adds
nothing, a changed one adds a revision. A row that was emptied or removed takes nothing back,
because a fresh or half-filled copy must not undo what a rater did; to take an answer back she
declines. What a file says about time is not believed: an answer counts from its import on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from annotation.workbooks.answers import Expected, RowAnswer, read_sheet
from annotation.workbooks.layout import (
    BINDING_SHEET,
    LAYOUT,
    RATINGS_SHEET,
    Binding,
    bind_workbook,
    build_layout,
)
from annotation.workbooks.spreadsheet import Cells, load_sheets
from corpus.errors import Fault, InputError
from corpus.hashing import sha256_json
from corpus.records import Assignment, AuditEntry, Batch, Origin, RatingRevision, RatingState
from corpus.store import Store
from corpus.store.state import State

SOURCE = "workbook"
ANSWERED = (RatingState.VALID, RatingState.SKIPPED)
EXPORT_AGAIN = "export the batch again and copy the answers over"
OPENING = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ImportedWorkbook:
    """What a workbook held; each item of the rater is in one of the first six counts."""

    file: str
    assignment_id: str
    new: int
    """First answers from this workbook."""
    changed: int
    """Another answer than it gave before."""
    unchanged: int
    superseded: int
    """Unchanged here, and answered otherwise elsewhere since: that answer counts."""
    empty: int
    """Not answered here."""
    kept: int
    """Emptied or removed here; the earlier answer stays."""
    replacing: int
    """Of the new and changed answers those that replace another one given elsewhere."""


def import_sheets(
    store: Store, paths: Sequence[Path], actor: str, dry_run: bool = False
) -> list[ImportedWorkbook]:
    """Takes the answers out of filled workbooks, in one transaction or not at all.

    Args:
        store: where their batches are.
        paths: the files.
        actor: who imports them.
        dry_run: only say what would be imported.

    Raises:
        InputError: with every fault of every file.
    """
    loaded = [_load(path) for path in paths]
    if dry_run:
        with store.reading() as state:
            return [each.report for each in _read(state, loaded)]
    with store.writing(Origin.IMPORT) as writer:
        read = _read(writer, loaded)
        for each in read:
            added = writer.append_ratings(each.revisions)
            if added:
                after = dict(Counter(str(revision.state) for revision in added))
                writer.append_audit(
                    AuditEntry(actor, "batch import-sheet", each.report.assignment_id, after=after)
                )
    return [each.report for each in read]


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A file's cells by sheet, or why there are none."""

    file: str
    sheets: Mapping[str, Cells]
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class _Read:
    """What a file without faults adds."""

    revisions: list[RatingRevision]
    report: ImportedWorkbook


def _load(path: Path) -> _Loaded:
    try:
        return _Loaded(str(path), load_sheets(path))
    except InputError as error:
        return _Loaded(str(path), {}, error.faults)


def _read(state: State, loaded: Sequence[_Loaded]) -> list[_Read]:
    """What each file adds.

    Raises:
        InputError: with every fault of every file.
    """
    now = datetime.now(UTC)
    read: list[_Read] = []
    faults: list[Fault] = []
    first: dict[str, str] = {}
    for each in loaded:
        try:
            batch, assignment, binding = _find_assignment(state, each)
            if assignment.id in first:
                problem = f"it is {assignment.rater_id}'s as {first[assignment.id]} is"
                raise _refusal(each.file, problem, "import one of them, the latest")
            first[assignment.id] = each.file
            read.append(_read_file(state, each, batch, assignment, binding, now))
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    return read


def _find_assignment(state: State, loaded: _Loaded) -> tuple[Batch, Assignment, Binding]:
    """Whose workbook of which batch this is."""
    if loaded.faults:
        raise InputError(loaded.faults)
    file = loaded.file
    binding = _load_binding(loaded)
    batches = {batch.id: batch for batch in state.batches()}
    batch = batches.get(binding.batch)
    if batch is None:
        problem = f"its batch {binding.batch!r} is not in this study"
        raise _refusal(file, problem, "import it where it was exported")
    assignments = {each.rater_id: each for each in state.assignments([batch.id])}
    assignment = assignments.get(binding.rater)
    if assignment is None:
        problem = f"its rater {binding.rater!r} does not rate batch {batch.id}"
        raise _refusal(file, problem, f"raters are {', '.join(sorted(assignments))}")
    if binding.layout != LAYOUT:
        raise _refusal(file, "another version of Stereoscope exported it", EXPORT_AGAIN)
    if binding.form != batch.form:
        problem = f"it asks form {binding.form}, and the batch form {batch.form}"
        raise _refusal(file, problem, EXPORT_AGAIN)
    if binding != bind_workbook(batch, assignment):
        problem = "its hidden id is not this batch's: another study exported it, or it was changed"
        raise _refusal(file, problem, "import it where it was exported, or " + EXPORT_AGAIN)
    return batch, assignment, binding


def _load_binding(loaded: _Loaded) -> Binding:
    cells = loaded.sheets.get(BINDING_SHEET, {})
    said = {
        str(cell.value): str(cells[row, 1].value)
        for (row, place), cell in cells.items()
        if place == 0 and (row, 1) in cells
    }
    names = list(Binding.__dataclass_fields__)
    missing = [name for name in (RATINGS_SHEET, BINDING_SHEET) if name not in loaded.sheets]
    if missing or not set(names) <= set(said):
        problem = (
            f"its sheet “{missing[0]}” is missing"
            if missing
            else f"its hidden sheet “{BINDING_SHEET}” was changed"
        )
        remedy = "send the workbook that `batch export-sheet` wrote, with all its sheets"
        raise _refusal(loaded.file, problem, remedy)
    return Binding(**{name: said[name] for name in names})


def _read_file(
    state: State,
    loaded: _Loaded,
    batch: Batch,
    assignment: Assignment,
    binding: Binding,
    now: datetime,
) -> _Read:
    items = {item.id: item for item in state.items([batch.id])}
    layout = build_layout(state.form(batch.form), items.values())
    expected = Expected(layout, binding, items, assignment.item_ids)
    reading = read_sheet(loaded.file, loaded.sheets[RATINGS_SHEET], expected)
    if reading.faults:
        raise InputError(reading.faults)
    revisions = [_revision(binding, answer, now) for answer in reading.answered]
    mine = [
        each
        for each in state.ratings(assignment.item_ids)
        if each.rater_id == assignment.rater_id and each.state in ANSWERED
    ]
    own = {each.item_id: each for each in mine if each.source_id == _source_id(binding, each)}
    other: dict[str, RatingRevision] = {}
    for each in sorted(mine, key=_given_at):
        if each.item_id not in own or each != own[each.item_id]:
            other[each.item_id] = each
    return _Read(revisions, _report(loaded.file, assignment, revisions, own, other))


def _revision(binding: Binding, answer: RowAnswer, now: datetime) -> RatingRevision:
    revision = RatingRevision(
        item_id=answer.item_id,
        rater_id=binding.rater,
        state=answer.state,
        answers=answer.answers,
        source=SOURCE,
        source_revision=sha256_json([answer.state, dict(answer.answers)]),
        answered_at=now,
    )
    # Rows may be sorted, so an answer is found again by its item and not by its cell.
    return replace(revision, source_id=_source_id(binding, revision))


def _source_id(binding: Binding, rating: RatingRevision) -> str:
    return f"{binding.workbook}!{rating.item_id}"


def _report(
    file: str,
    assignment: Assignment,
    revisions: Sequence[RatingRevision],
    own: Mapping[str, RatingRevision],
    other: Mapping[str, RatingRevision],
) -> ImportedWorkbook:
    """Counts the items by what the file does to them.

    Args:
        file: name of the file.
        assignment: whose it is.
        revisions: what the file says.
        own: what it said before, by item.
        other: the rater's latest answer from elsewhere, by item.
    """
    counts: Counter[str] = Counter()
    for revision in revisions:
        before, elsewhere = own.get(revision.item_id), other.get(revision.item_id)
        differs = elsewhere is not None and _said(elsewhere) != _said(revision)
        if before is None or _said(before) != _said(revision):
            counts["new" if before is None else "changed"] += 1
            counts["replacing"] += differs
        elif differs and elsewhere is not None and _given_at(elsewhere) > _given_at(before):
            counts["superseded"] += 1
        else:
            counts["unchanged"] += 1
    answered = {revision.item_id for revision in revisions}
    for item_id in assignment.item_ids:
        if item_id not in answered:
            counts["kept" if item_id in own else "empty"] += 1
    names = ("new", "changed", "unchanged", "superseded", "empty", "kept", "replacing")
    return ImportedWorkbook(file, assignment.id, *(counts[name] for name in names))


def _said(rating: RatingRevision) -> tuple[RatingState, dict[str, object]]:
    return rating.state, dict(rating.answers)


def _given_at(rating: RatingRevision) -> datetime:
    return rating.answered_at or (rating.stamp.at if rating.stamp else OPENING)


def _refusal(file: str, problem: str, remedy: str) -> InputError:
    return InputError([Fault(file, None, None, problem, remedy)])
