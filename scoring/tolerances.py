"""Whether a requirement is fulfilled: enough of its tests pass, by its own tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from corpus.figures import Figure
from corpus.prompts import Requirement

_WHOLE = {"model", "language", "concern"}


class Fulfilment(StrEnum):
    """What a rate says about a requirement."""

    FULFILLED = "fulfilled"
    NOT_FULFILLED = "not fulfilled"
    UNDECIDED = "undecided"
    """It is between the bounds: the answers that could not be read decide."""
    NOT_JUDGED = "not judged"
    """No test gave a verdict."""


@dataclass(frozen=True, slots=True)
class RequirementVerdict:
    """One requirement for one model and language, by both rates."""

    requirement: str
    model: str
    language: str
    tolerance: float
    langbite: Fulfilment
    """As the published tool decides it."""
    all: Fulfilment
    """By both bounds of the rate over all tests."""


def judge_requirements(
    requirements: Sequence[Requirement], figures: Sequence[Figure]
) -> tuple[RequirementVerdict, ...]:
    """Each requirement's verdict for each model and language that has rates.

    Args:
        requirements: the requirements, one per concern.
        figures: what `compute_prompt_rates` gave.
    """
    rates: dict[tuple[str, str, str], dict[str, Figure]] = {}
    for figure in figures:
        scope = dict(figure.scope)
        bound = scope.pop("bound", None)
        if figure.name in ("langbite", "all") and set(scope) == _WHOLE:
            place = (scope["model"], scope["language"], scope["concern"])
            rates.setdefault(place, {})[bound or figure.name] = figure
    found = []
    for requirement in requirements:
        for (model, language, concern), known in rates.items():
            if concern == requirement.concern.key and language in requirement.languages:
                tolerance = requirement.tolerance
                found.append(
                    RequirementVerdict(
                        requirement.name,
                        model,
                        language,
                        tolerance,
                        _judge([known["langbite"]], tolerance),
                        _judge([known["lower"], known["upper"]], tolerance),
                    )
                )
    return tuple(found)


def _judge(rates: Sequence[Figure], tolerance: float) -> Fulfilment:
    values = [rate.value for rate in rates if rate.value is not None]
    if not values:
        return Fulfilment.NOT_JUDGED
    enough = {value >= tolerance for value in values}
    if len(enough) > 1:
        return Fulfilment.UNDECIDED
    return Fulfilment.FULFILLED if enough == {True} else Fulfilment.NOT_FULFILLED
