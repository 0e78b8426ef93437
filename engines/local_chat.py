"""A chat model of transformers in this process, asked through its own chat template.

One message at a time, whoever asks: what a model says must not depend on what stands beside it in a
batch. At temperature 0 the likeliest token is taken; else tokens are drawn by the seed given.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from corpus.errors import EngineError
from engines.chat_models import ChatReply, ReplyState
from engines.checkpoints import (
    check_device,
    check_weights,
    explain_failure,
    identify_checkpoint,
    load_config,
    name_checkpoint,
)
from engines.likelihood.model_kinds import CAUSAL_MODEL

IDENTIFYING = ("*.safetensors", "*.bin", "config.json", "tokenizer*", "chat_template*",
               "generation_config.json")  # fmt: skip
LOAD_ERRORS = (OSError, ValueError, KeyError, ImportError, RuntimeError)


@dataclass(frozen=True, slots=True)
class LocalChatSettings:
    """Which model answers and how."""

    path: str
    """Folder, or name on the hub."""
    revision: str | None
    temperature: float
    max_tokens: int
    device: str
    dtype: str


class LocalChatModel:
    """Answers by a loaded model.

    Raises:
        EngineError: if it cannot be loaded or has no chat template.
    """

    def __init__(self, settings: LocalChatSettings) -> None:
        check_device(settings.device)
        revision = settings.revision or "main"
        self._tokenizer = _open_tokenizer(settings.path, revision)
        # Weights that a checkpoint lacks would be drawn at random, and every answer be noise.
        model = CAUSAL_MODEL.load_weights(settings.path, settings.dtype, revision)
        self._settings = settings
        self._model = model.to(settings.device).eval()
        self._lock = threading.Lock()

    def ask(self, message: str, seed: int) -> ChatReply:
        """The reply to a message alone; the same message and seed give the same reply."""
        with self._lock:
            try:
                return self._answer(message, seed)
            except (RuntimeError, IndexError) as error:  # no memory left, tokens it does not know
                return _failed(type(error).__name__)

    def _answer(self, message: str, seed: int) -> ChatReply:
        import torch

        turn = [{"role": "user", "content": message}]
        try:
            encoded = self._tokenizer.apply_chat_template(
                turn, add_generation_prompt=True, return_tensors="pt", return_dict=True
            )
        except Exception as error:  # a template is a program of whoever made the model
            return _failed(type(error).__name__)
        length = int(encoded["input_ids"].shape[1])
        longest = getattr(self._model.config, "max_position_embeddings", None)
        if longest is not None and length + self._settings.max_tokens > longest:
            return _failed("message and answer are longer than the model can read")
        sampling = self._settings.temperature > 0
        chosen: dict[str, Any] = {"temperature": self._settings.temperature} if sampling else {}
        if self._tokenizer.pad_token_id is None:
            chosen["pad_token_id"] = self._tokenizer.eos_token_id
        with torch.random.fork_rng(), torch.inference_mode():
            torch.manual_seed(seed)
            produced = self._model.generate(
                **encoded.to(self._model.device),
                do_sample=sampling,
                num_beams=1,
                max_new_tokens=self._settings.max_tokens,
                **chosen,
            )
        tokens = produced[0, length:]
        text: str = self._tokenizer.decode(tokens, skip_special_tokens=True)
        ended = len(tokens) < self._settings.max_tokens or self._is_end(int(tokens[-1]))
        return ChatReply(ReplyState.ANSWERED if ended else ReplyState.CUT_OFF, text)

    def _is_end(self, token: int) -> bool:
        ends = self._model.generation_config.eos_token_id
        return token in (ends if isinstance(ends, list) else [ends])


def identify_chat_model(path: str, revision: str | None) -> str:
    """The hub's commit, or a hash over the files of a local folder.

    Raises:
        EngineError: if there is no such model, or it has no chat template.
    """
    config = load_config(path, revision or "main")
    check_weights(path, config)
    _open_tokenizer(path, revision or "main")
    return identify_checkpoint(path, config, IDENTIFYING)


def _open_tokenizer(path: str, revision: str) -> Any:
    """The tokenizer of a model that is made for chat.

    Raises:
        EngineError: if it cannot be loaded or has no chat template.
    """
    from transformers import AutoTokenizer

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(
            path, revision=revision, trust_remote_code=False
        )
    except LOAD_ERRORS as error:
        raise EngineError(explain_failure(path, error)) from error
    if not getattr(tokenizer, "chat_template", None):
        raise EngineError(
            f"The model {name_checkpoint(path)} has no chat template, so nobody can say how it is "
            "asked: test a model that was made for chat."
        )
    return tokenizer


def _failed(detail: str) -> ChatReply:
    return ChatReply(ReplyState.ERROR, None, "model_failed", detail)
