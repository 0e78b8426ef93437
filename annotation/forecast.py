"""Forecast of a batch: what it will tell, take and cost, before anybody has answered.

How wide an interval will be follows from the number of items and from what one expects to see;
both are stated with every figure. z is 1.96 at 95 %, n the number of items that carry the figure,
less where items weigh differently (Kish: the square of the sum of weights over the sum of squares).

- label_accuracy, raw_agreement: Wilson's interval of the expected share p on n items.
- kappa: κ ± z √(p_o (1 − p_o) / (n (1 − p_e)²)), κ = (p_o − p_e) / (1 − p_e), p_o the expected raw
  agreement, p_e = Σ s_k² with s_k the share of label k among the items by the system's labels. p_e
  is taken as known, so the interval is a little too narrow.
- ac1: the same with p_e = Σ s_k (1 − s_k) / (q − 1) over the q = 5 labels of the form.
- pearson: tanh(atanh r ± z / √(n − 3)) with the expected correlation r, both series normal.

n for accuracy is the number of sample items of the rater with the fewest, and all of them for all
raters together. n for figures of two raters is the number of sample items that both answer; of
several pairs of raters the one that shares the fewest is shown. AC1 of all raters rests on every
item that two or more answer; where more than two do, its interval will be narrower. A declined item
is one less.

Source:
    Wilson (1927), JASA 22; Cohen (1960), Educational and Psychological Measurement 20, for kappa;
    Gwet (2008), British Journal of Mathematical and Statistical Psychology 61, for AC1; Fisher
    (1921), Metron 1, for Pearson's r.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import atanh, sqrt, tanh
from statistics import NormalDist

import numpy as np

from annotation.costs import CostRates, Work, compute_cost, count_words
from annotation.item_bootstrap import compute_effective_n
from annotation.label_schemes import GENDER, SCHEMES, LabelScheme
from annotation.labels import find_system_label
from annotation.measures_of_agreement import ZERO_CHANCE_GAP
from corpus.errors import SettingsError
from corpus.figures import Figure, Interval
from corpus.intervals import wilson_interval
from corpus.records import Assignment, AssignmentState, Item, Purpose

LEVEL = 0.95
LEAST_FOR_CORRELATION = 4


@dataclass(frozen=True, slots=True)
class Expectations:
    """What one expects to see; the defaults are what the EuroGEST study reports over languages."""

    label_accuracy: float = 0.959
    """Share of labels equal to the system's."""
    raw_agreement: float = 1448 / 1500
    """Share of items that two raters label alike: 52 of 1,500 labels differed."""
    pearson: float = 0.37
    """Correlation of two raters' DA."""

    def check(self) -> None:
        """Raises SettingsError where an expectation is out of its range."""
        if not (0 <= self.label_accuracy <= 1 and 0 <= self.raw_agreement <= 1):
            raise SettingsError("Expected accuracy and agreement are shares from 0 to 1.")
        if not -1 < self.pearson < 1:
            raise SettingsError("An expected correlation is between -1 and 1, both excluded.")


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a batch will tell, take and cost."""

    work: Work
    figures: tuple[Figure, ...]
    """Expected figures with the intervals they will have; then answers, words, hours and cost."""


def forecast_batch(
    items: Sequence[Item],
    assignments: Sequence[Assignment],
    rates: CostRates,
    seconds_per_item: float | None,
    expected: Expectations | None = None,
) -> Forecast:
    """The forecast of a batch, drafted or stored.

    Args:
        items: its items.
        assignments: who answers which.
        rates: what raters are paid for.
        seconds_per_item: how long an answer takes; None where nobody knows.
        expected: what one expects to see.

    Raises:
        SettingsError: if an expectation is out of its range.
    """
    hopes = expected or Expectations()
    hopes.check()
    sample = {item.id: item for item in items if item.purpose is Purpose.SAMPLE}
    work = forecast_work(items, assignments, seconds_per_item)
    figures = (
        *_expect_accuracy(sample, assignments, hopes),
        *_expect_agreement(sample, assignments, hopes),
        *build_work_figures(work, rates),
    )
    return Forecast(work, figures)


def forecast_work(
    items: Iterable[Item], assignments: Iterable[Assignment], seconds_per_item: float | None
) -> Work:
    """What raters have to do: all their items, control items too."""
    texts = {
        item.id: (item.shown.get("src_text", ""), item.shown.get("mt_text", "")) for item in items
    }
    words = {item_id: tuple(map(count_words, pair)) for item_id, pair in texts.items()}
    given = [item_id for each in assignments for item_id in each.item_ids]
    return Work(
        answers=len(given),
        source_words=sum(words[each][0] for each in given),
        translation_words=sum(words[each][1] for each in given),
        seconds=None if seconds_per_item is None else seconds_per_item * len(given),
    )


def build_work_figures(
    work: Work, rates: CostRates, scope: tuple[tuple[str, str], ...] = ()
) -> tuple[Figure, ...]:
    """Answers, words, hours and cost as figures; null with `not_set` where nothing is known."""
    cost = compute_cost(work, rates)
    n = work.answers
    counted = {
        "answers": (work.answers, "Items times the raters of each, control items included."),
        "source_words": (
            work.source_words,
            "Words of the English sentences, once for each answer.",
        ),
        "translation_words": (work.translation_words, "Words of the texts rated, likewise."),
    }
    return (
        *(
            Figure(name, float(value), n, definition, "count", scope=scope)
            for name, (value, definition) in counted.items()
        ),
        Figure(
            "hours",
            work.hours,
            n,
            "Time of all raters together, in hours.",
            "answers times seconds an answer",
            None if work.hours is not None else "not_set",
            scope=scope,
        ),
        Figure(
            "cost",
            None if cost is None else float(cost),
            n,
            f"What the batch costs, in {rates.currency or 'the currency of the rates'}.",
            "rates per item, word and hour, plus fees",
            None if cost is not None else "not_set",
            scope=scope,
        ),
    )


def compute_width(figure: Figure) -> float | None:
    """Width of a figure's interval; None where it has none."""
    interval = figure.interval
    if interval is None or interval.low is None or interval.high is None:
        return None
    return interval.high - interval.low


