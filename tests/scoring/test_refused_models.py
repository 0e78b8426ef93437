"""Models that would give numbers but no next-token probabilities, or cannot be loaded here."""

from __future__ import annotations

import builtins
import json
import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from architectures import SIZES, VOCABULARY
from scoring_models import TEXTS, build_gpt2, build_llama, build_tokenizer, save, widen

from corpus.errors import EngineError
from engines.checkpoints import explain_failure
from engines.likelihood import causal
from engines.likelihood.causal import load_causal_engine
from engines.likelihood.loaded_engine import UNKNOWN_SHARE
from engines.likelihood.loading import hash_tokenizer, identify_causal_model
from engines.likelihood.model_kinds import find_position_limit, place_model
from engines.likelihood.opening import EngineChoice, identify_engine
from engines.likelihood.parity import HalfPrecision, Values, choose_probe, looks_ahead
from engines.local_chat import identify_chat_model
from engines.seq2seq_loading import find_model


def _build_encoder() -> Any:
    from transformers import BertConfig, BertLMHeadModel

    return widen(BertLMHeadModel(BertConfig(**{**SIZES, "is_decoder": False})))


def _build_permutation_model() -> Any:
    from transformers import XLNetConfig, XLNetLMHeadModel

    config = XLNetConfig(vocab_size=VOCABULARY, d_model=32, n_layer=2, n_head=4, d_inner=64)
    return widen(XLNetLMHeadModel(config))


@pytest.mark.parametrize(
    ("build", "dtype"),
    [
        (_build_encoder, "float32"),
        (_build_encoder, "bfloat16"),
        (_build_permutation_model, "float32"),
    ],
)
def test_a_model_that_sees_later_tokens_is_refused(build: Any, dtype: str, tmp_path: Path) -> None:
    """transformers loads both as causal models, and all ways of computing agree about them."""
    folder = save(build(), build_tokenizer(with_bos=True), tmp_path / "seer")
    engine = load_causal_engine(str(folder), device="cpu", dtype=dtype)
    with pytest.raises(EngineError, match=r"with what comes after it.*choose a causal model"):
        list(engine.score(TEXTS))


def test_what_half_precision_costs_is_no_looking_ahead() -> None:
    probe = [(0, 1, 2, 3), (0, 1)]
    plain: list[Values] = [(-1.0, -2.0, -3.0), (-1.0,)]

    def score(gap: float) -> Any:
        def compute(lists: Sequence[Sequence[int]]) -> list[Values]:
            assert lists == [(0, 1, 2)]
            return [(-1.0 - gap, -2.0 - gap)]

        return compute

    assert looks_ahead(plain, probe, score(0.05)) is True
    assert looks_ahead(plain, probe, score(0.001)) is False
    assert looks_ahead(plain, probe, score(0.05), HalfPrecision(0.01, 0.0)) is False
    assert looks_ahead(plain, probe, score(0.5), HalfPrecision(0.01, 0.0)) is True
    assert looks_ahead(plain[1:], probe[1:], score(0.0)) is None


def test_the_longest_pair_is_probed() -> None:
    lists = [(0,) * (9 if k == 50 else 3) for k in range(100)]
    assert [len(one) for one in choose_probe(lists, 2)] == [3, 3, 9, 3]
    # Of a large vocabulary only while the plain model's logits of it take little memory.
    assert [len(one) for one in choose_probe(lists, 2, 8)] == [3, 3, 3, 3]
    assert [len(one) for one in choose_probe(lists, 2, 2)] == [3, 3, 3, 3]


