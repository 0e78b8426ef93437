"""Commands about who answers a batch that is out: raters join, are replaced, take over."""

from __future__ import annotations

from typing import Annotated

import typer

from annotation.adjudication import create_adjudication
from annotation.assessment import AssessmentSettings
from annotation.staffing import Restaffed, add_rater, reassign_open, replace_rater
from app.commands.batches import BatchArgument, batch
from app.options import ActorOption, WorkspaceOption
from app.output import say
from app.session import Session, open_session
from corpus.errors import SettingsError

RaterArgument = Annotated[str, typer.Argument(help="Id of the rater.")]


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line; they are verbs of `batch`."""


@batch.command("add-rater")
def add(
    batch_id: BatchArgument,
    rater_id: RaterArgument,
    share: Annotated[
        float | None,
        typer.Option("--share", help="A random part of the batch, from 0 to 1; all by default."),
    ] = None,
    conflicts: Annotated[
        bool,
        typer.Option(
            "--conflicts",
            help="Only what raters disagree on: a batch of its own that never enters agreement.",
        ),
    ] = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Give a further rater a batch, a random part of it, or its conflicts."""
    if conflicts and share is not None:
        raise SettingsError("Either --share, for agreement, or --conflicts, for a third opinion.")
    with open_session(workspace, actor) as session:
        if conflicts:
            _adjudicate(session, batch_id, rater_id)
            return
        done = add_rater(
            session.store, batch_id, rater_id, session.actor, 1.0 if share is None else share
        )
    _tell(done, batch_id)


@batch.command("replace-rater")
def replace(
    batch_id: BatchArgument,
    old_id: Annotated[str, typer.Argument(help="Id of the rater who leaves.")],
    new_id: Annotated[str, typer.Argument(help="Id of the rater who takes over.")],
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Give what a rater has not finished to another one. Pull the batch first.

    What she finished stays hers and counts.
    """
    with open_session(workspace, actor) as session:
        done = replace_rater(session.store, batch_id, old_id, new_id, session.actor)
    _tell(done, batch_id)


@batch.command("reassign")
def reassign(
    batch_id: BatchArgument,
    rater_id: RaterArgument,
    declined_by: Annotated[
        str | None, typer.Option("--declined-by", help="Only what this rater skipped.")
    ] = None,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Give a rater the items that lack one: skipped by another, or left behind."""
    with open_session(workspace, actor) as session:
        done = reassign_open(session.store, batch_id, rater_id, session.actor, declined_by)
    _tell(done, batch_id)


def _adjudicate(session: Session, batch_id: str, rater_id: str) -> None:
    settings = AssessmentSettings.from_settings(session.settings)
    made, conflicts = create_adjudication(
        session.store, batch_id, rater_id, session.actor, settings
    )
    if conflicts.asked:
        say(f"Asked about before: {conflicts.asked}.")
    if conflicts.hers:
        say(f"Given to {rater_id} herself in this batch and left out: {conflicts.hers}.")
    if made is None:
        say(f"No open conflict of {batch_id} is left to ask {rater_id} about; nothing to do.")
        return
    say(f"Batch created: {len(made.items)} items. Next: stereoscope batch push {made.batch.id}")
    typer.echo(made.batch.id)


def _tell(done: Restaffed, batch_id: str) -> None:
    rater = done.assignment.rater_id
    if done.added:
        say(f"{rater} has {len(done.added)} more items. Next: stereoscope batch push {batch_id}")
    else:
        say(f"Nothing to do: {rater} has {len(done.assignment.item_ids)} items, none are new.")
    if done.left_open:
        say(
            f"Still open, because {rater} has seen them or their other variant: "
            f"{len(done.left_open)}. Give them to another rater with `stereoscope batch reassign "
            f"{batch_id} RATER`."
        )