def _expect_accuracy(
    sample: Mapping[str, Item], assignments: Sequence[Assignment], expected: Expectations
) -> list[Figure]:
    """Of one rater, the one with the fewest items; of all together where raters share them out."""
    held = _list_held(sample, assignments)
    fewest = min(held, key=len, default=set(sample))
    parts = {"each": [sample[item_id] for item_id in sorted(fewest)]}
    if len(fewest) < len(sample):
        parts = {"the one with the fewest": parts["each"], "all": list(sample.values())}
    figures = []
    for raters, items in parts.items():
        n = _effective_n(items)
        wilson = wilson_interval(expected.label_accuracy * n, n, LEVEL) if n else None
        figures.append(
            _expected(
                "label_accuracy",
                expected.label_accuracy,
                n,
                "Share of labels equal to the system's.",
                wilson,
                (("raters", raters),),
                "no_data",
            )
        )
    return figures


def _expect_agreement(
    sample: Mapping[str, Item], assignments: Sequence[Assignment], expected: Expectations
) -> list[Figure]:
    held = _list_held(sample, assignments)
    overlaps = [one & other for one, other in combinations(held, 2) if one & other]
    fewest = min(overlaps, key=len) if overlaps else set()
    shared = [sample[item_id] for item_id in sorted(fewest)]
    undefined = "no_overlap" if len(held) > 1 else "one_rater"
    two = (("raters", "two who share the fewest" if len(overlaps) > 1 else "two"),)
    n = _effective_n(shared)
    figures = [
        *_expect_labels(shared, expected.raw_agreement, two, undefined),
        _expected(
            "pearson",
            expected.pearson,
            n,
            "Pearson's correlation of two raters' DA.",
            _fisher_interval(expected.pearson, n) if n >= LEAST_FOR_CORRELATION else None,
            two,
            "too_few" if 0 < n < LEAST_FOR_CORRELATION else undefined,
        ),
    ]
    if len(overlaps) > 1:
        together = [sample[item_id] for item_id in sorted(set().union(*overlaps))]
        found = _expect_labels(together, expected.raw_agreement, (("raters", "all"),), undefined)
        figures += [each for each in found if each.name == "expected_ac1"]
    return figures


def _list_held(sample: Mapping[str, Item], assignments: Sequence[Assignment]) -> list[set[str]]:
    """The sample items of each rater who answers."""
    return [
        set(each.item_ids) & set(sample)
        for each in assignments
        if each.state is AssignmentState.ACTIVE
    ]


def _expect_labels(
    items: Sequence[Item], p: float, scope: tuple[tuple[str, str], ...], undefined: str
) -> list[Figure]:
    """Raw agreement, kappa and AC1 on items that two raters or more answer."""
    n = _effective_n(items)
    shares = _label_shares(items)
    chances = {
        "kappa": sum(share**2 for share in shares),
        "ac1": sum(share * (1 - share) for share in shares) / (len(_scheme(items).labels) - 1),
    }
    wilson = wilson_interval(p * n, n, LEVEL) if n else None
    definition = "Share of items to which two raters give the same label."
    figures = [_expected("raw_agreement", p, n, definition, wilson, scope, undefined)]
    for name, chance in chances.items():
        constant = n > 0 and 1 - chance < ZERO_CHANCE_GAP
        figures.append(
            _expected(
                name,
                None if constant else (p - chance) / (1 - chance),
                n,
                f"{'Cohen’s kappa' if name == 'kappa' else 'Gwet’s AC1'} of raters' labels.",
                _chance_corrected_interval(p, chance, n) if n and not constant else None,
                scope,
                "no_variation" if constant else undefined,
            )
        )
    return figures


def _expected(
    name: str,
    value: float | None,
    n: float,
    definition: str,
    interval: Interval | None,
    scope: tuple[tuple[str, str], ...],
    reason: str,
) -> Figure:
    defined = value is not None and interval is not None
    return Figure(
        f"expected_{name}",
        value if defined else None,
        round(n),
        f"{definition} Expected; the interval is the one that this many items will give.",
        "assumed value; interval as in annotation/forecast.py",
        None if defined else reason,
        interval if defined else None,
        scope,
    )


def _chance_corrected_interval(p: float, chance: float, n: float) -> Interval:
    value = (p - chance) / (1 - chance)
    half = _z() * sqrt(p * (1 - p) / n) / (1 - chance)
    return Interval(
        max(-1.0, value - half), min(1.0, value + half), LEVEL, "large sample, chance as known"
    )


def _fisher_interval(r: float, n: float) -> Interval:
    half = _z() / sqrt(n - 3)
    return Interval(tanh(atanh(r) - half), tanh(atanh(r) + half), LEVEL, "fisher")


def _scheme(items: Sequence[Item]) -> LabelScheme:
    return SCHEMES[items[0].instrument] if items else GENDER


def _label_shares(items: Sequence[Item]) -> list[float]:
    labels = Counter(find_system_label(item) for item in items)
    return [count / len(items) for count in labels.values()]


def _effective_n(items: Iterable[Item]) -> float:
    return compute_effective_n(np.array([item.weight for item in items], dtype=np.float64))


def _z() -> float:
    return NormalDist().inv_cdf((1 + LEVEL) / 2)
