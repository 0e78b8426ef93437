"""Token log-probabilities of a Hugging Face causal language model, batched by length.

log P(w_t | w_<t) = logit[w_t] − logsumexp(logits). logsumexp is used instead of log_softmax, whose
CPU kernel is biased on large vocabularies, and logits are taken to float32 first. The model's own
head computes the logits, so that whatever it does to them (soft cap, scale, bias) is in them; a
hook hands it the real positions only, never the padding.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Sequence
from typing import Any

from corpus.errors import EngineError
from engines.likelihood.loading import LoadedModel, load_causal_model
from engines.likelihood.protocol import CAUSAL, Bos, TokenScores

DTYPES = ("float32", "bfloat16", "float16")
WINDOW_TEXTS = 1024
"""Texts tokenised, sorted and scored together before the first of them is given back."""
BATCH_POSITIONS = 4096
"""Upper bound of padded positions in a forward pass."""
LOGIT_CELLS = 1 << 25
"""Upper bound of positions × vocabulary in a forward pass (128 MiB in float32)."""


def pick_device(wanted: str = "auto") -> str:
    """`wanted`, or for `auto` the best of `cuda`, `mps` and `cpu` that is there."""
    import torch

    if wanted != "auto":
        return wanted
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


class CausalEngine:
    """A `LikelihoodEngine` over a transformers causal model; build it with `load_causal_engine`."""

    def __init__(self, loaded: LoadedModel, dtype: str, device: str) -> None:
        self._loaded = loaded
        self._dtype = dtype
        self._device = device
        self._limit = _position_limit(loaded.model.config)
        accepted = set(inspect.signature(loaded.model.forward).parameters)
        self._takes_positions = "position_ids" in accepted

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
    def bos_policy(self) -> str:
        """Whether a begin-of-sequence token comes first, and who put it there."""
        return self._loaded.bos_policy

    @property
    def likelihood(self) -> str:
        """Always `causal`."""
        return CAUSAL

    @property
    def vocabulary_size(self) -> int:
        """Rows of the model's embedding."""
        return self._loaded.vocabulary_size

    def decode_tokens(self, token_ids: Sequence[int]) -> tuple[str, ...]:
        """The written form of each token, for showing a text token by token."""
        return tuple(self._loaded.tokenizer.decode([token]) for token in token_ids)

    def score(self, texts: Sequence[str]) -> Iterator[TokenScores]:
        """The token scores of each text, in the order of `texts`.

        Raises:
            EngineError: if a text is too long, has a token the model does not know, or gets a
                probability that is not a number; the message names the text.
        """
        for start in range(0, len(texts), WINDOW_TEXTS):
            yield from self._score_window(texts[start : start + WINDOW_TEXTS])

    def _score_window(self, texts: Sequence[str]) -> list[TokenScores]:
        made = self._loaded.tokenizer(list(texts))["input_ids"]
        token_lists = [(*self._loaded.prefix, *ids) for ids in made]
        for text, ids in zip(texts, token_lists, strict=True):
            self._refuse_tokens(text, ids)
        scores = [TokenScores(ids, ()) if len(ids) < 2 else None for ids in token_lists]
        open_indices = [i for i, score in enumerate(scores) if score is None]
        # Longest first: the largest batch comes at the start, so memory runs out early or never.
        open_indices.sort(key=lambda i: (-len(token_lists[i]), i))
        for batch in self._split_batches(open_indices, token_lists):
            rows = self._score_batch([token_lists[i] for i in batch])
            for i, logprobs in zip(batch, rows, strict=True):
                self._refuse_values(texts[i], logprobs)
                scores[i] = TokenScores(token_lists[i], logprobs)
        return [score for score in scores if score is not None]

    def _split_batches(
        self, indices: Sequence[int], token_lists: Sequence[Sequence[int]]
    ) -> Iterator[list[int]]:
        """Runs of neighbours in `indices` whose padded size stays in both bounds."""
        positions = max(1, min(BATCH_POSITIONS, LOGIT_CELLS // self.vocabulary_size))
        batch: list[int] = []
        for i in indices:
            width = len(token_lists[batch[0] if batch else i]) - 1
            if batch and (len(batch) + 1) * width > positions:
                yield batch
                batch = []
            batch.append(i)
        if batch:
            yield batch

    def _score_batch(self, token_lists: Sequence[Sequence[int]]) -> list[tuple[float, ...]]:
        """Log-probabilities of tokens 1..T-1 of each list from one forward pass.

        The last token predicts nothing here and is left out of the input.
        """
        import torch

        lengths = [len(ids) - 1 for ids in token_lists]
        width = max(lengths)
        input_ids = torch.zeros((len(lengths), width), dtype=torch.long)
        mask = torch.zeros_like(input_ids)
        for row, (ids, length) in enumerate(zip(token_lists, lengths, strict=True)):
            input_ids[row, :length] = torch.tensor(ids[:-1])
            mask[row, :length] = 1
        targets = torch.cat([torch.tensor(ids[1:]) for ids in token_lists]).to(self._device)
        logits = self._compute_logits(input_ids.to(self._device), mask.to(self._device))
        chosen = logits.gather(1, targets[:, None])[:, 0]
        total = torch.logsumexp(logits, dim=1)
        values = (chosen.cpu().double() - total.cpu().double()).tolist()
        ends = [sum(lengths[: k + 1]) for k in range(len(lengths))]
        return [
            tuple(values[end - length : end]) for end, length in zip(ends, lengths, strict=True)
        ]

    def _compute_logits(self, input_ids: Any, mask: Any) -> Any:
        """Logits of the real positions, row by row: float32, shape [sum of mask, vocabulary]."""
        import torch

        model = self._loaded.model
        keep = mask.bool()
        extra = {}
        if self._takes_positions:
            positions = torch.arange(mask.shape[1], device=mask.device).expand_as(mask)
            extra["position_ids"] = positions.contiguous()

        def drop_padding(_: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
            return (inputs[0][keep][None], *inputs[1:])

        hook = model.get_output_embeddings().register_forward_pre_hook(drop_padding)
        try:
            with torch.inference_mode():
                output = model(input_ids=input_ids, attention_mask=mask, use_cache=False, **extra)
        finally:
            hook.remove()
        logits = output.logits
        # A model that applies its head without calling it is not reached by the hook.
        rows = logits[0] if logits.shape[:2] == (1, int(mask.sum())) else logits[keep]
        return rows.float()

    def _refuse_tokens(self, text: str, ids: Sequence[int]) -> None:
        if ids and max(ids) >= self.vocabulary_size:
            raise EngineError(
                f"The tokenizer of {self.model_id} makes a token that the model does not know "
                f"(id {max(ids)} of {self.vocabulary_size}) from the text: {text}"
            )
        if self._limit is not None and len(ids) - 1 > self._limit:
            raise EngineError(
                f"The model {self.model_id} takes {self._limit} tokens at most, "
                f"but there are {len(ids)} in the text: {text}"
            )

    def _refuse_values(self, text: str, logprobs: Sequence[float]) -> None:
        if not all(math.isfinite(value) for value in logprobs):
            raise EngineError(
                f"The model {self.model_id} ({self.dtype}) gives a token a log-probability that "
                f"is not a finite number (damaged weights or too narrow a dtype) in: {text}"
            )


def load_causal_engine(
    name: str,
    *,
    dtype: str = "float32",
    device: str = "auto",
    revision: str | None = None,
    bos: Bos = Bos.TOKENIZER,
) -> CausalEngine:
    """An engine for the model `name` (name on the hub or local path), ready to score.

    Args:
        name: name on the hub or path of a local folder.
        dtype: `float32` (default), `bfloat16` or `float16`; never taken from the checkpoint.
        device: `auto`, `cpu`, `cuda` (or `cuda:1`) or `mps`.
        revision: branch, tag or commit on the hub; None is the hub's default branch.
        bos: which texts begin with a begin-of-sequence token.

    Raises:
        EngineError: if the model is missing, gated, not causal or does not fit its tokenizer, or
            has no token to put first.
    """
    if dtype not in DTYPES:
        raise EngineError(f"The dtype {dtype} is not one of {', '.join(DTYPES)}: choose one.")
    chosen = pick_device(device)
    return CausalEngine(load_causal_model(name, dtype, chosen, revision, bos), dtype, chosen)


def _position_limit(config: Any) -> int | None:
    """Most positions the model has, None if its config names no limit."""
    text_config = config.get_text_config()
    limit = getattr(text_config, "max_position_embeddings", None)
    return int(limit) if limit else None
