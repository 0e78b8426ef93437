"""`source`, `generate` and `candidates`: English sentences into labelled candidates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from app.adapters import open_estimator, open_translation_engine
from app.candidate_files import write_candidates
from app.options import (
    ActorOption,
    DryRunOption,
    EngineModelOption,
    EngineOption,
    InstrumentOption,
    JsonOption,
    LanguageOption,
    LanguagesOption,
    MissingOption,
    TranslationsOption,
    WorkspaceOption,
    choose_languages,
)
from app.output import count_figure, print_figures, print_table, say
from app.progress import watched_run
from app.session import Session, open_session
from corpus.figures import Figure
from corpus.hashing import combined_hash
from corpus.languages import languages as find_languages
from corpus.records import AuditEntry, Instrument, Label, Origin
from engines.quality_models import find_model
from engines.recorded import Missing
from engines.translation import CostEstimate
from pipeline.generation import Generation, LanguageReport, estimate_cost, generate
from pipeline.pairing import pairing_strategy
from pipeline.quality_estimation import NO_MODEL
from pipeline.sources import load_sources
from pipeline.spending import SpendingLimit
from pipeline.wrapping import wrapper_form

source = typer.Typer(help="English source sentences.", no_args_is_help=True)
candidates = typer.Typer(help="Candidates of a language.", no_args_is_help=True)


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line."""
    cli.add_typer(source, name="source")
    cli.command("generate")(generate_candidates)
    cli.add_typer(candidates, name="candidates")


