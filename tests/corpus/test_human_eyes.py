from __future__ import annotations

from typing import Any

from corpus.human_eyes import HumanEyes, build_eyes, read_counts, read_eyes

LIMITS = {"low": 0.9021, "high": 0.99, "level": 0.95}


def figure(value: float | None, raters: str = "all", **others: Any) -> dict[str, Any]:
    return {
        "name": "label_accuracy",
        "value": value,
        "interval": LIMITS,
        "scope": {"language": "sk", "raters": raters},
    } | others


def test_the_error_is_what_accuracy_leaves_with_its_limits_swapped() -> None:
    eyes = build_eyes(4, 6, [figure(0.5, "r1,r2"), figure(0.9583)])
    assert str(eyes) == "4 of 6 seen by a human, label error 4.2 % (1.0 to 9.8 %)"


def test_an_accuracy_that_is_not_there_or_undefined_estimates_nothing() -> None:
    for figures in ([], [figure(None)], [figure(0.9, "r1,r2")], [figure(0.9, name="mean_da")]):
        eyes = build_eyes(1, 3, figures)
        assert eyes == HumanEyes(1, 3)
        assert eyes.describe_error() == "not estimated"
    assert build_eyes(1, 3, [figure(0.75, interval=None)]).describe_error() == "25.0 %"


def test_provenance_says_it_but_for_source_sentences() -> None:
    seen = {"both": 2, "one": 1, "none": 1, "source": 0}
    described = {
        "counts": {"rows": 4, "human_seen": seen},
        "approval": {"figures": [figure(0.9583)]},
    }
    assert read_eyes(described) == build_eyes(3, 4, [figure(0.9583)])
    assert read_eyes(described | {"approval": None}) == HumanEyes(3, 4)
    source = {"counts": {"rows": 4, "human_seen": seen | {"source": 4}}}
    assert read_eyes(source) is None


def test_counts_are_read_back_from_what_is_told() -> None:
    assert read_counts(str(HumanEyes(4, 6, 0.1, 0.0, 0.2))) == (4, 6)
    assert read_counts("source sentences") is None
