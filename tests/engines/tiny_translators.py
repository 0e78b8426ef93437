"""Tiny translation checkpoints in the form of real families, which know a few phrases by heart.

They are made by each family's own classes, so that tags, special tokens and padding are real; what
they write is not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PHRASES = {
    ("I am happy .", "sk"): "Som šťastný .",
    ("I am happy .", "tr"): "Mutluyum .",
    ("I sing .", "sk"): "Spievam .",
    ("I sing .", "tr"): "Şarkı söylerim .",
    ("The woman said that I sing and that I cook .", "sk"): "Žena povedala , že spievam a varím .",
    ("The woman said that I sing and that I cook .", "tr"): "Kadın dedi .",
    ("I cook and I sing .", "sk"): "Varím a spievam .",
    ("I cook and I sing .", "tr"): "Pişiririm ve şarkı söylerim .",
}
"""Words apart by spaces, of lengths far apart, so that batches are padded."""
STEPS = 250
KNOWN_BY_HEART = 0.02
"""Loss at which every phrase is written as it was shown."""
SMALL = {"d_model": 32, "dropout": 0.0}
BART_LIKE = {
    **SMALL,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
    "attention_dropout": 0.0,
    "max_position_embeddings": 64,
}


def words_of(phrases: Mapping[tuple[str, str], str]) -> list[str]:
    texts = [text for (source, _), target in phrases.items() for text in (source, target)]
    return sorted({f"▁{word}" for text in texts for word in text.split()})


def build_nllb(folder: Path) -> Path:
    """An M2M-100 model with NLLB's tokenizer."""
    from transformers import NllbTokenizer

    words = words_of(PHRASES)
    # Each word is put together letter by letter, from its beginning.
    steps = [(word[:end], word[end]) for word in words for end in range(1, len(word))]
    pieces = [piece for start, letter in steps for piece in (start, letter, start + letter)]
    vocabulary = dict.fromkeys(["<s>", "<pad>", "</s>", "<unk>", *pieces])
    tokenizer = NllbTokenizer(
        vocab={token: number for number, token in enumerate(vocabulary)},
        merges=list(dict.fromkeys(steps)),
        additional_special_tokens=["eng_Latn", "slk_Latn", "tur_Latn"],
    )
    return _build_forced(folder, tokenizer, PHRASES)


def build_whole_texts(folder: Path, phrases: Mapping[tuple[str, str], str]) -> Path:
    """An M2M-100 model told languages as NLLB is, whose tokens are whole texts: all are exact."""
    from tokenizers import Tokenizer, decoders, models, processors
    from transformers import PreTrainedTokenizerFast

    texts = [text for (source, _), target in phrases.items() for text in (source, target)]
    special = ["<s>", "<pad>", "</s>", "<unk>", "eng_Latn", "slk_Latn", "tur_Latn"]
    vocabulary = {token: n for n, token in enumerate([*special, *dict.fromkeys(texts)])}
    backend = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    backend.decoder = decoders.Fuse()
    backend.post_processor = processors.TemplateProcessing(
        single=["eng_Latn", "$A", "</s>"],
        special_tokens=[(token, vocabulary[token]) for token in ("eng_Latn", "</s>")],
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend,
        bos_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        additional_special_tokens=special[4:],
    )
    return _build_forced(folder, tokenizer, phrases)


def _build_forced(folder: Path, tokenizer: Any, phrases: Mapping[tuple[str, str], str]) -> Path:
    from transformers import M2M100Config, M2M100ForConditionalGeneration

    tags = {"sk": "slk_Latn", "tr": "tur_Latn"}
    config = M2M100Config(
        **BART_LIKE,
        activation_dropout=0.0,
        encoder_layerdrop=0.0,
        decoder_layerdrop=0.0,
        vocab_size=len(tokenizer),
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=2,
    )
    pairs = []
    for (source, language), target in phrases.items():
        tag = tokenizer.convert_tokens_to_ids(tags[language])
        words = tokenizer(target, add_special_tokens=False)["input_ids"]
        pairs.append((tokenizer(source)["input_ids"], [tag, *words, 2]))
    return _train(folder, M2M100ForConditionalGeneration, config, tokenizer, pairs)


