"""A tiny sentence-transformers model made on the spot, with a card that declares languages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

LETTERS = [
    *"abcdefghijklmnopqrstuvwxyz{}?.!,'",
    *(f"##{each}" for each in "abcdefghijklmnopqrstuvwxyz"),
]


def build_tiny_embedder(folder: Path, languages: Sequence[str], seed: int = 3) -> Path:
    """The folder of a random BERT over single letters whose vectors are averaged."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules
    from transformers import BertConfig, BertModel
    from transformers.models.bert import tokenization_bert

    folder.mkdir(parents=True, exist_ok=True)
    bare = folder / "bare"
    bare.mkdir()
    vocabulary = bare / "vocab.txt"
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS]
    vocabulary.write_text("\n".join(words), encoding="utf-8")
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=128,
    )
    BertModel(config).save_pretrained(str(bare))
    kind: Any = tokenization_bert.BertTokenizer
    tokenizer = kind(vocab={word: place for place, word in enumerate(words)})
    tokenizer.save_pretrained(str(bare))
    inner = modules.Transformer(str(bare), max_seq_length=64)
    pooling = modules.Pooling(16, pooling_mode="mean")
    model = SentenceTransformer(modules=[inner, pooling], device="cpu")
    path = folder / "embedder"
    model.save(str(path))
    listed = "\n".join(f"- {code}" for code in languages)
    (path / "README.md").write_text(f"---\nlanguage:\n{listed}\n---\nTiny.\n", encoding="utf-8")
    return path
