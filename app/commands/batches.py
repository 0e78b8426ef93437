"""Commands about batches: samples for raters, and how far they are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import fields
from typing import Annotated, Any

import typer

from annotation.batches import BatchPlan, check_raters, create_batch
from annotation.chosen import choose_written
from annotation.controls import ControlShares
from annotation.costs import CostRates
from annotation.design import ChosenCandidate
from annotation.forecast import Expectations, build_work_figures
from annotation.rounds import compute_pace, compute_rounds
from annotation.sampling import Allocation
from app.options import (
    ActorOption,
    DryRunOption,
    InstrumentOption,
    JsonOption,
    LanguageOption,
    WorkspaceOption,
    choose_language,
    split_list,
)
from app.output import count_figure, print_figures, print_table, say
from app.session import Session, open_session
from app.views.planning import (
    ASSUMPTIONS,
    FactRow,
    IntervalRow,
    PlannedBatch,
    RoundRow,
    StratumRow,
    build_fact_rows,
    build_interval_rows,
    build_round_rows,
    build_strata_rows,
    describe_totals,
    plan_a_batch,
)
from corpus.errors import SettingsError
from corpus.figures import Figure
from corpus.hashing import combined_hash
from corpus.records import Instrument, Label, Origin, Purpose
from corpus.standing import Standing
from corpus.stereotypes import Inventory
from corpus.written import WRITTEN_FLAG
from pipeline.flags import FLAGS
from pipeline.reasons import REASONS

batch = typer.Typer(help="Samples sent to raters.", no_args_is_help=True)

BatchArgument = Annotated[str, typer.Argument(help="Id of the batch, as `batch status` shows it.")]
SizeOption = Annotated[
    int | None,
    typer.Option("--size", min=1, help="Candidates in the sample; else the setting batch_size."),
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", min=0, help="Seed of the draw; else the setting seed.")
]
PurposeOption = Annotated[
    Purpose,
    typer.Option(
        "--purpose",
        help="sample enters agreement, targeted never does; no other is made here.",
    ),
]
LabelOption = Annotated[
    Label | None, typer.Option("--label", help="Targeted: only candidates with this label.")
]
ReasonOption = Annotated[
    str,
    typer.Option(
        "--reason", help="Targeted: only these codes with commas; `candidates reasons` lists them."
    ),
]
FlagOption = Annotated[
    str,
    typer.Option(
        "--flag",
        help="Targeted: only with one of these flags; repaired shows the built text, "
        "human_written the texts of curators that no rater has rated.",
    ),
]
AllocationOption = Annotated[
    Allocation,
    typer.Option(
        "--allocation",
        help="equal: the same number of each label and stereotype; items then carry weights.",
    ),
]
RatersPerItemOption = Annotated[
    int | None,
    typer.Option(
        "--raters-per-item", help="How many of the raters answer each item; all by default."
    ),
]
DoubleShareOption = Annotated[
    float | None,
    typer.Option(
        "--double-share", help="Share of the items that two raters answer, the others one."
    ),
]
BothVariantsOption = Annotated[
    bool,
    typer.Option("--both-variants", help="Show both texts of a pair, to different raters."),
]
RepeatsOption = Annotated[
    float, typer.Option("--repeats", help="Exact repeats, as a share of the sample.")
]
DegradedOption = Annotated[
    float, typer.Option("--degraded", help="Degraded translations, as a share of the sample.")
]


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line."""
    cli.add_typer(batch, name="batch")


