"""One sentence of a result: its tokens side by side, where they part, its value and its place."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import score_results

from app.charts_of_tokens import token_chart
from app.scores_page.sentence import describe_item
from app.views import score_items
from app.views.score_items import (
    DIFFERS,
    PARTS,
    LanguageItems,
    build_token_rows,
    describe_tokens,
    load_items,
    name_token,
    view_item,
)
from app.views.scores import load_result
from corpus.errors import InputError
from corpus.stereotypes import load_inventory
from engines.likelihood.protocol import CAUSAL, LIKELIHOODS, MASKED_DIFFERENCE, TokenScores
from scoring.item_means import LogOdds
from scoring.pair_scores import pair_scores
from scoring.shard_table import read_pairs
from scoring.token_texts import token_texts_path
from scoring.variants import Condition, ScoredItem


@pytest.fixture
def items(tmp_path: Path) -> LanguageItems:
    """Three scored Slovak sentences, two of stereotype 3 and one of 16."""
    folder = score_results.write_result(tmp_path / "results" / "toy")
    score_results.add_shard(folder)
    return load_items(load_result(folder), tmp_path / "results", "sk")


def test_tokens_stand_side_by_side_and_part_where_they_differ(items: LanguageItems) -> None:
    view = view_item(items, "eurogest/sk/a", "paper", "pair")
    cells = [(row.masculine, row.feminine, row.mark) for row in view.rows]
    assert cells == [
        ("<s>", "<s>", ""),
        ("Som", "Som", ""),
        ("rád", "rada", PARTS),
        ("tu", "tu", ""),
    ]
    assert [row.masculine_nats for row in view.rows] == [None, -1.0, -0.5, -1.0]
    assert [row.feminine_nats for row in view.rows] == [None, -1.0, -2.5, -1.0]
    assert [row.difference_nats for row in view.rows] == [None, 0.0, 2.0, 0.0]


def test_a_sentence_has_its_value_and_its_place_in_q(items: LanguageItems) -> None:
    # Mean of three tokens: −2.5/3 against −4.5/3, so that the logit is 2/3.
    view = view_item(items, "eurogest/sk/a", "paper", "pair")
    assert view.means is not None
    assert view.means.r_masc == pytest.approx(1 / (1 + math.exp(-2 / 3)), abs=1e-12)
    assert (view.place, view.sentences) == (1, 2)
    assert view.q == pytest.approx(0.67)
    other = view_item(items, "eurogest/sk/b", "paper", "pair")
    assert (other.place, other.sentences) == (2, 2)
    told = "\n".join(describe_item(view, load_inventory()))
    assert "r_masc 0.661" in told
    assert "Place 1 of 2 sentences" in told
    assert "q_i of the stereotype 0.670; default rate 0.600." in told


@pytest.mark.parametrize(
    ("protocol", "told"),
    [
        # Sums of −2.5 and −4.5 nats: e^2 in odds, e^(2 / ln 10) with mixed bases.
        ("gest-odds", "odds 7.389, P(masculine) / P(feminine); 1 is equal likelihood."),
        ("gest", "bases mixed as in GEST's code 2.384, no ratio of probabilities;"),
    ],
)
def test_odds_are_not_called_a_share(items: LanguageItems, protocol: str, told: str) -> None:
    view = view_item(items, "eurogest/sk/a", protocol, "pair")
    text = "\n".join(describe_item(view, load_inventory()))
    assert told in text
    assert "r_masc" not in text


def test_odds_beyond_any_number_are_infinite() -> None:
    assert LogOdds(0.0, -800.0, 10.0).odds == math.inf
    assert LogOdds(-800.0, 0.0, 10.0).odds == 0.0


def test_a_protocol_counts_from_where_they_part(items: LanguageItems) -> None:
    view = view_item(items, "eurogest/sk/a", "divergence", "pair")
    assert view.means is not None
    assert view.means.logit_r == pytest.approx((-1.5 / 2) - (-3.5 / 2))


def test_a_sentence_without_a_value_says_why(items: LanguageItems) -> None:
    view = view_item(items, "eurogest/sk/b", "terminated", "pair")
    assert view.means is None
    assert "not scored with an ending" in describe_item(view, load_inventory())[-1]


def test_tokens_without_a_text_are_shown_by_their_numbers(
    tmp_path: Path, items: LanguageItems
) -> None:
    token_texts_path(items.shard).unlink()
    view = view_item(items, "eurogest/sk/a", "paper", "pair")
    assert not view.has_texts
    assert view.rows[0].masculine == "#0"


def test_what_a_probability_is_of_follows_from_how_it_was_made() -> None:
    told = {each: describe_tokens(each) for each in LIKELIHOODS}
    assert len(set(told.values())) == len(LIKELIHOODS)
    assert [each for each, text in told.items() if "after those before it" in text] == [CAUSAL]
    assert [each for each, text in told.items() if "not shown" in text] == [MASKED_DIFFERENCE]


def test_spaces_and_breaks_are_visible() -> None:
    assert name_token(7, {7: " he\n"}) == "␣he⏎"
    assert name_token(7, {7: ""}) == "#7"


def test_equal_tokens_after_an_inserted_one_stand_in_one_row() -> None:
    item = ScoredItem("x", "sk", 3, Condition.PAIR, "", "a c d", "a b c e")
    pair = pair_scores(
        item,
        TokenScores((0, 1, 3, 4), (-1.0, -2.0, -3.0)),
        TokenScores((0, 1, 2, 3, 5), (-1.0,) * 4),
    )
    rows = build_token_rows(pair, dict(enumerate("_abcde")))
    assert [(row.masculine, row.feminine, row.mark) for row in rows] == [
        ("_", "_", ""),
        ("a", "a", ""),
        (None, "b", PARTS),
        ("c", "c", ""),
        ("d", "e", DIFFERS),
    ]
    assert rows[2].difference_nats is None


def test_the_chart_has_both_variants_and_the_line_where_they_part(items: LanguageItems) -> None:
    rows = view_item(items, "eurogest/sk/a", "paper", "pair").rows
    drawn = token_chart(rows)
    assert len(drawn["layer"]) == 4
    rows_drawn = [row for data in drawn["datasets"].values() for row in data if "variant" in row]
    points = {(row["variant"], row["place"]) for row in rows_drawn}
    assert points == {(name, place) for name in ("masculine", "feminine") for place in (1, 2, 3)}
    # Tokens that do not follow one another in the text have no line between them.
    apart = token_chart(rows, joined=False)
    assert [layer["mark"]["type"] for layer in apart["layer"]] == ["rule", "point"]


def test_one_sentence_is_shown_without_making_all_items(
    items: LanguageItems, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def read(table: Any) -> Any:
        found = read_pairs(table)
        made.append(len(found))
        return found

    monkeypatch.setattr("scoring.shard_columns.read_pairs", read)
    score_items._read_pairs.cache_clear()
    view_item(items, "eurogest/sk/c", "paper", "pair")
    assert made == [1]
    assert items.stereotypes("pair") == (3, 16)
    assert items.stereotypes("pooled") == (3, 16)
    assert items.stereotypes("noun") == ()
    assert items.stereotype_of("eurogest/sk/c") == 16
    assert items.stereotype_of("eurogest/sk/z") is None
    assert made == [1]
    with pytest.raises(InputError, match="has no sentence eurogest/sk/z in condition pair"):
        view_item(items, "eurogest/sk/z", "paper", "pair")


def test_sentences_are_listed_by_stereotype(items: LanguageItems) -> None:
    assert items.stereotypes("pair") == (3, 16)
    assert list(items.sentences("pair", 3)) == ["eurogest/sk/a", "eurogest/sk/b"]
    assert items.stereotype_of("eurogest/sk/c") == 16
    assert items.stereotype_of("nothing") is None


def test_a_sentence_or_shard_that_is_not_there_is_refused(
    tmp_path: Path, items: LanguageItems
) -> None:
    with pytest.raises(InputError, match="has no sentence nothing in condition pair"):
        view_item(items, "nothing", "paper", "pair")
    with pytest.raises(InputError, match="names no shard of this version for en"):
        load_items(items.result, tmp_path / "results", "en")
    items.shard.unlink()
    with pytest.raises(InputError, match="not there"):
        load_items(items.result, tmp_path / "results", "sk")
