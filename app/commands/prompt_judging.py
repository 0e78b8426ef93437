"""`prompts judge`: a chat model's verdicts beside the oracles', and how far people agree."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from annotation.judged_answers import pull_judged_answers, push_judged_answers
from annotation.label_studio.protocol import AnnotationServer
from app.commands.labelling import open_server
from app.commands.prompt_reporting import ResultArgument, choose_run
from app.commands.prompts import prompts
from app.judge_agreement import ALL, compute_judge_figures
from app.options import ActorOption, DryRunOption, JsonOption, WorkspaceOption
from app.output import describe_figure, figures_document, print_json, print_table, say
from app.progress import watched_run
from app.session import open_session
from corpus.errors import Fault, InputError
from corpus.figures import Figure
from corpus.spreadsheet_cells import ENCODING, make_inert
from exports.files import write_csv
from scoring.judged_samples import (
    COLUMNS,
    draw_sample,
    load_human_verdicts,
    sample_rows,
    sample_texts,
)
from scoring.model_connections import ModelConnections
from scoring.prompt_judge import Judgement, count_to_judge, judge_run
from scoring.prompt_results import PromptRun
from scoring.prompt_run import Asking
from scoring.prompt_signature import build_prompt_signature, describe_helper
from scoring.tested_models import TestedModel, load_tested_models


def register(_: typer.Typer) -> None:
    """Adds the command to the group."""
    prompts.command("judge")(judge)


def judge(
    judge_file: Annotated[
        Path, typer.Option("--judge", help="Models file that describes the one judging model.")
    ],
    result: ResultArgument = None,
    sample: Annotated[
        int | None,
        typer.Option("--sample", help="Answers to draw for people; needs --to or --push."),
    ] = None,
    push: Annotated[
        int | None,
        typer.Option("--push", min=1, max=20, help="People to judge the sample in Label Studio."),
    ] = None,
    pull: Annotated[
        bool, typer.Option("--pull", help="Take what people said in Label Studio.")
    ] = False,
    to: Annotated[
        Path | None, typer.Option("--to", help="CSV for people to fill in; shows no verdict.")
    ] = None,
    humans: Annotated[
        list[Path] | None,
        typer.Option("--humans", help="A filled CSV, one for each person; may be repeated."),
    ] = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, max=256, help="Answers on their way at once.")
    ] = 8,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Ask again what failed before.")
    ] = False,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Have a chat model judge the answers of a run; its verdicts replace no oracle's.

    What was judged is not asked again, so that samples and agreement cost nothing more.
    """
    with open_session(workspace, actor) as session:
        settings = session.settings
        connections = ModelConnections(os.environ, settings.device, settings.dtype)
        model = _find_judge(judge_file, connections)
        _check_sample(sample, to, push)
        server = open_server(session) if push is not None or pull else None
        run = choose_run(session, result)
        if dry_run:
            say(f"{model.name} would be asked about {count_to_judge(run)} answers.")
            return
        with watched_run(session.store, "prompts judge") as progress:
            asking = Asking(
                connections.connect, concurrency, retry_errors, progress.plan, progress.advance
            )
            found = judge_run(run, model, asking)
        seed, draws = settings.seed, settings.draws
        said = _load_humans(humans or [], found)
        if server is not None and pull:
            said |= _pull(server, found, len(said))
        figures = compute_judge_figures(run, found, said, seed=seed, draws=draws)
        drawn = draw_sample(found, sample, seed) if sample is not None else ()
        if to is not None:
            rows = sample_rows(run, drawn)
            # For people: what a spreadsheet would run as a formula is made a text.
            inert = (tuple(make_inert(cell) for cell in row) for row in rows)
            write_csv(to, COLUMNS, inert, encoding=ENCODING)
        if server is not None and push is not None:
            title = f"{settings.name} answers"
            texts = sample_texts(run, drawn)
            for link in push_judged_answers(server, found.mark, texts, push, title):
                say(f"To judge: {link}")
    if as_json:
        print_json(_document(run, found, figures))
        return
    _print(run, found, figures)
    if to is not None:
        say(f"Sample for people: {to}")


