"""Commands that show how far batches are and how reliably raters answer."""

from __future__ import annotations

from typing import Annotated

import typer

from annotation.progress import (
    build_problem_figures,
    build_progress_figures,
    compute_progress,
    find_noted_problems,
)
from annotation.reliability import build_reliability_figures, compute_reliability
from app.commands.batches import batch, load_standings, print_rows
from app.commands.raters import raters
from app.options import ActorOption, InstrumentOption, JsonOption, WorkspaceOption, choose_language
from app.output import literal, print_figures, say
from app.session import Session, open_session
from app.views.progress import (
    ProblemRow,
    RaterProgress,
    TotalRow,
    build_problem_rows,
    build_progress_rows,
    build_total_rows,
)
from app.views.reliability import (
    EXPLANATION,
    NO_VERDICT,
    ControlRow,
    HabitRow,
    MarkRow,
    build_control_rows,
    build_habit_rows,
    build_mark_rows,
)
from corpus.errors import StateError
from corpus.hashing import combined_hash
from corpus.records import Instrument
from corpus.standing import Standing


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line; they are verbs of `batch` and `raters`."""


@batch.command("status")
def status(
    batch_id: Annotated[str | None, typer.Argument(help="Only this batch.")] = None,
    as_json: JsonOption = False,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Show how far each language, batch and rater is, and what the last pull found wrong."""
    with open_session(workspace, actor) as session:
        standings = _load_standings(session, instrument, batch_id)
        with session.store.reading() as state:
            marks = state.pull_marks(
                each.id for standing in standings for each in standing.assignments
            )
        url = session.settings.label_studio_url
    rows = [row for each in standings for row in compute_progress(each, batch_id)]
    problems = [
        problem for each in standings for problem in find_noted_problems(each, marks, batch_id)
    ]
    if as_json:
        inputs = combined_hash(each.data_hash for each in standings)
        figures = [*build_progress_figures(rows), *build_problem_figures(problems)]
        print_figures("batch status", inputs, figures)
        return
    print_rows("Batches", build_total_rows(rows), TotalRow)
    shown = build_progress_rows(rows, url)
    print_rows("Raters", shown, RaterProgress, without={"project"})
    # A narrow terminal would break an address that stands in a table.
    for each in shown:
        if each.project:
            typer.echo(literal(f"{each.batch} {each.rater}: {each.project}"))
    if problems:
        print_rows("Problems that the last pulls found", build_problem_rows(problems), ProblemRow)


@raters.command("reliability")
def reliability(
    language: Annotated[
        str | None, typer.Option("--language", "-l", help="Only this language, e.g. sk.")
    ] = None,
    batch_id: Annotated[
        str | None, typer.Option("--batch", help="Only answers of this batch.")
    ] = None,
    as_json: JsonOption = False,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Show how each rater rates: repeats, degraded translations, speed, use of the scale.

    Marks what is worth a look; excludes nobody.
    """
    code = None if language is None else choose_language(language, instrument).code
    with open_session(workspace, actor) as session:
        standings = _load_standings(session, instrument, batch_id, code)
        settings = session.settings
    if code is not None and not standings:
        raise StateError(
            f"There is no batch of {code}."
            if batch_id is None
            else f"Batch {batch_id} is none of {code}."
        )
    found = {
        each.language: compute_reliability(
            each, settings.seed, batch_id, largest_shift=settings.outlier_shift
        )
        for each in standings
    }
    if as_json:
        figures = [figure for each in found.values() for figure in build_reliability_figures(each)]
        inputs = combined_hash(each.data_hash for each in standings)
        print_figures("raters reliability", inputs, figures)
        return
    for each, rated in found.items():
        print_rows(f"Raters of {each}: control items", build_control_rows(rated), ControlRow)
        print_rows(f"Raters of {each}: habits and level", build_habit_rows(rated), HabitRow)
    if marks := [mark for each in found.values() for mark in build_mark_rows(each)]:
        print_rows("Worth a look", marks, MarkRow)
    say(f"{EXPLANATION}\n{NO_VERDICT}")


def _load_standings(
    session: Session, instrument: Instrument, batch_id: str | None, language: str | None = None
) -> list[Standing]:
    """The languages with batches; only that of the batch, or the language, if one is named.

    Raises:
        StateError: if there is no such batch.
    """
    if batch_id is None:
        return load_standings(session, instrument, language)
    with session.store.reading() as state:
        named = state.batch(batch_id)
    if language not in {None, named.language}:
        return []
    return [session.standing(named.instrument, named.language)]
