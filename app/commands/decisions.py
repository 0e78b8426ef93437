"""`decide` and `approve`: what a curator makes of what the ratings say."""

from __future__ import annotations

from typing import Annotated

import typer

from annotation.approvals import approve_language, revoke_approval
from annotation.assessment import AssessmentSettings
from annotation.decisions import Verdict, current_candidate, decide
from app.checks import check_pair
from app.commands.labelling import pull_before_approval
from app.options import ActorOption, InstrumentOption, WorkspaceOption
from app.output import say
from app.session import open_session
from corpus.languages import languages as find_languages
from corpus.records import DecisionAction, Instrument, Label


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line."""
    cli.command("decide")(decide_candidate)
    cli.command("approve")(approve)


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


def approve(
    language: Annotated[str, typer.Argument(help="Language code.")],
    override: Annotated[
        str | None, typer.Option("--override", help="Reason for approving against a gate.")
    ] = None,
    revoke: Annotated[
        str | None, typer.Option("--revoke", help="Withdraw the approval, with this reason.")
    ] = None,
    no_pull: Annotated[
        bool,
        typer.Option("--no-pull", help="Approve on what was pulled; ask no Label Studio before."),
    ] = False,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Approve a language on its present data and figures, or withdraw its approval.

    What was sent to a Label Studio that is set is pulled first, all of it.
    """
    [found] = find_languages([language], "language")
    with open_session(workspace, actor) as session:
        if revoke is not None:
            revoke_approval(session.store, instrument, found.code, session.actor, revoke)
            say(f"The approval of {found.name} is withdrawn.")
            return
        if not no_pull:
            pull_before_approval(session, instrument, found.code)
        settings = AssessmentSettings.from_settings(session.settings)
        approve_language(session.store, instrument, found.code, session.actor, settings, override)
    say(f"{found.name} is approved.")
