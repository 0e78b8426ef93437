"""Ways of computing under pressure: no memory, half precision, heads of their own, devices."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from scoring_models import TEXTS, build_llama

from corpus.errors import EngineError
from engines.likelihood import causal, head, paths
from engines.likelihood.causal import CausalEngine, load_causal_engine
from engines.likelihood.head import BlockedHead
from engines.likelihood.parity import (
    TOLERANCE_NATS,
    choose_path,
    choose_probe,
    compare_means,
    compare_tokens,
    measure_half_precision,
)
from engines.likelihood.paths import PackedTree, Values, WholeTexts


@pytest.fixture
def engine(llama_folder: Path) -> CausalEngine:
    return load_causal_engine(str(llama_folder), device="cpu")


def plain_values(engine: CausalEngine, texts: Sequence[str] = TEXTS) -> list[Values]:
    return engine._paths[-1].score(engine._tokenise(texts))


def scored_values(engine: CausalEngine, texts: Sequence[str] = TEXTS) -> list[Values]:
    return [scores.logprobs_nats for scores in engine.score(texts)]


def run_out_of_memory(
    monkeypatch: pytest.MonkeyPatch, model: Any, positions: int
) -> Callable[[], int]:
    """The model fails as a full card does on more positions than that; how often it did."""
    import torch

    inner = model.base_model.forward
    failures = 0

    def forward(input_ids: Any = None, **inputs: Any) -> Any:
        nonlocal failures
        if input_ids.numel() > positions:
            failures += 1
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB.")
        return inner(input_ids=input_ids, **inputs)

    monkeypatch.setattr(model.base_model, "forward", forward)
    return lambda: failures


def test_out_of_memory_halves_the_pack_and_goes_on(
    engine: CausalEngine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    expected = plain_values(engine)
    list(engine.score(TEXTS))
    failures = run_out_of_memory(monkeypatch, engine._loaded.model, 60)
    with caplog.at_level(logging.WARNING):
        values = scored_values(engine)
    assert failures() >= 1
    assert compare_tokens(values, expected) <= TOLERANCE_NATS
    assert "Out of memory: packs of" in caplog.text
    record = engine.run_record()
    assert record["path"] == "packed tree"
    assert int(record["pack_nodes"]) < paths.CPU_PACK_NODES
    # The next texts are not tried in the larger packs again.
    before = failures()
    scored_values(engine)
    assert failures() == before


def test_out_of_memory_halves_batches_of_whole_texts_too(
    engine: CausalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = plain_values(engine)
    batches = WholeTexts(engine._loaded.model, "cpu")
    failures = run_out_of_memory(monkeypatch, engine._loaded.model, 60)
    assert compare_tokens(batches.score(engine._tokenise(TEXTS)), expected) <= TOLERANCE_NATS
    assert failures() >= 1


def test_no_room_for_a_single_text_is_one_sentence(
    engine: CausalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(engine.score(TEXTS))
    run_out_of_memory(monkeypatch, engine._loaded.model, 3)
    with pytest.raises(EngineError, match="no room on cpu to score even one text") as caught:
        list(engine.score(TEXTS))
    assert "\n" not in str(caught.value)


def test_other_errors_of_a_model_are_not_taken_for_lack_of_memory(
    engine: CausalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(engine.score(TEXTS))

    def fail(**inputs: Any) -> Any:
        raise RuntimeError("expected scalar type Half but found Float")

    monkeypatch.setattr(engine._loaded.model.base_model, "forward", fail)
    with pytest.raises(RuntimeError, match="expected scalar type"):
        engine._compute(engine._tokenise(TEXTS))


def test_a_head_in_blocks_is_the_head_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    generator = torch.Generator().manual_seed(1)
    weight = torch.randn(50, 8, generator=generator) * 3
    bias = torch.randn(50, generator=generator)
    hidden = torch.randn(6, 8, generator=generator)
    nodes, tokens = [0, 0, 5, 3, 3], [49, 0, 16, 17, 17]
    logits = (hidden.double() @ weight.double().T + bias.double()) * 0.5
    exact = torch.log_softmax(4.0 * torch.tanh(logits / 4.0), dim=1)[nodes, tokens]
    for columns in (1, 7, 17, 50, 8192):
        monkeypatch.setattr(head, "BLOCK_COLUMNS", columns)
        found = BlockedHead(weight, bias * 1.0, 0.5, 4.0).score(hidden, nodes, tokens)
        assert found == pytest.approx(exact.tolist(), abs=1e-5)


def test_blocks_are_computed_in_memory_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What blocks take and give back leaves holes: memory would grow with the vocabulary."""
    import torch

    monkeypatch.setattr(head, "BLOCK_COLUMNS", 64)
    places: set[int] = set()
    inner = torch.mm

    def multiply(*factors: Any, out: Any) -> Any:
        places.add(out.untyped_storage().data_ptr())
        return inner(*factors, out=out)

    monkeypatch.setattr(torch, "mm", multiply)
    BlockedHead(torch.randn(1000, 4), None).score(torch.randn(3, 4), [0, 1, 2], [0, 500, 999])
    assert len(places) == 1