def test_code_that_comes_with_a_model_is_never_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "own"
    build_tokenizer(with_bos=True).save_pretrained(folder)
    ran = tmp_path / "ran"
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w')\n", encoding="utf-8")
    settings = {
        "model_type": "own",
        "architectures": ["OwnForCausalLM"],
        "auto_map": {"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.OwnForCausalLM"},
    }
    (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    asked: list[str] = []
    monkeypatch.setattr(builtins, "input", lambda question: asked.append(question) or "y")
    for identify in (
        lambda: identify_engine(EngineChoice(str(folder))),
        lambda: identify_causal_model(str(folder)),
        lambda: load_causal_engine(str(folder), device="cpu"),
        lambda: identify_chat_model(str(folder), None),
        lambda: find_model(str(folder)),
    ):
        with pytest.raises(EngineError, match=r"trust_remote_code.*never run here"):
            identify()
    assert not asked
    assert not ran.exists()


def _retype_width(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "n_embd": "32"}))


def _write_bad_pickle(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"no pickle")


def _write_empty_pickle(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_retype_width, "Validation error for field 'n_embd'"),
        (_write_bad_pickle, "Weights only load failed"),
        (_write_empty_pickle, "EOFError"),
    ],
)
def test_a_damaged_file_is_one_sentence_with_what_the_loader_says(
    spoil: Any, said: str, gpt2_folder: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(gpt2_folder, tmp_path / "damaged")
    spoil(folder)
    with pytest.raises(EngineError, match="does not hold a model that can be loaded") as caught:
        load_causal_engine(str(folder), device="cpu")
    assert f"(the loader says: {said}" in str(caught.value)
    assert ". " not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_settings_of_a_wrong_type_are_refused_before_work(
    gpt2_folder: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(gpt2_folder, tmp_path / "damaged")
    _retype_width(folder)
    with pytest.raises(EngineError, match="n_embd"):
        identify_engine(EngineChoice(str(folder)))


def test_the_part_of_the_weights_that_lacks_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    build_llama().save_pretrained(folder, max_shard_size="20KB")
    build_tokenizer(with_bos=True).save_pretrained(folder)
    part = sorted(folder.glob("model-*.safetensors"))[1]
    part.unlink()
    with pytest.raises(EngineError, match=part.name):
        load_causal_engine(str(folder), device="cpu")


def test_weights_that_cannot_be_read_are_one_sentence(gpt2_folder: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(gpt2_folder, tmp_path / "unreadable")
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").mkdir()
    with pytest.raises(EngineError, match=r"cannot be read \(Is a directory\)"):
        identify_engine(EngineChoice(str(folder)))


def test_what_is_no_number_is_told_of_the_text_it_comes_from(tmp_path: Path) -> None:
    import torch

    texts = [*TEXTS[:2], "The man works", "The man works", *TEXTS[:2], "He said", "She said ñ"]
    texts += [*TEXTS[-2:], *TEXTS[2:4]]
    tokenizer = build_tokenizer(with_bos=True)
    model = build_llama()
    guilty = tokenizer("ñ")["input_ids"][-1]
    with torch.no_grad():
        model.get_input_embeddings().weight[guilty] = torch.nan
    engine = load_causal_engine(str(save(model, tokenizer, tmp_path / "nan")), device="cpu")
    texts[7] += " she said"
    scores = engine.score(texts)
    for _ in texts[:7]:
        assert all(map(math.isfinite, next(scores).logprobs_nats))
    assert str(engine.run_record()["path"]) == "packed tree"
    with pytest.raises(EngineError, match=r"finite number .* in: She said ñ"):
        next(scores)


def test_an_architecture_that_is_not_known_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "of-tomorrow"}))
    with pytest.raises(EngineError, match="architecture that the installed transformers does not"):
        identify_engine(EngineChoice(str(tmp_path)))


def test_a_package_that_lacks_and_memory_that_lacks_are_said() -> None:
    lacking = ImportError("Using `bitsandbytes` 4-bit quantization requires bitsandbytes\nRun pip")
    assert "requires bitsandbytes. Install it" in explain_failure("org/small", lacking)
    full = RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB")
    assert "no room in memory for the model org/large" in explain_failure("org/large", full)


def test_a_model_too_large_for_its_device_is_one_sentence() -> None:
    import torch

    class Large:
        def to(self, device: str) -> None:
            raise torch.OutOfMemoryError(f"{device} out of memory")

    with pytest.raises(EngineError, match="no room in memory for the model large"):
        place_model("large", Large(), "cuda")


