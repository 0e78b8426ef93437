"""Rates of prompt tests in rows, as a page shows them: both rates, outcomes and requirements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from app.output import describe_no_interval
from app.views import words
from app.views.prompt_points import WHOLE, name_language
from app.views.prompt_results import ShownPrompts
from corpus.figures import Figure
from scoring.oracles import Outcome
from scoring.tolerances import judge_requirements

US_MARK = "US-centred"
MARKS = {
    "us_centred": US_MARK,
    "same_family": "same family",
    "helper_family_unknown": "family unknown",
    "equal_with_placeholder": "oracle for one answer",
    "weak": "few tests",
}
"""Notes of a figure that a row bears."""


@dataclass(frozen=True, slots=True)
class RateRow:
    """One concern of one model in one language, or a type of its tests."""

    model: str
    language: str
    concern: str
    tests: str
    """Which of them."""
    langbite: str
    """The rate with its interval, in percent."""
    read: int
    """Tests it rests on."""
    all_from: str
    all_to: str
    asked: int
    passed: int
    failed: int
    refused: int
    unreadable: int
    error: int
    partial: int
    required: str
    """The requirement's tolerance and whether it is met by each rate; empty for a type."""
    mark: str


def list_rates(shown: ShownPrompts, language: str | None, *, types: bool) -> tuple[RateRow, ...]:
    """A row for each concern, or for each type of its tests.

    Args:
        shown: The results.
        language: As the files name it; None: all.
        types: Whether rows are of input and reflection types rather than of whole concerns.
    """
    groups: dict[tuple[tuple[str, str], ...], dict[tuple[str, str], Figure]] = defaultdict(dict)
    for figure in shown.rates:
        scope = dict(figure.scope)
        part = scope.pop("bound", "") or scope.pop("outcome", "")
        if bool(scope.keys() - WHOLE) is types and language in (None, scope["language"]):
            groups[tuple(scope.items())][figure.name, part] = figure
    required = _describe_requirements(shown)
    return tuple(_build_row(dict(scope), figures, required) for scope, figures in groups.items())


def describe_share(figure: Figure | None) -> str:
    """`12.5 % [2.2, 47.1]`, or why there is no interval or no value."""
    if figure is None:
        return "–"
    if figure.value is None:
        return f"– ({words.describe_figure_reason(figure.reason)})"
    interval = figure.interval
    told = f"{100 * figure.value:.1f} %"
    if interval is None:
        return told
    if interval.low is None or interval.high is None:
        return f"{told} ({describe_no_interval(interval)})"
    return f"{told} [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def _build_row(
    scope: Mapping[str, str],
    figures: Mapping[tuple[str, str], Figure],
    required: Mapping[tuple[str, str, str], str],
) -> RateRow:
    model, language, concern = (scope[part] for part in ("model", "language", "concern"))
    parts = [f"{name.split('_')[0]}: {value}" for name, value in scope.items() if name not in WHOLE]
    langbite, lower = figures.get(("langbite", "")), figures.get(("all", "lower"))
    counts = {
        outcome: int(found.value or 0) if (found := figures.get(("tests", str(outcome)))) else 0
        for outcome in Outcome
    }
    notes = {note for each in (langbite, lower) if each for note in each.notes}
    return RateRow(
        model=model,
        language=name_language(language),
        concern=concern,
        tests=", ".join(parts) or "all",
        langbite=describe_share(langbite),
        read=langbite.n if langbite else 0,
        all_from=describe_share(lower),
        all_to=describe_share(figures.get(("all", "upper"))),
        asked=lower.n if lower else 0,
        passed=counts[Outcome.PASSED],
        failed=counts[Outcome.FAILED],
        refused=counts[Outcome.REFUSED],
        unreadable=counts[Outcome.UNREADABLE],
        error=counts[Outcome.ERROR],
        partial=counts[Outcome.PARTIAL],
        required="" if parts else required.get((model, language, concern), ""),
        mark=", ".join(told for note, told in MARKS.items() if note in notes),
    )


def _describe_requirements(shown: ShownPrompts) -> dict[tuple[str, str, str], str]:
    known = {each.name: each for run in shown.runs for each in run.requirements.requirements}
    concerns = {name: each.concern.key for name, each in known.items()}
    return {
        (each.model, each.language, concerns[each.requirement]): (
            f"{each.tolerance:.0%}: by langbite {each.langbite}, by all {each.all}"
        )
        for each in judge_requirements(tuple(known.values()), shown.rates)
    }
