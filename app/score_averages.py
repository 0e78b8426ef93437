"""Averages over languages for the study's figures, from the shards of the results shown.

They are those of `scores compare`: one draw of source sentences for all languages and models, so
that what languages have in common does not average out of the interval.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from app.compared_results import Question, answer
from app.views.score_models import ShownResults
from corpus.figures import Figure
from corpus.stereotypes import Inventory
from scoring.compared_columns import ALL
from scoring.protocols import protocol_named

NAMES = frozenset({"g_s_average", "inclination_average"})
"""Averages that a figure draws."""


def add_averages(shown: ShownResults, inventory: Inventory) -> ShownResults:
    """The results with each model's averages over its supported, its other or all its languages.

    Raises:
        InputError: if a result is of another version, or its shards are not there.
        SettingsError: if the protocol is unknown.
        StateError: if there is nothing to compute from.
    """
    question = Question(
        (protocol_named(shown.protocol),), inventory, (shown.condition,), shown.languages
    )
    found = answer([result.folder for result in shown.results], question)
    keys = {
        label: result.folder.name
        for label, result in zip(found.compared.labels, found.compared.results, strict=True)
    }
    averages: defaultdict[str, list[Figure]] = defaultdict(list)
    for figure in found.averages:
        scope = dict(figure.scope)
        if figure.name in NAMES and scope.get("sentences", ALL) == ALL:
            averages[keys[scope["model"]]].append(figure)
    return replace(
        shown, averages=tuple((key, tuple(figures)) for key, figures in averages.items())
    )
