"""Which likelihood engine a model gets, and what identifies it before any weight is loaded."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.errors import EngineError
from engines.checkpoints import check_device, load_config
from engines.likelihood.causal import DTYPES, load_causal_engine, pick_device
from engines.likelihood.loading import identify_causal_model
from engines.likelihood.masked_loading import identify_masked_model
from engines.likelihood.protocol import (
    CAUSAL,
    LIKELIHOODS,
    PSEUDO_WITHIN_WORD,
    Bos,
    LikelihoodEngine,
)

AUTO = "auto"
CHOICES = (AUTO, *LIKELIHOODS)
DEVICE_MAPS = (AUTO,)


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """A model and how it is loaded."""

    model: str
    """Name on the hub or path of a folder."""
    revision: str | None = None
    """Branch, tag or commit on the hub; None is its default branch."""
    dtype: str = "float32"
    device: str = AUTO
    device_map: str | None = None
    """`auto` spreads the model over several cards."""
    bos: Bos = Bos.TOKENIZER
    likelihood: str = AUTO
    """One of `LIKELIHOODS`, or `auto`: what the model's architecture is made for."""


@dataclass(frozen=True, slots=True)
class EngineIdentity:
    """What an engine is, as far as its numbers depend on it: the same as the engine says."""

    model_id: str
    revision: str
    dtype: str
    tokenizer_hash: str
    bos_policy: str
    likelihood: str


def identify_engine(choice: EngineChoice) -> EngineIdentity:
    """What the engine of a choice will be, found without the model's weights.

    Raises:
        EngineError: one sentence saying what is wrong with the model and what to do.
    """
    _check_options(choice)
    likelihood = find_likelihood(choice)
    if likelihood == CAUSAL:
        found = identify_causal_model(choice.model, choice.revision, choice.bos)
    else:
        _refuse_bos(choice, likelihood)
        found = identify_masked_model(choice.model, choice.revision)
    return EngineIdentity(
        model_id=found.model_id,
        revision=found.revision,
        dtype=choice.dtype,
        tokenizer_hash=found.tokenizer_hash,
        bos_policy=found.bos_policy,
        likelihood=likelihood,
    )


def describe_engine(engine: LikelihoodEngine) -> EngineIdentity:
    """What an open engine is."""
    return EngineIdentity(
        model_id=engine.model_id,
        revision=engine.revision,
        dtype=engine.dtype,
        tokenizer_hash=engine.tokenizer_hash,
        bos_policy=engine.bos_policy,
        likelihood=engine.likelihood,
    )


def open_engine(choice: EngineChoice, worker: int = 0) -> LikelihoodEngine:
    """The engine of a choice, ready to score.

    Args:
        choice: The model and how it is loaded.
        worker: Number of the process among several, which take the cards of a machine in turn.

    Raises:
        EngineError: if the model is missing, gated, of another kind than the likelihood needs,
            does not fit its tokenizer, or has no token to put first.
    """
    _check_options(choice)
    likelihood = find_likelihood(choice)
    device = _choose_card(choice, worker)
    if likelihood == CAUSAL:
        return load_causal_engine(
            choice.model,
            dtype=choice.dtype,
            device=device,
            revision=choice.revision,
            bos=choice.bos,
            device_map=choice.device_map,
        )
    _refuse_bos(choice, likelihood)
    from engines.likelihood.masked import load_masked_engine

    return load_masked_engine(
        choice.model,
        dtype=choice.dtype,
        device=device,
        revision=choice.revision,
        likelihood=likelihood,
        device_map=choice.device_map,
    )


def _refuse_bos(choice: EngineChoice, likelihood: str) -> None:
    if choice.bos is not Bos.TOKENIZER:
        raise EngineError(
            f"The model {choice.model} is scored as a masked model ({likelihood}): leave out "
            "--bos, which is for causal ones."
        )


def find_likelihood(choice: EngineChoice) -> str:
    """How the model's log-probabilities are made: as chosen, or as its architecture is made for.

    Raises:
        EngineError: if the model is missing or gated.
    """
    if choice.likelihood != AUTO:
        return choice.likelihood
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    )

    config = load_config(choice.model, choice.revision)
    architectures = set(config.architectures or ())
    masked = architectures & set(MODEL_FOR_MASKED_LM_MAPPING_NAMES.values())
    causal = architectures & set(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values())
    # What is neither is refused by the causal engine, which says so.
    return PSEUDO_WITHIN_WORD if masked and not causal else CAUSAL


def _check_options(choice: EngineChoice) -> None:
    for name, value, known in (
        ("likelihood", choice.likelihood, CHOICES),
        ("dtype", choice.dtype, DTYPES),
        ("device map", choice.device_map, (None, *DEVICE_MAPS)),
    ):
        if value not in known:
            allowed = ", ".join(each for each in known if each)
            raise EngineError(f"The {name} {value} is not one of {allowed}: choose one.")
    check_device(pick_device(choice.device))


def _choose_card(choice: EngineChoice, worker: int) -> str:
    """Another card for each process where there are several and none is named."""
    device = pick_device(choice.device)
    if device != "cuda" or choice.device_map is not None:
        return device
    import torch

    cards = torch.cuda.device_count()
    return f"cuda:{worker % cards}" if cards > 1 else device
