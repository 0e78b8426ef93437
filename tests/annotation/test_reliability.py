"""Reliability of raters: values by hand and by SciPy, marks, and what must not matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from annotation.answering_measures import (
    PERMUTATIONS,
    compute_run_p,
    compute_sd_draws,
    find_longest_runs,
    is_fast,
)
from annotation.control_measures import compute_rank_biserial_draws, compute_signed_rank_p
from annotation.rater_answers import GivenAnswer, RaterAnswers, gather_rater_answers
from annotation.rater_shift import compute_z_scores
from annotation.reliability import (
    MARKS,
    RaterReliability,
    assess_raters,
    build_reliability_figures,
    compute_reliability,
)
from corpus.records import Assignment, GenderLabel, Item, Label, Purpose
from corpus.store import Store
from tests.store_builders import (
    add_batch,
    add_candidates,
    add_ratings,
    add_sources,
    exclude,
    make_candidate,
    make_source,
    standing_of,
)

NEUTRAL, MASCULINE = GenderLabel.NEUTRAL, GenderLabel.MASCULINE
SCOPE = (("language", "sk"),)
SEED = 7


def answer(
    number: int,
    score: float | None,
    label: GenderLabel | None = NEUTRAL,
    *,
    purpose: Purpose = Purpose.SAMPLE,
    of: int | None = None,
    words: int = 10,
    seconds: float | None = None,
) -> GivenAnswer:
    origin = None if of is None else f"b/{of:04d}"
    return GivenAnswer(f"b/{number:04d}", purpose, origin, score, label, words, seconds)


def rater(name: str, answers: Sequence[GivenAnswer], excluded: bool = False) -> RaterAnswers:
    return RaterAnswers(name, (("b", tuple(answers)),), ("b",) if excluded else ())


def scored(name: str, scores: Sequence[float], excluded: bool = False) -> RaterAnswers:
    return rater(name, [answer(number, score) for number, score in enumerate(scores)], excluded)


def with_controls(
    name: str, pairs: Sequence[tuple[float, float]], purpose: Purpose, same_label: int = 99
) -> RaterAnswers:
    """A pair for each original and control item; the first so many have the same label."""
    originals = [answer(number, one) for number, (one, _) in enumerate(pairs)]
    controls = [
        answer(
            100 + number,
            other,
            NEUTRAL if number < same_label else MASCULINE,
            purpose=purpose,
            of=number,
        )
        for number, (_, other) in enumerate(pairs)
    ]
    return rater(name, [each for both in zip(originals, controls, strict=True) for each in both])


def assess(*raters: RaterAnswers) -> dict[str, RaterReliability]:
    return {each.rater_id: each for each in assess_raters(raters, SCOPE, SEED, draws=200)}


def test_self_consistency_on_repeats() -> None:
    pairs = [(90.0, 80.0), (66.0, 66.0), (50.0, 55.0), (100.0, 95.0), (30.0, 50.0)]
    found = assess(with_controls("r1", pairs, Purpose.REPEAT, same_label=4))["r1"]
    alike = found.find("repeat_label_agreement")
    # Wilson interval of 4 of 5 as published (Newcombe 1998, method 3): 0.3755 to 0.9638.
    assert (alike.value, alike.n) == (0.8, 5)
    assert alike.interval is not None
    assert alike.interval.low == pytest.approx(0.3755, abs=5e-5)
    assert alike.interval.high == pytest.approx(0.9638, abs=5e-5)
    # By hand: |10| + 0 + |-5| + |5| + |-20| over 5.
    assert found.find("repeat_da_difference").value == pytest.approx(8.0)
    expected = stats.pearsonr(*zip(*pairs, strict=True)).statistic
    assert found.find("repeat_da_correlation").value == pytest.approx(expected, abs=1e-12)
    assert found.find("repeat_da_correlation").notes == ("weak",)


@pytest.mark.parametrize(("n", "reason"), [(0, "no_data"), (1, "too_few"), (4, "too_few")])
def test_too_few_control_items_carry_no_figure(n: int, reason: str) -> None:
    for purpose in (Purpose.REPEAT, Purpose.DEGRADED):
        found = assess(with_controls("r1", [(90.0, 10.0)] * n, purpose))["r1"]
        stem = "repeat_" if purpose is Purpose.REPEAT else "degraded_"
        mine = [each for each in found.figures if each.name.startswith(stem)]
        assert len(mine) >= 3
        assert {(each.value, each.reason, each.n) for each in mine} == {(None, reason, n)}


def test_constant_repeats_have_no_correlation() -> None:
    found = assess(with_controls("r1", [(90.0, 90.0 + each) for each in range(6)], Purpose.REPEAT))
    figure = found["r1"].find("repeat_da_correlation")
    assert (figure.value, figure.reason) == (None, "constant_input")


def test_degraded_translations_by_hand() -> None:
    falls = [10.0, 10.0, 5.0, 0.0, -5.0, 40.0]
    pairs = [(50.0, 50.0 - fall) for fall in falls]
    found = assess(with_controls("r1", pairs, Purpose.DEGRADED))["r1"]
    assert found.find("degraded_lower").value == pytest.approx(4 / 6)
    assert found.find("degraded_da_difference").value == pytest.approx(10.0)
    # Ranks of 0, 5, 5, 10, 10, 40 are 1, 2.5, 2.5, 4.5, 4.5, 6: lower 17.5, higher 2.5, of 21.
    assert found.find("degraded_effect").value == pytest.approx((17.5 - 2.5) / 21)
    # Of 32 signs those with W+ >= 17.5 of 20: none of W- > 2.5 means W- in {0, 2.5, 2.5}: 3/32.
    assert found.find("degraded_p").value == pytest.approx(3 / 32)
    assert found.find("degraded_p").n == 6


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=9))
def test_the_test_counts_all_signs(falls: list[int]) -> None:
    ranks = stats.rankdata([abs(each) for each in falls])
    told_apart = [rank for rank, fall in zip(ranks, falls, strict=True) if fall]
    observed = sum(rank for rank, fall in zip(ranks, falls, strict=True) if fall > 0)
    sums = [
        sum(rank for rank, sign in zip(told_apart, signs, strict=True) if sign)
        for signs in product((False, True), repeat=len(told_apart))
    ]
    expected = sum(each >= observed - 1e-9 for each in sums) / len(sums)
    assert compute_signed_rank_p(np.array(falls, np.float64)) == pytest.approx(expected)


@given(st.lists(st.integers(1, 100), min_size=5, max_size=30, unique=True), st.randoms())
def test_without_ties_the_test_is_scipys(sizes: list[int], random: Random) -> None:
    falls = np.array([each * random.choice((-1, 1)) for each in sizes], np.float64)
    expected = stats.wilcoxon(falls, alternative="greater", method="exact").pvalue
    assert compute_signed_rank_p(falls) == pytest.approx(expected, abs=1e-12)


def test_clear_and_absent_effects() -> None:
    assert compute_signed_rank_p(np.full(10, 5.0)) == pytest.approx(2**-10)
    assert compute_signed_rank_p(np.zeros(10)) == 1.0
    weights = np.ones((1, 10))
    assert compute_rank_biserial_draws(weights, np.full(10, 5.0))[0] == pytest.approx(1.0)
    assert compute_rank_biserial_draws(weights, np.zeros(10))[0] == 0.0
    # One pair of ten told apart is no perfect rater: 10 of 55 ranks.
    falls = np.array([0.0] * 9 + [20.0])
    assert compute_rank_biserial_draws(weights, falls)[0] == pytest.approx(10 / 55)
    assert compute_signed_rank_p(falls) == 0.5


@given(
    st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 3)), min_size=2, max_size=8).filter(
        lambda each: sum(weight for _, weight in each) > 0
    )
)
def test_a_weight_is_as_many_pairs(weighted: list[tuple[int, int]]) -> None:
    falls = np.array([fall for fall, _ in weighted], np.float64)
    counts = np.array([[weight for _, weight in weighted]], np.float64)
    repeated = np.repeat(falls, counts[0].astype(int))
    assert compute_rank_biserial_draws(counts, falls)[0] == pytest.approx(
        compute_rank_biserial_draws(np.ones((1, repeated.size)), repeated)[0]
    )
    if repeated.size > 1:
        assert compute_sd_draws(counts, falls)[0] == pytest.approx(np.std(repeated, ddof=1))


def test_answers_faster_than_reading() -> None:
    # 10 words at 300 a minute take 2 seconds.
    assert is_fast(answer(1, 50.0, words=10, seconds=1.9))
    assert not is_fast(answer(1, 50.0, words=10, seconds=2.0))
    assert not is_fast(answer(1, 50.0, words=10, seconds=None))
    given_answers = [answer(n, float(n), seconds=1.0 if n < 8 else 30.0) for n in range(20)]
    untimed = [answer(n, float(n)) for n in range(20, 30)]
    found = assess(rater("r1", given_answers + untimed))["r1"]
    fast = found.find("fast_answers")
    assert (fast.value, fast.n) == (0.4, 20)
    assert "fast" in found.marks
    calm = assess(rater("r1", [replace(each, seconds=30.0) for each in given_answers]))["r1"]
    assert "fast" not in calm.marks
    assert assess(rater("r1", untimed))["r1"].find("fast_answers").reason == "no_data"


def test_use_of_the_scale() -> None:
    scores = [0.0, 33.0, 66.0, 100.0, 50.0, 50.0, 71.0, 80.0]
    found = assess(scored("r1", scores))["r1"]
    values = {each.name: each.value for each in found.figures}
    # By hand.
    assert values["share_at_anchors"] == 0.5
    assert (values["share_at_0"], values["share_at_50"], values["share_at_100"]) == (
        0.125,
        0.25,
        0.125,
    )
    assert values["distinct_scores"] == 7
    assert values["score_sd"] == pytest.approx(np.std(scores, ddof=1))


def test_longest_run_of_equal_answers() -> None:
    orders = np.array([[1, 1, 2, 2, 2, 1], [1, 2, 1, 2, 1, 2], [3, 3, 3, 3, 3, 3]])
    assert find_longest_runs(orders).tolist() == [3, 1, 6]
    # A score with another label is another answer; a batch's end ends a run.
    labels = [NEUTRAL, NEUTRAL, MASCULINE, NEUTRAL]
    first = tuple(answer(n, 90.0, label) for n, label in enumerate(labels))
    second = tuple(answer(10 + n, 90.0) for n in range(3))
    both = RaterAnswers("r1", (("b", first), ("c", second)))
    assert assess(both)["r1"].find("longest_run").value == 3


def test_the_chance_of_a_run() -> None:
    # Of the 20 orders of 000111 those with a run of three or more, counted one by one below.
    codes = np.array([0, 0, 0, 1, 1, 1])
    orders = {order for order in product((0, 1), repeat=6) if sum(order) == 3}
    exact = np.mean([find_longest_runs(np.array([each]))[0] >= 3 for each in orders])
    drawn = compute_run_p([codes], 3, SEED, "r1")
    assert drawn == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / PERMUTATIONS))
    assert drawn == compute_run_p([codes], 3, SEED, "r1")


def test_straight_lining_is_marked_and_variety_is_not() -> None:
    blocks = [float(score) for score in (90, 80, 70, 60) for _ in range(10)]
    mixed = Random(1).sample(blocks, len(blocks))
    found = assess(scored("lines", blocks), scored("mixed", mixed))
    assert found["lines"].find("longest_run").value == 10
    assert found["lines"].find("longest_run_p").value == 1 / (PERMUTATIONS + 1)
    assert "long_runs" in found["lines"].marks
    assert "long_runs" not in found["mixed"].marks
    same = assess(scored("same", [80.0] * 12))["same"]
    assert (same.find("longest_run").value, same.find("longest_run_p").reason) == (
        12,
        "degenerate",
    )
    assert same.marks == ("one_score",)


def test_mean_shift_by_hand() -> None:
    first, second = [60.0, 70.0, 80.0, 90.0, 100.0], [50.0, 60.0, 70.0, 80.0, 90.0]
    low = [40.0, 45.0, 50.0, 55.0, 60.0]
    found = assess(scored("a", first), scored("b", second), scored("c", low))
    # Others of c: mean 75; variance of the ten scores about it is 225, so one SD is 15.
    assert found["c"].find("mean_shift").value == pytest.approx((50 - 75) / 15)
    assert "shifted" in found["c"].marks
    assert "shifted" not in found["b"].marks
    two = assess(scored("a", first), scored("b", second))
    assert {each.find("mean_shift").reason for each in two.values()} == {"needs_three_raters"}
    assert {each.find("z_difference").reason for each in two.values()} == {"needs_three_raters"}
    out = assess(scored("a", first), scored("b", second, excluded=True), scored("c", low))
    assert out["c"].find("mean_shift").reason == "needs_three_raters"
    assert out["b"].find("mean_shift").value is not None, "she is compared with the two others"
    flat = assess(scored("a", [70.0] * 5), scored("b", [70.0] * 5), scored("c", low))
    assert flat["c"].find("mean_shift").reason == "constant_input"


def test_z_scores_of_a_constant_rater_are_zero_and_flagged() -> None:
    scores = np.array([[60.0, 50.0], [80.0, 50.0], [np.nan, 50.0]])
    z, constant = compute_z_scores(scores)
    assert constant.tolist() == [False, True]
    assert z[:, 1].tolist() == [0.0, 0.0, 0.0]
    assert z[:2, 0].tolist() == [-1.0, 1.0]
    assert np.isnan(z[2, 0])
    nearly = compute_z_scores(np.array([[50.0], [50.0], [50.0 + 1e-13]]))
    assert nearly[1].tolist() == [True]


def test_a_constant_rater_is_marked_and_left_out_of_the_others_mean() -> None:
    rising = [60.0, 70.0, 80.0, 90.0, 100.0]
    found = assess(
        scored("a", rising), scored("b", rising), scored("c", rising), scored("d", [70.0] * 5)
    )
    same, constant = found["a"].find("z_difference"), found["d"].find("z_difference")
    assert same.value == pytest.approx(0.0)
    assert "rater_constant" in constant.notes
    # z of five even steps: two and one steps over the root of 2, mean of 2, 1, 0, 1, 2 is 1.2.
    assert constant.value == pytest.approx(1.2 / np.sqrt(2))
    # With the constant one left out only two are left, one beside each.
    few = assess(scored("a", rising), scored("b", rising), scored("d", [70.0] * 5))
    assert few["a"].find("z_difference").reason == "needs_three_raters"
    assert few["d"].find("z_difference").value is not None


def test_p_values_are_adjusted_over_raters() -> None:
    blind = [(80.0, 80.0 + each) for each in (1, -1, 2, -2, 3, -3)]
    sharp = [(80.0, 40.0 - each) for each in range(6)]
    found = assess(
        with_controls("blind", blind, Purpose.DEGRADED),
        with_controls("sharp", sharp, Purpose.DEGRADED),
        with_controls("few", sharp[:3], Purpose.DEGRADED),
    )
    assert found["sharp"].find("degraded_p").value == pytest.approx(1 / 64)
    # Two tests: the smaller p counts double, the larger once; the undefined one is not counted.
    assert found["sharp"].find("degraded_p_adjusted").value == pytest.approx(2 / 64)
    p = found["blind"].find("degraded_p").value
    assert found["blind"].find("degraded_p_adjusted").value == p
    assert found["few"].find("degraded_p_adjusted").reason == "too_few"
    assert "degraded_not_lower" in found["blind"].marks
    assert found["sharp"].marks == found["few"].marks == ()


def test_inconsistency_is_marked_only_where_the_interval_is_clear() -> None:
    far = [(0.0, 90.0)] * 3 + [(90.0, 0.0), (10.0, 80.0)]
    found = assess(
        with_controls("far", far, Purpose.REPEAT, same_label=2),
        with_controls("near", [(80.0, 78.0)] * 5, Purpose.REPEAT, same_label=4),
    )
    assert found["far"].marks == ("inconsistent_labels", "inconsistent_scores")
    assert found["near"].marks == ()
    marks = {
        dict(each.scope)["rater"]: each
        for each in build_reliability_figures(list(found.values()))
        if each.name == "look_at"
    }
    assert (marks["far"].value, marks["far"].notes) == (2, found["far"].marks)
    assert (marks["near"].value, marks["near"].n) == (0, 10)
    assert set(found["far"].marks) <= set(MARKS)


_SCORES = st.lists(st.sampled_from([0.0, 33.0, 50.0, 66.0, 90.0, 100.0]), min_size=6, max_size=6)


@settings(max_examples=25)
@given(st.lists(_SCORES, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_neither_raters_order_nor_items_names_matter(
    table: list[list[float]], random: Random
) -> None:
    raters = [scored(f"r{number}", scores) for number, scores in enumerate(table)]
    first = assess(*raters)
    shuffled = random.sample(raters, len(raters))
    assert assess(*shuffled) == first
    # Other ids of the items in the same places: what has no interval over items is the same.
    names = random.sample(range(6), 6)
    renamed = [
        rater(
            each.rater_id,
            [
                replace(one, item_id=f"b/{name:04d}")
                for name, one in zip(names, each.answers, strict=True)
            ],
        )
        for each in raters
    ]
    for rater_id, found in assess(*renamed).items():
        for now, before in zip(found.figures, first[rater_id].figures, strict=True):
            assert (now.name, now.n, now.reason) == (before.name, before.n, before.reason)
            assert now.value == pytest.approx(before.value, abs=1e-9)


def test_from_the_store_in_the_order_she_was_given(store: Store) -> None:
    sources = [make_source(row, f"I am glad {row} times.") for row in range(2, 8)]
    candidates = [make_candidate(each, "sk", Label.NEUTRAL) for each in sources]
    add_sources(store, sources)
    add_candidates(store, candidates)
    batch, items = add_batch(store, candidates, ["r1", "r2"])
    repeats = [
        Item(
            f"sk-1/{100 + number:04d}",
            batch.id,
            each.instrument,
            each.subject_kind,
            each.subject_id,
            each.variant,
            Purpose.REPEAT,
            each.shown | {"content_note": "Five words that are not counted."},
            each.content_hash,
            making={"of": each.id, "kind": "repeat"},
        )
        for number, each in enumerate(items)
    ]
    order = tuple(each.id for each in [*reversed(items), *repeats])
    with store.writing() as writer:
        writer.append(repeats)
        writer.append([Assignment(batch.id, "r1", order)])
    add_ratings(store, items, "r1", {"quality": 80, "gender_marked": "no"})
    add_ratings(store, repeats[:5], "r1", {"quality": 70, "gender_marked": "unsure"})
    add_ratings(store, items[:2], "r2", {"quality": 80, "gender_marked": "no"})
    exclude(store, batch, "r2")
    standing = standing_of(store, "sk")
    [first, second] = gather_rater_answers(standing)
    assert [each.item_id for each in first.answers] == list(order[:11])
    # `source` and `I am glad N times.`: one word and five, the note apart.
    assert {each.words for each in first.answers} == {6}
    assert (first.excluded_from, second.excluded_from) == ((), ("sk-1",))
    found = {each.rater_id: each for each in compute_reliability(standing, SEED, batch.id)}
    assert found["r1"].find("repeat_label_agreement").value == 0.0
    assert found["r1"].find("repeat_da_difference").value == 10.0
    assert found["r1"].find("longest_run").value == 6
    assert dict(found["r1"].find("longest_run").scope) == {
        "language": "sk",
        "batch": "sk-1",
        "rater": "r1",
    }
    assert (found["r2"].answers, found["r2"].excluded_from) == (2, ("sk-1",))
    assert compute_reliability(standing, SEED, "sk-none") == ()
