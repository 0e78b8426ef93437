"""Finds a masked language model by name or path and refuses what cannot be used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from corpus.errors import EngineError
from engines.checkpoints import (
    check_device,
    check_weights,
    explain_failure,
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


def identify_masked_model(name: str, revision: str | None = None) -> ModelIdentity:
    """What `load_masked_model` will find, if the model is there; loads no weights.

    Args:
        name: name on the hub or path of a local folder.
        revision: branch, tag or commit on the hub.

    Raises:
        EngineError: one sentence saying what is wrong with the model and what to do.
    """
    config = _load_config(name, revision)
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
    name: str, dtype: str, device: str, revision: str | None
) -> LoadedMaskedModel:
    """The model on its device in evaluation mode, with its tokenizer.

    Raises:
        EngineError: if it is missing, gated, has no masked head, no mask token or does not fit its
            tokenizer, or if there is no such device.
    """
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForMaskedLM
    from transformers.utils.logging import disable_progress_bar

    # Loading has its own bar per file; the command that loads says what it does.
    disable_progress_bar()  # type: ignore[no-untyped-call]
    check_device(device)
    config = _load_config(name, revision)
    tokenizer = load_tokenizer(name, revision)
    _check_tokenizer(name, tokenizer)
    try:
        # transformers 5 would take the checkpoint's number type: it is always set here.
        loaded: Any = AutoModelForMaskedLM.from_pretrained(
            name, revision=revision, dtype=getattr(torch, dtype), output_loading_info=True
        )
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise EngineError(explain_failure(name, error)) from error
    model, report = loaded
    _refuse_new_weights(name, report)
    if model.get_output_embeddings() is None:
        raise EngineError(_no_head(name, type(model).__name__))
    vocabulary_size = int(model.get_input_embeddings().weight.shape[0])
    refuse_foreign_tokenizer(name, tokenizer, vocabulary_size)
    pad_id = tokenizer.pad_token_id
    return LoadedMaskedModel(
        model_id=name_checkpoint(name),
        revision=identify_checkpoint(name, config, IDENTIFYING),
        model=model.to(device).eval(),
        tokenizer=tokenizer,
        tokenizer_hash=hash_tokenizer(tokenizer),
        vocabulary_size=vocabulary_size,
        mask_id=int(tokenizer.mask_token_id),
        pad_id=0 if pad_id is None else int(pad_id),
        special_ids=frozenset(tokenizer.all_special_ids) - {tokenizer.unk_token_id},
        max_tokens=_find_limit(model),
    )


def _load_config(name: str, revision: str | None) -> Any:
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

    try:
        config = AutoConfig.from_pretrained(name, revision=revision)
    except (OSError, ValueError, KeyError) as error:
        raise EngineError(explain_failure(name, error)) from error
    masked_names = set(MODEL_FOR_MASKED_LM_MAPPING_NAMES.values())
    architectures = config.architectures or []
    masked = any(known in masked_names for known in architectures)
    if not masked or getattr(config, "is_encoder_decoder", False):
        raise EngineError(_no_head(name, ", ".join(architectures) or config.model_type))
    return config


def _no_head(name: str, kind: str) -> str:
    return (
        f"The model {name} ({kind}) has no masked language-model head, so it does not fill in "
        "masked tokens: choose a masked model, or the likelihood `causal` for a causal one."
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


def _refuse_new_weights(name: str, report: dict[str, Any]) -> None:
    """A weight the checkpoint lacks was drawn at random: its probabilities would mean nothing."""
    lacking = sorted(report.get("missing_keys", ())) + sorted(
        str(key) for key in report.get("mismatched_keys", ())
    )
    if lacking:
        raise EngineError(
            f"The checkpoint of the model {name} lacks weights of a masked language model "
            f"(first: {lacking[0]}): choose a complete checkpoint with its masked head."
        )


def _find_limit(model: Any) -> int | None:
    """Most tokens the model takes, from its config and where its positions begin."""
    limit = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    if not limit:
        return None
    embeddings = getattr(model.base_model, "embeddings", None)
    # RoBERTa and its kin count positions from behind the padding's.
    padding = getattr(getattr(embeddings, "position_embeddings", None), "padding_idx", None)
    return int(limit) - (0 if padding is None else int(padding) + 1)
