"""Commands about batches: samples for raters, and how far they are."""

from __future__ import annotations

from typing import Annotated

import typer

from annotation.batches import BatchPlan, create_batch
from app.options import (
    ActorOption,
    DryRunOption,
    InstrumentOption,
    JsonOption,
    LanguageOption,
    WorkspaceOption,
    split_list,
)
from app.output import count_figure, print_figures, print_table, say
from app.session import open_session
from corpus.errors import SettingsError
from corpus.figures import Figure
from corpus.hashing import combined_hash
from corpus.languages import languages as find_languages
from corpus.records import Instrument, Label, Origin, Purpose, RatingState
from corpus.standing import Standing
from pipeline.reasons import REASONS

batch = typer.Typer(help="Samples sent to raters.", no_args_is_help=True)


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line."""
    cli.add_typer(batch, name="batch")


@batch.command("create")
def create(
    language: LanguageOption,
    rater_ids: Annotated[str, typer.Option("--raters", help="Rater ids with commas.")],
    size: Annotated[int | None, typer.Option("--size", min=1, help="Number of items.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Seed of the draw.")] = None,
    purpose: Annotated[
        Purpose, typer.Option("--purpose", help="sample, or targeted: never enters agreement.")
    ] = Purpose.SAMPLE,
    label: Annotated[
        Label | None, typer.Option("--label", help="Targeted: only candidates with this label.")
    ] = None,
    reason: Annotated[
        str, typer.Option("--reason", help="Targeted: only these reason codes, with commas.")
    ] = "",
    dry_run: DryRunOption = False,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Draw a sample of a language and give each rater her own order of it."""
    [found] = find_languages([language], "--language")
    with open_session(workspace, actor) as session:
        settings = session.settings
        plan = BatchPlan(
            instrument=instrument,
            language=found.code,
            size=size or settings.batch_size,
            raters=tuple(split_list(rater_ids)),
            seed=seed if seed is not None else settings.seed,
            purpose=purpose,
            label=label,
            reasons=_choose_reasons(reason),
        )
        if dry_run:
            say(f"Dry run: batch {plan.id}, {plan.size} items × {len(plan.raters)} raters.")
            return
        created = create_batch(session.store, plan, session.actor, Origin.HUMAN)
    there = "created" if created.created else "is there already"
    say(f"Batch {there}: {len(created.items)} items. Next: stereoscope batch push {plan.id}")
    typer.echo(plan.id)


def _choose_reasons(value: str) -> tuple[str, ...]:
    codes = tuple(split_list(value))
    if unknown := [code for code in codes if code not in REASONS]:
        raise SettingsError(
            f"Unknown reason {', '.join(unknown)}; use some of {', '.join(REASONS)}."
        )
    return codes


@batch.command("status")
def status(
    batch_id: Annotated[str | None, typer.Argument(help="Only this batch.")] = None,
    as_json: JsonOption = False,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Show how far each rater of each batch is."""
    with open_session(workspace, actor) as session:
        with session.store.reading() as state:
            if batch_id is not None:
                state.batch(batch_id)
            languages = sorted({each.language for each in state.batches(instrument)})
        standings = [session.standing(instrument, each) for each in languages]
    figures = [figure for each in standings for figure in _progress(each, batch_id)]
    if as_json:
        inputs = combined_hash(each.data_hash for each in standings)
        print_figures("batch status", inputs, figures)
        return
    rows: dict[tuple[str, str], dict[str, int]] = {}
    for figure in figures:
        scope = dict(figure.scope)
        rows.setdefault((scope["batch"], scope["rater"]), {})[figure.name] = figure.n
    names = ("assigned", "valid", "skipped", "invalid")
    table = [(*who, *(counts[name] for name in names)) for who, counts in rows.items()]
    print_table("Batches", ("batch", "rater", *names), table)


def _progress(standing: Standing, batch_id: str | None) -> list[Figure]:
    figures = []
    for assignment in standing.assignments:
        if batch_id is not None and assignment.batch_id != batch_id:
            continue
        mine = set(assignment.item_ids)
        states = [
            answer.rating.state
            for answer in standing.answers
            if answer.rating.rater_id == assignment.rater_id and answer.rating.item_id in mine
        ]
        counts = {"assigned": len(mine)} | {
            str(state): states.count(state)
            for state in (RatingState.VALID, RatingState.SKIPPED, RatingState.INVALID)
        }
        scope = {"batch": assignment.batch_id, "rater": assignment.rater_id}
        for name, count in counts.items():
            figures.append(count_figure(name, count, f"number of items: {name}", **scope))
    return figures
