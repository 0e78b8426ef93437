"""Models of realistic shape for the likelihood benchmark, with random weights.

Speed depends on shapes and on how many tokens a text has, not on what a model has learnt. The
tokenizers are byte-level BPE, trained on the texts at hand with so few pieces that a word has about
as many tokens as in real ones; the pieces' ids are then spread at random over a vocabulary of the
real size, and unused tokens fill it. The final norm is scaled until logits spread as those of
trained models do, because deviations of flat distributions would look better than they are.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SEED = 20251
LOGIT_DEVIATION = 3.0
POSITIONS = 2048
SPECIALS = ("<pad>", "<s>", "</s>")
SLIDING_WINDOW = 512


@dataclass(frozen=True, slots=True)
class Shape:
    """A model's name, its vocabulary, how many pieces its tokenizer learns, and its layers."""

    name: str
    vocabulary: int
    pieces: int
    with_bos: bool
    """Whether the tokenizer itself puts a begin-of-sequence token first."""
    build: Callable[[int], Any]
    """The model for a vocabulary, weights as the library draws them."""


def _build_llama(vocabulary: int, **sizes: Any) -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=vocabulary,
        max_position_embeddings=POSITIONS,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        **sizes,
    )
    return LlamaForCausalLM(config)


def _build_llama_125m(vocabulary: int) -> Any:
    return _build_llama(
        vocabulary,
        hidden_size=768,
        intermediate_size=2048,
        num_hidden_layers=12,
        num_attention_heads=12,
        num_key_value_heads=12,
        tie_word_embeddings=False,
    )


def _build_smollm2_135m(vocabulary: int) -> Any:
    return _build_llama(
        vocabulary,
        hidden_size=576,
        intermediate_size=1536,
        num_hidden_layers=30,
        num_attention_heads=9,
        num_key_value_heads=3,
        tie_word_embeddings=True,
    )


def _build_gemma3_270m(vocabulary: int) -> Any:
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig

    full = {5, 11, 17}
    config = Gemma3TextConfig(
        vocab_size=vocabulary,
        hidden_size=640,
        intermediate_size=2048,
        num_hidden_layers=18,
        num_attention_heads=4,
        num_key_value_heads=1,
        head_dim=256,
        sliding_window=SLIDING_WINDOW,
        layer_types=["full_attention" if k in full else "sliding_attention" for k in range(18)],
        max_position_embeddings=POSITIONS,
        tie_word_embeddings=True,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
    )
    return Gemma3ForCausalLM(config)


SHAPES = {
    shape.name: shape
    for shape in (
        Shape("llama-32k", 32_000, 3_000, True, _build_llama_125m),
        Shape("smollm2-49k", 49_152, 3_000, False, _build_smollm2_135m),
        Shape("gemma3-262k", 262_144, 8_000, True, _build_gemma3_270m),
    )
}
"""Llama with 125 million parameters, SmolLM2-135M and Gemma-3-270M."""


def build_checkpoint(shape: Shape, texts: Sequence[str], folder: Path) -> Path:
    """Return the folder, holding a random model of that shape and its tokenizer."""
    import torch

    torch.manual_seed(SEED)
    tokenizer = build_tokenizer(shape, texts)
    model = shape.build(shape.vocabulary).eval()
    spread_logits(model, tokenizer(list(texts[:4]))["input_ids"])
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def spread_logits(model: Any, token_lists: Sequence[Sequence[int]]) -> None:
    """Scale the final norm so that the logits of these texts deviate by LOGIT_DEVIATION."""
    import torch

    norm = model.model.norm
    # Gemma's norms multiply by one more than their weight.
    offset = 1.0 if "Gemma" in type(norm).__name__ else 0.0
    with torch.no_grad():
        logits = torch.cat([model(torch.tensor([ids])).logits[0] for ids in token_lists])
        scale = LOGIT_DEVIATION / float(logits.std())
        norm.weight.copy_((norm.weight + offset) * scale - offset)


def build_tokenizer(shape: Shape, texts: Sequence[str]) -> Any:
    """Return a tokenizer with exactly the vocabulary of the shape."""
    from tokenizers import Tokenizer, processors
    from transformers import PreTrainedTokenizerFast

    learnt = json.loads(_train(shape.pieces, texts).to_str())
    learnt["model"]["vocab"] = _spread(learnt["model"]["vocab"], shape.vocabulary)
    tokenizer = Tokenizer.from_str(json.dumps(learnt))
    if shape.with_bos:
        bos = (SPECIALS[1], 1)
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{SPECIALS[1]} $A", special_tokens=[bos]
        )
    pad, first, last = SPECIALS
    wrapper: Any = PreTrainedTokenizerFast
    return wrapper(tokenizer_object=tokenizer, pad_token=pad, bos_token=first, eos_token=last)


def _train(pieces: int, texts: Sequence[str]) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=pieces,
        special_tokens=list(SPECIALS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def _spread(pieces: dict[str, int], vocabulary: int) -> dict[str, int]:
    """The pieces with ids anywhere in the vocabulary, the special tokens first as they were."""
    names = [name for name in pieces if name not in SPECIALS]
    names += [f"<unused{number}>" for number in range(vocabulary - len(pieces))]
    ids = random.Random(SEED).sample(range(len(SPECIALS), vocabulary), len(names))
    return {name: k for k, name in enumerate(SPECIALS)} | dict(zip(names, ids, strict=True))
