"""Commands about raters: people who rate, known by a pseudonym."""

from __future__ import annotations

from typing import Annotated

import typer

from app.options import ActorOption, WorkspaceOption
from app.output import print_table, say
from app.session import open_session
from corpus.errors import StateError
from corpus.people import Person
from corpus.records import AuditEntry, Origin

raters = typer.Typer(help="People who rate.", no_args_is_help=True)


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line."""
    cli.add_typer(raters, name="raters")


@raters.command("add")
def add_rater(
    rater_id: Annotated[str, typer.Argument(help="Pseudonym; the only name in all data.")],
    address: Annotated[
        str | None, typer.Option("--address", help="E-mail address of her Label Studio log-in.")
    ] = None,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Add a rater, or give her another address; the address stays in one table."""
    if "/" in rater_id or "," in rater_id or not rater_id.strip():
        raise StateError("A rater's id is a short name without slash and comma, e.g. rater-sk-1.")
    with (
        open_session(workspace, actor) as session,
        session.store.writing(Origin.HUMAN) as writer,
    ):
        known = {person.id: person for person in writer.people()}.get(rater_id)
        if known is not None and known.address == address:
            say(f"{rater_id} is there already.")
            return
        writer.append([Person(rater_id, "rater", None, address)])
        writer.append_audit(AuditEntry(session.actor, "raters add", rater_id))
    say(f"{rater_id} added.")


@raters.command("list")
def list_raters(workspace: WorkspaceOption = None, actor: ActorOption = None) -> None:
    """List raters by pseudonym; addresses are never shown."""
    with open_session(workspace, actor) as session, session.store.reading() as state:
        people = [person for person in state.people() if person.kind == "rater"]
    rows = [(person.id, "yes" if person.address else "no") for person in people]
    print_table("Raters", ("rater", "has a log-in address"), rows)
