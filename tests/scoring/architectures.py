"""Tiny random checkpoints of many architectures, each with what makes it special turned on.

Windows are narrower than the texts, caps and scales far from 1, and logits spread widely: whatever
an engine loses of a model shows in its numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scoring_models import CORPUS, build_gpt2, build_llama, widen

VOCABULARY = 416
SIZES: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 96,
    "bos_token_id": 0,
    "eos_token_id": 1,
    "pad_token_id": None,
}
WINDOW = 4


@dataclass(frozen=True)
class Architecture:
    """How to build one, and which way of computing it takes."""

    build: Callable[[], Any]
    path: str = "packed tree"


def _make(name: str, config_name: str | None = None, **options: Any) -> Any:
    import torch
    import transformers

    torch.manual_seed(5)
    config = getattr(transformers, config_name or f"{name}Config")(**{**SIZES, **options})
    return widen(getattr(transformers, f"{name}ForCausalLM")(config))


def _build_gemma2() -> Any:
    return _make(
        "Gemma2",
        head_dim=8,
        sliding_window=WINDOW,
        attn_logit_softcapping=1.5,
        final_logit_softcapping=6.0,
        query_pre_attn_scalar=8,
    )


def _build_gemma3() -> Any:
    return _make(
        "Gemma3",
        "Gemma3TextConfig",
        head_dim=8,
        sliding_window=WINDOW,
        layer_types=["sliding_attention", "full_attention"],
        query_pre_attn_scalar=8,
    )


def _build_bloom() -> Any:
    import torch
    from transformers import BloomConfig, BloomForCausalLM

    torch.manual_seed(5)
    config = BloomConfig(
        vocab_size=VOCABULARY, hidden_size=32, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=1
    )
    return widen(BloomForCausalLM(config))


def _build_mpt() -> Any:
    import torch
    from transformers import MptConfig, MptForCausalLM

    torch.manual_seed(5)
    config = MptConfig(vocab_size=VOCABULARY, d_model=32, n_layers=2, n_heads=4, max_seq_len=96)
    return widen(MptForCausalLM(config))


def _build_mamba() -> Any:
    import torch
    from transformers import MambaConfig, MambaForCausalLM

    torch.manual_seed(5)
    config = MambaConfig(vocab_size=VOCABULARY, hidden_size=32, num_hidden_layers=2, state_size=4)
    return widen(MambaForCausalLM(config))


def _build_roberta() -> Any:
    """A decoder whose positions begin behind the padding's, at 2."""
    import torch
    from transformers import RobertaConfig, RobertaForCausalLM

    torch.manual_seed(5)
    config = RobertaConfig(**{**SIZES, "pad_token_id": 1, "is_decoder": True})
    return widen(RobertaForCausalLM(config))


def _build_llama4() -> Any:
    return _make(
        "Llama4",
        "Llama4TextConfig",
        head_dim=8,
        intermediate_size_mlp=64,
        num_local_experts=2,
        attention_chunk_size=WINDOW,
        layer_types=["chunked_attention", "full_attention"],
        no_rope_layers=[1, 0],
    )


def _build_deepseek() -> Any:
    """Keys and values squeezed together, of another width each; no experts, for float64's sake."""
    return _make(
        "DeepseekV3",
        kv_lora_rank=8,
        q_lora_rank=16,
        qk_nope_head_dim=8,
        qk_rope_head_dim=4,
        v_head_dim=6,
        first_k_dense_replace=2,
        num_key_value_heads=4,
    )


def _build_falcon() -> Any:
    """One head of keys for all, layers side by side; with ALiBi, which its layers read as such."""
    import torch
    from transformers import FalconConfig, FalconForCausalLM

    torch.manual_seed(5)
    config = FalconConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        alibi=True,
        bos_token_id=0,
        eos_token_id=1,
    )
    return widen(FalconForCausalLM(config))


ARCHITECTURES = {
    "gpt2": Architecture(lambda: build_gpt2(VOCABULARY)),
    "llama": Architecture(lambda: build_llama(VOCABULARY)),
    "qwen2": Architecture(lambda: _make("Qwen2", tie_word_embeddings=True)),
    "mistral": Architecture(lambda: _make("Mistral", sliding_window=WINDOW)),
    "gemma2": Architecture(_build_gemma2),
    "gemma3": Architecture(_build_gemma3),
    "cohere": Architecture(lambda: _make("Cohere", logit_scale=1.5)),
    "granite": Architecture(
        lambda: _make("Granite", logits_scaling=0.75, attention_multiplier=0.4)
    ),
    "bloom": Architecture(_build_bloom, "sorted batches"),
    "mpt": Architecture(_build_mpt, "sorted batches"),
    "mamba": Architecture(_build_mamba, "sorted batches"),
    "roberta": Architecture(_build_roberta, "sorted batches"),
    "granite-swa": Architecture(lambda: _make("GraniteSWA", sliding_window=WINDOW)),
    "llama4": Architecture(_build_llama4, "sorted batches"),
    "deepseek": Architecture(_build_deepseek),
    "falcon": Architecture(_build_falcon, "sorted batches"),
}
"""Learned positions, rotary ones, ALiBi and none; what each path cannot take is among them."""


def build_sentencepiece_tokenizer() -> Any:
    """A unigram tokenizer as SentencePiece makes them: spaces as ▁, bytes for unknown letters."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    bytes_known = [f"<0x{number:02X}>" for number in range(256)]
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=110, special_tokens=["<s>", "</s>", "<unk>"], unk_token="<unk>",
        show_progress=False,
    )  # fmt: skip
    tokenizer.train_from_iterator(CORPUS, trainer)
    pieces = sorted(tokenizer.get_vocab().items(), key=lambda piece: piece[1])
    scored = [(piece, -float(rank)) for rank, (piece, _) in enumerate(pieces)]
    scored += [(piece, -500.0) for piece in bytes_known]
    tokenizer.model = models.Unigram(scored, unk_id=2, byte_fallback=True)
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 0)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )
