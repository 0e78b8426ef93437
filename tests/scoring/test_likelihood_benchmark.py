"""The likelihood benchmark on tiny models: that all methods give one answer, never how fast."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from scoring_models import build_llama, widen

from benchmarks import likelihood, likelihood_items, likelihood_meter, likelihood_models
from benchmarks.likelihood_meter import count_flops, count_nodes
from benchmarks.likelihood_methods import ENGINE, HARNESS, LOOP, PADDED, Method, Scores
from benchmarks.likelihood_models import Shape, build_tokenizer
from engines.likelihood.paths import CPU_PACK_NODES
from scoring.variants import Condition

PIECES = 400
VOCABULARY = 2_000


def build_tiny(vocabulary: int) -> Any:
    return build_llama(vocabulary)


TINY = (
    Shape("with-bos", VOCABULARY, PIECES, True, build_tiny),
    Shape("without-bos", VOCABULARY, PIECES, False, build_tiny),
)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likelihood, "SHAPES", {shape.name: shape for shape in TINY})
    monkeypatch.setattr(likelihood_meter, "MATRIX_ROWS", {"cpu": 64})


def run(path: Path, *options: str) -> Any:
    output = path / "made" / "report.json"
    likelihood.main(["--sample", "--output", str(output), *options])
    return json.loads(output.read_text(encoding="utf-8"))


@pytest.mark.usefixtures("tiny")
def test_all_methods_give_the_same_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = run(tmp_path, "--items", "10", "--runs", "2", "--threads", "1")
    assert report["items"]["sentences"] == 10
    assert report["items"]["pairs"] == 4
    assert [model["model"] for model in report["models"]] == ["with-bos", "without-bos"]
    printed = capsys.readouterr().out
    for model in report["models"]:
        assert f"{model['model']}: " in printed
        methods = {each["method"]: each for each in model["methods"]}
        assert list(methods) == [ENGINE, LOOP, PADDED, HARNESS.format(8), HARNESS.format(32)]
        assert all(each["off_float64"]["mean"] < 1e-5 for each in methods.values())
        assert all(each["off_loop"]["mean"] < 1e-5 for each in methods.values())
        assert all(
            methods[name]["off_float64"]["per_token"] < 1e-4 for name in (ENGINE, LOOP, PADDED)
        )
        assert methods[HARNESS.format(8)]["off_float64"]["per_token"] is None
        assert all(len(each["seconds"]) == 2 for each in methods.values())
        # Nothing computes less than the distinct nodes; the loop computes every token.
        assert model["unique_trie_nodes"] <= methods[ENGINE]["tokens_computed"]
        assert methods[LOOP]["tokens_computed"] == model["tokens"]
        assert methods[PADDED]["tokens_computed"] > model["tokens"]
        assert model["run_record"]["path"] == "packed tree"
        assert model["best_of_harness"].startswith("lm-evaluation-harness")
    assert report["times_harness"]["least"] <= report["times_harness"]["median"]


@pytest.mark.usefixtures("tiny")
def test_wrong_numbers_of_the_engine_fail_the_benchmark_even_without_the_harness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A thousandth too much is about a hundredth of a nat per token."""
    build = likelihood.build_methods

    def build_wrong(*given: Any) -> list[Method]:
        engine, loop = build(*given)[:2]

        def score(texts: Sequence[str]) -> Scores:
            return [tuple(1.001 * value for value in values) for values in engine.score(texts)]

        return [Method(engine.name, score), loop]

    monkeypatch.setattr(likelihood, "build_methods", build_wrong)
    with pytest.raises(SystemExit, match="with-bos: the engine is off by"):
        run(tmp_path, "--items", "5", "--runs", "1", "--shape", "with-bos")
    written = json.loads((tmp_path / "made" / "report.json").read_text(encoding="utf-8"))
    assert written["times_harness"] is None
    assert written["times_loop"]["median"] > 0
    assert "lm_eval is not installed" in capsys.readouterr().out


def test_nodes_are_the_distinct_beginnings() -> None:
    token_lists = [[1, 2, 3, 4], [1, 2, 3, 5], [1, 2, 6], [1, 2, 6], [7]]
    assert count_nodes(token_lists) == [1, 1, 1]
    assert count_nodes([*token_lists, [1, 8, 3, 4]]) == [1, 2, 2]


def test_flops_of_a_model_worked_out_by_hand() -> None:
    """Llama: 4 projections, of which 2 are half as wide, 3 of the feed-forward, and the head."""
    layer = 32 * 32 * 2 + 2 * 32 * 16 + 3 * 32 * 64
    weights = 2 * layer + 416 * 32
    attention = 4 * 2 * 32
    assert count_flops(build_llama(), [1, 2]) == 2 * weights * 3 + attention * (1 * 1 + 2 * 2)


@pytest.mark.parametrize("shape", TINY, ids=lambda shape: str(shape.name))
def test_a_tokenizer_fills_its_vocabulary_and_keeps_the_text(shape: Shape) -> None:
    text = "Bola som unavená, a tak som išla domov."
    tokenizer = build_tokenizer(shape, [text, "I was tired and went home."])
    ids = tokenizer(text)["input_ids"]
    assert len(tokenizer) == VOCABULARY
    assert max(ids) > PIECES, "the ids are spread over the whole vocabulary"
    assert (ids[0] == tokenizer.bos_token_id) is shape.with_bos
    assert tokenizer.decode(ids, skip_special_tokens=True) == text


def test_logits_spread_as_far_as_asked() -> None:
    import torch

    model = widen(build_llama())
    likelihood_models.spread_logits(model, [[1, 2, 3], [4, 5]])
    with torch.no_grad():
        logits = torch.cat([model(torch.tensor([k])).logits[0] for k in ([1, 2, 3], [4, 5])])
    assert float(logits.std()) == pytest.approx(likelihood_models.LOGIT_DEVIATION, rel=1e-3)


def test_items_are_in_the_real_mix() -> None:
    sentences = likelihood_items.load_sentences(None)
    items = likelihood_items.build_items(sentences, 400)
    assert items == likelihood_items.build_items(sentences, 400)
    pairs = [item for item in items if item.condition is Condition.PAIR]
    assert len({item.subject_id for item in items}) == 400
    assert len(pairs) == 160
    assert {item.language for item in items} == {"en", "es", "sk", "sv", "tr"}


@pytest.mark.data
def test_items_of_the_data_are_in_the_real_mix(data_dir: Path) -> None:
    items = likelihood_items.build_items(likelihood_items.load_sentences(data_dir), 400)
    assert len({item.subject_id for item in items}) == 400
    assert sum(item.condition is Condition.PAIR for item in items) == 160
    assert len({item.language for item in items}) == 7


@pytest.mark.usefixtures("tiny")
def test_planning_counts_what_it_planned(tmp_path: Path) -> None:
    planning = run(tmp_path, "--planning", "3000")["planning"]
    assert planning["variants"] == 3000
    assert planning["packs"] * CPU_PACK_NODES >= planning["nodes"]
    assert 0 < planning["nodes"] < planning["tokens"]