def test_logits_far_apart_lose_nothing() -> None:
    """A block of improbable tokens must not turn into −∞ or NaN."""
    import torch

    weight = torch.tensor([[1000.0]] + [[-1000.0]] * 9)
    found = BlockedHead(weight, None).score(torch.ones(1, 1), [0, 0], [0, 9])
    assert found == pytest.approx([0.0, -2000.0])


def test_a_model_that_bends_its_logits_by_itself_uses_its_own_head(
    engine: CausalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a model of another hand may: nothing in its settings tells of it."""
    model = engine._loaded.model
    inner = model.forward

    def forward(**inputs: Any) -> Any:
        output = inner(**inputs)
        output.logits = output.logits * 0.5
        return output

    monkeypatch.setattr(model, "forward", forward)
    values = scored_values(engine)
    assert engine.run_record()["path"] == "packed tree, the model's own head"
    assert compare_tokens(values, plain_values(engine)) <= TOLERANCE_NATS


def test_a_path_given_up_once_stays_given_up(
    engine: CausalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def score(_: PackedTree, token_lists: Sequence[Sequence[int]]) -> list[Values]:
        return [(0.0,) * (len(tokens) - 1) for tokens in token_lists]

    with monkeypatch.context() as patch:
        patch.setattr(PackedTree, "score", score)
        scored_values(engine)
    assert engine.run_record()["path"] == "sorted batches"
    assert float(engine.run_record()["parity_error_nats"]) <= TOLERANCE_NATS
    scored_values(engine)
    assert engine.run_record()["path"] == "sorted batches"


def test_where_nothing_else_is_right_the_plain_model_is_used(engine: CausalEngine) -> None:
    class Wrong:
        name = "wrong"

        def score(self, token_lists: Sequence[Sequence[int]]) -> list[Values]:
            return [(math.nan,) * (len(tokens) - 1) for tokens in token_lists]

    probe = engine._tokenise(TEXTS[:4])
    plain = engine._paths[-1].score(probe)
    found = choose_path([Wrong(), engine._paths[-1]], plain, probe)
    assert (found.path.name, found.error_nats) == ("one at a time", 0.0)


def test_the_probe_takes_variants_that_stand_side_by_side() -> None:
    lists = [(0, number) for number in range(100)]
    assert choose_probe(lists, 3) == [lists[k] for k in (0, 1, 48, 49, 98, 99)]
    assert choose_probe(lists[:4], 3) == lists[:4]
    assert choose_probe([(0,), (0, 1), (0, 2), (0, 3)], 3) == [(0, 2), (0, 3)]
    assert choose_probe([(0,), (0, 1)], 3) == [(0, 1)]
    assert choose_probe([(0,)], 3) == []


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_says_how_far_it_is_from_float32(llama_folder: Path, dtype: str) -> None:
    half = load_causal_engine(str(llama_folder), device="cpu", dtype=dtype)
    values = scored_values(half)
    record = half.run_record()
    full = plain_values(load_causal_engine(str(llama_folder), device="cpu"))
    assert record["path"] == "packed tree", "half precision alone is no reason to fall back"
    # All texts but the odd last one were probed: nothing probed deviates further than said.
    probed = [k for k in range(len(TEXTS) - 1) if len(full[k]) and len(full[k ^ 1])]
    error = compare_means([values[k] for k in probed], [full[k] for k in probed])
    assert 0 < error <= 3 * float(record["half_precision_error_nats"]) + 1e-3
    assert 0 < float(record["r_error"]) < 0.5


@pytest.mark.parametrize(("limit", "loads"), [(1, 1), (10**9, 2)], ids=["large", "small"])
def test_a_large_model_is_loaded_in_float32_once(
    llama_folder: Path, monkeypatch: pytest.MonkeyPatch, limit: int, loads: int
) -> None:
    half = load_causal_engine(str(llama_folder), device="cpu", dtype="bfloat16")
    asked: list[int] = []
    inner = half._load_float32
    assert inner is not None
    monkeypatch.setattr(half, "_load_float32", lambda: asked.append(1) or inner())
    monkeypatch.setattr(causal, "FLOAT32_EACH_CALL", limit)
    for _ in range(2):
        scored_values(half)
    assert len(asked) == loads
    assert float(half.run_record()["r_error"]) > 0


def test_the_error_in_r_is_worked_out_of_means() -> None:
    """σ(0.2) − σ(0.0), by hand."""
    half = [(-1.0, -1.4), (-1.4,)]
    full = [(-1.0, -1.4), (-1.2,)]
    found = measure_half_precision(half, lambda: full)
    assert found.error_nats == pytest.approx(0.2)
    assert found.r_error == pytest.approx(1 / (1 + math.exp(-0.2)) - 0.5)


def test_a_tree_that_is_wrong_in_half_precision_is_found_out(
    llama_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = load_causal_engine(str(llama_folder), device="cpu", dtype="bfloat16")
    inner = paths.plan_packs

    def plan(*arguments: Any) -> Any:
        for pack in inner(*arguments):
            pack.ends = [pack.size] * pack.size
            yield pack

    monkeypatch.setattr(paths, "plan_packs", plan)
    scored_values(half)
    assert half.run_record()["path"] == "sorted batches"


def test_a_model_spread_over_devices_scores_alike(
    llama_folder: Path, engine: CausalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import AutoModelForCausalLM

    asked: list[Any] = []
    inner = AutoModelForCausalLM.from_pretrained

    def load(*names: Any, **options: Any) -> Any:
        asked.append(options["device_map"])
        return inner(*names, **options)

    monkeypatch.setattr(AutoModelForCausalLM, "from_pretrained", load)
    spread = load_causal_engine(str(llama_folder), device_map="auto")
    assert asked == ["auto"]
    assert compare_tokens(scored_values(spread), scored_values(engine)) <= TOLERANCE_NATS


def test_a_head_whose_weights_are_elsewhere_is_called_and_not_read() -> None:
    """accelerate leaves weights it keeps on disk as empty ones until the module is called."""
    import torch

    model = build_llama()
    assert head.find_head(model) is not None
    model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight.to("meta"))
    assert head.find_head(model) is None


def test_windows_share_one_probe(engine: CausalEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    inner = CausalEngine._probe
    monkeypatch.setattr(
        CausalEngine, "_probe", lambda self, lists: (calls.append(len(lists)), inner(self, lists))
    )
    monkeypatch.setattr(causal, "WINDOW_TEXTS", 4)
    expected = plain_values(engine)
    assert compare_tokens(scored_values(engine), expected) <= TOLERANCE_NATS
    assert calls == [len(TEXTS)]


def test_the_end_of_the_vocabulary_is_a_block_of_its_own(
    engine: CausalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = plain_values(engine)
    monkeypatch.setattr(head, "BLOCK_COLUMNS", 100)
    assert compare_tokens(scored_values(engine), expected) <= TOLERANCE_NATS
    assert engine.run_record()["path"] == "packed tree"
