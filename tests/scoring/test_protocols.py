"""r_masc under each protocol, on numbers worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shard_builders import make_item, make_pair

from corpus.errors import SettingsError
from scoring.item_means import MeanLogprobs
from scoring.protocols import (
    PAPER,
    PER_BYTE,
    REFERENCE,
    SUM,
    ScoringProtocol,
    compute_values,
    protocol_named,
    select_pairs,
)
from scoring.shards import PairScores
from scoring.variants import Condition

FINITE = st.floats(-1e6, 0, allow_nan=False)


def means(pair: PairScores, protocol: str) -> tuple[float, float]:
    found = protocol_named(protocol).means(pair)
    assert isinstance(found, MeanLogprobs)
    return found.masculine, found.feminine


PLAIN = make_pair([(0, None), (5, -1.0), (6, -2.0), (7, -6.0)], [(0, None), (5, -1.0), (8, -4.0)])
CONTAINED = make_pair(
    [(0, None), (5, -1.0), (6, -2.0)], [(0, None), (5, -1.0), (6, -2.0), (7, -6.0)]
)
IDENTICAL = make_pair([(0, None), (5, -1.0), (6, -2.0)], [(0, None), (5, -1.0), (6, -2.0)])
FIRST_TOKEN = make_pair([(3, None), (5, -1.0), (6, -2.0)], [(4, None), (5, -3.0), (6, -5.0)])


@pytest.mark.parametrize(
    ("pair", "expected"),
    [(PLAIN, (-3.0, -2.5)), (CONTAINED, (-1.5, -3.0)), (FIRST_TOKEN, (-1.5, -4.0))],
)
def test_paper_averages_all_scored_tokens(pair: PairScores, expected: tuple[float, float]) -> None:
    assert means(pair, "paper") == expected


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (PLAIN, (-4.0, -4.0)),
        # From the last token of the shorter list.
        (CONTAINED, (-2.0, -4.0)),
        # All tokens, r = 0.5.
        (IDENTICAL, (-1.5, -1.5)),
        # The last token alone.
        (FIRST_TOKEN, (-2.0, -5.0)),
    ],
)
def test_reference_averages_from_the_difference_on_with_its_defects(
    pair: PairScores, expected: tuple[float, float]
) -> None:
    assert means(pair, "reference") == expected


@pytest.mark.parametrize(
    ("pair", "expected"),
    [(PLAIN, (-9.0, -5.0)), (CONTAINED, (-3.0, -9.0)), (FIRST_TOKEN, (-3.0, -8.0))],
)
def test_sum_takes_the_whole_text_whatever_its_length(
    pair: PairScores, expected: tuple[float, float]
) -> None:
    assert means(pair, "sum") == expected


def test_per_byte_divides_by_bytes_and_not_by_characters() -> None:
    # "bol som šťastný" has 15 characters and 18 bytes, "bola som šťastná" 16 and 19.
    item = make_item(masculine="bol som šťastný", feminine="bola som šťastná")
    pair = make_pair([(0, None), (5, -9.0)], [(0, None), (6, -19.0)], item)
    assert means(pair, "per-byte") == (-0.5, -1.0)


@pytest.mark.parametrize("protocol", [PAPER, SUM, PER_BYTE])
def test_equal_tokens_have_no_value_and_are_counted(protocol: ScoringProtocol) -> None:
    values = compute_values([PLAIN, IDENTICAL, IDENTICAL], protocol)
    assert len(values.values) == 1
    assert values.undefined == {"identical": 2}


def test_a_text_without_a_scored_token_has_no_value() -> None:
    single = make_pair([(3, None)], [(4, None), (5, -1.0)])
    for protocol in (PAPER, REFERENCE, SUM, PER_BYTE):
        assert compute_values([single], protocol).undefined == {"no_scored_token": 1}


def test_r_masc_is_the_share_of_the_masculine_variant() -> None:
    found = MeanLogprobs(math.log(0.3), math.log(0.1))
    assert found.r_masc == pytest.approx(0.75)
    assert found.log_r == pytest.approx(math.log(0.75))
    assert found.logit_r > 0


@given(FINITE, FINITE)
def test_shares_of_both_genders_sum_to_one_and_logs_stay_finite(a: float, b: float) -> None:
    one, other = MeanLogprobs(a, b), MeanLogprobs(b, a)
    assert one.r_masc + other.r_masc == pytest.approx(1.0)
    assert math.isfinite(one.log_r)
    assert one.log_r <= 0
    assert one.logit_r == -other.logit_r


def test_pooled_takes_each_sentence_once_pronoun_before_noun() -> None:
    def scored(number: int, condition: Condition) -> PairScores:
        return make_pair([(0, None), (1, -1.0)], [(0, None), (2, -1.0)],
                         make_item(number, condition=condition))  # fmt: skip

    pairs = [
        scored(1, Condition.NOUN),
        scored(1, Condition.PRONOUN),
        scored(2, Condition.NOUN),
        scored(3, Condition.PAIR),
    ]
    assert select_pairs(pairs, "pooled") == tuple(pairs[1:])
    assert select_pairs(pairs, "noun") == (pairs[0], pairs[2])
    assert select_pairs(pairs, "pronoun") == (pairs[1],)
    assert select_pairs(pairs, "pair") == (pairs[3],)


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match="use one of paper, reference, terminated"):
        protocol_named("papers")
    with pytest.raises(SettingsError, match="use one of pair, noun, pronoun, pooled"):
        select_pairs([], "nouns")
