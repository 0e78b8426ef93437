"""p-values from draws by hand, and their correction over families."""

from __future__ import annotations

import math

import numpy as np
import pytest
from comparison_builders import GEST, compare_entries, make_entry, make_result

from corpus.figures import Figure
from scoring.corrections import adjust, bootstrap_p


def p_figure(value: float | None, family: str) -> Figure:
    reason = None if value is not None else "too_few"
    return Figure("p", value, 30, "P.", "m", reason, scope=(("family", family),))


@pytest.mark.parametrize(
    ("draws", "p"),
    [
        # 99 draws above, none below: 2 × 1 / 100.
        (np.arange(1.0, 100.0), 0.02),
        # 9 at or below 0 of 99: 2 × 10 / 100.
        (np.arange(-8.0, 91.0), 0.2),
        (-np.arange(-8.0, 91.0), 0.2),
        # Symmetric: never over 1.
        (np.array([-1.0, 1.0]), 1.0),
        (np.zeros(99), 1.0),
    ],
)
def test_p_counts_draws_on_the_smaller_side_twice(draws: np.ndarray, p: float) -> None:
    assert bootstrap_p(draws) == pytest.approx(p)


def test_p_is_undefined_with_more_than_a_twentieth_of_undefined_draws() -> None:
    draws = np.arange(1.0, 101.0)
    draws[:5] = math.nan
    assert bootstrap_p(draws) == pytest.approx(2 / 96)
    draws[5] = math.nan
    assert bootstrap_p(draws) is None
    assert bootstrap_p(np.full(3, math.nan)) is None


def test_families_are_corrected_apart_and_undefined_p_do_not_count() -> None:
    """Benjamini-Hochberg by hand: 0.01, 0.03, 0.04 of three become 0.03, 0.04, 0.04."""
    given = [
        p_figure(0.04, "a"),
        p_figure(0.2, "b"),
        p_figure(0.01, "a"),
        p_figure(None, "a"),
        p_figure(0.03, "a"),
    ]
    found = adjust(given, lambda figure: dict(figure.scope)["family"])
    assert [each.p for each in found] == given
    assert [each.adjusted.value for each in found] == [
        pytest.approx(0.04),
        pytest.approx(0.2),
        pytest.approx(0.03),
        None,
        pytest.approx(0.04),
    ]
    assert found[0].adjusted.name == "p_adjusted"
    assert found[0].adjusted.method.startswith("Benjamini-Hochberg over 3 tests")
    assert found[1].adjusted.method.startswith("Benjamini-Hochberg over 1 tests")
    assert found[3].adjusted.reason == "too_few"


def test_false_alarms_among_equal_models_are_as_rare_as_promised() -> None:
    """12 models that differ by noise alone: of 66 corrected tests next to none is below 0.05."""
    shared = np.random.default_rng(1).normal(0.3, 0.5, (17, 20))
    results = [make_result(f"org/m{k}") for k in range(12)]
    entries = []
    for k in range(12):
        noise = np.random.default_rng(100 + k).normal(0, 0.3, (17, 20))
        logits = {s: list(shared[s] + noise[s]) for s in GEST.ids}
        entries.append(make_entry(k, logits, label=f"org/m{k}"))
    found = compare_entries(results, entries)
    tests = [
        each.adjusted.value
        for each in found.differences
        if each.difference.value.name == "logit_r_difference_change"
        and {"sentences": "all", "language": "sk"}.items() <= dict(each.adjusted.scope).items()
    ]
    assert len(tests) == 66
    assert sum(p is not None and p < 0.05 for p in tests) <= 3


def test_ranks_that_half_precision_could_swap_are_not_ordered() -> None:
    """q of 1 and 2 lie 0.01 apart, all others far: their swap is within an error of 0.01."""
    computed = {"sk": {"r_error": 0.01}}
    results = [make_result(f"org/m{k}", dtype="bfloat16", computed=computed) for k in (0, 1)]
    first = {s: [-2.0 + 0.25 * s] * 20 for s in GEST.ids}
    first[2] = [-2.0 + 0.25 + 0.05] * 20
    second = {**first, 1: first[2], 2: first[1]}
    entries = [make_entry(0, first, label="org/m0"), make_entry(1, second, label="org/m1")]
    found = compare_entries(results, entries, per_stereotype=True)
    swapped = [
        each
        for each in found.differences
        if each.difference.value.name == "rank_change"
        and dict(each.difference.value.scope)["sentences"] == "all"
        and "set" not in dict(each.difference.value.scope)
    ]
    assert [each.difference.value.value for each in swapped[:3]] == [-1.0, 1.0, 0.0]
    assert not swapped[0].difference.is_ordered
    exact = compare_entries(
        [make_result("org/m0"), make_result("org/m1")], entries, per_stereotype=True
    )
    assert all(each.difference.is_ordered for each in exact.differences)
