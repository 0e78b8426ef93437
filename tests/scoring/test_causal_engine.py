"""The transformers engine against a plain one-sentence loop, and what it refuses."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from scoring_models import TEXTS, build_gpt2, build_llama, build_tokenizer, save

from corpus.errors import EngineError
from engines.likelihood import causal
from engines.likelihood.causal import CausalEngine, load_causal_engine
from engines.likelihood.loading import identify_causal_model
from engines.likelihood.protocol import BOS_ADDED, BOS_NONE, BOS_PREFIXED, Bos, TokenScores

MAX_LOGPROB_ERROR = 1e-4


@pytest.fixture(scope="module", params=["gpt2", "llama"])
def folder(request: pytest.FixtureRequest) -> Path:
    path: Path = request.getfixturevalue(f"{request.param}_folder")
    return path


@pytest.fixture(scope="module")
def engine(folder: Path) -> CausalEngine:
    return load_causal_engine(str(folder), device="cpu")


def plain_loop(folder: Path, text: str) -> tuple[list[int], list[float], float]:
    """Ids, log-probabilities and logit spread from the model in float64, one text at a time."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64).eval()
    ids = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")["input_ids"]
    with torch.no_grad():
        logits = model(ids).logits[0]
    logprobs = torch.log_softmax(logits, dim=-1)
    chosen = [float(logprobs[k - 1, ids[0, k]]) for k in range(1, ids.shape[1])]
    return ids[0].tolist(), chosen, float(logits.std())


def largest_gap(one: TokenScores, other: TokenScores) -> float:
    assert one.token_ids == other.token_ids
    pairs = zip(one.logprobs_nats, other.logprobs_nats, strict=True)
    return max((abs(a - b) for a, b in pairs), default=0.0)


def test_these_models_take_packed_trees(engine: CausalEngine) -> None:
    list(engine.score(TEXTS))
    assert engine.run_record()["path"] == "packed tree"


def test_batched_scores_equal_the_plain_loop(folder: Path, engine: CausalEngine) -> None:
    for text, scores in zip(TEXTS, engine.score(TEXTS), strict=True):
        ids, logprobs, spread = plain_loop(folder, text)
        assert largest_gap(scores, TokenScores(tuple(ids), tuple(logprobs))) <= MAX_LOGPROB_ERROR
        assert spread >= 2, "the test model would hide a lost scale"


def test_an_item_scores_the_same_alone_and_in_any_batch(engine: CausalEngine) -> None:
    together = list(engine.score(TEXTS))
    backwards = list(engine.score(TEXTS[::-1]))[::-1]
    alone = [next(engine.score([text])) for text in TEXTS]
    for one, other, third in zip(together, backwards, alone, strict=True):
        assert largest_gap(one, other) <= MAX_LOGPROB_ERROR
        assert largest_gap(one, third) <= MAX_LOGPROB_ERROR


