"""Every architecture against the plain one-sentence loop in float64, and mutants that must fail."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from architectures import ARCHITECTURES, VOCABULARY, build_sentencepiece_tokenizer
from scoring_models import TEXTS, build_llama, build_tokenizer, save

from engines.likelihood import paths, tree_attention
from engines.likelihood.causal import CausalEngine, load_causal_engine
from engines.likelihood.parity import TOLERANCE_NATS, compare_tokens
from engines.likelihood.paths import PackedTree, WholeTexts
from engines.likelihood.protocol import BOS_ADDED, TokenScores

MAX_TOKEN_ERROR = 1e-4
MAX_MEAN_ERROR = 1e-5
PAIRS = [
    *TEXTS[:4],
    "The man said that the woman works every day from dawn to dusk",
    "The man said that the man works every day from dawn to dusk",
    "Musel som sa usmiať, lebo som bol unavený",
    "Musela som sa usmiať, lebo som bola unavená",
    *TEXTS[4:],
]


@pytest.fixture(scope="module", params=list(ARCHITECTURES))
def named_folder(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    name = str(request.param)
    folder = tmp_path_factory.mktemp("architectures") / name
    return name, save(ARCHITECTURES[name].build(), build_tokenizer(with_bos=True), folder)


@pytest.fixture(scope="module")
def engine(named_folder: tuple[str, Path]) -> CausalEngine:
    return load_causal_engine(str(named_folder[1]), device="cpu")


@pytest.fixture(scope="module")
def exact(named_folder: tuple[str, Path]) -> list[TokenScores]:
    """The plain loop in float64; its logits spread enough that no lost part can hide."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    name, folder = named_folder
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    found, spreads = [], []
    for text in PAIRS:
        ids = tokenizer(text, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            logits = model(ids, use_cache=False).logits[0]
        spreads.append(float(logits.std()))
        logprobs = torch.log_softmax(logits.double(), dim=-1)
        chosen = [float(logprobs[k - 1, ids[0, k]]) for k in range(1, ids.shape[1])]
        found.append(TokenScores(tuple(ids[0].tolist()), tuple(chosen)))
    assert min(spreads) >= 2, f"{name}: the test model would hide what an engine loses"
    return found


def test_every_architecture_equals_the_plain_loop(
    named_folder: tuple[str, Path], engine: CausalEngine, exact: list[TokenScores]
) -> None:
    name, _ = named_folder
    scores = list(engine.score(PAIRS))
    assert engine.run_record()["path"] == ARCHITECTURES[name].path
    for ours, plain in zip(scores, exact, strict=True):
        assert ours.token_ids == plain.token_ids
        assert _largest_gap(ours, plain) <= MAX_TOKEN_ERROR
        assert abs(_mean(ours) - _mean(plain)) <= MAX_MEAN_ERROR


def test_an_item_alone_is_the_item_in_any_pack(engine: CausalEngine) -> None:
    together = list(engine.score(PAIRS))
    for start in range(0, len(PAIRS), 2):
        alone = list(engine.score(PAIRS[start : start + 2]))
        for one, other in zip(alone, together[start : start + 2], strict=True):
            assert _largest_gap(one, other) <= MAX_TOKEN_ERROR
            assert abs(_mean(one) - _mean(other)) <= MAX_MEAN_ERROR


# What each mutant loses of its model, and the architecture that cannot do without it.
def _lose_positions(patch: pytest.MonkeyPatch, _: PackedTree) -> None:
    _patch_plan(patch, lambda pack: setattr(pack, "depths", list(range(pack.size))))


def _lose_depths(patch: pytest.MonkeyPatch, _: PackedTree) -> None:
    """Nodes are counted where texts should be."""
    inner = paths.plan_packs

    def plan(*arguments: Any) -> Iterator[Any]:
        for pack in inner(*arguments):
            pack.depths = [min(node, 90) for node in range(pack.size)]
            yield pack

    patch.setattr(paths, "plan_packs", plan)


def _lose_kinship(patch: pytest.MonkeyPatch, _: PackedTree) -> None:
    """Texts in a pack see one another."""
    _patch_plan(patch, lambda pack: setattr(pack, "ends", [pack.size] * pack.size))


def _lose_attention_option(option: str) -> Callable[[pytest.MonkeyPatch, PackedTree], None]:
    def lose(patch: pytest.MonkeyPatch, _: PackedTree) -> None:
        inner = tree_attention.attend_tree

        def attend(*tensors: Any, **options: Any) -> Any:
            return inner(*tensors, **{**options, option: None})

        patch.setattr(tree_attention, "attend_tree", attend)

    return lose


def _lose_of_head(**lost: Any) -> Callable[[pytest.MonkeyPatch, PackedTree], None]:
    def lose(_: pytest.MonkeyPatch, tree: PackedTree) -> None:
        assert tree._head is not None
        tree._head = replace(tree._head, **lost)

    return lose


def _patch_plan(patch: pytest.MonkeyPatch, spoil: Callable[[Any], None]) -> None:
    inner = tree_attention.TreePlan.__init__

    def build(self: Any, pack: Any) -> None:
        spoil(pack)
        inner(self, pack)

    patch.setattr(tree_attention.TreePlan, "__init__", build)


MUTANTS = [
    ("gpt2", "learned positions", _lose_depths),
    ("llama", "rotary positions", _lose_depths),
    ("qwen2", "kinship", _lose_kinship),
    ("mistral", "window", _lose_attention_option("sliding_window")),
    ("mistral", "window measured in nodes", _lose_positions),
    ("gemma2", "cap of attention", _lose_attention_option("softcap")),
    ("gemma2", "cap of logits", _lose_of_head(softcap=None)),
    ("gemma2", "window", _lose_attention_option("sliding_window")),
    ("gemma3", "window", _lose_attention_option("sliding_window")),
    ("granite-swa", "sinks of attention", _lose_attention_option("s_aux")),
    ("cohere", "scale of logits", _lose_of_head(scale=1.0)),
    ("granite", "scale of logits", _lose_of_head(scale=1.0)),
    ("granite", "scale of attention", _lose_attention_option("scaling")),
]


@pytest.mark.parametrize(("name", "lost", "lose"), MUTANTS, ids=[f"{n}-{x}" for n, x, _ in MUTANTS])
def test_what_a_mutant_loses_shows_and_the_probe_falls_back(
    name: str,
    lost: str,
    lose: Callable[[pytest.MonkeyPatch, PackedTree], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = save(ARCHITECTURES[name].build(), build_tokenizer(with_bos=True), tmp_path / name)
    engine = load_causal_engine(str(folder), device="cpu")
    tree = engine._paths[0]
    assert isinstance(tree, PackedTree)
    tokens = engine._tokenise(PAIRS)
    plain = WholeTexts(tree._model, "cpu", 1).score(tokens)
    assert compare_tokens(tree.score(tokens), plain) <= TOLERANCE_NATS
    lose(monkeypatch, tree)
    assert compare_tokens(tree.score(tokens), plain) > 100 * TOLERANCE_NATS, f"nothing lost: {lost}"
    scores = list(engine.score(PAIRS))
    assert engine.run_record()["path"] != "packed tree"
    assert compare_tokens([one.logprobs_nats for one in scores], plain) <= TOLERANCE_NATS


@pytest.mark.parametrize("name", ["bloom", "mpt", "mamba", "roberta", "llama4", "falcon"])
def test_a_model_that_cannot_take_a_tree_gives_none(name: str, tmp_path: Path) -> None:
    """Its mutant is the tree itself: forced on the model it is refused or gives other numbers."""
    folder = save(ARCHITECTURES[name].build(), build_tokenizer(with_bos=True), tmp_path / name)
    engine = load_causal_engine(str(folder), device="cpu")
    tokens = engine._tokenise(PAIRS)
    plain = engine._paths[-1].score(tokens)
    try:
        error = compare_tokens(engine._paths[0].score(tokens), plain)
    except (tree_attention.TreeRefusedError, TypeError, ValueError):
        error = math.inf
    assert error > 100 * TOLERANCE_NATS


def test_a_sentencepiece_tokenizer_scores_like_the_plain_loop(tmp_path: Path) -> None:
    folder = save(build_llama(VOCABULARY), build_sentencepiece_tokenizer(), tmp_path / "pieces")
    engine = load_causal_engine(str(folder), device="cpu")
    assert engine.bos_policy == BOS_ADDED
    scores = list(engine.score(PAIRS))
    assert "▁" in engine._loaded.tokenizer.convert_ids_to_tokens(list(scores[0].token_ids))[1]
    plain = engine._paths[-1].score([one.token_ids for one in scores])
    assert compare_tokens([one.logprobs_nats for one in scores], plain) <= MAX_TOKEN_ERROR


def _largest_gap(one: TokenScores, other: TokenScores) -> float:
    pairs = zip(one.logprobs_nats, other.logprobs_nats, strict=True)
    return max((abs(a - b) for a, b in pairs), default=0.0)


def _mean(scores: TokenScores) -> float:
    values = scores.logprobs_nats
    return math.fsum(values) / len(values) if values else 0.0
