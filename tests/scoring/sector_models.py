"""A masked model whose probabilities are written down, for results worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from corpus.sectors import ATTRIBUTE, TARGET, fill_places
from engines.likelihood.association import AssociatedText
from engines.likelihood.masked_loading import LoadedMaskedModel

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDS = ("he", "she", "my", "aunt", "works", "in", "farming", "industry", "trade", "the", "woman")
HIDDEN = "[MASK]"
"""The attribute where it is masked."""
PROBABILITIES: Mapping[tuple[str, str], float] = {
    ("he", "farming"): 0.4, ("she", "farming"): 0.1,
    ("he", "industry"): 0.4, ("she", "industry"): 0.2,
    ("he", "trade"): 0.1, ("she", "trade"): 0.2,
    ("he", HIDDEN): 0.2, ("she", HIDDEN): 0.2,
}  # fmt: skip
"""p(word | last word of the text) at any mask."""
FIRST = 0.5
"""p(my) at a mask that begins the text."""
AUNT = {("[MASK]", "farming"): 0.1, ("my", "farming"): 0.4}
"""p(aunt | word before it, last word of the text)."""
AUNT_OTHERWISE = 0.2


def place(frame: str, target: str, attribute: str) -> AssociatedText:
    """The frame with its places filled."""
    text, spans = fill_places(frame, {TARGET: target, ATTRIBUTE: attribute}, "en")
    return AssociatedText(text, spans[TARGET], spans[ATTRIBUTE])


def build_word_tokenizer(*, strip_accents: bool = False) -> Any:
    """Whole words, small letters; anything else is unknown."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    ids = {word: k for k, word in enumerate((*SPECIAL, *WORDS))}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=strip_accents)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )


def build_constructed(
    probabilities: Mapping[tuple[str, str], float] = PROBABILITIES, *, strip_accents: bool = False
) -> LoadedMaskedModel:
    """A model that gives words the probabilities above and shares the rest among all others."""
    import torch

    vocabulary = (*SPECIAL, *WORDS)
    index = {word: k for k, word in enumerate(vocabulary)}

    def predict(words: list[str], k: int) -> list[float]:
        named = {w: p for (w, last), p in probabilities.items() if last == words[-1]}
        before = words[k - 1] if k else ""
        named["my"] = FIRST if k == 0 and len(words) > 4 else 0.01
        named["aunt"] = AUNT.get((before, words[-1]), AUNT_OTHERWISE) if k == 1 else 0.01
        if k == 0 and len(words) > 4:
            named |= {"he": 0.01, "she": 0.01}
        if k == 1:
            named |= {"he": 0.01, "she": 0.01}
        rest = (1 - math.fsum(named.values())) / (len(vocabulary) - len(named))
        return [named.get(word, rest) for word in vocabulary]

    class Constructed(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.head = torch.nn.Identity()

        def get_output_embeddings(self) -> torch.nn.Module:
            return self.head

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            logits = torch.zeros(*input_ids.shape, len(vocabulary))
            for row, ids in enumerate(input_ids.tolist()):
                length = int(attention_mask[row].sum())
                words = [vocabulary[token] for token in ids[1 : length - 1]]
                for k in range(len(words)):
                    logits[row, 1 + k] = torch.tensor(predict(words, k)).log()
            return type("Output", (), {"logits": logits})

    tokenizer = build_word_tokenizer(strip_accents=strip_accents)
    return LoadedMaskedModel(
        model_id="constructed",
        revision="by hand",
        model=Constructed(),
        tokenizer=tokenizer,
        tokenizer_hash="0" * 64,
        vocabulary_size=len(index),
        mask_id=index["[MASK]"],
        pad_id=index["[PAD]"],
        special_ids=frozenset(index[word] for word in SPECIAL if word != "[UNK]"),
        max_tokens=None,
    )
