"""A tiny causal language model made on the spot: random weights, a tokenizer of a given text.

It exists so that the whole loop can be shown and tested without a download. Its figures say nothing
about any model; whoever stores them marks them as a demonstration.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

VOCABULARY_SIZE = 800
POSITIONS = 256
COMPLETE = "complete"
"""Marker file, written last: a folder without it was left by an interrupted build."""


def build_tiny_model(folder: Path, texts: Sequence[str], seed: int = 7) -> Path:
    """The folder of a random GPT-2 with a byte-level tokenizer trained on the texts.

    Kept if it is complete; the same texts and seed give the same model.
    """
    if (folder / COMPLETE).exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY_SIZE,
        special_tokens=["<s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    wrapped: Any = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="<s>"
    )
    wrapped.save_pretrained(str(folder))
    torch.manual_seed(seed)
    config = GPT2Config(
        vocab_size=tokenizer.get_vocab_size(),
        n_embd=32,
        n_layer=2,
        n_head=4,
        n_positions=POSITIONS,
        bos_token_id=0,
        eos_token_id=0,
    )
    GPT2LMHeadModel(config).save_pretrained(str(folder))
    (folder / COMPLETE).touch()
    return folder