def build_madlad(folder: Path) -> Path:
    """A T5 model told languages as MADLAD-400 is."""
    from transformers import T5Config, T5ForConditionalGeneration, T5Tokenizer

    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -9.0)]
    pieces += [(tag, 0.0) for tag in ("<2sk>", "<2tr>")]
    pieces += [(word, -1.0) for word in words_of(PHRASES)]
    tokenizer = T5Tokenizer(vocab=pieces, extra_ids=0)
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=32,
        d_kv=16,
        d_ff=64,
        num_layers=1,
        num_heads=2,
        dropout_rate=0.0,
        pad_token_id=0,
        eos_token_id=1,
        decoder_start_token_id=0,
    )
    pairs = [
        (tokenizer(f"<2{code}> {source}")["input_ids"], tokenizer(target)["input_ids"])
        for (source, code), target in PHRASES.items()
    ]
    return _train(folder, T5ForConditionalGeneration, config, tokenizer, pairs)


def build_marian(folder: Path, codes: Sequence[str]) -> Path:
    """A Marian model: told languages as OPUS-MT is, or bilingual if there is one code."""
    import sentencepiece
    from transformers import MarianConfig, MarianMTModel, MarianTokenizer

    folder.mkdir(parents=True)
    phrases = {key: text for key, text in PHRASES.items() if key[1] in codes}
    texts = [text for (source, _), target in phrases.items() for text in (source, target)]
    for name in ("source", "target"):
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts),
            model_prefix=str(folder / name),
            model_type="word",
            vocab_size=200,
            hard_vocab_limit=False,
            minloglevel=2,
        )
        (folder / f"{name}.model").rename(folder / f"{name}.spm")
    tags = {code: f">>{name}<<" for code, name in (("sk", "slk"), ("tr", "tur"))}
    used = list(tags.values()) if len(codes) > 1 else []
    vocabulary = ["</s>", "<unk>", *used, *words_of(phrases), "<pad>"]
    numbered = {token: number for number, token in enumerate(vocabulary)}
    (folder / "vocab.json").write_text(json.dumps(numbered), encoding="utf-8")
    files = {name: str(folder / f"{name}.spm") for name in ("source", "target")}
    tokenizer = MarianTokenizer(files["source"], files["target"], str(folder / "vocab.json"))
    config = MarianConfig(
        **BART_LIKE,
        vocab_size=len(vocabulary),
        eos_token_id=0,
        pad_token_id=len(vocabulary) - 1,
        decoder_start_token_id=len(vocabulary) - 1,
        forced_eos_token_id=0,
    )
    pairs = []
    for (source, code), target in phrases.items():
        text = f"{tags[code]} {source}" if used else source
        pairs.append((tokenizer(text)["input_ids"], tokenizer(text_target=target)["input_ids"]))
    return _train(folder, MarianMTModel, config, tokenizer, pairs)


def _train(
    folder: Path,
    kind: Any,
    config: Any,
    tokenizer: Any,
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]],
) -> Path:
    import torch
    from transformers import M2M100ForConditionalGeneration
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    torch.manual_seed(7)
    model = kind(config).train()
    inputs = tokenizer.pad({"input_ids": [list(source) for source, _ in pairs]})
    longest = max(len(target) for _, target in pairs)
    labels = [[*target, *[-100] * (longest - len(target))] for _, target in pairs]
    start, pad = config.decoder_start_token_id, config.pad_token_id
    shifted = [[start, *(pad if token == -100 else token for token in row[:-1])] for row in labels]
    if kind is M2M100ForConditionalGeneration:
        # The tag is given to the decoder and not learned: the source does not tell it.
        labels = [[-100, *row[1:]] for row in labels]
    batch = {
        "decoder_input_ids": torch.tensor(shifted),
        "input_ids": torch.tensor(inputs["input_ids"]),
        "attention_mask": torch.tensor(inputs["attention_mask"]),
        "labels": torch.tensor(labels),
    }
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(STEPS):
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if loss.item() < KNOWN_BY_HEART:
            break
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
