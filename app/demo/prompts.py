"""The demonstration's part on prompt tests: from its templates to rates of a scripted model.

What translates, paraphrases and is tested is the demonstration's own chat server, which answers
from a file and by a rule; every number is made up and says so.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from annotation.batches import BatchPlan, create_batch
from annotation.demo_raters import DemoProfile
from annotation.label_studio.server import LabelStudioServer
from app.commands.prompt_augmentation import print_reports, run_augmentation
from app.commands.releases import run_build
from app.demo.chat_server import SCRIPT, serving_script
from app.demo.script import CURATOR, LANGUAGES, SEED, VERSION
from app.demo.steps import DemoAccount, DemoOutcome, decide_and_approve, rate_batch
from app.output import describe_figure, print_table, say
from app.progress import watched_run
from app.prompt_augmentation import CHAT, Wanted
from app.score_tables import DEMONSTRATION
from app.session import Session
from app.views.prompt_points import select_whole
from app.views.prompt_results import ShownPrompts
from app.views.prompt_statements import NOT_MEASURED, RATES, US_CENTRED, describe_seen
from corpus.errors import WorkspaceError
from corpus.prompt_languages import prompt_languages
from corpus.prompt_sources import Order
from corpus.records import Instrument, Origin
from corpus.release import open_release
from corpus.samples import prompt_paths
from exports.prompt_files import FOLDER
from exports.verify import verify_release
from pipeline.prompt_import import PromptImport, import_prompts
from scoring.model_connections import ModelConnections
from scoring.prompt_inputs import load_prompt_inputs
from scoring.prompt_origins import read_release_origin
from scoring.prompt_plan import PromptPlan, PromptRequest, build_prompt_plan
from scoring.prompt_results import PromptRun
from scoring.prompt_run import Asking, run_prompts
from scoring.tested_models import HelperModel, ModelEngine, TestedModel, TestedModels

DATASET = "sample-prompts"
INSTRUMENT = Instrument.MLA_BITE
AGREEING = tuple(
    DemoProfile(mean_score=84, score_noise=3, shared_spread=9, unsure_rate=0.04, offset=offset)
    for offset in (0.0, 0.5)
)
"""Two raters who agree clearly enough for the few items that there are."""
SPANISH = replace(next(each for each in LANGUAGES if each.code == "es"), profiles=AGREEING)
TESTED = "demo-chat"
"""Name of the tested model; the script that helped has another, so that both are told apart."""


def ask_prompts_of_demo(
    session: Session, server: LabelStudioServer, accounts: Mapping[str, DemoAccount]
) -> PromptRun | None:
    """Every step on prompt tests; done before, it is only printed. None if nobody approves."""
    say("A script that answers from a file translates, paraphrases and is tested: it is no model.")
    _import(session)
    with serving_script() as url:
        _augment(session, url)
        outcome = _validate(session, server, accounts)
        if outcome.refusal:
            say(f"Prompts in Spanish are not approved: {outcome.refusal}")
            return None
        plan = _plan(_release(session), session.settings.seed, url)
        run = _run(session, plan)
    _print(run, session)
    return run


def _import(session: Session) -> None:
    inputs = load_prompt_inputs(prompt_paths())
    wanted = PromptImport(inputs.files, inputs.requirements, DATASET, inputs.sha256, {})
    import_prompts(session.store, wanted, CURATOR, Origin.DEMO)


def _augment(session: Session, url: str) -> None:
    changed = {"engine": CHAT, "chat_url": url, "translation_model": SCRIPT}
    settings = session.settings.model_copy(update=changed)
    own = replace(session, workspace=replace(session.workspace, settings=settings))
    languages = prompt_languages([SPANISH.code], "demonstration")
    wanted = Wanted(DATASET, languages, Order.T2P, paraphrases=1, parallel=1)
    print_reports(run_augmentation(own, wanted, Origin.DEMO))


def _validate(
    session: Session, server: LabelStudioServer, accounts: Mapping[str, DemoAccount]
) -> DemoOutcome:
    size = len(session.standing(INSTRUMENT, SPANISH.code).candidates)
    plan = BatchPlan(INSTRUMENT, SPANISH.code, size, SPANISH.raters, SEED)
    batch = create_batch(session.store, plan, CURATOR, Origin.DEMO).batch
    rate_batch(session, server, accounts, batch.id, SPANISH)
    return decide_and_approve(session, SPANISH, INSTRUMENT)


def _release(session: Session) -> Path:
    built = run_build(session, VERSION, ["en", SPANISH.code], INSTRUMENT)
    problems = verify_release(built.path)
    if problems:
        raise WorkspaceError("The release of prompts is not right: " + "; ".join(problems))
    return built.path


def _plan(folder: Path, seed: int, url: str) -> PromptPlan:
    release = open_release(folder)
    paths = sorted(each for each in (folder / FOLDER).rglob("*") if each.is_file())
    model = TestedModel(
        TESTED, "demonstration", ModelEngine.ENDPOINT, url=url, model=SCRIPT, provider="script"
    )
    request = PromptRequest(
        load_prompt_inputs(paths),
        TestedModels((model,), (HelperModel(SCRIPT, "demonstration"),)),
        origin=read_release_origin(release),
        seed=seed,
        demonstration=True,
    )
    return build_prompt_plan(request)


def _run(session: Session, plan: PromptPlan) -> PromptRun:
    settings = session.settings
    connections = ModelConnections(os.environ, settings.device, settings.dtype)
    with watched_run(session.store, "prompts run") as progress:
        asking = Asking(connections.connect, planned=progress.plan, advance=progress.advance)
        return run_prompts(plan, session.workspace.results, asking)


def _print(run: PromptRun, session: Session) -> None:
    settings = session.settings
    shown = ShownPrompts((run,), settings.seed, settings.draws)
    rows = [
        (scope["language"], scope["concern"], describe_figure(figure), figure.n)
        for figure in select_whole(shown.rates, "langbite")
        for scope in (dict(figure.scope),)
    ]
    title = f"Rate langbite of {TESTED}, a script"
    print_table(title, ("language", "concern", "passed [interval]", "n"), rows)
    for told in (RATES, describe_seen(shown), *([US_CENTRED] if shown.us_centred else ())):
        say(told)
    say(NOT_MEASURED)
    say(DEMONSTRATION)
