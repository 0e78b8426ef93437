"""The ways of scoring that the likelihood benchmark compares, all on the same tokens.

Every text begins with a begin-of-sequence token, which the harness puts there and the others are
asked to, and every method answers log P of all further tokens. The harness sums them itself.
"""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.likelihood.causal import CausalEngine

ENGINE = "stereoscope"
LOOP = "one at a time"
PADDED = "padded batches of 32"
HARNESS = "lm-evaluation-harness, batch {}"
PADDED_BATCH = 32
HARNESS_BATCHES = (8, 32)

Scores = list[tuple[float, ...]]
"""Natural-log probabilities of each text's tokens after the first, or their sum alone."""


@dataclass(frozen=True, slots=True)
class Method:
    """A way of scoring texts."""

    name: str
    score: Callable[[Sequence[str]], Scores]
    per_token: bool = True
    """False where a text gets one number, the sum over its tokens."""


@dataclass(frozen=True, slots=True)
class PlainModel:
    """A model as the library loads it, with its tokenizer, on its device."""

    model: Any
    tokenizer: Any

    @property
    def vocabulary_size(self) -> int:
        """Rows of the embedding."""
        return int(self.model.get_input_embeddings().weight.shape[0])

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text behind one begin-of-sequence token."""
        first = self.tokenizer.bos_token_id
        if first is None:
            first = self.tokenizer.eos_token_id
        made = self.tokenizer(list(texts), add_special_tokens=False)["input_ids"]
        return [[first, *ids] for ids in made]


def load_plain_model(name: str | Path, dtype: str, device: str) -> PlainModel:
    """Return the model apart from the engine's own, so that neither changes the other."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model: Any = AutoModelForCausalLM.from_pretrained(name, dtype=getattr(torch, dtype))
    return PlainModel(model.to(device).eval(), AutoTokenizer.from_pretrained(name))


def build_methods(engine: CausalEngine, plain: PlainModel) -> list[Method]:
    """Return the engine, the loop, padded batches and, where it is installed, the harness."""
    methods = [
        Method(ENGINE, lambda texts: [each.logprobs_nats for each in engine.score(texts)]),
        Method(LOOP, lambda texts: score_one_at_a_time(plain, texts)),
        Method(PADDED, lambda texts: score_padded(plain, texts)),
    ]
    if importlib.util.find_spec("lm_eval") is not None:
        methods += [build_harness(plain, batch) for batch in HARNESS_BATCHES]
    return methods


def score_one_at_a_time(plain: PlainModel, texts: Sequence[str]) -> Scores:
    """Score as the published code does, less the text that it also lets the model write.

    A sentence at a time through the whole model, log-softmax over all positions and the whole
    vocabulary, then the values of the sentence's own tokens.
    """
    import torch

    scores: Scores = []
    for text in texts:
        ids = torch.tensor(plain.encode([text]), device=plain.model.device)
        with torch.inference_mode():
            logits = plain.model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
            logprobs = torch.log_softmax(logits, dim=-1, dtype=torch.float32)
            chosen = logprobs[0, :-1].gather(1, ids[0, 1:, None])[:, 0]
        scores.append(tuple(chosen.tolist()))
    return scores


def score_padded(plain: PlainModel, texts: Sequence[str]) -> Scores:
    """Score batches in the order of the texts, padded at the end, log-softmax over all of it."""
    import torch

    scores: Scores = []
    for start in range(0, len(texts), PADDED_BATCH):
        token_lists = plain.encode(texts[start : start + PADDED_BATCH])
        width = max(map(len, token_lists))
        rows = [[*ids, *[0] * (width - len(ids))] for ids in token_lists]
        seen = [[1] * len(ids) + [0] * (width - len(ids)) for ids in token_lists]
        ids = torch.tensor(rows, device=plain.model.device)
        mask = torch.tensor(seen, device=plain.model.device)
        with torch.inference_mode():
            logits = plain.model(input_ids=ids, attention_mask=mask).logits
            logprobs = torch.log_softmax(logits, dim=-1, dtype=torch.float32)
            chosen = logprobs[:, :-1].gather(2, ids[:, 1:, None])[:, :, 0].tolist()
        scores += [tuple(row[: len(k) - 1]) for row, k in zip(chosen, token_lists, strict=True)]
    return scores


def build_harness(plain: PlainModel, batch_size: int) -> Method:
    """Return lm-evaluation-harness's own model class over the same model, with its defaults.

    `loglikelihood` with an empty context, as a task asks for a whole text: it sorts by length,
    which `loglikelihood_rolling` does not, so it is the faster of the two that give this number.
    """
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    # It warns of being given a model instead of a name.
    logging.getLogger("lm_eval").setLevel(logging.ERROR)
    harness = HFLM(pretrained=plain.model, tokenizer=plain.tokenizer, batch_size=batch_size)

    def score(texts: Sequence[str]) -> Scores:
        requests = [Instance("loglikelihood", {}, ("", text), k) for k, text in enumerate(texts)]
        return [(total,) for total, _ in harness.loglikelihood(requests, disable_tqdm=True)]

    return Method(HARNESS.format(batch_size), score, per_token=False)


def score_in_float64(name: str | Path, texts: Sequence[str], device: str) -> Scores:
    """Score with weights, products and sums in float64, a sentence at a time: the reference.

    What a model's code does in float32 whatever its weights are (often norms and rotary angles)
    stays so.
    """
    import torch

    plain = load_plain_model(name, "float64", device)
    scores: Scores = []
    for ids in map(torch.tensor, plain.encode(texts)):
        with torch.inference_mode():
            logits = plain.model(input_ids=ids[None].to(device)).logits[0, :-1].cpu().double()
        chosen = logits.gather(1, ids[1:, None])[:, 0]
        scores.append(tuple((chosen - torch.logsumexp(logits, dim=1)).tolist()))
    return scores


@contextmanager
def counting_positions(vocabulary_size: int) -> Iterator[list[int]]:
    """Note, call by call, how many positions go through an embedding of that many rows."""
    from unittest.mock import patch

    import torch

    counts: list[int] = []
    forward = torch.nn.Embedding.forward

    def count(module: torch.nn.Embedding, ids: torch.Tensor) -> torch.Tensor:
        if module.num_embeddings == vocabulary_size:
            counts.append(ids.numel())
        return forward(module, ids)

    with patch.object(torch.nn.Embedding, "forward", count):
        yield counts
