"""Token ids of texts, as a tokenizer's own call makes them, only faster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

SAMPLE_TEXTS = 32
WINDOW_TEXTS = 2048
"""Texts tokenised at once, so that no more than token ids is ever held of all of them."""

Encoder = Callable[[list[str]], list[list[int]]]


def tokenise_texts(tokenizer: Any, texts: Sequence[str]) -> list[tuple[int, ...]]:
    """The token ids of each text, with the special tokens that the tokenizer puts there itself.

    Args:
        tokenizer: One of transformers.
        texts: In any language; the same text gives the same ids whatever the others are.
    """
    if not texts:
        return []
    encode = _find_encoder(tokenizer, list(texts[:SAMPLE_TEXTS]))
    token_lists: list[tuple[int, ...]] = []
    for start in range(0, len(texts), WINDOW_TEXTS):
        token_lists.extend(map(tuple, encode(list(texts[start : start + WINDOW_TEXTS]))))
    return token_lists


def _find_encoder(tokenizer: Any, sample: list[str]) -> Encoder:
    """The tokenizer's inner library, where it makes the same of a sample as the tokenizer does."""

    def encode(texts: list[str]) -> list[list[int]]:
        found: list[list[int]] = tokenizer(texts)["input_ids"]
        return found

    def encode_fast(texts: list[str]) -> list[list[int]]:
        made = tokenizer.backend_tokenizer.encode_batch_fast(texts)
        return [encoding.ids for encoding in made]

    # The call also clears what a tokenizer's file says of padding and cutting.
    expected = encode(sample)
    if getattr(tokenizer, "backend_tokenizer", None) is None:
        return encode
    return encode_fast if encode_fast(sample) == expected else encode
