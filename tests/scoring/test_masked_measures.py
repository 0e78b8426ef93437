"""From a masked model to measures, under every protocol, templates apart and pooled."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import pytest
from masked_models import FAMILIES

from corpus.languages import languages
from corpus.stereotypes import load_inventory
from engines.likelihood.masked import MASKED_LIKELIHOODS, load_masked_engine
from scoring.log_ratios import compute_log_ratio_measures
from scoring.measures import compute_measures
from scoring.protocols import PROTOCOLS, compute_values, protocol_named, select_pairs
from scoring.run import score_language
from scoring.shards import PairScores, read_shard, shard_key, shard_path
from scoring.variants import build_variants

INVENTORY = load_inventory()
MAX_LOGPROB_ERROR = 1e-4


@dataclass(frozen=True)
class Row:
    id: str
    language: str
    stereotype_id: int | None
    neutral: str | None = None
    masculine: str | None = None
    feminine: str | None = None


def rows() -> list[Row]:
    """A neutral sentence and a pair of every stereotype, in Slovak."""
    found = []
    for one in INVENTORY.ids:
        day = "každý deň " * (one % 3)
        found.append(Row(f"eurogest/sk/s/{one}", "sk", one, neutral=f"Som {day}doma."))
        found.append(
            Row(f"eurogest/sk/s/{100 + one}", "sk", one, masculine=f"Bol som {day}unavený",
                feminine=f"Bola som {day}unavená")
        )  # fmt: skip
    return found


@pytest.fixture(scope="module", params=MASKED_LIKELIHOODS)
def pairs(
    request: pytest.FixtureRequest,
    masked_folders: dict[str, Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[PairScores, ...]:
    engine = load_masked_engine(str(masked_folders["bert"]), device="cpu", likelihood=request.param)
    items = build_variants(rows(), languages(["sk"]), terminated=True).items
    key = shard_key(engine, "sk", items, templates_hash="t", data_hash="d")
    assert key.likelihood == request.param
    path = shard_path(tmp_path_factory.mktemp("results"), key)
    return read_shard(score_language(engine, items, path, key), key).pairs


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize(
    ("condition", "n"), [("pair", 16), ("noun", 16), ("pronoun", 16), ("pooled", 32)]
)
def test_every_protocol_has_measures(
    pairs: tuple[PairScores, ...], name: str, condition: str, n: int
) -> None:
    protocol = protocol_named(name)
    values = compute_values(select_pairs(pairs, condition), protocol)
    found = compute_measures(values, protocol, INVENTORY)
    lost = sum(values.undefined.values())
    assert len(values.values) + lost == n
    assert found.g_s.n == n - lost
    if not lost and protocol.min_sentences == 1:
        assert found.g_s.value is not None
        assert found.g_s.value > 0
    assert ("inclination" in protocol.without) == (
        {figure.reason for figure in found.inclination} == {"not_in_protocol"}
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_masked_difference_under_gest_is_the_study_s_score(
    family: str, masked_folders: dict[str, Path]
) -> None:
    """log10 P of each variant's differing word where it is masked, as GEST computes it."""
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    folder = masked_folders[family]
    texts = ('"I som doma', '"B som doma')
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float64).eval()
    ids = [tokenizer(text)["input_ids"] for text in texts]
    # The study keeps variants of equal length with one difference.
    assert sum(one != other for one, other in zip(*ids, strict=True)) == 1
    expected = []
    for own, other in (ids, ids[::-1]):
        places = [k for k in range(len(own)) if own[k] != other[k]]
        copy = torch.tensor([own])
        copy[0, places] = tokenizer.mask_token_id
        with torch.no_grad():
            probabilities = model(copy).logits[0].softmax(dim=-1)
        expected.append(sum(math.log10(float(probabilities[k, own[k]])) for k in places))
    engine = load_masked_engine(str(folder), device="cpu", likelihood="masked-difference")
    ((masculine, feminine),) = engine.score_pairs([texts])
    ratio = (sum(masculine.logprobs_nats) - sum(feminine.logprobs_nats)) / math.log(10)
    assert ratio == pytest.approx(expected[0] - expected[1], abs=MAX_LOGPROB_ERROR)


def test_measures_of_scores_are_those_of_their_log_ratios(pairs: tuple[PairScores, ...]) -> None:
    gest = protocol_named("gest")
    values = compute_values(select_pairs(pairs, "pooled"), gest)
    ratios: dict[int, list[float]] = {one: [] for one in INVENTORY.ids}
    for value in values.values:
        ratios[value.item.stereotype_id].append(value.means.logit_r / math.log(10))
    of_file = compute_log_ratio_measures(ratios, "gest", INVENTORY, seed=1, draws=5)
    found = compute_measures(values, gest, INVENTORY)
    assert found.g_s.value == pytest.approx(of_file[0].value)
    assert [figure.value for figure in found.q] == pytest.approx(
        [figure.value for figure in of_file if figure.name == "q_i"]
    )
