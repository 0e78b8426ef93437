"""`raters` and `batch`: who rates which sample, sent out and fetched back."""

from __future__ import annotations

from typing import Annotated

import typer

from annotation.batches import BatchPlan, create_batch
from annotation.label_studio.client import LabelStudioServer
from annotation.pull import PulledAssignment, pull_batch
from annotation.push import push_batch
from app.options import (
    ActorOption,
    DryRunOption,
    InstrumentOption,
    JsonOption,
    LanguageOption,
    WorkspaceOption,
    split_list,
)
from app.output import (
    count_figure,
    print_figures,
    print_table,
    say,
)
from app.progress import watched_run
from app.session import Session, open_session
from corpus.errors import SettingsError, StateError
from corpus.figures import Figure
from corpus.hashing import combined_hash
from corpus.languages import languages as find_languages
from corpus.records import (
    AuditEntry,
    Instrument,
    Label,
    Origin,
    Person,
    Purpose,
    RatingState,
)
from corpus.standing import Standing
from pipeline.reasons import REASONS

raters = typer.Typer(help="People who rate.", no_args_is_help=True)
batch = typer.Typer(help="Samples sent to raters.", no_args_is_help=True)

BatchArgument = Annotated[str, typer.Argument(help="Id of the batch, as `batch status` shows it.")]


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line."""
    cli.add_typer(raters, name="raters")
    cli.add_typer(batch, name="batch")


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
