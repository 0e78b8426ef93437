"""Tiny random masked models of four families with their tokenizers, loaded like any local model.

Word pieces (BERT), byte-level BPE that takes the space before a word into it (RoBERTa), and pieces
with a leading-space mark (ALBERT, XLM-R). Their logits spread by 2 or more.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scoring_models import CORPUS, save

SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 66,
}
FAMILIES = ("bert", "roberta", "albert", "xlmr")


def build_word_pieces() -> Any:
    """BERT's: pre-split at white space and punctuation, `##` before later pieces."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # type: ignore[call-arg]
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=220, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return _wrap(tokenizer, special, "[CLS]", "[SEP]")


def build_byte_pieces() -> Any:
    """RoBERTa's: byte-level BPE; a word and the space before it are one."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.BpeTrainer(
        vocab_size=330,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return _wrap(tokenizer, ["<pad>", "<unk>", "<s>", "</s>", "<mask>"], "<s>", "</s>")


def build_marked_pieces(special: list[str], first: str, last: str, *, split: bool) -> Any:
    """ALBERT's and XLM-R's: a unigram model over text whose spaces became `▁`."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=200, special_tokens=special, unk_token=special[1], show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(split=split)
    return _wrap(tokenizer, special, first, last)


def _wrap(tokenizer: Any, special: list[str], first: str, last: str) -> Any:
    """The tokenizer with `first` before and `last` behind every text."""
    from tokenizers import processors
    from transformers import PreTrainedTokenizerFast

    pad, unknown, *_, mask = special
    places = [(token, tokenizer.token_to_id(token)) for token in (first, last)]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}", special_tokens=places
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=pad,
        unk_token=unknown,
        cls_token=first,
        sep_token=last,
        mask_token=mask,
    )


def build_masked(family: str) -> tuple[Any, Any]:
    """A model of the family with wide logits, and its tokenizer."""
    import torch
    import transformers as hf

    torch.manual_seed(5)
    bert_special = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    if family == "bert":
        tokenizer = build_word_pieces()
        config: Any = hf.BertConfig(vocab_size=len(tokenizer) + 8, **SIZES)
        model: Any = hf.BertForMaskedLM(config)
    elif family == "roberta":
        tokenizer = build_byte_pieces()
        config = hf.RobertaConfig(vocab_size=len(tokenizer), pad_token_id=1, **SIZES)
        model = hf.RobertaForMaskedLM(config)
    elif family == "albert":
        tokenizer = build_marked_pieces(bert_special, "[CLS]", "[SEP]", split=True)
        config = hf.AlbertConfig(vocab_size=len(tokenizer), embedding_size=16, **SIZES)
        model = hf.AlbertForMaskedLM(config)
    else:
        special = ["<pad>", "<unk>", "<s>", "</s>", "<mask>"]
        # One word to the tokenizer, however many there are: words come from the spaces.
        tokenizer = build_marked_pieces(special, "<s>", "</s>", split=False)
        config = hf.XLMRobertaConfig(
            vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id, **SIZES
        )
        model = hf.XLMRobertaForMaskedLM(config)
    return _spread(model), tokenizer


def _spread(model: Any) -> Any:
    """The model with wide logits, but no wider: rounding grows with them."""
    import torch

    generator = torch.Generator().manual_seed(9)
    head = model.get_output_embeddings().weight
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() > 1:
                weight.normal_(0.0, 0.15, generator=generator)
        # The head's input is normalised, so that its matrix alone sets the spread of logits.
        head.normal_(0.0, 2.4 / head.shape[1] ** 0.5, generator=generator)
    return model


def save_masked(family: str, folder: Path) -> Path:
    """The folder of a model of the family."""
    model, tokenizer = build_masked(family)
    return save(model, tokenizer, folder)
