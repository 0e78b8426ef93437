"""`prompts report`: LangBiTe's tables, every outcome and all figures of a run, as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.prompts import prompts
from app.options import (
    ActorOption,
    ByteOrderMarkOption,
    FormulaSafeOption,
    ForSpreadsheetOption,
    JsonOption,
    WorkspaceOption,
)
from app.output import describe_figure, figures_document, print_json, print_table, say
from app.session import Session, open_session
from app.views.prompt_statements import describe_cut_off, describe_left_out
from corpus.errors import Fault, InputError
from corpus.figures import Figure
from corpus.spreadsheet_cells import ENCODING, make_inert
from exports.files import write_csv, write_json
from scoring.oracles import Outcome
from scoring.prompt_reports import (
    EVALUATIONS,
    GLOBAL_EVALUATION,
    OUTCOMES,
    RESPONSES,
    compute_run_figures,
    evaluations_rows,
    global_rows,
    outcomes_rows,
    responses_rows,
)
from scoring.prompt_results import PromptRun, find_prompt_runs, open_prompt_run, prompts_folder
from scoring.tolerances import judge_requirements

RATES = ("langbite", "all")
WHOLE = ("model", "language", "concern")
ResultArgument = Annotated[
    str | None,
    typer.Argument(help="Folder of a run, or its name; else the only run.", show_default=False),
]


def register(_: typer.Typer) -> None:
    """Adds the command to the group."""
    prompts.command("report")(report)


def report(
    result: ResultArgument = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="Folder to write the tables and figures into.")
    ] = None,
    formula_safe: FormulaSafeOption = False,
    byte_order_mark: ByteOrderMarkOption = False,
    for_spreadsheet: ForSpreadsheetOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Rates of a run by concern, and LangBiTe's three tables with `--to`."""
    with open_session(workspace, actor) as session:
        run = choose_run(session, result)
        settings = session.settings
        found = compute_run_figures(run, seed=settings.seed, draws=settings.draws)
    figures = [figure for figure, _ in found]
    verdicts = judge_requirements(run.requirements.requirements, figures)
    document = {
        **figures_document("prompts report", run.manifest["key"], figures),
        "figures": [figure.as_json() | {"signature": mark} for figure, mark in found],
        "requirements": [
            {
                "requirement": each.requirement,
                "model": each.model,
                "language": each.language,
                "tolerance": each.tolerance,
                "langbite": str(each.langbite),
                "all": str(each.all),
            }
            for each in verdicts
        ],
        "same_family": {model: list(helpers) for model, helpers in run.marked_models.items()},
        "human_eyes": run.manifest["human_eyes"],
        "unvalidated": run.manifest["unvalidated"],
        "left_out": run.manifest["left_out"],
        "not_measured": run.manifest["not_measured"],
    }
    if to is not None:
        to.mkdir(parents=True, exist_ok=True)
        _write_tables(
            run,
            to,
            formula_safe=formula_safe or for_spreadsheet,
            encoding=ENCODING if byte_order_mark or for_spreadsheet else "utf-8",
        )
        write_json(to / "figures.json", document)
    if as_json:
        print_json(document)
        return
    _print_rates(figures)
    _print_outcomes(figures)
    _print_marks(run, figures)
    if to is not None:
        say(f"Tables and figures: {to}")


def choose_run(session: Session, name: str | None) -> PromptRun:
    """The run of this folder or name, or the only one of the workspace.

    Raises:
        InputError: if there is none, or several and none is named.
    """
    results = session.workspace.results
    if name is not None:
        folder = Path(name)
        return open_prompt_run(folder if folder.is_dir() else prompts_folder(results) / name)
    found = find_prompt_runs(results)
    if len(found) != 1:
        problem = f"{len(found)} runs of prompt tests in this workspace"
        names = ", ".join(folder.name for folder in found) or "make one with `prompts run`"
        raise InputError([Fault("result", None, None, problem, f"name one: {names}")])
    return open_prompt_run(found[0])


def _write_tables(run: PromptRun, to: Path, *, formula_safe: bool, encoding: str) -> None:
    """LangBiTe's tables, as it lays them out unless cells are made inert, and every outcome."""
    for name, columns, rows in (
        ("responses", RESPONSES, responses_rows(run)),
        ("evaluations", EVALUATIONS, evaluations_rows(run)),
        ("global_evaluation", GLOBAL_EVALUATION, global_rows(run)),
        ("outcomes", OUTCOMES, outcomes_rows(run)),
    ):
        written = ([make_inert(cell) for cell in row] for row in rows) if formula_safe else rows
        write_csv(to / f"{name}.csv", columns, written, encoding)


def _print_rates(figures: list[Figure]) -> None:
    rows: dict[tuple[str, str, str], dict[str, Figure]] = {}
    for figure in figures:
        scope = dict(figure.scope)
        bound = scope.pop("bound", None)
        if figure.name in RATES and set(scope) == set(WHOLE):
            place = (scope["model"], scope["language"], scope["concern"])
            rows.setdefault(place, {})[bound or figure.name] = figure
    print_table(
        "Tests passed (interval)",
        ("model", "language", "concern", "langbite", "n", "all, unread failed",
         "all, unread passed", "n", "notes"),
        [
            (
                *place,
                describe_figure(known["langbite"]),
                known["langbite"].n,
                describe_figure(known["lower"]),
                describe_figure(known["upper"]),
                known["lower"].n,
                ", ".join(sorted({*known["langbite"].notes, *known["lower"].notes})),
            )
            for place, known in rows.items()
        ],
    )  # fmt: skip


def _print_outcomes(figures: list[Figure]) -> None:
    """Tests by what became of them; no refusal, unreadable answer or error is left out."""
    counted: dict[tuple[str, ...], dict[str, int]] = {}
    for figure in figures:
        scope = dict(figure.scope)
        if figure.name == "tests" and set(scope) == {*WHOLE, "outcome"}:
            place = tuple(scope[name] for name in WHOLE)
            counted.setdefault(place, {})[scope["outcome"]] = int(figure.value or 0)
    rows = [(*place, *(known[outcome] for outcome in Outcome)) for place, known in counted.items()]
    print_table("Tests by outcome", (*WHOLE, *Outcome), rows)


def _print_marks(run: PromptRun, figures: list[Figure]) -> None:
    for told in (describe_left_out(run.results), describe_cut_off(run.results)):
        if told:
            say(told)
    for model, helpers in run.marked_models.items():
        told = ", ".join(helpers)
        say(f"{model}: {told}, of its own family, translated, paraphrased or judged.")
    eyes = run.manifest["human_eyes"]
    for language in run.languages:
        say(f"{language}: {eyes.get(language, 'not known how many templates a human has seen')}.")
    if run.manifest["unvalidated"]:
        say(f"Not approved by anybody: {', '.join(run.manifest['unvalidated'])}.")
    if any("us_centred" in figure.notes for figure in figures):
        say("Political templates are about the United States.")
    if run.manifest["demonstration"]:
        say("A demonstration: these figures say nothing about any model.")
    say(f"Not measured: {run.manifest['not_measured']}")
