"""`refer`: a curator asks raters about one candidate before she decides it."""

from __future__ import annotations

from typing import Annotated

import typer

from annotation.referrals import Question, refer_candidate
from app.options import ActorOption, WorkspaceOption
from app.output import say
from app.session import open_session
from app.views.planning import describe_created


def register(cli: typer.Typer) -> None:
    """Adds this command to the command line."""
    cli.command("refer")(refer)


def refer(
    subject: Annotated[str, typer.Argument(help="Id of the candidate, as on page Disagreements.")],
    question: Annotated[
        str,
        typer.Option(
            "--question",
            "-q",
            help=(
                "What is asked, shown above the texts; needed without --rater. Say nothing of what "
                "others answered or the system said."
            ),
            show_default=False,
        ),
    ] = "",
    rater: Annotated[
        str | None,
        typer.Option(
            "--rater",
            help="Ask this rater, who was given none of its texts; else its own raters are asked.",
        ),
    ] = None,
    seen: Annotated[
        str | None,
        typer.Option("--seen", help="Content hash of what was seen; else the present content."),
    ] = None,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Ask a candidate's raters again, or another rater, before it is decided.

    Makes a small batch, to be pushed as any other. Its answers enter no figure of agreement; until
    they are there the candidate stays open and no rule decides it.
    """
    with open_session(workspace, actor) as session:
        made = refer_candidate(
            session.store, Question(subject, seen, question, rater), session.actor
        )
    say(describe_created(made))
    typer.echo(made.batch.id)
