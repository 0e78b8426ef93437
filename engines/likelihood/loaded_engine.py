"""What every engine over a loaded checkpoint says of itself."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any, Generic, Protocol, TypeVar

from corpus.errors import EngineError

UNKNOWN_SHARE = "unknown_token_share"
"""Part of a run's record: share of the texts' tokens that stand for what the tokenizer lacks."""


class LoadedCheckpoint(Protocol):
    """A model and its tokenizer, with what identifies them."""

    @property
    def model_id(self) -> str:
        """Name on the hub or path as the user gave it."""

    @property
    def revision(self) -> str:
        """Commit on the hub, or `sha256:…` over the files of a local model."""

    @property
    def tokenizer(self) -> Any:
        """The tokenizer, as transformers loads it."""

    @property
    def tokenizer_hash(self) -> str:
        """Hex sha256 of the tokenizer's full definition."""

    @property
    def vocabulary_size(self) -> int:
        """Rows of the model's embedding."""


Loaded = TypeVar("Loaded", bound=LoadedCheckpoint)


class LoadedEngine(Generic[Loaded]):
    """The identity of an engine: what its numbers depend on."""

    def __init__(self, loaded: Loaded, dtype: str, device: str) -> None:
        self._loaded = loaded
        self._dtype = dtype
        self._device = device
        self._unknown_share = 0.0

    @property
    def model_id(self) -> str:
        """Name on the hub or path as the user gave it."""
        return self._loaded.model_id

    @property
    def revision(self) -> str:
        """Commit on the hub, or `sha256:…` over the files of a local model."""
        return self._loaded.revision

    @property
    def dtype(self) -> str:
        """Number type of the weights."""
        return self._dtype

    @property
    def device(self) -> str:
        """Where the model runs: `cpu`, `cuda` or `mps`."""
        return self._device

    @property
    def tokenizer_hash(self) -> str:
        """Hex sha256 of the tokenizer's full definition."""
        return self._loaded.tokenizer_hash

    @property
    def tokenizer(self) -> Any:
        """The tokenizer, as transformers loads it."""
        return self._loaded.tokenizer

    @property
    def vocabulary_size(self) -> int:
        """Rows of the model's embedding."""
        return self._loaded.vocabulary_size

    def _refuse_tokens(self, text: str, ids: Sequence[int], limit: int | None, count: int) -> None:
        """Refuses tokens beyond the embedding, and a text too long for the model.

        Of its tokens the model is given `count` at once, and takes `limit`; None is any number.
        """
        if ids and max(ids) >= self.vocabulary_size:
            raise EngineError(
                f"The tokenizer of {self.model_id} makes a token that the model does not know "
                f"(id {max(ids)} of {self.vocabulary_size}) from the text: {text}"
            )
        if limit is not None and count > limit:
            raise EngineError(
                f"The model {self.model_id} takes {limit} tokens at most, "
                f"but there are {len(ids)} in the text: {text}"
            )

    def _refuse_values(self, text: str, logprobs: Sequence[float]) -> None:
        if not all(math.isfinite(value) for value in logprobs):
            raise EngineError(
                f"The model {self.model_id} ({self.dtype}) gives a token a log-probability that "
                f"is not a finite number (damaged weights or too narrow a dtype) in: {text}"
            )

    def _note_unknown(self, token_lists: Collection[Sequence[int]]) -> None:
        """Counts the unknown token in the texts of a call.

        Letters that a tokenizer lacks are one token to the model, whatever they are: the
        probability of that token says nothing about the text.
        """
        tokenizer = self._loaded.tokenizer
        unknown = tokenizer.unk_token_id
        # GPT-2's, which lacks no letter, is its mark between texts.
        if unknown in (tokenizer.bos_token_id, tokenizer.eos_token_id):
            unknown = None
        found = sum(tokens.count(unknown) for tokens in token_lists)
        self._unknown_share = found / max(1, sum(map(len, token_lists)))

    def _record_unknown(self) -> dict[str, float]:
        """What a run's record says of unknown tokens: nothing where there are none."""
        return {UNKNOWN_SHARE: self._unknown_share} if self._unknown_share else {}

    def decode_tokens(self, token_ids: Sequence[int]) -> tuple[str, ...]:
        """The written form of each token, for showing a text token by token."""
        return tuple(self._loaded.tokenizer.decode([token]) for token in token_ids)