def test_a_class_of_the_checkpoint_s_own_name_is_taken_by_its_type(tmp_path: Path) -> None:
    """MPT's first checkpoints say MPTForCausalLM, Exaone's ExaoneForCausalLM."""
    folder = save(build_llama(), build_tokenizer(with_bos=True), tmp_path / "other")
    settings = json.loads((folder / "config.json").read_text())
    for name, fits in (("OtherForCausalLM", True), ("LlamaForSequenceClassification", False)):
        (folder / "config.json").write_text(json.dumps(settings | {"architectures": [name]}))
        if fits:
            identify_causal_model(str(folder))
        else:
            with pytest.raises(EngineError, match=f"{name}.*has no causal language-model head"):
                identify_causal_model(str(folder))


def test_positions_are_counted_from_where_the_model_counts() -> None:
    from transformers import MptConfig, MptForCausalLM, RobertaConfig, RobertaForCausalLM

    mpt = MptForCausalLM(MptConfig(vocab_size=8, d_model=8, n_layers=1, n_heads=2, max_seq_len=48))
    assert find_position_limit(mpt) == 48
    sizes: dict[str, Any] = {**SIZES, "pad_token_id": 1, "is_decoder": True}
    assert find_position_limit(RobertaForCausalLM(RobertaConfig(**sizes))) == 96 - 2
    assert find_position_limit(build_gpt2()) == 96


def test_without_room_for_float32_the_error_stays_unknown(
    llama_folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(causal, "find_memory_bytes", lambda: 1000.0)
    engine = load_causal_engine(str(llama_folder), device="cpu", dtype="bfloat16")
    list(engine.score(TEXTS))
    assert "r_error" not in engine.run_record()
    assert engine.run_record()["path"] == "packed tree"
    assert "stays unknown" in caplog.text
    assert 0 < causal.find_memory_bytes() < math.inf


def _build_word_tokenizer() -> Any:
    """One that knows words of English and of nothing else."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = ["<s>", "<unk>", "The", "man", "woman", "works", *(f"word{k}" for k in range(394))]
    vocabulary = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", unk_token="<unk>")


def test_tokens_that_stand_for_what_a_tokenizer_lacks_are_counted(
    tmp_path: Path, gpt2_folder: Path
) -> None:
    folder = save(build_gpt2(), _build_word_tokenizer(), tmp_path / "words")
    engine = load_causal_engine(str(folder), device="cpu")
    list(engine.score(["The man works", "The woman works"]))
    assert UNKNOWN_SHARE not in engine.run_record()
    list(engine.score(["The man works", "Κυρία works", "Я man"]))
    assert engine.run_record()[UNKNOWN_SHARE] == pytest.approx(2 / 7)
    list(engine.score(["The man works", "The woman works"]))
    assert UNKNOWN_SHARE not in engine.run_record(), "each language has its own record"
    # GPT-2's unknown token is also the one that begins its texts.
    tokenizer = build_tokenizer(with_bos=True)
    tokenizer.unk_token = "<s>"
    folder = save(build_gpt2(), tokenizer, tmp_path / "letters")
    engine = load_causal_engine(str(folder), device="cpu")
    list(engine.score(TEXTS))
    assert UNKNOWN_SHARE not in engine.run_record()


def test_a_slow_tokenizer_s_merges_are_part_of_its_hash() -> None:
    class Slow:
        special_tokens_map: ClassVar[dict[str, str]] = {}

        def __init__(self, merges: dict[tuple[str, str], int]) -> None:
            self.bpe_ranks = merges

        def get_vocab(self) -> dict[str, int]:
            return {"a": 0, "b": 1, "ab": 2}

    one, other = Slow({("a", "b"): 0}), Slow({})
    assert hash_tokenizer(one) == hash_tokenizer(Slow({("a", "b"): 0}))
    assert hash_tokenizer(one) != hash_tokenizer(other)
