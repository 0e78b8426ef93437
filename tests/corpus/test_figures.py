"""A figure is a value or a reason, and survives JSON."""

from __future__ import annotations

import json

import pytest

from corpus.figures import REASONS, Figure, Interval


def make_figure(value: float | None, reason: str | None) -> Figure:
    return Figure("kappa", value, 12, "definition", "method", reason)


@pytest.mark.parametrize(
    ("value", "reason", "message"),
    [
        (None, None, "either a value or a reason"),
        (0.5, "no_overlap", "either a value or a reason"),
        (float("nan"), None, "not finite"),
        (float("inf"), None, "not finite"),
        (None, "because", "unknown reason"),
    ],
)
def test_a_figure_that_says_too_much_or_too_little_is_refused(
    value: float | None, reason: str | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make_figure(value, reason)


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_every_reason_makes_an_undefined_figure(reason: str) -> None:
    figure = make_figure(None, reason)
    assert figure.value is None
    assert figure.as_json()["reason"] == reason


@pytest.mark.parametrize(
    "interval",
    [
        None,
        Interval(0.1, 1 / 3, 0.95, "wilson"),
        Interval(None, None, 0.9, "percentile bootstrap over items", 2000, 7, "degenerate"),
    ],
)
def test_a_figure_comes_back_from_json_unrounded(interval: Interval | None) -> None:
    figure = Figure(
        name="kappa",
        value=1 / 3,
        n=100,
        definition="definition",
        method="method",
        interval=interval,
        scope=(("language", "sk"), ("raters", "a,b")),
        notes=("rater_constant",),
    )
    assert Figure.from_json(json.loads(json.dumps(figure.as_json()))) == figure
