"""Which way of asking about words a model allows: associations, or whole sentences.

A masked model fills in words and gives associations; a causal one gives sentence likelihoods. The
kind of the checkpoint decides, and nothing that one gives is pooled with what the other gives.
"""

from __future__ import annotations

from dataclasses import dataclass

from corpus.errors import EngineError
from engines.checkpoints import check_device
from engines.likelihood.association import (
    JOINT,
    READINGS,
    AssociationEngine,
    load_association_engine,
)
from engines.likelihood.causal import DTYPES, pick_device
from engines.likelihood.loading import ModelIdentity, identify_causal_model
from engines.likelihood.masked_loading import identify_masked_model
from engines.likelihood.opening import EngineChoice, find_likelihood
from engines.likelihood.protocol import CAUSAL, Bos
from engines.likelihood.sentence_likelihood import (
    SENTENCE,
    SentenceLikelihoodEngine,
    check_sentence_reading,
    load_sentence_engine,
)

ASSOCIATION = "association"
"""Method of masked models: A = ln(p_target / p_prior)."""
SENTENCE_LIKELIHOOD = "sentence likelihood"
"""Method of causal models: ln P of the sentence, without a prior."""


@dataclass(frozen=True, slots=True)
class WordModel:
    """A model identified before its weights are loaded, and how it will be asked."""

    model_id: str
    revision: str
    tokenizer_hash: str
    method: str
    """`ASSOCIATION` or `SENTENCE_LIKELIHOOD`."""
    reading: str
    """How several tokens are taken together."""


def identify_word_model(
    name: str, revision: str | None = None, reading: str | None = None
) -> WordModel:
    """What the model of a name or path is and how it is asked.

    Args:
        name: name on the hub or path of a local folder.
        revision: branch, tag or commit on the hub.
        reading: one of the model's kind; None is the first one of it.

    Raises:
        EngineError: if the model is missing, gated or of neither kind, or the reading is one of the
            other kind.
    """
    if find_likelihood(EngineChoice(name, revision)) == CAUSAL:
        method, chosen = SENTENCE_LIKELIHOOD, reading or SENTENCE
        check_sentence_reading(chosen)
        found = _identify_causal(name, revision)
    else:
        method, chosen = ASSOCIATION, reading or JOINT
        if chosen not in READINGS:
            raise EngineError(
                f"The reading {chosen} is not one of {', '.join(READINGS)}, which are those of "
                "masked models: choose one."
            )
        found = identify_masked_model(name, revision)
    return WordModel(found.model_id, found.revision, found.tokenizer_hash, method, chosen)


def _identify_causal(name: str, revision: str | None) -> ModelIdentity:
    try:
        return identify_causal_model(name, revision, Bos.ALWAYS)
    except EngineError:
        # Whatever else is wrong with the model is said once more.
        identify_causal_model(name, revision)
    raise EngineError(
        f"The tokenizer of the model {name} knows no token that begins or ends a text, so a person "
        "word that begins a sentence would have no probability: choose another model."
    )


def open_word_engine(
    name: str, model: WordModel, *, dtype: str, device: str, revision: str | None = None
) -> AssociationEngine | SentenceLikelihoodEngine:
    """The engine of an identified model, ready to score.

    Raises:
        EngineError: if its weights cannot be loaded, or there is no such number type or device.
    """
    if dtype not in DTYPES:
        raise EngineError(f"The dtype {dtype} is not one of {', '.join(DTYPES)}: choose one.")
    check_device(pick_device(device))
    load = load_association_engine if model.method == ASSOCIATION else load_sentence_engine
    return load(name, dtype=dtype, device=device, revision=revision, reading=model.reading)
