"""Scoring the control of sectors, occupations, for the command line."""

from __future__ import annotations

from collections.abc import Sequence

from app.output import describe_figure, print_table, say
from app.score_tables import DEMONSTRATION
from app.sector_scoring import SectorModel, identify_model
from app.session import Session
from app.views.sector_results import describe_half_precision
from corpus.errors import SettingsError
from corpus.occupations import OccupationLanguage
from corpus.store.runs import RunProgress
from engines.likelihood.association_opening import ASSOCIATION
from scoring.occupation_control import CONTROL_NAME, ControlRequest, score_control
from scoring.sector_half_precision import FLOAT32
from scoring.sector_resampling import SectorResampling
from scoring.sector_scores import SectorResult

CONTROLS = (CONTROL_NAME,)


def score_control_of(
    session: Session,
    model: SectorModel,
    languages: Sequence[OccupationLanguage],
    progress: RunProgress,
    reading: str | None = None,
    demonstration: bool = False,
) -> SectorResult:
    """The control's result of one masked model.

    Raises:
        SettingsError: if the model is a causal one, which fills in no words.
        EngineError: if it cannot be opened or scored.
    """
    settings = session.settings
    dtype = model.dtype or settings.dtype
    found, open_engine = identify_model(model, reading)
    if found.method != ASSOCIATION:
        raise SettingsError("--control needs a masked model: a causal one fills in no words.")
    request = ControlRequest(
        languages=tuple(languages),
        dtype=dtype,
        reading=found.reading,
        resampling=SectorResampling(settings.seed, settings.draws),
        demonstration=demonstration,
        metadata=model.metadata.as_json() if model.metadata else {},
    )
    return score_control(
        found,
        lambda: open_engine(dtype, settings.device),
        request,
        session.workspace.results,
        lambda total: progress.plan(progress.done + total),
        progress.advance,
        lambda: open_engine(FLOAT32, "cpu"),
    )


def print_control(result: SectorResult) -> None:
    """The difference by language and form of the word."""
    rows = []
    for figure in result.figures:
        scope = dict(figure.scope)
        if scope["lengths"] == "all":
            form = scope["form"].replace("_", " ")
            rows.append((scope["language"], form, describe_figure(figure), figure.n))
    manifest = result.manifest
    columns = ("language", "form", "A(female) − A(male) [interval]", "n")
    print_table(f"Control: occupations with {manifest['model']}", columns, rows)
    for code, status in manifest["status"].items():
        say(f"{code}: sentences {status}; {manifest['sentences'][code]} of them.")
        if told := describe_half_precision(manifest, code):
            say(told)
    say("Where there are two forms, the difference can follow the form: no measure of stereotypes.")
    if manifest["demonstration"]:
        say(DEMONSTRATION)
    say(f"Limits: {manifest['not_measured']} {result.folder}")
