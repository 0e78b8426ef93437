"""Tiny language models made on the spot: random weights, a tokenizer of a given text.

They exist so that the whole loop can be shown and tested without a download. Their figures say
nothing about any model; whoever stores them marks them as a demonstration.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

VOCABULARY_SIZE = 800
MASKED_VOCABULARY_SIZE = 3000
"""Enough for the words of four languages' sentences, which then are single tokens."""
WIDE_RANGE = 0.3
"""Spread of the masked model's weights: with the usual one all words are as probable."""
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


def build_tiny_masked_model(folder: Path, texts: Sequence[str], seed: int = 7) -> Path:
    """The folder of a random BERT with word pieces trained on the texts, cased.

    Kept if it is complete; the same texts and seed give the same model.
    """
    if (folder / COMPLETE).exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=MASKED_VOCABULARY_SIZE, special_tokens=special, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    wrapped: Any = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )
    wrapped.save_pretrained(str(folder))
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=POSITIONS,
        initializer_range=WIDE_RANGE,
    )
    BertForMaskedLM(config).save_pretrained(str(folder))
    (folder / COMPLETE).touch()
    return folder
