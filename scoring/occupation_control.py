"""The control of the instrument sectors: occupations, whose form may have a gender of its own.

    <results>/occupations/<model>-<key>/{figures,manifest}.json, and shards beside, as of sectors

For each form of the words (masculine, feminine, or one for all): the mean over sentence pairs of
A(female) − A(male). Where a language has two forms, each agrees with one gender, so that the
difference can follow the form, whatever the occupation is; that is why sectors are asked for.

Source: study of sector association, figure 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from corpus.figures import WEAK_BELOW_ITEMS, Figure
from corpus.occupations import OccupationLanguage
from corpus.sectors import TermForm
from engines.likelihood.association_opening import ASSOCIATION
from scoring.half_precision import WITHIN_ERROR, describe_r_error
from scoring.sector_contrasts import (
    Context,
    Contrast,
    Lengths,
    build_contrasts,
    choose_contrasts,
)
from scoring.sector_half_precision import WordEngine, read_contrast_error
from scoring.sector_resampling import SectorResampling
from scoring.sector_runs import IdentifiedModel, Told, score_sentences
from scoring.sector_scores import (
    NOT_MEASURED,
    SectorResult,
    describe_shards,
    list_inputs,
    store_result,
)
from scoring.sector_shards import SectorShardKey, read_sector_record, sector_shard_path

CONTROL_NAME = "occupations"
DEFINITION = (
    "Mean over sentence pairs of A(female) − A(male) with words for occupations of this form, in "
    "nats; in a language with two forms it can follow the form, and is no measure of stereotypes."
)


@dataclass(frozen=True, slots=True)
class ControlRequest:
    """What is scored and how its figures are computed."""

    languages: tuple[OccupationLanguage, ...]
    dtype: str
    reading: str
    resampling: SectorResampling
    demonstration: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """What a models file says of the model."""


def score_control(
    model: IdentifiedModel,
    open_engine: Callable[[], WordEngine],
    request: ControlRequest,
    results: Path,
    plan: Told = lambda total: None,
    advance: Told = lambda done: None,
    open_float32: Callable[[], WordEngine] | None = None,
) -> SectorResult:
    """The control's figures of a masked model; what is scored already is not scored again.

    Args:
        model: What identifies it.
        open_engine: Opens it; called only if a shard is missing, and once.
        request: Languages and seed.
        results: The workspace's folder of results.
        plan: Told how many sentences there are.
        advance: Told how many more sentences are done.
        open_float32: Opens the model in float32, to tell what half precision costs.

    Raises:
        EngineError: if a word becomes the unknown token, or the model fails on a sentence.
    """
    folder = results / CONTROL_NAME
    asked = (request.dtype, request.reading)
    shards = folder / "shards"
    keys, scored = score_sentences(
        model, open_engine, request.languages, asked, shards, (plan, advance), open_float32
    )
    records = {
        code: read_sector_record(sector_shard_path(shards, key)) for code, key in keys.items()
    }
    figures: list[tuple[Figure, str]] = []
    for code, key in keys.items():
        contrasts = build_contrasts(scored[code])
        error = read_contrast_error(records[code], key.dtype)
        for lengths in Lengths:
            chosen = choose_contrasts(contrasts, Context.OPEN, lengths)
            scope = (
                ("model", key.model_id),
                ("language", code),
                ("context", str(Context.OPEN)),
                ("lengths", str(lengths)),
            )
            mark = _sign(key, request, lengths, error)
            figures.extend(
                (each, mark) for each in _figures(chosen, request.resampling, scope, error)
            )
    counts = {code: len(found) for code, found in scored.items()}
    return _write(folder, keys, request, figures, counts, records)


def _figures(
    contrasts: Sequence[Contrast],
    resampling: SectorResampling,
    scope: tuple[tuple[str, str], ...],
    error: float | None,
) -> Iterator[Figure]:
    point = resampling.point(contrasts, TermForm)
    drawn = resampling.draw(contrasts, TermForm)
    for row, form in enumerate(TermForm):
        members = [one for one in contrasts if one.sector is form]
        if not members or not math.isfinite(point[row]):
            continue
        value = float(point[row])
        notes = ["weak"] if len(members) < WEAK_BELOW_ITEMS else []
        if error and abs(value) <= error:
            notes.append(WITHIN_ERROR)
        yield Figure(
            name="form_disparity",
            value=value,
            n=len(members),
            definition=DEFINITION,
            method="mean of associations",
            interval=resampling.interval(drawn[row], members),
            scope=(*scope, ("form", str(form))),
            notes=tuple(notes),
        )


def _sign(
    key: SectorShardKey, request: ControlRequest, lengths: Lengths, error: float | None
) -> str:
    seed = f"{request.resampling.seed}x{request.resampling.draws}"
    parts = {
        **asdict(key),
        "contrast_error": describe_r_error(error),
        "lengths": str(lengths),
        "seed": seed,
        "instrument": CONTROL_NAME,
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items())


def _write(
    folder: Path,
    keys: Mapping[str, SectorShardKey],
    request: ControlRequest,
    figures: Sequence[tuple[Figure, str]],
    sentences: Mapping[str, int],
    records: Mapping[str, Mapping[str, float]],
) -> SectorResult:
    told = {
        **describe_shards(keys, records),
        "control": CONTROL_NAME,
        "method": ASSOCIATION,
        "metadata": dict(request.metadata),
        "sentences": dict(sentences),
        "not_measured": NOT_MEASURED,
    }
    inputs = list_inputs(keys, request.resampling, request.demonstration)
    return store_result(folder, inputs, told, figures, "sectors score --control occupations")
