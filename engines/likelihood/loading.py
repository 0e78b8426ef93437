"""Finds a causal language model by name or path and refuses, in one sentence, what cannot be used.

Everything is checked before the first text is scored: whether the model is there, has a head for
causal prediction, and fits its tokenizer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from corpus.errors import EngineError
from corpus.hashing import canonical_json, sha256_text
from engines.checkpoints import (
    check_device,
    check_weights,
    explain_failure,
    identify_checkpoint,
    name_checkpoint,
    wants_own_code,
)
from engines.likelihood.model_kinds import CAUSAL_MODEL, place_model
from engines.likelihood.protocol import BOS_ADDED, BOS_NONE, BOS_PREFIXED, Bos

IDENTIFYING = ("config.json", "*.safetensors", "*.bin")
PROBE = "a"


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model and its tokenizer, checked, with what identifies them."""

    model_id: str
    revision: str
    model: Any
    tokenizer: Any
    tokenizer_hash: str
    bos_policy: str
    vocabulary_size: int
    """Rows of the model's embedding; token ids at or above it are refused."""
    prefix: tuple[int, ...]
    """Tokens to put before those that the tokenizer makes of a text."""


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """What identifies a model that may not be loaded yet."""

    model_id: str
    revision: str
    tokenizer_hash: str
    bos_policy: str


def identify_causal_model(
    name: str, revision: str | None = None, bos: Bos = Bos.TOKENIZER
) -> ModelIdentity:
    """What `load_causal_model` will find, if the model is there; loads no weights.

    Args:
        name: name on the hub or path of a local folder.
        revision: branch, tag or commit on the hub.
        bos: which texts begin with a begin-of-sequence token.

    Raises:
        EngineError: one sentence saying what is wrong with the model and what to do.
    """
    config = CAUSAL_MODEL.load_config(name, revision)
    tokenizer = load_tokenizer(name, revision)
    vocabulary_size = getattr(config.get_text_config(), "vocab_size", None)
    if vocabulary_size:
        refuse_foreign_tokenizer(name, tokenizer, int(vocabulary_size))
    policy, _ = _find_bos(name, tokenizer, bos)
    check_weights(name, config)
    return ModelIdentity(
        model_id=name_checkpoint(name),
        revision=identify_checkpoint(name, config, IDENTIFYING),
        tokenizer_hash=hash_tokenizer(tokenizer),
        bos_policy=policy,
    )


def load_causal_model(
    name: str,
    dtype: str,
    device: str,
    revision: str | None,
    bos: Bos = Bos.TOKENIZER,
    device_map: str | None = None,
) -> LoadedModel:
    """The model on its device in evaluation mode, with its tokenizer.

    Args:
        name: name on the hub or path of a local folder.
        dtype: `float32`, `bfloat16` or `float16`.
        device: where the model is put, unless there is a device map.
        revision: branch, tag or commit on the hub.
        bos: which texts begin with a begin-of-sequence token.
        device_map: how transformers spreads the model over devices, e.g. `auto`.

    Raises:
        EngineError: if it is missing, gated, has no causal head or does not fit its tokenizer, or
            if there is no such device or no token to begin every text with.
    """
    check_device(device)
    config = CAUSAL_MODEL.load_config(name, revision)
    tokenizer = load_tokenizer(name, revision)
    model = CAUSAL_MODEL.load_weights(name, dtype, revision, device_map)
    vocabulary_size = int(model.get_input_embeddings().weight.shape[0])
    refuse_foreign_tokenizer(name, tokenizer, vocabulary_size)
    policy, prefix = _find_bos(name, tokenizer, bos)
    return LoadedModel(
        model_id=name_checkpoint(name),
        revision=identify_checkpoint(name, config, IDENTIFYING),
        model=(model if device_map else place_model(name, model, device)).eval(),
        tokenizer=tokenizer,
        tokenizer_hash=hash_tokenizer(tokenizer),
        bos_policy=policy,
        vocabulary_size=vocabulary_size,
        prefix=prefix,
    )


def load_tokenizer(name: str, revision: str | None) -> Any:
    """The model's own tokenizer.

    Raises:
        EngineError: if it has none that can be loaded.
    """
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(name, revision=revision, trust_remote_code=False)
    except Exception as error:  # tokenizers raise bare Exception for files they cannot read
        if isinstance(error, ImportError) or wants_own_code(error):
            raise EngineError(explain_failure(name, error)) from error
        raise EngineError(
            f"The tokenizer of the model {name} cannot be loaded: the model's folder or hub page "
            "must hold its tokenizer files (tokenizer.json)."
        ) from error


def refuse_foreign_tokenizer(name: str, tokenizer: Any, vocabulary_size: int) -> None:
    """Returns nothing if a tokenizer's tokens are those of a model of that vocabulary.

    Raises:
        EngineError: if it is another model's, or empty.
    """
    # transformers makes an empty tokenizer where a model's folder has none; embeddings are padded
    # by a few hundred rows at most, never to twice the tokens.
    if 2 * len(tokenizer) < vocabulary_size:
        raise EngineError(
            f"The tokenizer of the model {name} is missing or does not fit it: it has "
            f"{len(tokenizer)} tokens, but the model knows {vocabulary_size}; put the tokenizer "
            "files (tokenizer.json) it was trained with beside it."
        )
    # Some models' tokenizers hold added tokens (images) that the text model has no row for;
    # only ordinary tokens must all be known. An id without a row is refused when it occurs.
    added = set(tokenizer.added_tokens_decoder)
    highest = max((i for i in tokenizer.get_vocab().values() if i not in added), default=-1)
    if highest >= vocabulary_size:
        raise EngineError(
            f"The tokenizer of the model {name} does not fit it: token ids go up to {highest}, "
            f"but the model knows {vocabulary_size} tokens; use the tokenizer it was trained with."
        )


def hash_tokenizer(tokenizer: Any) -> str:
    """Hex sha256 of the tokenizer's full definition."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is not None:
        return sha256_text(backend.to_str())
    merges = [list(pair) for pair in getattr(tokenizer, "bpe_ranks", ())]
    found = [tokenizer.get_vocab(), tokenizer.special_tokens_map, *([merges] if merges else [])]
    return sha256_text(canonical_json(found))


def _find_bos(name: str, tokenizer: Any, bos: Bos) -> tuple[str, tuple[int, ...]]:
    """The policy and the tokens that it puts before those of the tokenizer."""
    whole = list(tokenizer(PROBE)["input_ids"])
    bare = list(tokenizer(PROBE, add_special_tokens=False)["input_ids"])
    if whole[: len(bare)] != bare:
        return BOS_ADDED, ()
    if bos is Bos.TOKENIZER:
        return BOS_NONE, ()
    first = tokenizer.bos_token_id
    if first is None:
        first = tokenizer.eos_token_id
    if first is None:
        raise EngineError(
            f"The tokenizer of the model {name} knows no token that begins or ends a text, so none "
            "can be put first: score it with `--bos tokenizer`."
        )
    return BOS_PREFIXED, (int(first),)
