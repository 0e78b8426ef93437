"""Finds a sequence-to-sequence model by name or path, and refuses in one sentence what is none."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pickle import UnpicklingError
from typing import Any

from corpus.errors import EngineError
from engines.checkpoints import (
    explain_failure,
    identify_checkpoint,
    load_config,
    name_checkpoint,
)
from engines.language_tags import TagConvention, find_convention

IDENTIFYING = ("*.json", "*.safetensors", "*.bin", "*.spm", "*.model")
"""Files of a local folder that decide what is written: tokenizer and generation settings too."""
NO_LIMIT = 1_000_000
"""Tokenizers without a limit name a number far above this one."""


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A model's configuration and tokenizer; its weights are not loaded yet."""

    path: str
    """As the user named it."""
    name: str
    revision: str
    kind: str
    """`model_type` of the configuration."""
    tokenizer: Any
    convention: TagConvention
    input_tokens: int
    """Most tokens of a text, as far as model and tokenizer say."""


def find_model(path: str) -> FoundModel:
    """The model, checked: it is there, translates, and is told its target in a known way.

    Raises:
        EngineError: one sentence saying what is wrong with the model and what to do.
    """
    from transformers import AutoTokenizer

    config = load_config(path)
    if not getattr(config, "is_encoder_decoder", False):
        raise EngineError(
            f"The model {path} ({config.model_type}) is no sequence-to-sequence model: choose one "
            "that translates, such as NLLB-200, MADLAD-400 or OPUS-MT."
        )
    try:
        with warnings.catch_warnings():
            # It recommends a package that changes the punctuation of the texts.
            warnings.filterwarnings("ignore", message="Recommended: pip install sacremoses")
            tokenizer: Any = AutoTokenizer.from_pretrained(path, trust_remote_code=False)
    except Exception as error:  # tokenizers raise bare Exception for files they cannot read
        raise EngineError(
            f"The tokenizer of the model {path} cannot be loaded: the model's folder or hub page "
            "must hold its tokenizer files."
        ) from error
    name = name_checkpoint(path)
    convention = find_convention(tokenizer.get_vocab(), config.model_type, name)
    if convention is None:
        raise EngineError(
            f"The model {path} ({config.model_type}) names its target languages in no way that is "
            "known here: choose one of NLLB-200, M2M-100, MADLAD-400 or OPUS-MT's form, and check "
            "that its tokenizer files are there."
        )
    if convention.source is not None:
        tokenizer.src_lang = convention.source
    return FoundModel(
        path=path,
        name=name,
        revision=identify_checkpoint(path, config, IDENTIFYING),
        kind=config.model_type,
        tokenizer=tokenizer,
        convention=convention,
        input_tokens=_limit(config, tokenizer),
    )


def load_weights(found: FoundModel, dtype: str, device: str) -> Any:
    """The model on its device in evaluation mode.

    Raises:
        EngineError: if the weights are missing, incomplete or of another architecture.
    """
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForSeq2SeqLM
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        loaded: Any = AutoModelForSeq2SeqLM.from_pretrained(
            found.path,
            dtype=getattr(torch, dtype),
            output_loading_info=True,
            trust_remote_code=False,
        )
    except (
        OSError,
        ValueError,
        KeyError,
        RuntimeError,
        EOFError,
        UnpicklingError,
        SafetensorError,
    ) as error:
        raise EngineError(explain_failure(found.path, error)) from error
    model, report = loaded
    lacking = sorted(str(key) for key in report.get("missing_keys", ()))
    lacking += sorted(str(key) for key in report.get("mismatched_keys", ()))
    if lacking:
        # They would be drawn at random, and every translation would be noise.
        raise EngineError(
            f"The checkpoint of the model {found.path} lacks weights (first: {lacking[0]}): choose "
            "a complete one."
        )
    return model.to(device).eval()


def _limit(config: Any, tokenizer: Any) -> int:
    known = (getattr(config, "max_position_embeddings", None), tokenizer.model_max_length)
    return min((int(each) for each in known if each and each < NO_LIMIT), default=NO_LIMIT)
