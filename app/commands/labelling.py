"""Commands that send batches to Label Studio and fetch ratings back."""

from __future__ import annotations

from typing import Annotated

import typer

from annotation.label_studio.client import LabelStudioServer
from annotation.pull import PulledAssignment, pull_batch
from annotation.push import push_batch
from app.commands.batches import batch
from app.options import ActorOption, WorkspaceOption
from app.output import print_table
from app.progress import watched_run
from app.session import Session, open_session

BatchArgument = Annotated[str, typer.Argument(help="Id of the batch, as `batch status` shows it.")]


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line; they are verbs of `batch`."""


@batch.command("push")
def push(
    batch_id: BatchArgument, workspace: WorkspaceOption = None, actor: ActorOption = None
) -> None:
    """Send a batch to Label Studio; repeated, it completes what is missing."""
    with open_session(workspace, actor) as session:
        server = open_server(session)
        with watched_run(session.store, "batch push") as progress:
            pushed = push_batch(
                session.store, server, batch_id, session.actor, advance=progress.advance
            )
    rows = [
        (each.assignment.rater_id, each.assignment.external_id, each.tasks_added, each.url)
        for each in pushed
    ]
    print_table(f"Batch {batch_id}", ("rater", "project", "tasks added", "link"), rows)


@batch.command("pull")
def pull(
    batch_id: BatchArgument, workspace: WorkspaceOption = None, actor: ActorOption = None
) -> None:
    """Fetch the ratings of a batch; repeated, it adds only what is new."""
    with open_session(workspace, actor) as session:
        server = open_server(session)
        with watched_run(session.store, "batch pull") as progress:
            pulled = pull_batch(
                session.store, server, batch_id, session.actor, advance=progress.advance
            )
    print_pulled(batch_id, pulled)


def print_pulled(batch_id: str, pulled: list[PulledAssignment]) -> None:
    """What a pull found, rater by rater."""
    rows = [
        (each.assignment_id, each.added, each.invalid, "; ".join(each.problems)) for each in pulled
    ]
    columns = ("assignment", "new revisions", "invalid", "problems")
    print_table(f"Batch {batch_id}", columns, rows)


def open_server(session: Session) -> LabelStudioServer:
    """The Label Studio that the settings name, checked.

    Raises:
        UnreachableError: if it is not set, does not answer or refuses the token.
    """
    settings = session.settings
    token = settings.label_studio_token.get_secret_value()
    server = LabelStudioServer(settings.label_studio_url, token)
    server.check()
    return server
