"""The figures of a batch: golden values, the table of undefined cases, and invariances."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rating_tables import LABEL_OF_LETTER, make_label_table, make_score_table
from scipy.stats import pearsonr

from annotation.agreement import compute_batch_agreement, find_figure
from annotation.item_bootstrap import build_item_bootstrap
from annotation.label_agreement import (
    compute_ac1,
    compute_differing_labels,
    compute_kappa,
    compute_label_accuracy,
    compute_nominal_alpha,
    compute_raw_agreement,
)
from annotation.ratings_table import RatedItem, RatingsTable, build_ratings_table
from annotation.score_agreement import (
    compute_interval_alpha,
    compute_mean_score,
    compute_pearson,
    compute_pearson_p,
    compute_spearman,
)
from corpus.errors import SettingsError
from corpus.records import GenderLabel


def make_system_labels(letters: str) -> dict[str, GenderLabel]:
    return {f"i{number:03}": LABEL_OF_LETTER[letter] for number, letter in enumerate(letters)}


def make_random_answers(seed: int, n: int = 30) -> list[RatedItem]:
    rng = np.random.default_rng(seed)
    labels = list(GenderLabel)
    return [
        RatedItem(
            f"i{number:03}",
            rater,
            float(rng.integers(0, 101)),
            labels[int(rng.choice(5, p=[0.4, 0.25, 0.25, 0.05, 0.05]))],
        )
        for number in range(n)
        for rater in ("a", "b", "c")
        if rng.random() > 0.15
    ]


# Golden values


@pytest.fixture(scope="module")
def human_ratings(data_dir: Path) -> RatingsTable:
    with (data_dir / "ratings" / "mlqe_en_de.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return build_ratings_table(
        RatedItem(row["item"], row["rater"], float(row["score"])) for row in rows
    )


@pytest.mark.data
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    # Independent values computed on MLQE-PE en-de, facts of the data folder.
    [
        ("rater1", "rater2", 0.9132),
        ("rater1", "rater4", 0.1708),
        ("rater4", "rater5", 0.5594),
    ],
)
def test_pearson_on_human_ratings(
    human_ratings: RatingsTable, first: str, second: str, expected: float
) -> None:
    figure = compute_pearson(human_ratings, first, second, build_item_bootstrap(human_ratings, 1))
    assert figure.value == pytest.approx(expected, abs=5e-5)
    assert figure.n == 1000
    assert figure.interval is not None
    assert figure.interval.low is not None
    assert figure.interval.high is not None
    assert figure.interval.low < expected < figure.interval.high


@pytest.mark.data
def test_alpha_on_human_ratings(human_ratings: RatingsTable) -> None:
    figure = compute_interval_alpha(human_ratings)
    assert figure.value == pytest.approx(0.3729, abs=5e-5)
    assert figure.n == 1000


def test_p_value_equals_scipy() -> None:
    first, second = [10.0, 40, 35, 80, 90, 60], [30.0, 20, 50, 70, 85, 90]
    table = make_score_table(a=first, b=second)
    expected = pearsonr(first, second)
    assert compute_pearson(table, "a", "b").value == pytest.approx(expected.statistic, abs=1e-12)
    assert compute_pearson_p(table, "a", "b").value == pytest.approx(expected.pvalue, abs=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "kappa", "differing"),
    # Kappa and number of differing labels of 100 as printed in the EuroGEST study; the labels are
    # ones that give both.
    [
        ("n" * 97 + "mnf", "n" * 97 + "mun", 0.49367, 2),  # Dutch
        ("n" * 99 + "m", "n" * 99 + "f", 0.49749, 1),  # Swedish
        ("n" * 98 + "mn", "n" * 98 + "mm", 0.66216, 1),  # Turkish
    ],
)
def test_low_kappa_of_the_study_with_high_agreement(
    first: str, second: str, kappa: float, differing: int
) -> None:
    table = make_label_table(a=first, b=second)
    assert compute_kappa(table, "a", "b").value == pytest.approx(kappa, abs=5e-6)
    assert compute_differing_labels(table, "a", "b").value == differing
    assert compute_raw_agreement(table, ("a", "b")).value == pytest.approx(1 - differing / 100)
    ac1 = compute_ac1(table, ("a", "b")).value
    assert ac1 is not None
    assert ac1 > 0.97


# The table of undefined and misleading cases


def test_all_labels_equal() -> None:
    table = make_label_table(a="n" * 100, b="n" * 100)
    bootstrap = build_item_bootstrap(table, seed=1)
    for figure in (
        compute_kappa(table, "a", "b", bootstrap),
        compute_nominal_alpha(table, None, bootstrap),
    ):
        assert (figure.value, figure.reason, figure.n) == (None, "no_variation", 100)
        assert figure.notes == ()
    ac1 = compute_ac1(table, None, bootstrap)
    assert ac1.value == 1.0
    assert ac1.interval is not None
    assert ac1.interval.reason == "degenerate"
    raw = compute_raw_agreement(table)
    assert (raw.value, raw.n) == (1.0, 100)
    assert raw.interval is not None
    assert raw.interval.low == pytest.approx(0.963, abs=5e-4)
    assert raw.interval.high == 1.0


def test_all_scores_equal() -> None:
    table = make_score_table(a=[50.0] * 5, b=[50.0] * 5)
    assert compute_interval_alpha(table).reason == "no_variation"
    assert compute_mean_score(table).value == 50.0


def test_one_rater_constant() -> None:
    table = make_label_table(a="n" * 10, b="nnnnnnnnmf")
    kappa = compute_kappa(table, "a", "b")
    assert kappa.value == 0.0
    assert kappa.notes == ("rater_constant",)


def test_one_disagreement_among_equal_labels() -> None:
    table = make_label_table(a="n" * 50, b="n" * 49 + "m")
    assert compute_nominal_alpha(table).value == pytest.approx(0.0, abs=1e-12)
    assert compute_raw_agreement(table).value == pytest.approx(0.98)
    ac1 = compute_ac1(table).value
    assert ac1 is not None
    assert ac1 > 0.97


@pytest.mark.parametrize(
    ("letters", "reason", "n"), [((".n", "n."), "no_overlap", 0), (("nm", "n."), "too_few", 1)]
)
def test_no_or_one_item_labelled_by_both(letters: tuple[str, str], reason: str, n: int) -> None:
    table = make_label_table(a=letters[0], b=letters[1])
    for figure in (
        compute_kappa(table, "a", "b"),
        compute_ac1(table),
        compute_nominal_alpha(table),
    ):
        assert (figure.value, figure.reason, figure.n) == (None, reason, n)


def test_no_item_labelled_by_both_has_no_raw_agreement() -> None:
    table = make_label_table(a=".n", b="n.")
    assert compute_raw_agreement(table).reason == "no_overlap"
    assert compute_differing_labels(table, "a", "b").reason == "no_overlap"


def test_one_rater_overlaps_with_nobody() -> None:
    table = build_ratings_table([RatedItem("i1", "a", 80.0, GenderLabel.NEUTRAL)])
    figures = compute_batch_agreement(table, {"i1": GenderLabel.NEUTRAL}, seed=1)
    undefined = {figure.name: figure.reason for figure in figures if figure.value is None}
    assert undefined == dict.fromkeys(
        ("alpha_interval", "alpha_nominal", "ac1", "raw_agreement"), "no_overlap"
    )


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([50.0] * 5, [10.0, 20, 30, 40, 50], "constant_input"),
        ([50.0, 50.0, 50.0 + 1e-13], [1.0, 2.0, 3.0], "constant_input"),
        ([1.0, 2.0], [2.0, 1.0], "too_few"),
        ([1.0, None], [None, 2.0], "no_overlap"),
    ],
)
def test_undefined_correlations(
    first: list[float | None], second: list[float | None], reason: str
) -> None:
    table = make_score_table(a=first, b=second)
    for figure in (
        compute_pearson(table, "a", "b"),
        compute_spearman(table, "a", "b"),
        compute_pearson_p(table, "a", "b"),
    ):
        assert (figure.value, figure.reason) == (None, reason)


def test_a_figure_under_ten_items_is_marked_weak() -> None:
    table = make_score_table(a=[float(x) for x in range(9)], b=[x * 2.0 for x in range(9)])
    assert compute_pearson(table, "a", "b").notes == ("weak",)
    table = make_score_table(a=[float(x) for x in range(10)], b=[x * 2.0 for x in range(10)])
    assert compute_pearson(table, "a", "b").notes == ()


def test_an_interval_is_hidden_under_twenty_items() -> None:
    table = make_score_table(a=[float(x) for x in range(19)])
    interval = compute_mean_score(table, ("a",), build_item_bootstrap(table, seed=1)).interval
    assert interval is not None
    assert (interval.low, interval.reason) == (None, "too_few")


def test_draws_without_a_rare_label_void_the_interval_of_kappa() -> None:
    # The one differing item is missing in (1 - 1/30)^30 = 36 % of draws, where kappa is undefined.
    table = make_label_table(a="n" * 30, b="n" * 29 + "m")
    interval = compute_kappa(table, "a", "b", build_item_bootstrap(table, seed=1)).interval
    assert interval is not None
    assert (interval.low, interval.reason) == (None, "undefined_draws")
    assert interval.undefined is not None
    assert interval.undefined / 2000 == pytest.approx((1 - 1 / 30) ** 30, abs=0.04)


def test_fewer_than_a_thousand_draws_are_refused() -> None:
    with pytest.raises(SettingsError, match="1000 draws"):
        compute_batch_agreement(make_score_table(a=[1.0]), {}, seed=1, draws=999)


# Accuracy of the system's label


def test_unsure_never_agrees_with_the_system() -> None:
    table = make_label_table(a="nmuf", b="nm.m")
    system = make_system_labels("nmnf")
    assert compute_label_accuracy(table, system, ("a",)).value == 0.75
    assert compute_label_accuracy(table, system, ("b",)).value == pytest.approx(2 / 3)
    pooled = compute_label_accuracy(table, system)
    assert (pooled.value, pooled.n) == (pytest.approx(5 / 7), 4)
    assert compute_label_accuracy(table, system, ("a",), three_labels=True).value == 1.0
    claimed_unsure = dict(system, i002=GenderLabel.UNSURE)
    assert compute_label_accuracy(table, claimed_unsure, ("a",)).value == 0.75


def test_accuracy_without_a_system_label_has_no_data() -> None:
    table = make_label_table(a="nm")
    assert compute_label_accuracy(table, {}).reason == "no_data"
    assert compute_label_accuracy(table, make_system_labels("n")).n == 1


def test_two_raters_of_an_item_do_not_narrow_the_pooled_interval() -> None:
    letters = "n" * 90 + "m" * 10
    system = make_system_labels("n" * 100)
    table = make_label_table(a=letters, b=letters)
    alone = compute_label_accuracy(table, system, ("a",)).interval
    pooled = compute_label_accuracy(table, system).interval
    assert alone is not None
    assert pooled == alone


# Weights


def test_an_item_of_weight_two_counts_as_two_items() -> None:
    rated = [
        RatedItem("i1", "a", 10.0, GenderLabel.NEUTRAL),
        RatedItem("i2", "a", 70.0, GenderLabel.MASCULINE),
    ]
    table = build_ratings_table(rated, item_weights={"i2": 2.0})
    system = {"i1": GenderLabel.NEUTRAL, "i2": GenderLabel.NEUTRAL}
    assert compute_mean_score(table).value == pytest.approx(50.0)
    accuracy = compute_label_accuracy(table, system)
    assert accuracy.value == pytest.approx(1 / 3)


# Properties


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_the_order_of_answers_changes_nothing(seed: int) -> None:
    answers = make_random_answers(seed)
    system = make_system_labels("nmf" * 10)
    shuffled = list(answers)
    np.random.default_rng(seed).shuffle(shuffled)  # type: ignore[arg-type]
    expected = compute_batch_agreement(build_ratings_table(answers), system, 3, draws=1000)
    found = compute_batch_agreement(build_ratings_table(shuffled), system, 3, draws=1000)
    assert found == expected


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**31), names=st.permutations(["a", "b", "c"]))
def test_renaming_raters_and_items_moves_no_value(seed: int, names: list[str]) -> None:
    answers = make_random_answers(seed)
    new_name = dict(zip("abc", names, strict=True))
    renamed = [
        RatedItem(
            f"j{999 - int(one.item_id[1:])}",
            new_name[one.rater_id],
            one.score_0_100,
            one.label,
        )
        for one in answers
    ]
    before, after = build_ratings_table(answers), build_ratings_table(renamed)
    for compute in (compute_pearson, compute_spearman, compute_kappa):
        for first, second in itertools.combinations("abc", 2):
            old = compute(before, first, second).value
            new = compute(after, new_name[second], new_name[first]).value
            assert new == pytest.approx(old, abs=1e-12)
    for overall in (
        compute_interval_alpha,
        compute_nominal_alpha,
        compute_ac1,
        compute_raw_agreement,
        compute_mean_score,
    ):
        assert overall(after).value == pytest.approx(overall(before).value, abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**31), shuffled=st.permutations(list(GenderLabel)))
def test_relabelling_moves_no_measure_of_labels(seed: int, shuffled: list[GenderLabel]) -> None:
    answers = make_random_answers(seed)
    new_label = dict(zip(GenderLabel, shuffled, strict=True))
    relabelled = [
        RatedItem(one.item_id, one.rater_id, one.score_0_100, new_label[one.label])
        for one in answers
        if one.label is not None
    ]
    before, after = build_ratings_table(answers), build_ratings_table(relabelled)
    assert compute_kappa(after, "a", "b").value == pytest.approx(
        compute_kappa(before, "a", "b").value, abs=1e-12
    )
    for compute in (compute_ac1, compute_nominal_alpha, compute_raw_agreement):
        assert compute(after).value == pytest.approx(compute(before).value, abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(letters=st.text("nmfou", min_size=2, max_size=30).filter(lambda text: len(set(text)) > 1))
def test_perfect_agreement_is_one(letters: str) -> None:
    table = make_label_table(a=letters, b=letters)
    for figure in (
        compute_kappa(table, "a", "b"),
        compute_ac1(table),
        compute_nominal_alpha(table),
        compute_raw_agreement(table),
    ):
        assert figure.value == pytest.approx(1.0, abs=1e-12)
    assert compute_differing_labels(table, "a", "b").value == 0


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**31))
def test_items_of_one_rater_do_not_enter_agreement(seed: int) -> None:
    answers = [one for one in make_random_answers(seed) if one.rater_id != "c"]
    alone = [RatedItem(f"x{n}", "a", 100.0, GenderLabel.OTHER) for n in range(5)]
    before, after = build_ratings_table(answers), build_ratings_table([*answers, *alone])
    for compute in (compute_pearson, compute_kappa):
        assert compute(after, "a", "b").value == pytest.approx(
            compute(before, "a", "b").value, abs=1e-12
        )
    for overall in (compute_ac1, compute_nominal_alpha, compute_interval_alpha):
        assert overall(after).value == pytest.approx(overall(before).value, abs=1e-12)


# The batch


def test_a_batch_has_every_figure_once_for_each_pair_rater_and_overall() -> None:
    table = build_ratings_table(make_random_answers(5))
    scope = (("language", "sk"), ("batch", "sk-1"))
    figures = compute_batch_agreement(table, make_system_labels("nmf" * 10), 1, scope, draws=1000)
    keys = [(figure.name, figure.scope) for figure in figures]
    assert len(set(keys)) == len(keys) == 3 * 10 + 3 + 3 * 3 + 3 + 4
    assert all(figure.scope[:2] == scope for figure in figures)
    found = find_figure(figures, "kappa", ("b", "a"))
    assert found is not None
    assert found.scope[2] == ("raters", "a,b")
    overall = find_figure(figures, "mean_da")
    assert overall is not None
    assert overall.scope[2] == ("raters", "all")
    assert find_figure(figures, "kappa") is None


def test_the_seed_decides_the_interval() -> None:
    table = build_ratings_table(make_random_answers(5))
    one, again, other = (
        compute_pearson(table, "a", "b", build_item_bootstrap(table, seed)).interval
        for seed in (1, 1, 2)
    )
    assert one is not None
    assert one == again
    assert (one.seed, one.draws, one.level) == (1, 2000, 0.95)
    assert other is not None
    assert other.low != one.low


def test_an_empty_batch_says_so() -> None:
    figures = compute_batch_agreement(build_ratings_table([]), {}, seed=1)
    assert {figure.reason for figure in figures} == {"no_overlap", "no_data"}
