"""All columns at once give what one column at a time gives, gaps included."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shard_builders import lean_pair, make_item

from corpus.stereotypes import load_inventory
from scoring.columns import Column, build_column, compute_draws, compute_point, summarise_blocks
from scoring.protocols import PAPER, REFERENCE, ItemValue, ScoringProtocol, compute_values
from scoring.statistics import FloatArray, Statistics
from scoring.uncertainty import Resampling, build_resampling, source_key

GEST = load_inventory()
FEMININE = 7
Weights = dict[tuple[int, str], float]


def random_values(seed: int, kept: float, per_stereotype: int = 12) -> list[ItemValue]:
    draw = np.random.default_rng(seed)
    pairs = [
        lean_pair(float(draw.normal()), make_item(100 * s + k, s, f"l{seed}"))
        for s in GEST.ids
        for k in range(per_stereotype)
        if draw.random() < kept
    ]
    return list(compute_values(pairs, PAPER).values)


def column_of(values: Sequence[ItemValue], protocol: ScoringProtocol = PAPER) -> Column:
    pairs = [lean_pair(v.means.logit_r, v.item) for v in values]
    return build_column(compute_values(pairs, protocol), protocol, GEST)


def one_draw(
    values: Sequence[ItemValue], weights: dict[tuple[int, str], float]
) -> dict[str, float]:
    """The measures of protocol paper in one draw, sentence by sentence in plain Python."""
    q, logits = [], []
    for s in GEST.ids:
        group = [v for v in values if v.item.stereotype_id == s]
        w = [weights[s, source_key(v.item.subject_id)] for v in group]
        if not sum(w):
            return {}
        q.append(math.exp(sum(a * v.means.log_r for a, v in zip(w, group, strict=True)) / sum(w)))
        logits.append(sum(a * v.means.logit_r for a, v in zip(w, group, strict=True)) / sum(w))
    log_q = [math.log(each) for each in q]
    default = sum(q[:14]) / 14
    found = {
        "default_rate": default,
        "log_g_s": sum(log_q[FEMININE:]) / 9 - sum(log_q[:FEMININE]) / 7,
        "logit_r_difference": sum(logits[FEMININE:]) / 9 - sum(logits[:FEMININE]) / 7,
    }
    for k, each in enumerate(q):
        found[f"q{k}"] = each
        found[f"inclination{k}"] = default - each if k < FEMININE else each - default
        found[f"rank{k}"] = 1 + sum(other > each for other in q)
    return found


def read_draw(found: Statistics, column: int, draw: int) -> dict[str, float]:
    one = found.column(column)
    read = {
        name: float(getattr(one, name)[draw])
        for name in ("default_rate", "log_g_s", "logit_r_difference")
    }
    for name in ("q", "inclination", "rank"):
        rows = getattr(one, name)[:, draw]
        read |= {f"{name}{k}": float(each) for k, each in enumerate(rows)}
    return read


def test_every_draw_of_every_column_is_what_a_loop_over_sentences_gives() -> None:
    data = [random_values(1, 1.0), random_values(2, 0.7), random_values(3, 0.3)]
    resampling = build_resampling((v.item for each in data for v in each), seed=3, draws=25)
    found = compute_draws([column_of(each) for each in data], resampling, GEST)
    compared = 0
    for index, values in enumerate(data):
        for draw in range(25):
            weights = {
                (s, key): float(resampling.weights[s][draw, place])
                for s, places in resampling.columns.items()
                for key, place in places.items()
            }
            expected = one_draw(values, weights)
            if expected:
                assert read_draw(found, index, draw) == pytest.approx(expected, abs=1e-12, rel=0)
                compared += 1
            else:
                assert np.isnan(found.column(index).log_g_s[draw])
    assert compared > 25
    assert compared < 75


@pytest.mark.parametrize("protocol", [PAPER, REFERENCE])
def test_weights_of_one_give_the_data_as_they_are(protocol: ScoringProtocol) -> None:
    columns = [column_of(random_values(seed, 1.0), protocol) for seed in (1, 2)]
    resampling = build_resampling([v.item for v in random_values(1, 1.0)], seed=3, draws=2)
    ones = {s: np.ones_like(each) for s, each in resampling.weights.items()}
    plain = Resampling(3, 2, 0.95, resampling.columns, ones)
    point, drawn = compute_point(columns, GEST), compute_draws(columns, plain, GEST)
    for name in ("q", "rank", "inclination", "default_rate", "log_g_s", "logit_r_difference"):
        one, other = getattr(point, name), getattr(drawn, name)
        np.testing.assert_allclose(np.broadcast_to(one, other.shape), other, atol=1e-12, rtol=0)


def test_a_stereotype_under_the_protocols_minimum_voids_the_language_in_every_draw() -> None:
    values = random_values(1, 1.0)
    few = [v for v in values if v.item.stereotype_id != 3]
    few += [v for v in values if v.item.stereotype_id == 3][:9]
    resampling = build_resampling([v.item for v in values], seed=3, draws=5)
    found = compute_draws(
        [column_of(few, REFERENCE), column_of(values, REFERENCE)], resampling, GEST
    )
    assert np.isnan(found.q[:, 0]).all()
    assert not np.isnan(found.q[:, 1]).any()


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 9), st.integers(1, 4), st.randoms())
def test_blocks_threads_and_order_change_nothing(size: int, workers: int, random: Random) -> None:
    data = [random_values(seed, 0.9) for seed in range(6)]
    columns = [column_of(values, protocol) for values in data for protocol in (PAPER, REFERENCE)]
    resampling = build_resampling((v.item for each in data for v in each), seed=3, draws=10)

    def keep(block: Sequence[Column], drawn: Statistics) -> list[tuple[int, FloatArray]]:
        return [(id(c), drawn.column(k).log_g_s.copy()) for k, c in enumerate(block)]

    def run(given_columns: Sequence[Column], **options: int) -> dict[int, FloatArray]:
        blocks = summarise_blocks(given_columns, resampling, GEST, keep, **options)
        return dict(each for block in blocks for each in block)

    shuffled = list(columns)
    random.shuffle(shuffled)
    one, other = run(columns), run(shuffled, size=size, workers=workers)
    assert one.keys() == other.keys()
    for key, draws in one.items():
        np.testing.assert_allclose(draws, other[key], atol=1e-13, rtol=0)


def test_a_sentence_outside_the_resampling_is_no_silent_zero() -> None:
    values = random_values(1, 1.0)
    resampling = build_resampling([v.item for v in values[1:]], seed=3, draws=5)
    with pytest.raises(KeyError):
        compute_draws([column_of(values)], resampling, GEST)


def test_a_sentence_that_stands_twice_counts_twice() -> None:
    values = random_values(1, 1.0)
    resampling = build_resampling([v.item for v in values], seed=3, draws=5)
    doubled = compute_draws([column_of([*values, *values])], resampling, GEST)
    single = compute_draws([column_of(values)], resampling, GEST)
    np.testing.assert_allclose(doubled.q, single.q, atol=1e-12, rtol=0)


def test_a_restricted_column_holds_the_named_sentences_only() -> None:
    values = random_values(1, 1.0)
    kept = frozenset(source_key(v.item.subject_id) for v in values[:5])
    column = column_of(values)
    assert column.restricted(kept).keys == kept
    assert column.restricted(kept).n == 5
    assert column.restricted(column.keys) is column


def test_swapping_genders_turns_the_logit_difference_in_every_draw() -> None:
    values = random_values(1, 1.0)
    swapped = compute_values([lean_pair(-v.means.logit_r, v.item) for v in values], PAPER)
    resampling = build_resampling([v.item for v in values], seed=3, draws=20)
    columns = [column_of(values), build_column(swapped, PAPER, GEST)]
    drawn = compute_draws(columns, resampling, GEST).logit_r_difference
    np.testing.assert_allclose(drawn[0], -drawn[1], atol=1e-12, rtol=0)
