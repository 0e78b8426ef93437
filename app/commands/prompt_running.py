"""`prompts run`: sends prompt templates to chat models and keeps every answer."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from app.commands.prompts import prompts
from app.commands.releases import find_built
from app.options import (
    ActorOption,
    DemonstrationOption,
    DryRunOption,
    JsonOption,
    WorkspaceOption,
    split_list,
)
from app.output import count_figure, print_figures, print_table, say
from app.progress import watched_run
from app.session import Session, open_session
from corpus.errors import Fault, InputError
from corpus.figures import Figure
from exports.prompt_files import FOLDER, check_prompt_release
from scoring.model_connections import ModelConnections
from scoring.prompt_inputs import ORDERS, find_order, load_prompt_inputs
from scoring.prompt_origins import read_release_origin
from scoring.prompt_plan import (
    LEFT_OUT,
    PromptOrigin,
    PromptPlan,
    PromptRequest,
    build_prompt_plan,
)
from scoring.prompt_results import PromptRun
from scoring.prompt_run import Asking, count_pending, run_prompts
from scoring.tested_models import TestedModels, load_tested_models

LARGEST_CONCURRENCY = 256
SHOWN = 10
"""Templates that are named where many are left out; the manifest names all."""
PLAIN = "plain"
"""Templates as they stand, beside their paraphrases."""
ANSWERS = "messages with a reply in this state"
TO_SEND = "messages that a run would send now"


def register(_: typer.Typer) -> None:
    """Adds the command to the group."""
    prompts.command("run")(run)


def run(
    models: Annotated[
        Path, typer.Option("--models", "-m", help="Models file: which chat models are tested.")
    ],
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="CSVs of templates and, ending in .json, their requirements; or --release.",
            show_default=False,
        ),
    ] = None,
    release: Annotated[
        str | None, typer.Option("--release", help="Version such as mla-bite/1.0.0, or folder.")
    ] = None,
    texts: Annotated[
        str | None,
        typer.Option(
            "--texts", help="plain, t2p, p2t with commas: which texts are sent; else all."
        ),
    ] = None,
    languages: Annotated[
        str | None,
        typer.Option("--languages", "-l", help="As the files name them, with commas; else all."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", help="Most prompts of a template, drawn by the seed; else all."),
    ] = None,
    repeats: Annotated[int, typer.Option("--repeats", help="Times each prompt is sent.")] = 1,
    concurrency: Annotated[
        int, typer.Option("--concurrency", help="Prompts on their way to a model at once.")
    ] = 8,
    seed: Annotated[int | None, typer.Option("--seed", help="Of what is drawn.")] = None,
    augmented_by: Annotated[
        str | None,
        typer.Option("--augmented-by", help="Models that translated or paraphrased, with commas."),
    ] = None,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Ask again what failed in an earlier run.")
    ] = False,
    leave_out_blocked: Annotated[
        bool,
        typer.Option("--leave-out-blocked", help="Leave out templates that cannot be sent."),
    ] = False,
    demonstration: DemonstrationOption = False,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Send prompt templates to chat models; what was answered is never sent again.

    Everything that is wrong with files, models and options is told before a prompt is sent.
    """
    with open_session(workspace, actor, {"seed": seed} if seed is not None else None) as session:
        connections = _connections(session, os.environ)
        chosen = None if languages is None else tuple(split_list(languages))
        paths, origin = _find_texts(files or [], release, workspace, chosen)
        own = tuple(split_list(augmented_by or ""))
        plan = _plan(
            _choose_texts(paths, texts), models, connections,
            languages=chosen,
            origin=replace(origin, augmenters=tuple(sorted({*origin.augmenters, *own}))),
            limit=limit,
            seed=session.settings.seed,
            repeats=repeats,
            concurrency=concurrency,
            leave_out_blocked=leave_out_blocked,
            demonstration=demonstration,
        )  # fmt: skip
        _say_settings(plan)
        results = session.workspace.results
        pending = count_pending(plan, results, retry_errors=retry_errors)
        if dry_run:
            _print_pending(plan, pending, as_json)
            return
        with watched_run(session.store, "prompts run") as progress:
            asking = Asking(
                connections.connect, concurrency, retry_errors, progress.plan, progress.advance
            )
            found = run_prompts(plan, results, asking)
    if as_json:
        print_figures("prompts run", found.manifest["key"], _count_replies(found))
    else:
        _print_run(found)


def _connections(session: Session, environment: Mapping[str, str]) -> ModelConnections:
    settings = session.settings
    return ModelConnections(environment, settings.device, settings.dtype)


