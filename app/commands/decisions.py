"""`decide`: what a curator makes of what the ratings say of a candidate."""

from __future__ import annotations

from typing import Annotated

import typer

from annotation.decisions import Verdict, current_candidate, decide
from app.checks import check_pair
from app.options import ActorOption, WorkspaceOption
from app.output import say
from app.session import open_session
from corpus.records import DecisionAction, Label


def register(cli: typer.Typer) -> None:
    """Adds this command to the command line."""
    cli.command("decide")(decide_candidate)


def decide_candidate(
    subject: Annotated[str, typer.Argument(help="Id of the candidate.")],
    action: Annotated[DecisionAction, typer.Argument(help="What to do with it.")],
    reason: Annotated[str, typer.Option("--reason", help="Why.")],
    seen: Annotated[
        str | None,
        typer.Option("--seen", help="Content hash of what was seen; else the present content."),
    ] = None,
    label: Annotated[Label | None, typer.Option("--label", help="New label, to relabel.")] = None,
    neutral: Annotated[str | None, typer.Option("--neutral", help="New neutral text.")] = None,
    masculine: Annotated[
        str | None, typer.Option("--masculine", help="New masculine text.")
    ] = None,
    feminine: Annotated[str | None, typer.Option("--feminine", help="New feminine text.")] = None,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Accept, relabel, edit or reject a candidate."""
    texts = {"neutral": neutral, "masculine": masculine, "feminine": feminine}
    variants = {name: text for name, text in texts.items() if text is not None}
    with open_session(workspace, actor) as session:
        if seen is None:
            with session.store.writing() as writer:
                seen = current_candidate(writer, subject).content_hash
        verdict = Verdict(subject, seen, action, reason, label, variants or None)
        decide(session.store, verdict, session.actor, check_pair)
    say(f"{subject}: {action}.")
