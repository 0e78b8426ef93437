"""Cases of the contract that libraries answer silently: counted draws, label sets, levels."""

from __future__ import annotations

import pytest
from rating_tables import make_label_table, make_score_table

from annotation.item_bootstrap import build_item_bootstrap
from annotation.label_agreement import compute_kappa, compute_nominal_alpha
from annotation.score_agreement import compute_interval_alpha


def test_few_undefined_draws_are_counted_and_the_interval_stays() -> None:
    # Three differing items of 30 are all missing in (1 - 3/30)^30 = 4 % of draws.
    table = make_label_table(a="n" * 30, b="n" * 27 + "mmm")
    interval = compute_nominal_alpha(table, None, build_item_bootstrap(table, seed=1)).interval
    assert interval is not None
    assert interval.low is not None
    assert interval.undefined is not None
    assert 0 < interval.undefined <= 100


def test_a_label_of_one_rater_alone_is_never_dropped() -> None:
    # With the label set read off one rater the two differing items would vanish: kappa 1.
    table = make_label_table(a="n" * 5 + "m" * 5, b="n" * 5 + "mmmuo")
    kappa = compute_kappa(table, "a", "b")
    # By hand: observed 0.8, chance 0.5 * 0.5 + 0.5 * 0.3 = 0.4.
    assert (kappa.value, kappa.n) == (pytest.approx(0.4 / 0.6), 10)


def test_the_level_of_alpha_is_stored_with_it() -> None:
    table = make_score_table(a=[1.0, 2.0], b=[1.0, 3.0])
    assert "interval level" in compute_interval_alpha(table).method
    assert "nominal level" in compute_nominal_alpha(table).method