def _find_texts(
    files: list[Path],
    release: str | None,
    workspace: Path | None,
    languages: tuple[str, ...] | None,
) -> tuple[list[Path], PromptOrigin]:
    """The files of prompts, given or of a release, and where they come from."""
    if (release is None) == (not files):
        remedy = "name files of prompts, or --release alone"
        raise InputError([Fault("prompts run", None, None, "nothing or both given", remedy)])
    if release is None:
        return files, PromptOrigin()
    found = find_built(release, workspace)
    check_prompt_release(found)
    paths = sorted(each for each in (found.path / FOLDER).rglob("*") if each.is_file())
    if len({each.parent for each in paths}) > 1:
        problem = "its prompts are of several datasets"
        remedy = "write them out with `prompts export` and name the files of one"
        raise InputError([Fault("--release", None, None, problem, remedy)])
    return paths, read_release_origin(found, languages)


def _choose_texts(paths: list[Path], texts: str | None) -> list[Path]:
    """The files of the texts that are to be sent: templates as they stand, or paraphrases."""
    if texts is None:
        return paths
    wanted = split_list(texts)
    unknown = sorted(set(wanted) - {PLAIN, *ORDERS})
    if unknown:
        problem, remedy = f"{', '.join(unknown)} is not known", f"use {PLAIN}, {', '.join(ORDERS)}"
        raise InputError([Fault("--texts", None, None, problem, remedy)])
    return [
        path
        for path in paths
        if path.suffix.lower() == ".json" or (find_order(path) or PLAIN) in wanted
    ]


def _plan(
    files: list[Path],
    models: Path,
    connections: ModelConnections,
    *,
    concurrency: int,
    languages: tuple[str, ...] | None,
    origin: PromptOrigin,
    limit: int | None,
    seed: int,
    repeats: int,
    leave_out_blocked: bool,
    demonstration: bool,
) -> PromptPlan:
    """The plan, or the faults of everything at once."""
    faults: list[Fault] = []
    tested, inputs, plan = None, None, None
    try:
        tested = connections.resolve(load_tested_models(models), str(models))
    except InputError as error:
        faults.extend(error.faults)
    try:
        inputs = load_prompt_inputs(files)
    except InputError as error:
        faults.extend(error.faults)
    if not 1 <= concurrency <= LARGEST_CONCURRENCY:
        remedy = f"give 1 to {LARGEST_CONCURRENCY}"
        faults.append(Fault("--concurrency", None, None, f"{concurrency} cannot be used", remedy))
    if inputs is not None:
        request = PromptRequest(
            inputs, tested or TestedModels(()), languages, origin, limit, seed, repeats,
            leave_out_blocked, demonstration,
        )  # fmt: skip
        try:
            plan = build_prompt_plan(request)
        except InputError as error:
            faults.extend(error.faults)
    if faults or tested is None or plan is None:
        raise InputError(faults)
    return plan


def _print_pending(plan: PromptPlan, pending: Mapping[str, int], as_json: bool) -> None:
    if as_json:
        figures = [count_figure("to_send", n, TO_SEND, model=name) for name, n in pending.items()]
        print_figures("prompts run --dry-run", plan.key, figures)
        return
    rows = [(name, len(plan.tests), plan.messages_per_model, n) for name, n in pending.items()]
    columns = ("model", "templates", "prompts with repeats", "would be sent now")
    print_table("What would be sent", columns, rows)
    _say_left_out(plan.described["left_out"])


def _print_run(found: PromptRun) -> None:
    rows = []
    for model in found.manifest["models"]:
        replies = model["replies"]
        rows.append(
            (
                model["name"],
                model["family"],
                *(replies.get(state, 0) for state in ("answered", "cut_off", "refused", "error")),
                ", ".join(model["same_family"]) or "",
            )
        )
    columns = ("model", "family", "answered", "cut off", "refused by server", "error",
               "augmented by its family")  # fmt: skip
    print_table("Replies", columns, rows)
    if found.manifest["demonstration"]:
        say("A demonstration: its figures say nothing about any model.")
    _say_left_out(found.manifest["left_out"])
    unknown = [each["name"] for each in found.manifest["augmenters"] if not each["family"]]
    if unknown:
        say(f"Family not said of {', '.join(unknown)}: add [[helpers]] to the models file.")
    if any(model["replies"].get("error") for model in found.manifest["models"]):
        say("Errors are outcomes of their own; ask again with --retry-errors.")
    say(f"Results: {found.folder}")


def _say_settings(plan: PromptPlan) -> None:
    unused = sorted(set(plan.requirements.settings))
    if unused:
        say(
            f"Not used, because the models file says how models are asked: {', '.join(unused)} of "
            "the requirements."
        )


def _say_left_out(left_out: list[Mapping[str, str]]) -> None:
    for reason, meaning in LEFT_OUT.items():
        named = [f"{x['template']} ({x['language']})" for x in left_out if x["reason"] == reason]
        if named:
            more = f" and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
            say(f"Left out, {meaning}: {', '.join(named[:SHOWN])}{more}.")


def _count_replies(found: PromptRun) -> list[Figure]:
    return [
        count_figure("replies", n, ANSWERS, model=model["name"], state=state)
        for model in found.manifest["models"]
        for state, n in model["replies"].items()
    ]
