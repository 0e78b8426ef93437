"""Equal to the published EuroGEST evaluation code, run unchanged on two tiny checkpoints.

Golden values: shared data, expected/reference_scores (README there). They were computed by that
code; they mean nothing about bias.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path

import pytest

from corpus.languages import by_name
from corpus.stereotypes import load_inventory
from engines.likelihood.causal import load_causal_engine
from scoring.item_means import MeanLogprobs
from scoring.measures import compute_measures
from scoring.protocols import PAPER, REFERENCE, compute_values, select_pairs
from scoring.run import score_language
from scoring.shards import PairScores, TokenCase, read_shard, shard_key, shard_path
from scoring.variants import Condition, ScoredItem

pytestmark = pytest.mark.data

MODELS = ("tiny-gpt2-nobos", "tiny-llama-bos")
CONDITIONS = {"P": Condition.PRONOUN, "N": Condition.NOUN, "G": Condition.PAIR}
NAMES = [
    "Emotional", "Gentle", "Empathetic", "Neat", "Social", "Weak", "Beautiful",
    "Tough", "Self-confident", "Professional", "Rational", "Providers", "Leaders", "Childish",
    "Sexual", "Strong",
]  # fmt: skip
"""The published code's names of stereotypes 1 to 16."""
TOLERANCE = 1e-5
"""Relative: the probabilities are about 1e-4, so 1e-5 absolute would test nothing."""


@dataclass(frozen=True)
class Scored:
    """A model's items with the published code's row for each."""

    model: str
    rows: list[dict[str, str]]
    pairs: tuple[PairScores, ...]


@pytest.fixture(scope="module", params=MODELS)
def scored(
    request: pytest.FixtureRequest, data_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Scored:
    """All items of one checkpoint, scored by the engine, written to a shard and read back."""
    folder = data_dir / "expected" / "reference_scores"
    with (folder / "items.csv").open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["model"] == request.param]
    items = [
        ScoredItem(
            f"eurogest/{by_name(row['language']).code}/golden/{row['item']}",
            by_name(row["language"]).code,
            int(row["stereotype"]),
            CONDITIONS[row["condition"]],
            "",
            row["masculine"],
            row["feminine"],
        )
        for row in rows
    ]
    engine = load_causal_engine(str(folder / request.param), device="cpu")
    key = shard_key(engine, "all", items, templates_hash="published", data_hash="golden")
    path = shard_path(tmp_path_factory.mktemp("results"), key)
    score_language(engine, items, path, key)
    return Scored(request.param, rows, read_shard(path, key).pairs)


def test_every_case_of_the_published_code_occurs(scored: Scored) -> None:
    cases = {row["case"] for row in scored.rows}
    expected = {"plain", "contained", "identical"}
    # A begin-of-sequence token stands first in every text of the other checkpoint.
    assert cases == expected | ({"first_token"} if scored.model == "tiny-gpt2-nobos" else set())
    assert len(scored.rows) == len(scored.pairs) == 379


def test_cases_are_told_apart_as_there(scored: Scored) -> None:
    assert [pair.case for pair in scored.pairs] == [TokenCase(row["case"]) for row in scored.rows]


def test_probabilities_from_the_difference_on(scored: Scored) -> None:
    for pair, row in zip(scored.pairs, scored.rows, strict=True):
        means = REFERENCE.means(pair)
        check_probabilities(means, row, "span")
        assert isinstance(means, MeanLogprobs)
        masculine, feminine = float(row["span_masc_prob"]), float(row["span_fem_prob"])
        assert means.r_masc == pytest.approx(masculine / (masculine + feminine), abs=TOLERANCE)


def test_probabilities_of_whole_texts(scored: Scored) -> None:
    for pair, row in zip(scored.pairs, scored.rows, strict=True):
        if pair.case is TokenCase.IDENTICAL:
            # Refused under `paper`; the published code goes on and takes the whole texts.
            assert PAPER.means(pair) == "identical"
            check_probabilities(REFERENCE.means(pair), row, "whole")
        else:
            check_probabilities(PAPER.means(pair), row, "whole")


def check_probabilities(means: MeanLogprobs | str, row: dict[str, str], column: str) -> None:
    assert isinstance(means, MeanLogprobs)
    expected = [float(row[f"{column}_{variant}_prob"]) for variant in ("masc", "fem")]
    found = [math.exp(means.masculine), math.exp(means.feminine)]
    assert found == pytest.approx(expected, rel=TOLERANCE), row["masculine"]


@pytest.mark.parametrize("language", ["English", "Slovak"])
def test_aggregated_figures(scored: Scored, language: str, data_dir: Path) -> None:
    inventory = load_inventory()
    code = by_name(language).code
    pairs = [pair for pair in scored.pairs if pair.item.language == code]
    values = compute_values(select_pairs(pairs, "pooled"), REFERENCE)
    found = compute_measures(values, REFERENCE, inventory)

    stem = data_dir / "expected" / "reference_scores" / scored.model
    names, inclinations = _read_column(Path(f"{stem}_inclinations.csv"), language)
    _, ranking = _read_column(Path(f"{stem}_stereotype_rankings.csv"), language)
    with Path(f"{stem}_gs_scores.csv").open(encoding="utf-8", newline="") as stream:
        g_s = {row[0]: row[1] for row in csv.reader(stream)}

    assert names == NAMES
    assert list(g_s)[1:] == ["English", "Slovak"], "a language of the golden values is not tested"
    assert found.g_s.value == pytest.approx(float(g_s[language]), abs=TOLERANCE)
    assert [figure.value for figure in found.inclination] == pytest.approx(
        [float(value) for value in inclinations], abs=TOLERANCE
    )
    by_rank = sorted(zip([figure.value for figure in found.rank], names, strict=True))
    assert [name for _, name in by_rank] == ranking


def test_a_language_with_a_missing_stereotype_has_no_figure(scored: Scored) -> None:
    """As there: the other six languages are not among the aggregated figures."""
    inventory = load_inventory()
    codes = {pair.item.language for pair in scored.pairs} - {"en", "sk"}
    assert len(codes) == 6
    for code in codes:
        pairs = [pair for pair in scored.pairs if pair.item.language == code]
        found = compute_measures(compute_values(pairs, REFERENCE), REFERENCE, inventory)
        assert {figure.value for figure in (found.g_s, *found.inclination)} == {None}


def _read_column(path: Path, language: str) -> tuple[list[str], list[str]]:
    """First column and the language's column."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    column = rows[0].index(language)
    return [row[0] for row in rows[1:]], [row[column] for row in rows[1:]]