def test_windows_and_batch_bounds_do_not_change_scores(
    engine: CausalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = list(engine.score(TEXTS))
    monkeypatch.setattr(causal, "WINDOW_TEXTS", 4)
    monkeypatch.setattr(engine._path, "max_nodes", 40)
    for one, other in zip(expected, engine.score(TEXTS), strict=True):
        assert largest_gap(one, other) <= MAX_LOGPROB_ERROR


def test_a_head_that_is_not_called_as_a_module_is_scored_too(
    gpt2_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    engine = load_causal_engine(str(gpt2_folder), device="cpu")
    expected = list(engine.score(TEXTS))
    # The hook now sits on a module that the forward pass never calls.
    idle = torch.nn.Linear(1, 1)
    monkeypatch.setattr(engine._loaded.model, "get_output_embeddings", lambda: idle)
    for one, other in zip(expected, engine.score(TEXTS), strict=True):
        assert largest_gap(one, other) <= MAX_LOGPROB_ERROR


def test_no_texts_give_no_scores(engine: CausalEngine) -> None:
    assert list(engine.score([])) == []


def test_the_engine_says_what_it_is(gpt2_folder: Path, llama_folder: Path) -> None:
    gpt2 = load_causal_engine(str(gpt2_folder), device="cpu")
    llama = load_causal_engine(str(llama_folder), device="cpu")
    assert (gpt2.bos_policy, llama.bos_policy) == (BOS_NONE, BOS_ADDED)
    assert (gpt2.vocabulary_size, llama.vocabulary_size) == (400, 416)
    assert gpt2.dtype == "float32"
    assert gpt2.tokenizer_hash != llama.tokenizer_hash
    assert re.fullmatch("sha256:[0-9a-f]{64}", gpt2.revision)
    assert "".join(llama.decode_tokens(next(llama.score(["I cried"])).token_ids)) == "<s>I cried"


def test_first_token_has_a_probability_only_behind_a_bos(
    gpt2_folder: Path, llama_folder: Path
) -> None:
    text = "Bol som"
    bare = next(load_causal_engine(str(gpt2_folder), device="cpu").score([text]))
    with_bos = next(load_causal_engine(str(llama_folder), device="cpu").score([text]))
    assert with_bos.token_ids == (0, *bare.token_ids)
    assert len(with_bos.logprobs_nats) == len(bare.logprobs_nats) + 1


def test_a_bos_can_be_asked_for_and_is_never_put_first_twice(
    gpt2_folder: Path, llama_folder: Path
) -> None:
    text = "Bol som"
    bare = next(load_causal_engine(str(gpt2_folder), device="cpu").score([text]))
    gpt2 = load_causal_engine(str(gpt2_folder), device="cpu", bos=Bos.ALWAYS)
    llama = load_causal_engine(str(llama_folder), device="cpu", bos=Bos.ALWAYS)
    assert (gpt2.bos_policy, llama.bos_policy) == (BOS_PREFIXED, BOS_ADDED)
    ours = next(gpt2.score([text]))
    assert ours.token_ids == next(llama.score([text])).token_ids == (0, *bare.token_ids)
    ids, logprobs, _ = plain_loop(gpt2_folder, f"<s>{text}")
    assert largest_gap(ours, TokenScores(tuple(ids), tuple(logprobs))) <= MAX_LOGPROB_ERROR


def test_a_model_without_any_such_token_cannot_put_one_first(tmp_path: Path) -> None:
    tokenizer = build_tokenizer(with_bos=False)
    tokenizer.bos_token = tokenizer.eos_token = None
    folder = save(build_gpt2(), tokenizer, tmp_path / "bare")
    assert load_causal_engine(str(folder), device="cpu").bos_policy == BOS_NONE
    with pytest.raises(EngineError, match="knows no token that begins or ends a text"):
        load_causal_engine(str(folder), device="cpu", bos=Bos.ALWAYS)


def test_revision_of_a_local_model_follows_its_weights(gpt2_folder: Path, tmp_path: Path) -> None:
    other = save(build_llama(400), build_tokenizer(with_bos=False), tmp_path / "other")
    same = shutil.copytree(gpt2_folder, tmp_path / "same")
    revisions = [
        load_causal_engine(str(path), device="cpu").revision for path in (gpt2_folder, same, other)
    ]
    assert revisions[0] == revisions[1] != revisions[2]


def test_dtype_is_the_asked_one_not_the_checkpoint_s(tmp_path: Path) -> None:
    import torch

    model = build_gpt2().to(torch.bfloat16)
    folder = save(model, build_tokenizer(with_bos=False), tmp_path / "half")
    engine = load_causal_engine(str(folder), device="cpu")
    assert engine._loaded.model.dtype == torch.float32
    assert load_causal_engine(str(folder), dtype="bfloat16", device="cpu").dtype == "bfloat16"


@pytest.mark.parametrize("name", ["nobody/has-this-model", "./no/such/folder", "no-such-model"])
def test_a_missing_model_is_one_sentence(name: str) -> None:
    with pytest.raises(EngineError) as caught:
        identify_causal_model(name)
    message = str(caught.value)
    assert name in message
    assert "found" in message
    assert "\n" not in message


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="does not hold a model that can be loaded"):
        load_causal_engine(str(tmp_path))


def test_damaged_weights_are_refused(gpt2_folder: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(gpt2_folder, tmp_path / "damaged")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(EngineError, match="does not hold a model that can be loaded"):
        load_causal_engine(str(folder))


@pytest.mark.parametrize("device", ["cuda:99", "xla"])
def test_a_device_that_is_not_there_is_one_sentence(gpt2_folder: Path, device: str) -> None:
    with pytest.raises(EngineError, match=f"The device {device} cannot be used") as caught:
        load_causal_engine(str(gpt2_folder), device=device)
    assert "\n" not in str(caught.value)


def test_a_model_without_its_tokenizer_is_refused(gpt2_folder: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(gpt2_folder, tmp_path / "bare")
    for file in folder.glob("*token*"):
        file.unlink()
    with pytest.raises(EngineError, match=r"tokenizer of the model .* is missing"):
        identify_causal_model(str(folder))


def test_an_encoder_is_refused_as_not_causal(tmp_path: Path) -> None:
    from transformers import BertConfig, BertForMaskedLM

    config = BertConfig(
        vocab_size=400, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16,
    )  # fmt: skip
    folder = save(BertForMaskedLM(config), build_tokenizer(with_bos=False), tmp_path / "bert")
    with pytest.raises(EngineError, match=r"BertForMaskedLM\) has no causal language-model head"):
        identify_causal_model(str(folder))


def test_a_checkpoint_without_head_weights_is_refused(tmp_path: Path) -> None:
    """Its head would be drawn at random, and its scores with it."""
    from safetensors.torch import load_file, save_file

    folder = save(build_llama(), build_tokenizer(with_bos=True), tmp_path / "headless")
    weights = load_file(folder / "model.safetensors")
    del weights["lm_head.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(EngineError, match=r"lacks weights .*lm_head\.weight"):
        load_causal_engine(str(folder))


def test_a_tokenizer_with_more_tokens_than_the_model_is_refused(tmp_path: Path) -> None:
    folder = save(build_gpt2(300), build_tokenizer(with_bos=False), tmp_path / "foreign")
    with pytest.raises(EngineError, match=r"does not fit it: token ids go up to 399.*300 tokens"):
        load_causal_engine(str(folder))


def test_an_added_token_without_a_row_is_refused_only_where_it_occurs(tmp_path: Path) -> None:
    """As Gemma 3's text models: one image token beyond the embedding."""
    tokenizer = build_tokenizer(with_bos=False)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<image>"]})
    folder = save(build_gpt2(400), tokenizer, tmp_path / "image")
    engine = load_causal_engine(str(folder), device="cpu")
    assert len(list(engine.score(["I cried"]))) == 1
    with pytest.raises(EngineError, match=r"the model does not know.*I cried <image>"):
        list(engine.score(["I cried <image>"]))


def test_a_text_beyond_the_model_s_positions_is_refused(engine: CausalEngine) -> None:
    text = "I cried " * 60
    with pytest.raises(EngineError, match="takes 96 tokens at most"):
        list(engine.score(["I cried", text]))


def test_probabilities_that_are_not_numbers_name_the_text(tmp_path: Path) -> None:
    import torch

    model: Any = build_llama()
    with torch.no_grad():
        model.lm_head.weight[5] = float("nan")
    folder = save(model, build_tokenizer(with_bos=True), tmp_path / "nan")
    engine = load_causal_engine(str(folder), device="cpu")
    with pytest.raises(EngineError, match=r"not a finite number.*Bola som unavená"):
        list(engine.score(["Bola som unavená"]))


def test_an_unknown_dtype_is_refused() -> None:
    with pytest.raises(EngineError, match="float8 is not one of float32"):
        load_causal_engine("any", dtype="float8")


def test_scores_need_one_probability_per_further_token() -> None:
    with pytest.raises(ValueError, match="one log-probability fewer"):
        TokenScores((1, 2), (-1.0, -1.0))
