"""Tiny random causal models with their tokenizers, built once, loaded like any local model.

Their logits spread widely (standard deviation of 2 or more), so that a lost mask, position or
scale shows. Nothing about them means anything about bias.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

CORPUS = [
    '"I cried in the cinema," he said. "I cried in the cinema," she said.',
    "Musel som sa usmiať. Musela som sa usmiať. Bol som unavený. Bola som unavená.",
    "« Je travaille tous les jours », a-t-il déclaré. « Je pleure », a-t-elle déclaré.",
    "Her gün çalışıyorum. Я втомився і хочу додому. Είμαι κουρασμένη σήμερα.",
    "The man said that the woman said that the man works every day from dawn to dusk.",
]
TEXTS = [
    '"I cried in the cinema," he said',
    '"I cried in the cinema," she said',
    "Bol som unavený",
    "Bola som unavená",
    "I",
    "« Je travaille tous les jours », a-t-il déclaré ",
    "Я втомився і хочу додому",
    "The man works every day from dawn to dusk and the woman works every day from dawn to dusk",
    "Bol som unavený a išiel som domov, lebo som bol sám",
]


def build_tokenizer(*, with_bos: bool, vocabulary_size: int = 400) -> Any:
    """A byte-level BPE tokenizer trained on CORPUS; with `<s>` in front if wanted."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary_size,
        special_tokens=["<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    if with_bos:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<s> $A", special_tokens=[("<s>", 0)]
        )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")


def build_gpt2(vocabulary_size: int = 400, **options: Any) -> Any:
    """A GPT-2 with learned positions and wide logits."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(7)
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 96}
    config = GPT2Config(
        vocab_size=vocabulary_size, bos_token_id=0, eos_token_id=1, **(sizes | options)
    )
    model = GPT2LMHeadModel(config)
    return widen(model)


def build_llama(vocabulary_size: int = 416) -> Any:
    """A Llama whose vocabulary is padded beyond its tokenizer's, as real ones are."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(11)
    config = LlamaConfig(
        vocab_size=vocabulary_size,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=96,
        bos_token_id=0,
        eos_token_id=1,
    )
    return widen(LlamaForCausalLM(config))


def widen(model: Any) -> Any:
    """The model with all matrices drawn wide enough that logits spread by 2 or more."""
    import torch

    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                weight.normal_(0.0, 0.5, generator=generator)
    return model


def save(model: Any, tokenizer: Any, folder: Path) -> Path:
    """The folder, holding the model and its tokenizer as `save_pretrained` writes them."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
