"""Commands that send a batch out as Excel workbooks and take the answers back in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annotation.workbooks.incoming import import_sheets
from annotation.workbooks.outgoing import export_sheets
from app.commands.batches import BatchArgument, batch
from app.options import ActorOption, DryRunOption, WorkspaceOption
from app.output import print_table, say
from app.session import open_session

COLUMNS = ("new", "changed", "unchanged", "superseded", "empty", "kept", "replacing")


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line; they are verbs of `batch`."""


@batch.command("export-sheet")
def export_sheet(
    batch_id: BatchArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the workbooks.")],
    rater: Annotated[str | None, typer.Option("--rater", help="Only this rater's.")] = None,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Write a batch as Excel workbooks, one for each rater, to be filled in without a browser."""
    with open_session(workspace, actor) as session:
        written = export_sheets(session.store, batch_id, out, rater)
    rows = [(each.assignment.rater_id, each.items, each.path) for each in written]
    print_table(f"Batch {batch_id}", ("rater", "items", "workbook"), rows)


@batch.command("import-sheet")
def import_sheet(
    files: Annotated[list[Path], typer.Argument(help="Filled workbooks (.xlsx).")],
    dry_run: DryRunOption = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Take the answers out of filled workbooks: all files, or none if one has a fault.

    Repeated, it adds only what is new or changed. A row without answers says nothing: it takes no
    earlier answer back.
    """
    with open_session(workspace, actor) as session:
        imported = import_sheets(session.store, files, session.actor, dry_run)
    rows = [
        (each.file, each.assignment_id, *(getattr(each, name) for name in COLUMNS))
        for each in imported
    ]
    print_table("Workbooks", ("workbook", "assignment", *COLUMNS), rows)
    if dry_run:
        say("Dry run: nothing was written.")
    for each in imported:
        _explain(each.file, each.superseded, each.kept, each.replacing)


def _explain(file: str, superseded: int, kept: int, replacing: int) -> None:
    """Says in words what a curator may not expect."""
    if replacing:
        say(f"{file}: {replacing} answers replace others that she gave elsewhere.")
    if superseded:
        say(f"{file}: {superseded} answers are older than others that she gave elsewhere.")
    if kept:
        say(f"{file}: {kept} rows are empty that were answered before; those answers stay.")
