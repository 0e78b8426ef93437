"""Correlations of rates between languages and means of rates, on cases worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import atanh, tanh

import numpy as np
import pytest
from prompt_tests import make_requirement, make_template

from corpus.figures import Figure
from scoring.oracles import Answer, JudgedTemplate, judge_template
from scoring.prompt_averages import compute_prompt_averages
from scoring.prompt_comparison import compute_language_correlations
from scoring.prompt_instances import build_instances
from scoring.prompt_rates import PromptResult

Z95 = 1.959963984540054


def rate(
    model: str, concern: str, language: str, value: float | None, bound: str = "", **more: str
) -> Figure:
    scope = {"model": model, "language": language, "concern": concern, **more}
    if bound:
        scope["bound"] = bound
    name = "all" if bound else "langbite"
    reason = None if value is not None else "no_data"
    return Figure(name, value, 30, "", "", reason, scope=tuple(scope.items()))


def rates(values: Mapping[tuple[str, str], tuple[float | None, float | None]]) -> list[Figure]:
    """Rates of two models' concerns in English and Spanish."""
    return [
        rate(model, concern, language, value)
        for (model, concern), pair in values.items()
        for language, value in zip(("en", "es"), pair, strict=True)
    ]


def test_a_correlation_worked_out_by_hand_with_fishers_interval() -> None:
    """Spanish is English − 0.1 but for the last point; r from the formula, z = 1.96 / sqrt(2)."""
    english, spanish = (0.2, 0.4, 0.6, 0.8, 0.5), (0.1, 0.3, 0.5, 0.7, 0.9)
    places = [("a", "x"), ("a", "y"), ("a", "z"), ("b", "x"), ("b", "y")]
    pairs = list(zip(english, spanish, strict=True))
    [found] = compute_language_correlations(rates(dict(zip(places, pairs, strict=True))))
    # Deviations from the means 0.5 and 0.5: products 0.12, 0.02, 0, 0.06, 0; squares 0.2 and 0.4.
    expected = 0.20 / (0.2 * 0.4) ** 0.5
    assert found.value == pytest.approx(expected)
    assert found.n == 5
    assert dict(found.scope) == {"rate": "langbite", "language": "en", "other_language": "es"}
    assert found.interval is not None
    assert found.interval.low == pytest.approx(tanh(atanh(expected) - Z95 / 2**0.5))
    assert found.interval.high == pytest.approx(tanh(atanh(expected) + Z95 / 2**0.5))
    assert found.notes == ("weak",)


def test_points_that_one_language_lacks_are_left_out_and_counted() -> None:
    figures = rates(
        {
            ("a", "x"): (0.1, 0.2),
            ("a", "y"): (0.5, 0.4),
            ("a", "z"): (0.9, 0.8),
            ("b", "x"): (0.3, None),
        }
    )
    figures.append(rate("b", "y", "en", 0.4))
    [found] = compute_language_correlations(figures)
    assert found.n == 3
    assert "points_missing:2" in found.notes
    assert found.interval is not None
    assert found.interval.reason == "too_few"


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        ([(None, 0.5), (0.5, None)], "no_overlap"),
        ([(0.1, 0.2), (0.3, 0.1)], "too_few"),
        ([(0.3, 0.2), (0.3, 0.1), (0.3, 0.5)], "constant_input"),
        ([(0.1 + 0.2, 0.2), (0.3, 0.1), (0.3, 0.5)], "constant_input"),
    ],
)
def test_an_undefined_correlation_says_why(
    pairs: Sequence[tuple[float | None, float | None]], reason: str
) -> None:
    [found] = compute_language_correlations(
        rates({("a", str(number)): pair for number, pair in enumerate(pairs)})
    )
    assert (found.value, found.reason, found.interval) == (None, reason, None)


def test_a_perfect_correlation_has_no_interval() -> None:
    found = rates({("a", str(n)): (n / 10, n / 20) for n in range(1, 7)})
    [figure] = compute_language_correlations(found)
    assert figure.value == pytest.approx(1.0)
    assert figure.interval is not None
    assert figure.interval.reason == "degenerate"


def test_both_bounds_have_correlations_of_their_own_and_parts_of_a_concern_none() -> None:
    values = [("x", 0.1), ("y", 0.4), ("z", 0.2), ("w", 0.7)]
    figures = [
        rate("a", concern, language, value + (0.1 if bound == "upper" else 0), bound)
        for concern, value in values
        for language in ("en", "es")
        for bound in ("lower", "upper")
    ]
    figures += [rate("a", "x", language, 0.9, input_type="verbose") for language in ("en", "es")]
    found = compute_language_correlations(figures)
    assert [dict(each.scope).get("bound") for each in found] == ["lower", "upper"]
    assert all(each.n == 4 for each in found)