@batch.command("create")
def create(
    language: LanguageOption,
    rater_ids: Annotated[str, typer.Option("--raters", help="Rater ids with commas.")],
    size: SizeOption = None,
    seed: SeedOption = None,
    purpose: PurposeOption = Purpose.SAMPLE,
    label: LabelOption = None,
    reason: ReasonOption = "",
    flag: FlagOption = "",
    allocation: AllocationOption = Allocation.PROPORTIONAL,
    raters_per_item: RatersPerItemOption = None,
    double_share: DoubleShareOption = None,
    both_variants: BothVariantsOption = False,
    repeats: RepeatsOption = 0.0,
    degraded: DegradedOption = 0.0,
    dry_run: DryRunOption = False,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Draw a sample of a language and give each rater her own order of it."""
    found = choose_language(language, instrument)
    with open_session(workspace, actor) as session:
        flags = _choose("flag", flag, FLAGS)
        chosen: tuple[ChosenCandidate, ...] = ()
        if WRITTEN_FLAG in flags:
            chosen = choose_written(session.standing(instrument, found.code))
        plan = BatchPlan(
            instrument=instrument,
            language=found.code,
            size=size or len(chosen) or session.settings.batch_size,
            raters=tuple(split_list(rater_ids)),
            seed=seed if seed is not None else session.settings.seed,
            purpose=purpose,
            label=label,
            reasons=_choose("reason", reason, REASONS),
            flags=flags,
            chosen=chosen,
            allocation=allocation,
            raters_per_item=raters_per_item,
            double_share=double_share,
            both_variants=both_variants,
            controls=ControlShares(repeats, degraded),
            cost=CostRates.from_settings(session.settings),
        )
        if dry_run:
            with session.store.reading() as state:
                check_raters(state, plan.raters)
            standing = session.standing(instrument, found.code)
            planned = _look_at(session, standing, plan, Expectations())
            _print_plan(planned, session.workspace.load_inventory())
            say(f"Dry run: nothing was written. The batch would be {plan.id}.")
            return
        created = create_batch(session.store, plan, session.actor, Origin.HUMAN)
    there = "created" if created.created else "is there already"
    say(f"Batch {there}: {len(created.items)} items. Next: stereoscope batch push {plan.id}")
    typer.echo(plan.id)


@batch.command("plan")
def show_plan(
    language: LanguageOption,
    raters: Annotated[str, typer.Option("--raters", help="How many raters, or their ids.")] = "2",
    size: SizeOption = None,
    seed: SeedOption = None,
    allocation: AllocationOption = Allocation.PROPORTIONAL,
    raters_per_item: RatersPerItemOption = None,
    double_share: DoubleShareOption = None,
    both_variants: BothVariantsOption = False,
    repeats: RepeatsOption = 0.0,
    degraded: DegradedOption = 0.0,
    accuracy: Annotated[
        float, typer.Option("--expect-accuracy", help="Share of labels equal to the system's.")
    ] = Expectations().label_accuracy,
    agreement: Annotated[
        float, typer.Option("--expect-agreement", help="Share of items two raters label alike.")
    ] = Expectations().raw_agreement,
    pearson: Annotated[
        float, typer.Option("--expect-pearson", help="Correlation of two raters' DA.")
    ] = Expectations().pearson,
    as_json: JsonOption = False,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Show what a batch would be, tell, take and cost; writes nothing."""
    found = choose_language(language, instrument)
    with open_session(workspace, actor) as session:
        plan = BatchPlan(
            instrument=instrument,
            language=found.code,
            size=size or session.settings.batch_size,
            raters=_name_raters(raters),
            seed=seed if seed is not None else session.settings.seed,
            allocation=allocation,
            raters_per_item=raters_per_item,
            double_share=double_share,
            both_variants=both_variants,
            controls=ControlShares(repeats, degraded),
            cost=CostRates.from_settings(session.settings),
        )
        standing = session.standing(instrument, found.code)
        planned = _look_at(session, standing, plan, Expectations(accuracy, agreement, pearson))
        inventory = session.workspace.load_inventory()
    if as_json:
        figures = [*planned.forecast.figures, *_strata(planned)]
        print_figures("batch plan", standing.data_hash, figures)
        return
    _print_plan(planned, inventory)


@batch.command("costs")
def show_costs(
    as_json: JsonOption = False,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Show what each batch was to take and cost, and what it has so far."""
    with open_session(workspace, actor) as session:
        standings = load_standings(session, instrument)
        pace = _find_pace(session, standings)
        rounds = compute_rounds(standings, CostRates.from_settings(session.settings), pace)
    if as_json:
        figures = [
            figure
            for each in rounds
            for kind, work in (("forecast", each.planned), ("actual", each.done))
            for figure in build_work_figures(
                work, each.rates, (("batch", each.batch.id), ("kind", kind))
            )
        ]
        print_figures("batch costs", combined_hash(each.data_hash for each in standings), figures)
        return
    print_rows("Rounds: done so far of what was forecast", build_round_rows(rounds), RoundRow)
    if totals := describe_totals(rounds):
        say(f"All rounds: {totals}")


def load_standings(
    session: Session, instrument: Instrument, language: str | None = None
) -> list[Standing]:
    """The languages of the instrument that have batches; at most one if it is named."""
    with session.store.reading() as state:
        languages = sorted({each.language for each in state.batches(instrument, language)})
    return [session.standing(instrument, each) for each in languages]


def print_rows(
    title: str, rows: Sequence[Any], kind: type[Any], without: Collection[str] = ()
) -> None:
    """Dataclass rows as a table, fields as columns but for those named."""
    names = [field.name for field in fields(kind) if field.name not in without]
    columns = [name.replace("_", " ") for name in names]
    print_table(title, columns, [[_cell(getattr(row, name)) for name in names] for row in rows])


def _cell(value: object) -> object:
    return f"{value:.3f}" if isinstance(value, float) else value


def _print_plan(planned: PlannedBatch, inventory: Inventory) -> None:
    print_rows(f"Plan for {planned.plan.language}", build_fact_rows(planned), FactRow)
    rows = build_interval_rows(planned.forecast.figures, planned.plan.instrument)
    print_rows("Expected figures and their intervals", rows, IntervalRow)
    print_rows("Strata", build_strata_rows(planned.draft, inventory), StratumRow)
    say(ASSUMPTIONS)


def _look_at(
    session: Session, standing: Standing, plan: BatchPlan, expected: Expectations
) -> PlannedBatch:
    with session.store.reading() as state:
        sources = {source.key: source for source in state.sources(plan.instrument)}
    pace = session.settings.seconds_per_item
    if pace is None:
        pace = _find_pace(session, load_standings(session, plan.instrument))
    return plan_a_batch(standing, sources, plan, pace, expected)


def _find_pace(session: Session, standings: Sequence[Standing]) -> float | None:
    ratings = (answer.rating for standing in standings for answer in standing.answers)
    return compute_pace(ratings, session.settings.seconds_per_item)


def _strata(planned: PlannedBatch) -> list[Figure]:
    definition = "number of candidates of the stratum in the sample"
    return [
        count_figure(
            "stratum", each.drawn, definition, label=str(each.label), stereotype=each.group
        )
        for each in planned.draft.strata
    ]


def _name_raters(value: str) -> tuple[str, ...]:
    """The ids given, or made-up ones where a number is given."""
    if value.strip().isdigit():
        return tuple(f"rater {number}" for number in range(1, 1 + int(value)))
    return tuple(split_list(value))


def _choose(kind: str, value: str, known: Collection[str]) -> tuple[str, ...]:
    codes = tuple(split_list(value))
    if unknown := [code for code in codes if code not in known]:
        raise SettingsError(f"Unknown {kind} {', '.join(unknown)}; use some of {', '.join(known)}.")
    return codes
