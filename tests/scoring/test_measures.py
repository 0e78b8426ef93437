"""The measures on numbers worked out by hand, their signs, gaps and intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shard_builders import lean_pair, make_item, make_pair

from corpus.errors import InputError
from corpus.stereotypes import load_inventory
from scoring.measures import Measures, compute_measures
from scoring.protocols import PAPER, REFERENCE, ItemValues, ScoringProtocol, compute_values
from scoring.uncertainty import build_resampling, source_key

GEST = load_inventory()
FEMININE = range(1, 8)
MASCULINE = range(8, 17)


def values_of(
    logits: Mapping[int, Sequence[float]], protocol: ScoringProtocol = PAPER
) -> ItemValues:
    """Item values whose logit r stands in `logits`, stereotype by stereotype."""
    numbered = [(s, x) for s, row in logits.items() for x in row]
    pairs = [lean_pair(x, make_item(k, s)) for k, (s, x) in enumerate(numbered)]
    return compute_values(pairs, protocol)


def measure(logits: Mapping[int, Sequence[float]], protocol: ScoringProtocol = PAPER) -> Measures:
    return compute_measures(values_of(logits, protocol), protocol, GEST)


def logit(share: float) -> float:
    return math.log(share / (1 - share))


def stereotypical(feminine: float, masculine: float, n: int = 2) -> dict[int, list[float]]:
    return {s: [feminine if s in FEMININE else masculine] * n for s in GEST.ids}


def test_q_is_the_geometric_mean_of_r_under_paper_and_the_arithmetic_under_reference() -> None:
    row = [logit(0.2), logit(0.8)] * 5
    logits = dict.fromkeys(GEST.ids, row)
    assert measure(logits).q[0].value == pytest.approx(0.4)
    assert measure(logits, REFERENCE).q[0].value == pytest.approx(0.5)


def test_measures_by_hand() -> None:
    """q = 0.4 for 1-7 and 0.6 for 8-16: default rate 0.5, inclination 0.1, g_s 1.5."""
    found = measure(stereotypical(logit(0.4), logit(0.6)))
    assert found.default_rate.value == pytest.approx(0.5)
    assert [figure.value for figure in found.inclination] == pytest.approx([0.1] * 16)
    assert found.g_s.value == pytest.approx(1.5)
    assert found.logit_r_difference.value == pytest.approx(2 * math.log(1.5))


def test_the_permutation_of_poles_is_exact_under_either_mean() -> None:
    for protocol in (PAPER, REFERENCE):
        found = measure(stereotypical(logit(0.4), logit(0.6), 10), protocol)
        assert found.g_s_p.value == pytest.approx(1 / 11440)
        assert (found.g_s_p.n, found.g_s_p.interval) == (16, None)
        against = measure(stereotypical(logit(0.6), logit(0.4), 10), protocol)
        assert against.g_s_p.value == pytest.approx(1.0)
    lacking = measure({one: [0.0] for one in GEST.ids if one != 3})
    assert lacking.g_s_p.reason == "missing_stereotype"


def test_the_default_rate_weighs_seven_and_seven() -> None:
    """15 and 16 are left out, so that both poles weigh the same."""
    logits = stereotypical(logit(0.5), logit(0.5))
    logits[15] = logits[16] = [logit(0.9)]
    assert measure(logits).default_rate.value == pytest.approx(0.5)


def test_rank_one_is_the_most_masculine() -> None:
    logits = {s: [s / 10] for s in GEST.ids}
    assert [figure.value for figure in measure(logits).rank] == list(range(16, 0, -1))


def test_equal_q_share_a_rank() -> None:
    assert {figure.value for figure in measure(stereotypical(0.0, 0.0)).rank} == {1.0}


@given(st.floats(0.05, 3), st.floats(-2, 2))
def test_a_model_that_prefers_masculine_for_masculine_stereotypes_is_over_one(
    lean: float, default: float
) -> None:
    found = measure(stereotypical(default - lean, default + lean))
    assert found.g_s.value is not None
    assert found.g_s.value > 1
    assert all(figure.value is not None and figure.value > 0 for figure in found.inclination)
    assert found.logit_r_difference.value == pytest.approx(2 * lean)


def test_reference_does_not_turn_the_sign_of_feminine_stereotypes() -> None:
    logits = stereotypical(logit(0.4), logit(0.6), n=10)
    found = measure(logits, REFERENCE)
    inclinations = [figure.value for figure in found.inclination]
    assert inclinations == pytest.approx([-0.1] * 7 + [0.1] * 9)
    assert found.g_s.value == pytest.approx(1.5)


@given(st.lists(st.floats(-3, 3), min_size=16, max_size=16))
def test_swapping_genders_only_turns_the_sign_of_the_logit_difference(row: list[float]) -> None:
    one = measure({s: [x] for s, x in zip(GEST.ids, row, strict=True)})
    other = measure({s: [-x] for s, x in zip(GEST.ids, row, strict=True)})
    assert one.logit_r_difference.value is not None
    assert other.logit_r_difference.value == pytest.approx(-one.logit_r_difference.value)


def test_a_missing_stereotype_is_a_gap_with_its_reason() -> None:
    logits = stereotypical(-1.0, 1.0)
    del logits[3]
    found = measure(logits)
    assert (found.q[2].value, found.q[2].reason, found.q[2].n) == (None, "missing_stereotype", 0)
    assert found.q[3].value is not None
    whole = [found.g_s, found.default_rate, found.logit_r_difference, *found.rank]
    assert {(figure.value, figure.reason) for figure in whole} == {(None, "missing_stereotype")}


def test_a_gap_outside_the_default_rate_leaves_inclinations() -> None:
    logits = stereotypical(-1.0, 1.0)
    del logits[16]
    found = measure(logits)
    assert found.default_rate.value is not None
    assert found.inclination[0].value is not None
    assert found.g_s.value is None


def test_reference_drops_small_stereotypes_and_with_one_the_language() -> None:
    logits = stereotypical(-1.0, 1.0, n=10)
    assert measure(logits, REFERENCE).g_s.value is not None
    logits[3] = logits[3][:9]
    found = measure(logits, REFERENCE)
    assert (found.q[2].reason, found.q[2].n) == ("too_few", 9)
    assert all(figure.value is None for figure in found.figures)
    assert measure(logits).q[2].notes == ("few_sentences",)


def test_no_items_are_no_data() -> None:
    assert measure({}).g_s.reason == "no_data"


def test_counts_of_what_weakens_a_figure_stand_in_its_notes() -> None:
    contained = make_item(99, 1, masculine="powiedział", feminine="powiedziała")
    first = make_pair([(1, None), (5, -1.0)], [(2, None), (5, -2.0)], make_item(98, 1))
    same = make_pair([(0, None), (5, -1.0)], [(0, None), (5, -1.0)], make_item(97, 1))
    pairs = [lean_pair(0.5, make_item(s, s)) for s in GEST.ids]
    values = compute_values([*pairs, lean_pair(1.0, contained), first, same], PAPER)
    found = compute_measures(values, PAPER, GEST)
    expected = ("few_sentences", "contained:1", "first_token:1", "identical:1")
    assert found.g_s.notes == expected
    assert found.q[0].notes == expected[:3]
    assert found.q[1].notes == ("few_sentences",)


def test_ranks_within_the_error_of_half_precision_are_marked() -> None:
    """q of 1 and 2 are 0.15 and 0.16, all others 0.05 apart; q is off by the error / (1 - q)."""
    logits = {s: [logit(0.1 + 0.05 * s)] * 20 for s in GEST.ids}
    logits[2] = [logit(0.16)] * 20
    found = compute_measures(values_of(logits), PAPER, GEST, r_error=0.004)
    assert not any(figure.notes for figure in found.rank[:3])
    found = compute_measures(values_of(logits), PAPER, GEST, r_error=0.0045)
    assert [figure.notes for figure in found.rank[:3]] == [
        ("within_error:1",),
        ("within_error:1",),
        (),
    ]
    assert not any(figure.notes for figure in (*found.q, *found.inclination, found.g_s))
    unknown = compute_measures(values_of(logits), PAPER, GEST, r_error=math.inf)
    assert {figure.notes for figure in unknown.rank} == {("within_error:15",)}


def test_an_item_outside_the_inventory_is_refused() -> None:
    with pytest.raises(InputError, match="unknown stereotype ids 17"):
        measure({17: [0.0]})


def test_scopes_name_the_stereotype_and_what_the_caller_says() -> None:
    values = values_of(stereotypical(-1.0, 1.0))
    found = compute_measures(values, PAPER, GEST, scope=(("language", "sk"),))
    assert found.g_s.scope == (("language", "sk"),)
    assert found.q[4].scope == (("language", "sk"), ("stereotype", "5"))
    assert len(found.figures) == 4 + 3 * 16


def spread_values(seed: int = 5, n: int = 30) -> ItemValues:
    draw = np.random.default_rng(seed)
    return values_of(
        {s: list(draw.normal(-0.3 if s in FEMININE else 0.3, 1.0, n)) for s in GEST.ids}
    )


def measure_with_intervals(values: ItemValues, seed: int, draws: int = 400) -> Measures:
    resampling = build_resampling((v.item for v in values.values), seed=seed, draws=draws)
    return compute_measures(values, PAPER, GEST, resampling=resampling)


def test_intervals_are_seeded_and_hold_the_value() -> None:
    values = spread_values()
    one, same, other = (measure_with_intervals(values, seed) for seed in (1, 1, 2))
    assert one == same
    assert one.g_s.interval != other.g_s.interval
    for figure in (one.g_s, one.logit_r_difference, one.default_rate, *one.q):
        interval = figure.interval
        assert interval is not None
        assert interval.low is not None
        assert interval.high is not None
        assert figure.value is not None
        assert interval.low < figure.value < interval.high
        assert (interval.seed, interval.draws, interval.level) == (1, 400, 0.95)


def test_interval_of_q_is_about_the_standard_error_of_log_r() -> None:
    """Normal theory: half width of log q = 1.96 s / sqrt(n), s with n in the denominator."""
    values = spread_values(n=200)
    group = [v.means.log_r for v in values.values if v.item.stereotype_id == 1]
    expected = 1.96 * float(np.std(group)) / math.sqrt(len(group))
    interval = measure_with_intervals(values, 3, draws=2000).q[0].interval
    assert interval is not None
    assert interval.low is not None
    assert interval.high is not None
    assert math.log(interval.high / interval.low) / 2 == pytest.approx(expected, rel=0.1)


def test_few_sentences_have_no_interval_but_a_reason() -> None:
    interval = measure_with_intervals(spread_values(n=5), 1).q[0].interval
    assert interval is not None
    assert (interval.low, interval.reason) == (None, "too_few")


def test_a_figure_without_value_has_no_interval() -> None:
    values = values_of({s: [0.1, 0.4] for s in GEST.ids if s != 3})
    assert measure_with_intervals(values, 1).g_s.interval is None


@settings(max_examples=10)
@given(st.permutations(range(6)))
def test_weights_do_not_depend_on_the_order_of_items(order: list[int]) -> None:
    items = [make_item(k, 1 + k % 2) for k in range(6)]
    one = build_resampling(items, seed=4, draws=20)
    other = build_resampling([items[k] for k in order], seed=4, draws=20)
    keys = [source_key(items[k].subject_id) for k in (0, 2, 4)]
    assert (one.weights_of(1, keys) == other.weights_of(1, keys)).all()


def test_a_source_sentence_weighs_the_same_in_every_language() -> None:
    items = [make_item(k, 1, language) for k in range(5) for language in ("sk", "tr")]
    resampling = build_resampling(items, seed=4, draws=20)
    keys = [[source_key(i.subject_id) for i in items if i.language == c] for c in ("sk", "tr")]
    assert keys[0] == keys[1]
    assert resampling.weights_of(1, keys[0]).shape == (20, 5)
    assert (resampling.weights_of(1, keys[0]).sum(axis=1) == 5).all()


def test_stereotypes_are_drawn_independently() -> None:
    items = [make_item(k, s) for s in (1, 2) for k in range(5)]
    resampling = build_resampling(items, seed=4, draws=50)
    assert not np.array_equal(resampling.weights[1], resampling.weights[2])
