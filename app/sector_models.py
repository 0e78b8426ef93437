"""The models of a models file for sectors: all are found before one of them is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.sector_scoring import SectorModel
from corpus.errors import EngineError, Fault, InputError
from engines.likelihood.association_opening import identify_word_model
from scoring.models_file import ModelEntry, load_models_file, name_entry
from scoring.sector_scores import SectorResult

OF_SCORES = ("bos", "likelihood")
"""Ways of loading that sentences of sectors have no use for."""


@dataclass(frozen=True, slots=True)
class ScoredModel:
    """What became of a model."""

    name: str
    results: tuple[SectorResult, ...]
    gap: str = ""
    """Why it could not be scored, empty if it was."""


def find_sector_models(
    file: Path, revision: str | None, dtype: str | None, reading: str | None
) -> tuple[SectorModel, ...]:
    """The models of a models file.

    Args:
        file: The models file.
        revision: Of models of which the file names none.
        dtype: Of models of which the file names none; None is what the settings say.
        reading: How several tokens are taken together, which the models must be able to.

    Raises:
        InputError: with every fault of the file, or each of its models that cannot be scored.
    """
    found: list[SectorModel] = []
    faults: list[Fault] = []
    for number, entry in enumerate(load_models_file(file), start=1):
        faults.extend(_faults(entry, number, str(file)))
        model = SectorModel(
            entry.name, entry.revision or revision, entry.dtype or dtype, entry.metadata
        )
        try:
            identify_word_model(model.name, model.revision, reading)
        except EngineError as error:
            remedy = "correct the entry or take it out"
            field = name_entry(number, "name")
            faults.append(Fault(str(file), None, field, str(error).rstrip("."), remedy))
        found.append(model)
    if faults:
        raise InputError(faults)
    return tuple(found)


def score_sector_models(
    models: Sequence[SectorModel], score: Callable[[SectorModel], tuple[SectorResult, ...]]
) -> tuple[ScoredModel, ...]:
    """What became of each model; one that cannot be scored does not stop the others.

    Raises:
        EngineError: if it is the only one.
    """
    scored = []
    for model in models:
        try:
            scored.append(ScoredModel(model.name, score(model)))
        except EngineError as error:
            if len(models) == 1:
                raise
            scored.append(ScoredModel(model.name, (), str(error)))
    return tuple(scored)


def _faults(entry: ModelEntry, number: int, file: str) -> Iterator[Fault]:
    for key in OF_SCORES:
        if getattr(entry, key) is not None:
            remedy = "leave it out: sectors takes the model as it is"
            yield Fault(file, None, name_entry(number, key), "not of sectors", remedy)
