"""`prompts import`, `augment`, `quality`: prompt files into translated, paraphrased candidates."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from app.commands.prompts import prompts
from app.options import (
    ActorOption,
    DryRunOption,
    JsonOption,
    LanguagesOption,
    WorkspaceOption,
    split_list,
)
from app.output import count_figure, figures_document, print_json, print_table, say
from app.progress import watched_run
from app.prompt_augmentation import (
    CHAT,
    ImaginedCost,
    Wanted,
    estimate_augmentation,
    planned,
)
from app.session import Session, open_session
from corpus.errors import SettingsError
from corpus.figures import Figure
from corpus.hashing import combined_hash
from corpus.prompt_languages import prompt_languages
from corpus.prompt_sources import Order
from corpus.records import Origin
from engines.prompt_rewriting_checks import MEANINGS
from pipeline.prompt_augmentation import AugmentationReport, augment
from pipeline.prompt_conversations import REJECTED
from pipeline.prompt_import import DATASET, PromptImport, import_prompts
from pipeline.reasons import NOT_TRANSLATED
from pipeline.stored_translations import PAID, WAITING
from scoring.prompt_inputs import PromptInputs, load_prompt_inputs

DatasetOption = Annotated[
    str | None,
    typer.Option("--dataset", help="Which dataset of prompts, where there are several."),
]
SHOWN_IDS = 10
"""Templates named of each reason; `--json` names all."""
COUNTS = {
    "templates": "prompt templates that can be sent",
    "blocked": "prompt templates left out because they cannot be sent as they are meant",
    "complete": "templates with all texts asked for",
    "partial": "templates with some of the texts asked for",
    "failed": "templates with none of the texts asked for",
    "texts": "texts made, now or in an earlier run",
    "communities": "names of communities translated in this run",
    "changed": "candidates that are new or other than before",
}


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line; they are verbs of `prompts`."""


