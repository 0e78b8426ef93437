"""`quality`: scores from files, and the threshold that human ratings support."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.calibration_data import gather_calibration_data, load_calibration_data
from app.options import (
    ActorOption,
    DryRunOption,
    InstrumentOption,
    JsonOption,
    LanguageOption,
    WorkspaceOption,
)
from app.output import describe_figure, print_figures, print_table, say
from app.session import Session, open_session
from app.views import words
from corpus.errors import SettingsError
from corpus.hashing import sha256_file
from corpus.languages import languages as find_languages
from corpus.quality_thresholds import CalibratedThreshold, append_threshold
from corpus.records import AuditEntry, Instrument, Origin
from pipeline.calibration import Calibration, CalibrationRule, calibrate_threshold
from pipeline.quality_scores import load_quality_scores

quality = typer.Typer(help="Quality scores and their threshold.", no_args_is_help=True)


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line."""
    cli.add_typer(quality, name="quality")


@quality.command("import")
def import_scores(
    file: Annotated[
        Path,
        typer.Argument(
            help="CSV with columns model, revision, score, and translation_key or text_sent, "
            "translation, language."
        ),
    ],
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Import quality scores of translations; importing the same file again changes nothing."""
    with open_session(workspace, actor) as session, session.store.writing(Origin.IMPORT) as writer:
        estimates = load_quality_scores(file, writer)
        added = writer.append_new(estimates)
        models = sorted({f"{each.model}@{each.revision}" for each in estimates})
        if added:
            after = {"scores": len(added), "models": models, "sha256": sha256_file(file)}
            writer.append_audit(AuditEntry(session.actor, "quality import", file.name, after=after))
    say(
        f"{len(added)} scores added, {len(estimates) - len(added)} were there already. "
        "Use them with `stereoscope generate --estimator imported --comet-model MODEL`; "
        f"models in the file: {', '.join(models) or 'none'}."
    )


@quality.command("calibrate")
def calibrate(
    language: LanguageOption,
    ratings: Annotated[
        Path | None,
        typer.Option(
            "--ratings",
            help="CSV with columns item, score_0_100, quality, maybe stereotype; else the "
            "workspace's ratings.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", help="name@revision of the scores in the file of --ratings."),
    ] = None,
    good: Annotated[
        float | None,
        typer.Option("--good", min=0, max=100, help="Lowest mean DA that is good; else score_low."),
    ] = None,
    target: Annotated[
        float, typer.Option("--target", min=0, max=1, help="Share of good ones among those kept.")
    ] = 0.9,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Choose a quality threshold from human ratings, show what it costs, and keep it."""
    [found] = find_languages([language], "--language")
    if (ratings is None) != (model is None) or (model is not None and not _is_full_name(model)):
        raise SettingsError("--ratings needs --model NAME@REVISION, and the other way round.")
    with open_session(workspace, actor) as session:
        if ratings is not None and model is not None:
            data = load_calibration_data(ratings, model)
        else:
            data = gather_calibration_data(session, instrument, found.code)
        settings = session.settings
        rule = CalibrationRule(
            good_da=settings.score_low if good is None else good,
            target=target,
            draws=settings.draws,
            seed=settings.seed,
        )
        scope = (("language", found.code), ("model", data.model))
        calibration = calibrate_threshold(data.items, data.candidates, rule, scope)
        if not dry_run:
            _keep(session, data.model, found.code, rule, calibration)
    if as_json:
        print_figures("quality calibrate", data.inputs_sha256, calibration.figures)
    else:
        _print(calibration, rule)
    say(_describe(calibration, found.code, len(data.items), dry_run))


def _is_full_name(model: str) -> bool:
    name, _, revision = model.partition("@")
    return bool(name and revision)


def _keep(
    session: Session, model: str, language: str, rule: CalibrationRule, calibration: Calibration
) -> None:
    """Stores a threshold that was found; where none was, the earlier one stays."""
    if calibration.threshold is None:
        return
    figures = [figure.as_json() for figure in calibration.figures]
    kept = CalibratedThreshold(model, language, calibration.threshold, rule.describe(), figures)
    with session.store.writing(Origin.HUMAN) as writer:
        append_threshold(writer, kept, session.actor)


def _print(calibration: Calibration, rule: CalibrationRule) -> None:
    rows = [
        (
            figure.name,
            dict(figure.scope).get("stereotype", ""),
            describe_figure(figure),
            figure.n,
            "" if figure.name != "coverage" or figure.value is None else f"{1 - figure.value:.1%}",
        )
        for figure in calibration.figures
    ]
    columns = ("figure", "stereotype", "value", "n", "coverage lost")
    print_table(f"Calibration: {rule.describe()}", columns, rows)


def _describe(calibration: Calibration, language: str, rated: int, dry_run: bool) -> str:
    if calibration.threshold is None:
        reason = words.describe_figure_reason(calibration.figures[0].reason)
        return (
            f"No threshold was found from {rated} rated items with a score ({reason}); what held "
            "for this language before still holds."
        )
    if dry_run:
        return f"Dry run: {calibration.threshold:g} would be kept. Nothing was written."
    return (
        f"The threshold {calibration.threshold:g} is kept for {language}; run "
        f"`stereoscope generate -l {language}` again to apply it."
    )
