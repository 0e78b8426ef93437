"""The models that a command names, found and identified before any of them is loaded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from corpus.errors import EngineError, Fault, InputError
from engines.checkpoints import name_checkpoint
from engines.likelihood.opening import EngineChoice, identify_engine
from engines.likelihood.protocol import Bos
from scoring.models_file import ModelEntry, ModelMetadata, load_models_file, name_entry
from scoring.scores import ModelToScore

COMMIT = re.compile(r"[0-9a-f]{40}")


def find_model(choice: EngineChoice, metadata: ModelMetadata | None = None) -> ModelToScore:
    """The model of a choice, at the very commit that the hub has now.

    Raises:
        EngineError: if it is missing, gated or cannot be scored: one sentence.
    """
    identity = identify_engine(choice)
    # Every process that opens it later gets the same, whatever happens on the hub meanwhile.
    if COMMIT.fullmatch(identity.revision):
        choice = replace(choice, revision=identity.revision)
    return ModelToScore(choice, identity, metadata or ModelMetadata())


def find_models(file: Path, otherwise: EngineChoice) -> tuple[ModelToScore, ...]:
    """The models of a models file.

    Args:
        file: The models file.
        otherwise: How a model is loaded of which the file does not say it; its name is not used.

    Raises:
        InputError: with every fault of the file, or each of its models that cannot be scored.
    """
    found: list[ModelToScore] = []
    faults: list[Fault] = []
    for number, entry in enumerate(load_models_file(file), start=1):
        try:
            model = find_model(_choose(entry, otherwise), _name_base(entry.metadata))
        except EngineError as error:
            remedy = "correct the entry or take it out"
            field = name_entry(number, "name")
            faults.append(Fault(str(file), None, field, str(error).rstrip("."), remedy))
        else:
            if twin := _find_twin(model, found):
                problem = f"the same model as {twin}"
                faults.append(Fault(str(file), None, name_entry(number), problem, "keep one"))
            found.append(model)
    if faults:
        raise InputError(faults)
    return tuple(found)


def _choose(entry: ModelEntry, otherwise: EngineChoice) -> EngineChoice:
    return replace(
        otherwise,
        model=entry.name,
        revision=entry.revision or otherwise.revision,
        dtype=entry.dtype or otherwise.dtype,
        bos=Bos(entry.bos) if entry.bos else otherwise.bos,
        likelihood=entry.likelihood or otherwise.likelihood,
    )


def _name_base(metadata: ModelMetadata) -> ModelMetadata:
    """With the base model under the name that its own result has."""
    if metadata.base is None:
        return metadata
    return replace(metadata, base=name_checkpoint(metadata.base))


def _find_twin(model: ModelToScore, found: Sequence[ModelToScore]) -> str | None:
    return next((each.choice.model for each in found if each.identity == model.identity), None)