@prompts.command("import")
def import_files(
    files: Annotated[
        list[Path],
        typer.Argument(help="CSVs of templates and, ending in .json, a file of requirements."),
    ],
    dataset: Annotated[
        str, typer.Option("--dataset", help="Name of the collection in this workspace.")
    ] = DATASET,
    language: Annotated[
        str | None,
        typer.Option("--language", "-l", help="Language of the CSV; else its name says it."),
    ] = None,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Import prompt templates, human translations and communities; again, it changes nothing.

    A template that cannot be sent as it is meant is imported with a flag that says why.
    """
    inputs = load_prompt_inputs(files, language)
    wanted = PromptImport(
        inputs.files, inputs.requirements, dataset, inputs.sha256, _find_blocking(inputs)
    )
    with open_session(workspace, actor) as session:
        reports = import_prompts(session.store, wanted, session.actor)
    rows = [(each.language, each.templates, each.communities, each.added) for each in reports]
    print_table(f"Imported: {dataset}", ("language", "templates", "communities", "new"), rows)
    flagged = sum(map(bool, wanted.blocking.values()))
    if flagged:
        say(
            f"{flagged} templates cannot be sent as they are meant and carry a flag; "
            "`stereoscope prompts check` says why."
        )
    if not any(each.added for each in reports):
        say("All of it was there already; nothing was added.")


@prompts.command("augment")
def augment_prompts(
    languages: LanguagesOption,
    order: Annotated[
        Order, typer.Option("--order", help="t2p: translated, then paraphrased; or p2t.")
    ] = Order.T2P,
    paraphrases: Annotated[
        int,
        typer.Option("--paraphrases", "-n", min=0, max=20, help="Of each template; 0: none."),
    ] = 1,
    engine: Annotated[
        str, typer.Option("--engine", help="What translates: chat, google, transformers, recorded.")
    ] = CHAT,
    translations: Annotated[
        list[Path] | None,
        typer.Option("--translations", "-t", help="CSV or TMX of recorded translations."),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Model of the engine that translates.")
    ] = None,
    paraphrase_model: Annotated[
        str | None,
        typer.Option("--paraphrase-model", help="Chat model that paraphrases; else the same."),
    ] = None,
    dataset: DatasetOption = None,
    parallel: Annotated[
        int, typer.Option("--parallel", min=1, max=64, help="Templates worked on at once.")
    ] = 4,
    again: Annotated[
        bool, typer.Option("--again", help="Ask once more for what failed in earlier runs.")
    ] = False,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Translate and paraphrase prompt templates; what was answered before is not asked again."""
    wanted = Wanted(
        dataset,
        prompt_languages(_split_codes(languages), "--languages"),
        order,
        paraphrases,
        parallel,
        again,
        tuple(translations or ()),
    )
    overrides = {
        "engine": engine,
        "translation_model": model,
        "paraphrase_model": paraphrase_model,
    }
    with open_session(workspace, actor, overrides) as session:
        if dry_run:
            _print_cost(estimate_augmentation(session.settings, session.store, wanted))
            return
        reports = run_augmentation(session, wanted)
    if as_json:
        inputs = combined_hash([str(order), str(paraphrases), engine])
        failures = [asdict(failure) for each in reports for failure in each.failures]
        document = figures_document("prompts augment", inputs, report_figures(reports))
        print_json({**document, "failures": failures})
    else:
        print_reports(reports)


def run_augmentation(
    session: Session, wanted: Wanted, origin: Origin = Origin.MACHINE
) -> list[AugmentationReport]:
    """Augments with progress shown, in the name of the session's actor."""
    store = session.store
    with (
        planned(session.settings, store, wanted, session.actor, origin) as (log, plan),
        watched_run(store, "prompts augment") as progress,
        store.claiming(PAID, waiting=lambda: progress.note(WAITING)),
    ):
        progress.note("")
        return augment(log, plan, progress)


def print_reports(reports: Sequence[AugmentationReport]) -> None:
    """The reports as a table, and what is missing with its reasons."""
    columns = ("language", "templates", "complete", "partial", "failed", "texts", "communities")
    rows = [
        (
            each.language,
            each.templates,
            each.complete,
            each.partial,
            each.failed,
            each.texts,
            each.communities,
        )
        for each in reports
    ]
    print_table("Augmented", columns, rows)
    lacking = [failure for each in reports for failure in each.failures]
    for (language, step, reason), number in sorted(
        Counter((each.language, each.step, each.reason) for each in lacking).items()
    ):
        about = [
            each.about
            for each in lacking
            if (each.language, each.step, each.reason) == (language, step, reason)
        ]
        named = ", ".join(about[:SHOWN_IDS]) + (", …" if len(about) > SHOWN_IDS else "")
        say(f"{language}: {step} failed for {number} ({named}): {describe_reason(reason)}.")
    blocked = max((each.blocked for each in reports), default=0)
    if blocked:
        say(f"{blocked} templates were left out: they cannot be sent as they are meant.")
    if lacking:
        say("What failed is not asked again; --again asks once more.")


def describe_reason(reason: str) -> str:
    """A reason code with its meaning."""
    known = {
        **MEANINGS,
        REJECTED: "the server refused the request, e.g. by a filter",
        NOT_TRANSLATED: "the engine gave no text",
    }
    return f"{reason}, {known[reason]}" if reason in known else reason


def report_figures(reports: Sequence[AugmentationReport]) -> list[Figure]:
    """The reports as figures."""
    return [
        count_figure(name, getattr(each, name), definition, language=each.language)
        for each in reports
        for name, definition in COUNTS.items()
    ]


def _print_cost(cost: ImaginedCost) -> None:
    rows: list[tuple[str, int, int, str]] = [(*each, "") for each in cost.conversations]
    if cost.engine is not None:
        amount = cost.engine.amount
        price = "" if amount is None else f"{amount:.2f} {cost.engine.currency or ''}".rstrip()
        rows.append(("translation engine", cost.engine.requests, cost.engine.characters, price))
    print_table("Dry run", ("model", "requests", "characters", "price"), rows)
    say(
        "At least so much would be sent; tries after unusable answers come on top, and chat "
        "servers bill tokens, those of answers too. Nothing was sent."
    )


def _split_codes(value: str) -> list[str]:
    codes = split_list(value)
    if not codes:
        raise SettingsError("--languages names no language; write codes with commas, e.g. es,fr.")
    return codes


def _find_blocking(inputs: PromptInputs) -> dict[tuple[str, str], tuple[str, ...]]:
    """File and id of each blocked template → what blocks it."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for finding in inputs.findings:
        if finding.blocking:
            for number in finding.templates:
                found[(finding.file, number)].append(finding.kind)
    return {place: tuple(dict.fromkeys(kinds)) for place, kinds in found.items()}