def _find_judge(path: Path, connections: ModelConnections) -> TestedModel:
    models = connections.resolve(load_tested_models(path), str(path)).models
    if len(models) != 1:
        problem, remedy = f"{len(models)} models", "describe the judging model alone"
        raise InputError([Fault(str(path), None, "models", problem, remedy)])
    return models[0]


def _check_sample(sample: int | None, to: Path | None, push: int | None) -> None:
    wanted = to is not None or push is not None
    if (sample is not None) != wanted or (sample is not None and sample < 1):
        remedy = "give --sample with at least 1 answer, and --to or --push"
        raise InputError([Fault("--sample", None, None, "nothing to draw, or nowhere", remedy)])


def _pull(server: AnnotationServer, found: Judgement, before: int) -> dict[str, Mapping[str, str]]:
    """What people said in Label Studio; its projects are numbered, and so are they."""
    said: dict[str, Mapping[str, str]] = {}
    known = {each.key for each in found.verdicts}
    for pulled in pull_judged_answers(server, found.mark):
        own = {key: verdict for key, verdict in pulled.verdicts.items() if key in known}
        lost = pulled.unreadable + len(pulled.verdicts) - len(own)
        said[f"human {before + pulled.number}"] = own
        say(f"Person {pulled.number}: {len(own)} answers, {lost} that cannot be read.")
    return said


def _load_humans(paths: list[Path], found: Judgement) -> dict[str, Mapping[str, str]]:
    faults: list[Fault] = []
    verdicts: dict[str, Mapping[str, str]] = {}
    for number, path in enumerate(paths, start=1):
        try:
            # People stay unnamed, whatever they called their file.
            verdicts[f"human {number}"] = load_human_verdicts(path, found)
        except InputError as error:
            faults.extend(error.faults)
    if faults:
        raise InputError(faults)
    return verdicts


def _document(run: PromptRun, found: Judgement, figures: tuple[Figure, ...]) -> dict[str, object]:
    name = describe_helper(found.judge)
    written = []
    for figure in figures:
        scope = dict(figure.scope)
        mark = f"judged_by:{name}|run:{run.manifest['key']}|judging:{found.manifest['judging']}"
        if "model" in scope:
            mark = build_prompt_signature(
                run.manifest, scope["model"], scope["language"], judge=name
            )
        written.append(figure.as_json() | {"signature": mark})
    document = figures_document("prompts judge", run.manifest["key"], figures)
    return {**document, "figures": written, "same_family": list(found.marked_models(run))}


def _print(run: PromptRun, found: Judgement, figures: tuple[Figure, ...]) -> None:
    rates = [
        (*dict(each.scope).values(), describe_figure(each), each.n, ", ".join(each.notes))
        for each in figures
        if each.name == "judge_rate"
    ]
    of_rates = ("model", "language", "concern", "judge passes", "tests", "notes")
    print_table(f"Verdicts of {found.judge['name']}", of_rates, rates)
    agreed = [
        (dict(each.scope)["language"], dict(each.scope)["sides"], each.name,
         describe_figure(each), each.n, ", ".join(each.notes))
        for each in figures
        if "sides" in dict(each.scope)
    ]  # fmt: skip
    columns = ("language", "between", "figure", "value (interval)", "answers", "notes")
    print_table("Agreement on answers", columns, [row for row in agreed if row[4] or row[0] == ALL])
    told = ", ".join(f"{n} {name}" for name, n in sorted(found.manifest["verdicts"].items()))
    say(f"Verdicts: {told or 'none, no answer can be judged'}.")
    for model in found.marked_models(run):
        say(f"{model} is judged by a model of its own family.")
    if found.judge not in run.manifest["judges"]:
        say(
            "From now on figures of this run name this judge and mark models of its family; draw "
            "those again that were drawn before."
        )
    say(f"Stored: {found.folder}")
