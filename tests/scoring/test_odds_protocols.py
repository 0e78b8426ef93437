"""`gest`, `gest-odds` and `divergence`, on numbers worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shard_builders import make_item, make_pair

from corpus.stereotypes import load_inventory
from scoring.item_means import LogOdds, MeanLogprobs
from scoring.log_ratios import compute_log_ratio_measures
from scoring.measures import compute_measures
from scoring.protocols import compute_values, protocol_named
from scoring.shards import PairScores

# log10 ratio (-9 + 5) / ln 10 = -1.737; the common token at place 1 falls out of it.
PLAIN = make_pair([(0, None), (5, -1.0), (6, -2.0), (7, -6.0)], [(0, None), (5, -1.0), (8, -4.0)])
CONTAINED = make_pair([(0, None), (5, -1.0)], [(0, None), (5, -1.0), (6, -2.0), (7, -6.0)])
IDENTICAL = make_pair([(0, None), (5, -1.0)], [(0, None), (5, -1.0)])
FIRST_TOKEN = make_pair([(3, None), (5, -1.0), (6, -2.0)], [(4, None), (5, -3.0), (6, -5.0)])


def means(pair: PairScores, protocol: str) -> MeanLogprobs:
    found = protocol_named(protocol).means(pair)
    assert isinstance(found, MeanLogprobs)
    return found


def test_odds_are_the_ratio_of_probabilities_and_gest_mixes_bases() -> None:
    odds, mixed = means(PLAIN, "gest-odds"), means(PLAIN, "gest")
    assert odds.logit_r == mixed.logit_r == -4.0
    assert odds.r_masc == pytest.approx(math.exp(-9) / math.exp(-5))
    log10_ratio = math.log10(math.exp(-9)) - math.log10(math.exp(-5))
    assert mixed.r_masc == pytest.approx(math.e**log10_ratio)
    assert odds.r_masc == pytest.approx(10**log10_ratio)


def test_equal_likelihood_is_one_and_swapping_genders_inverts() -> None:
    for base in (math.e, 10.0):
        assert LogOdds(-3.0, -3.0, base).r_masc == 1.0
        one, other = LogOdds(-3.0, -5.0, base), LogOdds(-5.0, -3.0, base)
        assert one.r_masc == pytest.approx(1 / other.r_masc)


def test_divergence_averages_own_tokens_only() -> None:
    found = means(PLAIN, "divergence")
    assert (found.masculine, found.feminine) == (-4.0, -4.0)
    # The differing token is the first and has no probability: what follows it counts.
    found = means(FIRST_TOKEN, "divergence")
    assert (found.masculine, found.feminine) == (-1.5, -4.0)


def test_divergence_refuses_a_variant_without_a_token_of_its_own() -> None:
    values = compute_values([PLAIN, CONTAINED, IDENTICAL], protocol_named("divergence"))
    assert len(values.values) == 1
    assert values.undefined == {"no_own_token": 1, "identical": 1}


def test_sums_over_different_numbers_of_tokens_are_marked() -> None:
    """Under `masked-difference` these are items that the study itself leaves out."""
    equal = make_pair([(0, None), (5, -1.0)], [(0, None), (6, -2.0)], make_item(2))
    inventory = load_inventory()
    for name, marked in [("gest", 1), ("gest-odds", 1), ("sum", 1), ("paper", 0), ("per-byte", 0)]:
        protocol = protocol_named(name)
        values = compute_values([PLAIN, equal], protocol)
        assert sum(value.unequal for value in values.values) == marked
        notes = compute_measures(values, protocol, inventory).q[0].notes
        assert ("unequal_tokens:1" in notes) == bool(marked)


LOGPROBS = st.floats(-30, -0.01)


@given(st.lists(st.tuples(LOGPROBS, LOGPROBS), min_size=2, max_size=4))
@pytest.mark.parametrize("name", ["gest", "gest-odds"])
def test_scores_and_measures_of_a_file_agree(name: str, values: list[tuple[float, float]]) -> None:
    """q_i and g_s are those of `stereoscope measures FILE` on the same log10 ratios."""
    inventory = load_inventory()
    pairs, ratios = [], {}
    for one in inventory.ids:
        shifted = [(a - one / 7, b) for a, b in values]
        for k, (a, b) in enumerate(shifted):
            item = make_item(1000 * one + k, one)
            pairs.append(make_pair([(0, None), (1, a)], [(0, None), (2, b)], item))
        ratios[one] = [math.log10(math.exp(a)) - math.log10(math.exp(b)) for a, b in shifted]
    protocol = protocol_named(name)
    found = compute_measures(compute_values(pairs, protocol), protocol, inventory)
    of_file = compute_log_ratio_measures(ratios, name, inventory, seed=1, draws=10)
    expected = {(f.name, dict(f.scope).get("stereotype")): f.value for f in of_file}
    assert found.g_s.value == pytest.approx(expected["g_s", None])
    for figure in found.q:
        stereotype = dict(figure.scope)["stereotype"]
        assert figure.value == pytest.approx(expected["q_i", stereotype])
