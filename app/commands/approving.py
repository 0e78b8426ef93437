"""`approve`: a curator signs a language off, seeing its gates and what changed since last time."""

from __future__ import annotations

from typing import Annotated

import typer

from annotation.approval_changes import find_changes_since
from annotation.approvals import approve_language, revoke_approval
from annotation.assessment import Assessment, AssessmentSettings, assess_language
from app.commands.labelling import pull_before_approval
from app.options import ActorOption, InstrumentOption, WorkspaceOption, choose_language
from app.output import print_table, say
from app.session import open_session
from app.views.approval import NOTHING_STORED_CHANGED, build_change_rows, propose_third_rater
from app.views.gates import build_gate_rows
from corpus.records import Instrument
from corpus.standing import Standing
from corpus.store import Store


def register(cli: typer.Typer) -> None:
    """Adds this command to the command line."""
    cli.command("approve")(approve)


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

    What was sent to a Label Studio that is set is pulled first, all of it. Then the gates are
    shown, and what has changed since an approval that no longer holds.
    """
    found = choose_language(language, instrument, "language")
    with open_session(workspace, actor) as session:
        if revoke is not None:
            revoke_approval(session.store, instrument, found.code, session.actor, revoke)
            say(f"The approval of {found.name} is withdrawn.")
            return
        if not no_pull:
            pull_before_approval(session, instrument, found.code)
        settings = AssessmentSettings.from_settings(session.settings)
        standing = session.standing(instrument, found.code)
        if standing.batches:
            print_gates(assess_language(standing, settings), standing)
            print_changes(session.store, standing)
        approve_language(
            session.store,
            instrument,
            found.code,
            session.actor,
            settings,
            override,
            # What is approved is what was just shown.
            seen_hash=standing.data_hash,
        )
    say(f"{found.name} is approved.")


def print_gates(assessment: Assessment, standing: Standing) -> None:
    """The gates of a language with value, interval and reason, and what could be done."""
    rows = [
        (
            each.condition,
            each.state,
            each.value,
            each.interval,
            each.needed,
            "; ".join(part for part in (each.about, each.why) if part),
        )
        for each in build_gate_rows(assessment.gates, standing.instrument)
    ]
    columns = ("gate", "state", "value", "95 % interval", "needed", "about")
    print_table("Gates of the whole language", columns, rows)
    proposal = propose_third_rater(standing, assessment.gates)
    if proposal:
        say(proposal)


def print_changes(store: Store, standing: Standing) -> None:
    """What has changed since an approval that no longer holds; nothing where one holds."""
    review = standing.review
    if review.approval is None or not review.stale:
        return
    changes = find_changes_since(store, standing, review.approval)
    rows = [(each.what_changed, each.number, each.which) for each in build_change_rows(changes)]
    say(f"The approval by {review.approval.by} no longer holds.")
    if not rows:
        say(NOTHING_STORED_CHANGED)
        return
    print_table("Changed since the approval", ("what", "number", "which"), rows)