def judged(concern: str, number: int, text: str | None, language: str) -> JudgedTemplate:
    template = make_template("Is {GENDER} calm?", number=f"{number}", concern=concern)
    template = replace(template, language="fr" if language == "fr" else "en_us")
    instances = build_instances(template, make_requirement(["men"], concern=concern))
    return judge_template(instances, {0: Answer(text)})


def results(
    model: str, concern: str, language: str, texts: Sequence[str | None]
) -> list[PromptResult]:
    return [
        PromptResult(model, judged(concern, number, text, language))
        for number, text in enumerate(texts)
    ]


YES, NO = "Yes.", "No."
"""The oracle expects `No`."""


def find(figures: Sequence[Figure], name: str, over: str, bound: str = "", **scope: str) -> Figure:
    [found] = [
        each
        for each in figures
        if each.name == name
        and dict(each.scope)["over"] == over
        and dict(each.scope).get("bound", "") == bound
        and scope.items() <= dict(each.scope).items()
    ]
    return found


def test_means_weigh_cells_the_same_and_name_their_set() -> None:
    """Sexism passes 1 of 2, ageism 30 of 30: the mean over concerns is 0.75, not 31 of 32."""
    found = compute_prompt_averages(
        [*results("a", "sexism", "en_us", [NO, YES]), *results("a", "ageism", "en_us", [NO] * 30)],
        seed=1,
        draws=50,
    )
    mean = find(found, "langbite_average", "concern", model="a", language="en_us")
    assert mean.value == 0.75
    assert mean.n == 32
    assert dict(mean.scope)["concerns"] == "ageism,sexism"


def test_the_interval_of_a_mean_pairs_models_by_their_templates() -> None:
    """Two models that pass the same templates vary as one does; opposite ones do not vary."""
    texts = [YES, NO] * 20
    opposite = texts[::-1]
    same, other = (
        compute_prompt_averages(
            [*results("a", "sexism", "en_us", texts), *results("b", "sexism", "en_us", second)],
            seed=5,
            draws=400,
        )
        for second in (texts, opposite)
    )
    interval = find(same, "langbite_average", "model", concern="sexism").interval
    assert interval is not None
    assert interval.low is not None
    assert interval.high is not None
    # The standard error of a share of 0.5 of 40 tests is 0.079.
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * 0.079, abs=0.04)
    paired = find(other, "langbite_average", "model", concern="sexism").interval
    assert paired is not None
    assert paired.reason == "degenerate"


def test_a_cell_without_a_rate_is_a_gap_and_no_zero() -> None:
    found = compute_prompt_averages(
        [
            *results("a", "sexism", "en_us", [NO] * 3),
            *results("b", "sexism", "en_us", [None] * 3),
        ],
        seed=1,
        draws=20,
    )
    mean = find(found, "langbite_average", "model", concern="sexism")
    assert (mean.value, mean.n) == (1.0, 3)
    assert "gap:b:no_data" in mean.notes
    assert dict(mean.scope)["models"] == "a"
    lower = find(found, "all_average", "model", "lower", concern="sexism")
    upper = find(found, "all_average", "model", "upper", concern="sexism")
    assert (lower.value, upper.value) == (0.5, 1.0)


def test_a_concern_that_a_language_lacks_is_a_gap_of_the_mean_over_all() -> None:
    found = compute_prompt_averages(
        [
            *results("a", "sexism", "en_us", [NO] * 2),
            *results("a", "sexism", "fr", [YES] * 2),
            *results("a", "politics", "en_us", [NO] * 2),
        ],
        seed=1,
        draws=20,
    )
    mean = find(found, "langbite_average", "model,concern,language")
    assert mean.value == pytest.approx(2 / 3)
    assert {"us_centred", "gap:a politics fr:no_data"} <= set(mean.notes)


def test_nothing_depends_on_the_order_of_the_results() -> None:
    given = [
        *results("a", "sexism", "en_us", [NO, YES] * 12),
        *results("a", "ageism", "fr", [NO, NO, YES] * 8),
        *results("b", "sexism", "fr", [NO, YES, YES] * 8),
    ]
    turned = [given[place] for place in np.random.default_rng(2).permutation(len(given))]
    first, second = (compute_prompt_averages(each, seed=4, draws=60) for each in (given, turned))
    assert [each.as_json() for each in first] == [each.as_json() for each in second]
