"""`decide`: what a curator makes of a candidate, or of all open disagreements by a rule."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

import typer

from annotation.assessment import AssessmentSettings, assess_language
from annotation.bulk_rules import LOW_DA, BulkRule, apply_rule, preview_rule, undo_rule
from annotation.decisions import Verdict, current_candidate, decide
from app.checks import check_pair
from app.options import ActorOption, InstrumentOption, WorkspaceOption, choose_language
from app.output import print_table, say
from app.session import Session, open_session
from app.views.bulk_rules import build_preview, count_preview
from corpus.records import DecisionAction, Instrument, Label


class RuleName(StrEnum):
    """A rule as it is typed."""

    MAJORITY = "majority"
    AGAINST_SYSTEM = "against-system"
    LOW_DA = "low-da"


RULES = {
    RuleName.MAJORITY: BulkRule.MAJORITY,
    RuleName.AGAINST_SYSTEM: BulkRule.AGAINST_SYSTEM,
    RuleName.LOW_DA: BulkRule.LOW_DA,
}


def register(cli: typer.Typer) -> None:
    """Adds this command to the command line."""
    cli.command("decide")(decide_candidates)


def decide_candidates(
    subject: Annotated[str | None, typer.Argument(help="Id of the candidate.")] = None,
    action: Annotated[DecisionAction | None, typer.Argument(help="What to do with it.")] = None,
    reason: Annotated[
        str | None, typer.Option("--reason", help="Why; a rule gives its own reasons.")
    ] = None,
    seen: Annotated[
        str | None,
        typer.Option("--seen", help="Content hash of what was seen; else the present content."),
    ] = None,
    label: Annotated[
        Label | None,
        typer.Option(
            "--label",
            help="New label, to relabel; discarded with the one text there is of a pair.",
        ),
    ] = None,
    neutral: Annotated[str | None, typer.Option("--neutral", help="New neutral text.")] = None,
    masculine: Annotated[
        str | None, typer.Option("--masculine", help="New masculine text.")
    ] = None,
    feminine: Annotated[str | None, typer.Option("--feminine", help="New feminine text.")] = None,
    rule: Annotated[
        RuleName | None,
        typer.Option("--rule", help="Decide every open disagreement that this rule settles."),
    ] = None,
    low_da: Annotated[
        float, typer.Option("--low-da", min=0, max=100, help="Limit of the rule low-da.")
    ] = LOW_DA,
    undo: Annotated[
        str | None,
        typer.Option("--undo", help="Reopen what an application of a rule decided, by its name."),
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", "-l", help="Language of a rule, e.g. sk.")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Apply the rule; without it a preview is shown.")
    ] = False,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Accept, relabel, edit, reject or reopen a candidate; or decide many by a rule.

    A rule shows what it would decide and writes nothing without --yes; it is applied whole or not
    at all, and undone whole.
    """
    texts = {"neutral": neutral, "masculine": masculine, "feminine": feminine}
    one = {"SUBJECT": subject, "--seen": seen, "--label": label, **texts}
    _check_one_use(one, rule, undo, language, yes=yes)
    with open_session(workspace, actor) as session:
        if rule is not None or undo is not None:
            found = choose_language(str(language), instrument)
            if undo is not None:
                done = undo_rule(
                    session.store, instrument, found.code, undo, session.actor, reason or ""
                )
                say(f"Undone: {undo}; {len(done)} open again.")
            elif rule is not None:
                _decide_by_rule(session, instrument, found.code, RULES[rule], low_da, yes=yes)
            return
        if subject is None or action is None or reason is None:
            raise typer.BadParameter("Name a candidate, what to do with it, and --reason.")
        if seen is None:
            with session.store.reading() as state:
                seen = current_candidate(state, subject).content_hash
        variants = {name: text for name, text in texts.items() if text is not None}
        verdict = Verdict(subject, seen, action, reason, label, variants or None)
        decision = decide(session.store, verdict, session.actor, check_pair)
    say(f"{subject}: {action}.")
    if decision.written:
        say(
            f"Human-written: {', '.join(decision.written)}. It is released once a rater has rated "
            "it; `batch create --purpose targeted --flag human_written` sends it."
        )


def _check_one_use(
    one: Mapping[str, object],
    rule: RuleName | None,
    undo: str | None,
    language: str | None,
    *,
    yes: bool,
) -> None:
    """Refuses options of two uses together.

    Raises:
        BadParameter: with what does not go together.
    """
    if rule is not None and undo is not None:
        raise typer.BadParameter("Either --rule or --undo.")
    if rule is None and undo is None:
        if language is not None or yes:
            raise typer.BadParameter("--language and --yes need --rule or --undo.")
        return
    if any(value is not None for value in one.values()):
        raise typer.BadParameter("A rule takes no candidate, label or texts.")
    if language is None:
        raise typer.BadParameter("A rule needs --language.")


def _decide_by_rule(
    session: Session,
    instrument: Instrument,
    language: str,
    rule: BulkRule,
    low_da: float,
    *,
    yes: bool,
) -> None:
    standing = session.standing(instrument, language)
    settings = AssessmentSettings.from_settings(session.settings)
    verdicts = preview_rule(standing, assess_language(standing, settings), rule, low_da)
    if not verdicts:
        say("This rule settles none of the open disagreements; nothing to do.")
        return
    rows = [
        (each.candidate, each.decision, each.why, each.texts)
        for each in build_preview(standing, verdicts)
    ]
    print_table(f"{language}: {rule}", ("candidate", "decision", "why", "texts"), rows)
    if not yes:
        say(f"{count_preview(verdicts)} Repeat it with --yes to apply it.")
        return
    name = apply_rule(session.store, rule, verdicts, session.actor)
    say(f"{len(verdicts)} decided. To take it back: --undo '{name}' -l {language} --reason …")
