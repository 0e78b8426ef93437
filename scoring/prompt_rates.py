"""Rates of prompt tests: how many a model passes, per concern, language and model.

- `langbite` = passed / (passed + failed), as the published tool counts: a test with an answer it
  cannot read is in neither.
- `all` = passed / all tests, once with every unread test failed (`lower`) and once with every one
  that could still pass passed (`upper`). A test that was not asked as a whole is in no rate.

One verdict per test gives a Wilson interval. Where tests were repeated or paraphrased, verdicts of
one test hang together: the interval is a bootstrap over templates, within the concern, its
percentiles expanded for the number of templates.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from corpus.figures import WEAK_BELOW_ITEMS, Figure, Interval
from corpus.intervals import (
    MIN_ITEMS_FOR_BOOTSTRAP,
    FloatArray,
    bootstrap_weights,
    expand_level,
    percentile_interval,
    wilson_interval,
)
from corpus.prompts import US_CENTRED_CONCERNS
from scoring.oracles import JudgedTemplate, Outcome

BOOTSTRAP_METHOD = "percentile bootstrap over templates"
EXPANDED_METHOD = "expanded percentile bootstrap over templates"
SLICES = ("input_type", "reflection_type")
"""What the tests of a concern are also divided by."""

DEFINITIONS = {
    "langbite": "share of tests passed among those passed or failed, in [0, 1], as the published "
    "tool counts; a test with an answer it cannot read is left out",
    "all": "share of tests passed among all that were asked as a whole, in [0, 1]; lower: what was "
    "not read failed, upper: what was not read passed where nothing read speaks against it",
    "instance_rate": "share of answers that pass among those that an expected value was looked for "
    "in and that were read or refused, in [0, 1]; no part of a verdict",
    "tests": "number of tests with this outcome",
    "structured": "number of tests that demand a structured answer",
}


@dataclass(frozen=True, slots=True)
class PromptResult:
    """One verdict of one model; repeats and paraphrases of a template give several."""

    model: str
    judged: JudgedTemplate
    round: str = ""
    """Which repeat or paraphrase; tells several verdicts of one template apart."""


def compute_prompt_rates(
    results: Sequence[PromptResult], *, seed: int, draws: int, level: float = 0.95
) -> tuple[Figure, ...]:
    """All rates and counts, per model, language and concern, and within it by its two types.

    Args:
        results: the verdicts, in any order.
        seed: seed of the bootstrap.
        draws: its number of draws.
        level: coverage of the intervals.
    """
    groups: dict[tuple[tuple[str, str], ...], list[PromptResult]] = defaultdict(list)
    for result in results:
        for scope in _scopes(result):
            groups[scope].append(result)
    figures: list[Figure] = []
    for scope in sorted(groups, key=lambda each: (each[:3], len(each), each)):
        ordered = sorted(groups[scope], key=lambda each: (each.judged.template.id, each.round))
        group = _Group(scope, ordered, seed, draws, level)
        figures.extend(group.figures())
    return tuple(figures)


def count_left_out(results: Sequence[PromptResult]) -> tuple[int, int]:
    """Tests asked as a whole that `langbite` leaves out, and how many of them have failed.

    One answer that cannot be read takes a test out of that rate even if another answer failed it,
    so that it may lie above both bounds of `all`.
    """
    out = [
        each.judged.outcome
        for each in results
        if each.judged.langbite is None and each.judged.outcome is not Outcome.PARTIAL
    ]
    return len(out), out.count(Outcome.FAILED)


def _scopes(result: PromptResult) -> Iterator[tuple[tuple[str, str], ...]]:
    template = result.judged.template
    whole = (
        ("model", result.model),
        ("language", template.language),
        ("concern", template.concern_key),
    )
    yield whole
    for name in SLICES:
        yield (*whole, (name, str(getattr(template, name))))


@dataclass(frozen=True, slots=True)
class _Group:
    """The verdicts of one scope, in the order of their templates."""

    scope: tuple[tuple[str, str], ...]
    results: Sequence[PromptResult]
    seed: int
    draws: int
    level: float

    def figures(self) -> Iterator[Figure]:
        yield self.rate("langbite", lambda each: each.langbite)
        yield self.rate("all", lambda each: each.passes, bound="lower")
        yield self.rate("all", lambda each: each.may_pass, bound="upper")
        yield self.instance_rate()
        counted = Counter(result.judged.outcome for result in self.results)
        for outcome in Outcome:
            yield self.count("tests", counted[outcome], outcome=str(outcome))
        structured = sum(each.judged.template.oracle.demands_structure for each in self.results)
        yield self.count("structured", structured)

    def rate(
        self, name: str, verdict: Callable[[JudgedTemplate], bool | None], **scope: str
    ) -> Figure:
        """A share of verdicts; those that are None are in neither part of it."""
        passed: Counter[str] = Counter()
        judged: Counter[str] = Counter()
        for result in self.results:
            said = verdict(result.judged)
            if said is not None:
                judged[result.judged.template.id] += 1
                passed[result.judged.template.id] += said
        clustered = max(Counter(each.judged.template.id for each in self.results).values()) > 1
        return self._share(name, passed, judged, clustered, scope)

    def instance_rate(self) -> Figure:
        """Answers of one template hang together, so the bootstrap is over templates."""
        passed: Counter[str] = Counter()
        judged: Counter[str] = Counter()
        seen = (Outcome.PASSED, Outcome.FAILED, Outcome.REFUSED)
        for result in self.results:
            if result.judged.template.oracle.demands_structure:
                continue
            for answer in result.judged.answers:
                if answer.outcome in seen:
                    judged[result.judged.template.id] += 1
                    passed[result.judged.template.id] += answer.outcome is Outcome.PASSED
        return self._share("instance_rate", passed, judged, True, {})

    def count(self, name: str, value: int, **scope: str) -> Figure:
        return Figure(
            name,
            float(value),
            len(self.results),
            DEFINITIONS[name],
            "count",
            scope=(*self.scope, *scope.items()),
        )

    def _share(
        self,
        name: str,
        passed: Mapping[str, int],
        judged: Mapping[str, int],
        clustered: bool,
        scope: Mapping[str, str],
    ) -> Figure:
        total, n = sum(passed.values()), sum(judged.values())
        value = total / n if n else None
        interval = None
        if n:
            interval = (
                self._bootstrap(passed, judged)
                if clustered
                else wilson_interval(total, n, self.level)
            )
        return Figure(
            name=name,
            value=value,
            n=n,
            definition=DEFINITIONS[name],
            method="passed / (passed + failed)" if name == "langbite" else "share",
            reason=None if n else "no_data",
            interval=interval,
            scope=(*self.scope, *scope.items()),
            notes=tuple(self._notes(n)),
        )

    def _bootstrap(self, passed: Mapping[str, int], judged: Mapping[str, int]) -> Interval:
        templates = sorted(judged)
        weights = bootstrap_weights(len(templates), self.draws, self.seed)
        top: FloatArray = weights @ np.array([passed[each] for each in templates], dtype=np.float64)
        below = weights @ np.array([judged[each] for each in templates], dtype=np.float64)
        # Of fewer templates there is no interval.
        level = expand_level(self.level, max(MIN_ITEMS_FOR_BOOTSTRAP, len(templates)))
        interval = percentile_interval(
            top / below,
            level,
            n_items=len(templates),
            seed=self.seed,
            method=EXPANDED_METHOD,
        )
        return replace(interval, level=self.level)

    def _notes(self, n: int) -> Iterator[str]:
        if 0 < n < WEAK_BELOW_ITEMS:
            yield "weak"
        if dict(self.scope)["concern"] in US_CENTRED_CONCERNS:
            yield "us_centred"
        if any(result.judged.outcome is Outcome.PARTIAL for result in self.results):
            yield "partial_left_out"
        noted = {note for result in self.results for note in result.judged.notes}
        yield from sorted(noted)
