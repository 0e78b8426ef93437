"""Commands that send batches to Label Studio, fetch ratings back and set projects right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from annotation.label_studio.client import LabelStudioServer
from annotation.problems import describe_problem
from annotation.project_pull import PulledAssignment
from annotation.pull import pull_batches
from annotation.push import push_batch
from annotation.repair import repair_batch
from app.commands.batches import BatchArgument, batch
from app.options import ActorOption, DryRunOption, WorkspaceOption
from app.output import print_table, say
from app.progress import watched_run
from app.session import Session, open_session
from corpus.records import AssignmentState, Instrument


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
            progress.plan(len(_assignments(session, [batch_id], only_pushed=False)))
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
    batch_id: Annotated[
        str | None, typer.Argument(help="Id of the batch; without it all batches.")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Read projects in which nothing changed, too.")
    ] = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Fetch ratings; repeated, it adds only what is new."""
    with open_session(workspace, actor) as session:
        with session.store.reading() as state:
            named = state.batches() if batch_id is None else [state.batch(batch_id)]
        # Asked even if nothing was pushed: who pulls wants to know that the server answers.
        server = open_server(session)
        pulled = pull_from_server(session, [each.id for each in named], full=full, server=server)
    print_pulled("All batches" if batch_id is None else f"Batch {batch_id}", pulled)


@batch.command("repair")
def repair(
    batch_id: BatchArgument,
    dry_run: DryRunOption = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Set a batch's projects right on the server; answers are never deleted."""
    with open_session(workspace, actor) as session:
        server = open_server(session)
        with watched_run(session.store, "batch repair") as progress:
            progress.plan(len(_assignments(session, [batch_id])))
            found = repair_batch(
                session.store,
                server,
                batch_id,
                session.actor,
                advance=progress.advance,
                dry_run=dry_run,
            )
    if not found:
        say(f"Batch {batch_id}: nothing to repair.")
        return
    rows = [(each.assignment_id, each.code, ", ".join(each.about), each.outcome) for each in found]
    print_table(f"Batch {batch_id}", ("assignment", "problem", "about", "outcome"), rows)


def pull_from_server(
    session: Session,
    batch_ids: Sequence[str],
    *,
    full: bool = False,
    server: LabelStudioServer | None = None,
) -> list[PulledAssignment]:
    """Pulls batches as a watched run; asks no server if none of them was pushed to one.

    Args:
        session: of the workspace.
        batch_ids: what to pull.
        full: read projects in which nothing changed, too.
        server: where they are; None opens the one that is set.

    Raises:
        UnreachableError: if Label Studio is not set, does not answer or refuses the token.
    """
    pushed = _assignments(session, batch_ids)
    if not pushed:
        return []
    server = server or open_server(session)
    with watched_run(session.store, "batch pull", len(pushed)) as progress:
        return pull_batches(
            session.store,
            server,
            batch_ids,
            session.actor,
            advance=progress.advance,
            full=full,
        )


def pull_before_approval(session: Session, instrument: Instrument, language: str) -> None:
    """Pulls all of a language's projects as a whole, if any are on a Label Studio that is set."""
    if not session.settings.label_studio_url:
        return
    with session.store.reading() as state:
        batch_ids = [each.id for each in state.batches(instrument, language)]
    pull_from_server(session, batch_ids, full=True)


def print_pulled(title: str, pulled: Sequence[PulledAssignment]) -> None:
    """What a pull found, rater by rater."""
    rows = [
        (
            each.assignment_id,
            each.added,
            each.invalid,
            " ".join(describe_problem(problem.as_json()) for problem in each.problems),
        )
        for each in pulled
    ]
    print_table(title, ("assignment", "new revisions", "invalid", "problems"), rows)


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


def _assignments(
    session: Session, batch_ids: Sequence[str], *, only_pushed: bool = True
) -> list[str]:
    """Ids of the batches' assignments that were pushed, or of those that will be."""
    with session.store.reading() as state:
        found = state.assignments(batch_ids)
    return [
        each.id
        for each in found
        if (each.external_id is not None if only_pushed else each.state is AssignmentState.ACTIVE)
    ]
