"""What a calibration rests on: rated items and scored candidates, of the workspace or of a file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from annotation.assessment import gather_ratings
from app.session import Session
from corpus.csv_table import CsvRow, load_csv_table
from corpus.errors import Fault, InputError, StateError
from corpus.records import Candidate, Instrument, Label
from corpus.standing import Standing
from engines.quality_models import is_on_scale
from pipeline import reasons
from pipeline.calibration import CalibrationItem, ScoredCandidate

COLUMNS = ("item", "score_0_100", "quality")


@dataclass(frozen=True, slots=True)
class CalibrationData:
    """Rated items and scored candidates of one model and language."""

    model: str
    """`model@revision`."""
    items: tuple[CalibrationItem, ...]
    candidates: tuple[ScoredCandidate, ...]
    inputs_sha256: str


def gather_calibration_data(
    session: Session, instrument: Instrument, language: str
) -> CalibrationData:
    """The workspace's: ratings that count in its figures, scores its candidates rest on.

    Raises:
        StateError: if the candidates carry no quality scores, or those of several models.
    """
    standing = session.standing(instrument, language)
    generated = [each.generated for each in standing.candidates]
    models = sorted({model for each in generated if (model := _model_of(each)) is not None})
    if len(models) != 1:
        found = f"scores of several models ({', '.join(models)})" if models else "no quality scores"
        raise StateError(
            f"The candidates of {language} carry {found}; run `stereoscope generate -l {language}` "
            "with one estimator, or give a file with --ratings."
        )
    with session.store.reading() as state:
        stereotypes = {each.key: each.stereotype_id for each in state.sources(instrument)}
    candidates = [
        ScoredCandidate(quality, stereotypes.get(each.source_key))
        for each in generated
        if (each.label is not Label.DISCARDED or each.reason == reasons.QUALITY)
        and (quality := _quality_of(each)) is not None
    ]
    items = _rated_items(standing)
    return CalibrationData(models[0], items, tuple(candidates), standing.data_hash)


def _rated_items(standing: Standing) -> tuple[CalibrationItem, ...]:
    table, items = gather_ratings(standing)
    generated = {each.generated.id: each.generated for each in standing.candidates}
    rated = []
    for item_id, scores, weight in zip(
        table.item_ids, table.scores, table.item_weights, strict=True
    ):
        item = items[item_id]
        quality = _quality_of(generated[item.subject_id], item.variant)
        if quality is not None and not np.isnan(scores).all():
            rated.append(CalibrationItem(float(np.nanmean(scores)), quality, float(weight)))
    return tuple(rated)


def _model_of(candidate: Candidate) -> str | None:
    quality: Mapping[str, Any] = candidate.evidence.get("quality", {})
    scored = any(score is not None for score in quality.get("scores", {}).values())
    return str(quality["model"]) if scored else None


def _quality_of(candidate: Candidate, variant: str | None = None) -> float | None:
    """The score of a variant's own translation; else the lowest, as all must pass."""
    scores: Mapping[str, float | None] = candidate.evidence.get("quality", {}).get("scores", {})
    if variant is not None and variant in scores:
        return scores[variant]
    return min((score for score in scores.values() if score is not None), default=None)


@dataclass(slots=True)
class _RatedRows:
    """The rows of one item in a file."""

    quality: float
    stereotype_id: int | None
    da: list[float] = field(default_factory=list)


def load_calibration_data(path: Path, model: str) -> CalibrationData:
    """A file's: columns item, score_0_100, quality and maybe stereotype, a row for each rating.

    Its items are its candidates, too.

    Args:
        path: the CSV file.
        model: `model@revision` whose scores stand in column quality.

    Raises:
        InputError: with every fault of the file.
    """
    table = load_csv_table(path, COLUMNS, ("stereotype",))
    faults = list(table.faults)
    items: dict[str, _RatedRows] = {}
    for row in table.rows:
        da, quality, stereotype = _read_numbers(row, table.file, model, faults)
        if da is None or quality is None:
            continue
        mine = items.setdefault(row.cells["item"], _RatedRows(quality, stereotype))
        mine.da.append(da)
        if (mine.quality, mine.stereotype_id) != (quality, stereotype):
            problem = "an earlier row gives this item another quality or stereotype"
            remedy = "an item has one translation; give each text an item of its own"
            faults.append(Fault(table.file, row.row, "item", problem, remedy))
    if faults:
        raise InputError(sorted(faults, key=lambda fault: fault.row or 0))
    return CalibrationData(
        model,
        tuple(CalibrationItem(float(np.mean(each.da)), each.quality) for each in items.values()),
        tuple(ScoredCandidate(each.quality, each.stereotype_id) for each in items.values()),
        table.sha256,
    )


def _read_numbers(
    row: CsvRow, file: str, model: str, faults: list[Fault]
) -> tuple[float | None, float | None, int | None]:
    """DA, quality and stereotype of a row; a fault for each that is wrong."""
    before = len(faults)
    da, quality = (_read_number(row.cells[name]) for name in COLUMNS[1:])
    if not 0 <= da <= 100:
        problem = f"{row.cells['score_0_100']!r} is no direct assessment"
        faults.append(Fault(file, row.row, "score_0_100", problem, "give a number from 0 to 100"))
    if not is_on_scale(model, quality):
        problem = f"{row.cells['quality']!r} is no score of {model}"
        remedy = "give a number on the model's scale"
        faults.append(Fault(file, row.row, "quality", problem, remedy))
    stereotype = row.cells.get("stereotype", "").strip()
    if stereotype and not stereotype.isdecimal():
        problem = f"{stereotype!r} is no stereotype id"
        faults.append(Fault(file, row.row, "stereotype", problem, "give a number or nothing"))
    if len(faults) > before:
        return None, None, None
    return da, quality, int(stereotype) if stereotype else None


def _read_number(text: str) -> float:
    """The number a cell holds, NaN where it holds none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
