"""Finds a masked language model by name or path and refuses what cannot be used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from corpus.errors import EngineError
from engines.checkpoints import (
    check_device,
    check_weights,
    identify_checkpoint,
    name_checkpoint,
)
from engines.likelihood.loading import (
    IDENTIFYING,
    PROBE,
    ModelIdentity,
    hash_tokenizer,
    load_tokenizer,
    refuse_foreign_tokenizer,
)
from engines.likelihood.model_kinds import MASKED_MODEL, find_position_limit, place_model
from engines.likelihood.protocol import BOS_ADDED


@dataclass(frozen=True, slots=True)
class LoadedMaskedModel:
    """A masked model and its tokenizer, checked, with what identifies them."""

    model_id: str
    revision: str
    model: Any
    tokenizer: Any
    tokenizer_hash: str
    vocabulary_size: int
    """Rows of the model's embedding."""
    mask_id: int
    pad_id: int
    special_ids: frozenset[int]
    """Tokens that no text may hold; the one for unknown words is none of them."""
    max_tokens: int | None
    """Most tokens of a text, special ones included; None if the model names no limit."""

    def refuse_marks(self, text: str, ids: Sequence[int], own: Sequence[int]) -> None:
        """Raises an EngineError if the text itself, at the places `own`, holds a special token."""
        if any(ids[place] in self.special_ids for place in own):
            raise EngineError(
                f"The tokenizer of {self.model_id} takes a part of the text for one of its own "
                f"marks (a mask, for one), which cannot be scored: leave out the text: {text}"
            )


def identify_masked_model(name: str, revision: str | None = None) -> ModelIdentity:
    """What `load_masked_model` will find, if the model is there; loads no weights.

    Args:
        name: name on the hub or path of a local folder.
        revision: branch, tag or commit on the hub.

    Raises:
        EngineError: one sentence saying what is wrong with the model and what to do.
    """
    config = MASKED_MODEL.load_config(name, revision)
    tokenizer = load_tokenizer(name, revision)
    _check_tokenizer(name, tokenizer)
    vocabulary_size = getattr(config.get_text_config(), "vocab_size", None)
    if vocabulary_size:
        refuse_foreign_tokenizer(name, tokenizer, int(vocabulary_size))
    check_weights(name, config)
    return ModelIdentity(
        model_id=name_checkpoint(name),
        revision=identify_checkpoint(name, config, IDENTIFYING),
        tokenizer_hash=hash_tokenizer(tokenizer),
        bos_policy=BOS_ADDED,
    )


def load_masked_model(
    name: str, dtype: str, device: str, revision: str | None, device_map: str | None = None
) -> LoadedMaskedModel:
    """The model on its device in evaluation mode, with its tokenizer.

    Args:
        name: name on the hub or path of a local folder.
        dtype: `float32`, `bfloat16` or `float16`.
        device: where the model is put, unless there is a device map.
        revision: branch, tag or commit on the hub.
        device_map: how transformers spreads the model over devices, e.g. `auto`.

    Raises:
        EngineError: if it is missing, gated, has no masked head, no mask token or does not fit its
            tokenizer, or if there is no such device.
    """
    check_device(device)
    config = MASKED_MODEL.load_config(name, revision)
    tokenizer = load_tokenizer(name, revision)
    _check_tokenizer(name, tokenizer)
    model = MASKED_MODEL.load_weights(name, dtype, revision, device_map)
    vocabulary_size = int(model.get_input_embeddings().weight.shape[0])
    refuse_foreign_tokenizer(name, tokenizer, vocabulary_size)
    pad_id = tokenizer.pad_token_id
    return LoadedMaskedModel(
        model_id=name_checkpoint(name),
        revision=identify_checkpoint(name, config, IDENTIFYING),
        model=(model if device_map else place_model(name, model, device)).eval(),
        tokenizer=tokenizer,
        tokenizer_hash=hash_tokenizer(tokenizer),
        vocabulary_size=vocabulary_size,
        mask_id=int(tokenizer.mask_token_id),
        pad_id=0 if pad_id is None else int(pad_id),
        special_ids=frozenset(tokenizer.all_special_ids) - {tokenizer.unk_token_id},
        max_tokens=find_position_limit(model),
    )


def _check_tokenizer(name: str, tokenizer: Any) -> None:
    if tokenizer.mask_token_id is None:
        raise EngineError(
            f"The tokenizer of the model {name} has no mask token, so nothing can be masked: put "
            "the tokenizer files that the model was trained with beside it."
        )
    if not getattr(tokenizer, "is_fast", False):
        raise EngineError(
            f"The tokenizer of the model {name} does not say which of its tokens belong to a text: "
            "a model with a fast tokenizer (tokenizer.json) is needed."
        )
    encoded = tokenizer(PROBE, return_special_tokens_mask=True)
    if not encoded["special_tokens_mask"][0]:
        raise EngineError(
            f"The tokenizer of the model {name} puts no special token before a text, which masked "
            "models are trained with: use the tokenizer it was trained with."
        )