@source.command("add")
def add_source(
    file: Annotated[Path, typer.Argument(help="CSV with columns sentence, stereotype, maybe id.")],
    dataset: Annotated[
        str | None, typer.Option("--dataset", help="Name of the collection; else the file's.")
    ] = None,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Add source sentences; adding the same file again changes nothing."""
    loaded = load_sources(file, instrument, dataset)
    for warning in loaded.warnings:
        say(f"Warning: {warning}")
    with open_session(workspace, actor) as session, session.store.writing(Origin.IMPORT) as writer:
        added = writer.append_sources(loaded.sources)
        if added:
            after = {"sentences": len(added), "sha256": loaded.sha256}
            writer.append_audit(
                AuditEntry(session.actor, "source add", loaded.dataset, after=after)
            )
    say(
        f"{len(added)} sentences added as {loaded.dataset}, "
        f"{len(loaded.sources) - len(added)} were there already."
    )


@source.command("list")
def list_sources(workspace: WorkspaceOption = None, actor: ActorOption = None) -> None:
    """List the datasets of source sentences."""
    with open_session(workspace, actor) as session, session.store.reading() as state:
        found = state.sources()
    datasets = sorted({(each.instrument, each.dataset) for each in found})
    rows = [
        (name, instrument, sum(each.dataset == name for each in found))
        for instrument, name in datasets
    ]
    print_table("Sources", ("dataset", "instrument", "sentences"), rows)


def generate_candidates(
    languages: LanguagesOption,
    translations: TranslationsOption = None,
    missing: MissingOption = "refuse",
    engine: EngineOption = None,
    model: EngineModelOption = None,
    wrapper: Annotated[
        str | None,
        typer.Option(
            "--wrapper", help="Form of the wrapper: paper, code or gest; else the setting wrapper."
        ),
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(
            "--strategy",
            help="Pairing strategy: extended, strict or reference; else the setting strategy.",
        ),
    ] = None,
    repair: Annotated[
        bool | None,
        typer.Option(
            "--repair/--no-repair",
            help="Build a missing variant from the other; extended only; else the setting repair.",
        ),
    ] = None,
    estimator: Annotated[
        str | None,
        typer.Option(
            "--estimator",
            help="Quality estimator: none, comet or imported; else the setting estimator.",
        ),
    ] = None,
    comet_model: Annotated[
        str | None,
        typer.Option(
            "--comet-model",
            help=(
                "Name or path of a COMET model, or name@revision of imported scores; else the "
                "setting comet_model."
            ),
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            help=(
                "Lowest quality score that passes; else the setting quality_threshold, else the "
                "calibrated one."
            ),
        ),
    ] = None,
    dataset: Annotated[
        str | None, typer.Option("--dataset", help="Only the sources of this dataset.")
    ] = None,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Translate, estimate quality and pair; what was done before is not repeated."""
    overrides = {
        "engine": engine,
        "translation_model": model,
        "wrapper": wrapper,
        "strategy": strategy,
        "repair": repair,
        "estimator": estimator,
        "comet_model": comet_model,
        "quality_threshold": threshold,
    }
    chosen = choose_languages(languages)
    codes = [each.code for each in chosen]
    with open_session(workspace, actor, overrides) as session:
        settings = session.settings
        with open_estimator(settings, session.store) as quality:
            plan = Generation(
                instrument=instrument,
                languages=chosen,
                engine=open_translation_engine(
                    settings, translations or [], cast("Missing", missing), codes
                ),
                estimator=quality,
                strategy=pairing_strategy(settings.strategy, repairs=settings.repair),
                wrapper_form=wrapper_form(settings.wrapper),
                threshold=settings.quality_threshold,
                dataset=dataset,
                limit=SpendingLimit(settings.spend_limit_characters, settings.spend_limit_usd),
            )
            if dry_run:
                _print_cost(session, plan)
                return
            reports = run_generation(session, plan)
    if as_json:
        inputs = combined_hash([plan.engine.name, plan.engine.model, plan.engine.version])
        print_figures("generate", inputs, report_figures(reports))
    else:
        print_reports(reports)


def run_generation(session: Session, plan: Generation) -> list[LanguageReport]:
    """Generates with cost and progress shown, in the name of the session's actor."""
    plan = replace(plan, by=session.actor, announce=_announce_cost)
    with watched_run(session.store, "generate") as progress:
        return generate(session.store, plan, progress)


def print_reports(reports: list[LanguageReport]) -> None:
    """The reports as a table, and a sentence for each language that could not be paired."""
    columns = (
        "language",
        "translated",
        "not translated",
        "neutral",
        "pair",
        "discarded",
        "changed",
    )
    rows = []
    for each in reports:
        discarded = sum(n for name, n in each.counts.items() if name.startswith("discarded"))
        counts = (each.counts.get("neutral", 0), each.counts.get("pair", 0), discarded)
        rows.append((each.language, each.translated, each.not_translated, *counts, each.changed))
    print_table("Candidates", columns, rows)
    for each in reports:
        for reason, count in sorted(each.unanswered.items()):
            say(f"{each.language}: the engine gave no text for {count} texts ({reason}).")
        if not each.pairable:
            say(
                f"{each.language}: not_pairable. The engine has no translation of a wrapped "
                "sentence; its translations are kept, no candidates were made. Recorded "
                "translations may have wrapped it in other words: --wrapper paper, code or gest."
            )
        for note in describe_quality(each):
            say(f"{each.language}: {note}")


def describe_quality(report: LanguageReport) -> list[str]:
    """What quality estimation did for a language, in sentences; none without a model."""
    model, threshold = report.quality_model, report.threshold
    if model == NO_MODEL:
        return []
    if threshold.value is None:
        notes = [
            f"nothing was filtered by quality, {model} has no calibrated threshold. "
            f"`stereoscope quality calibrate -l {report.language}` chooses one from ratings."
        ]
    else:
        notes = [
            f"translations below {threshold.value:g} of {model} are discarded "
            f"(threshold: {threshold.origin})."
        ]
    if report.without_score:
        notes.append(f"{report.without_score} translations have no score and are kept.")
    if report.language in find_model(model).unsupported_languages:
        notes.append(f"{model} is not known to support this language; its scores mean little.")
    return notes


def threshold_figure(report: LanguageReport) -> Figure:
    """The quality threshold that held for a language."""
    value = report.threshold.value
    return Figure(
        name="quality_threshold",
        value=value,
        n=report.translated,
        definition="lowest quality score that passes, on the model's own scale",
        method=f"threshold: {report.threshold.origin}",
        reason="not_calibrated" if value is None else None,
        scope=(("language", report.language), ("model", report.quality_model)),
    )


def report_figures(reports: list[LanguageReport]) -> list[Figure]:
    """The reports as figures."""
    figures: list[Figure] = []
    for each in reports:
        counts: dict[str, Any] = {
            "translated": each.translated,
            "not_translated": each.not_translated,
            "not_pairable": int(not each.pairable),
            "changed": each.changed,
            "without_score": each.without_score,
            **dict(sorted(each.counts.items())),
        }
        for name, count in counts.items():
            figures.append(
                count_figure(
                    name, count, f"number of texts or candidates: {name}", language=each.language
                )
            )
        if each.quality_model != NO_MODEL:
            figures.append(threshold_figure(each))
    return figures


@candidates.command("export")
def export_candidates(
    language: LanguageOption,
    out: Annotated[Path, typer.Option("--out", "-o", help="CSV file to write.")],
    label: Annotated[Label | None, typer.Option("--label", help="Only this label.")] = None,
    spreadsheet: Annotated[
        bool,
        typer.Option(
            "--spreadsheet", help="For Excel: byte-order mark, and no cell can act as a formula."
        ),
    ] = False,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Write the current candidates of a language, decisions applied, as CSV."""
    [found] = find_languages([language], "--language")
    with open_session(workspace, actor) as session:
        count = write_candidates(
            session.store, instrument, found.code, out, label=label, spreadsheet=spreadsheet
        )
    say(f"{count} candidates written to {out}.")


def _announce_cost(cost: CostEstimate) -> None:
    """Says what is about to be billed; nothing where nothing is."""
    if cost.characters:
        counts = f"{cost.requests} requests with {cost.characters} characters"
        say(f"Sending {counts}{_describe_amount(cost)}.")


def _print_cost(session: Session, plan: Generation) -> None:
    cost = estimate_cost(session.store, plan)
    say(
        f"Dry run: {cost.requests} requests with {cost.characters} characters would be sent"
        f"{_describe_amount(cost)}. {cost.basis}. Nothing was sent."
    )


def _describe_amount(cost: CostEstimate) -> str:
    return (
        "" if cost.amount is None else f", about {cost.amount:.2f} {cost.currency or ''}".rstrip()
    )
