"""The comparison behind the study's figures: means over languages from the results' shards.

It is that of `scores compare`: one draw of source sentences for all languages and models, so that
what languages have in common does not average out of an interval.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from app.compared_results import Question, answer
from app.progress import Steps
from app.views.score_models import ShownResults
from app.views.scores import MANIFEST_NAME
from corpus.figures import Figure
from corpus.stereotypes import Inventory
from scoring.compared_columns import ALL
from scoring.comparison import Comparison
from scoring.protocols import protocol_named

NAMES = frozenset({"g_s_average", "inclination_average"})
"""Averages that a figure draws."""
COMPARISONS_KEPT = 4


def compare_shown(shown: ShownResults, inventory: Inventory) -> Comparison:
    """The results shown, compared under their protocol and condition; kept until they change.

    Raises:
        InputError: if a result is of another version, or its shards are not there.
        SettingsError: if the protocol is unknown.
        StateError: if there is nothing to compute from.
    """
    folders = tuple(result.folder for result in shown.results)
    asked = (shown.protocol, shown.condition, shown.languages)
    return _compare(folders, _stamps(folders), *asked, inventory)


def compute_averages(shown: ShownResults, inventory: Inventory, progress: Steps) -> Comparison:
    """The averages of that comparison alone: differences of many models would take long.

    Raises:
        InputError: as `compare_shown`.
        SettingsError: as well.
        StateError: as well.
    """
    question = replace(
        _ask(shown.protocol, shown.condition, shown.languages, inventory), averages_only=True
    )
    return answer([result.folder for result in shown.results], question, progress)


def add_averages(shown: ShownResults, comparison: Comparison) -> ShownResults:
    """The results with each model's means over its supported, its other or all its languages."""
    compared = comparison.compared
    keys = {
        label: result.folder.name
        for label, result in zip(compared.labels, compared.results, strict=True)
    }
    averages: defaultdict[str, list[Figure]] = defaultdict(list)
    for figure in comparison.averages:
        scope = dict(figure.scope)
        if figure.name in NAMES and scope["sentences"] == ALL:
            averages[keys[scope["model"]]].append(figure)
    return replace(
        shown, averages=tuple((key, tuple(figures)) for key, figures in averages.items())
    )


@lru_cache(maxsize=COMPARISONS_KEPT)
def _compare(
    folders: tuple[Path, ...],
    _changed: tuple[int, ...],
    protocol: str,
    condition: str,
    languages: tuple[str, ...],
    inventory: Inventory,
) -> Comparison:
    return answer(folders, _ask(protocol, condition, languages, inventory))


def _ask(
    protocol: str, condition: str, languages: tuple[str, ...], inventory: Inventory
) -> Question:
    return Question((protocol_named(protocol),), inventory, (condition,), languages)


def _stamps(folders: Sequence[Path]) -> tuple[int, ...]:
    return tuple((folder / MANIFEST_NAME).stat().st_mtime_ns for folder in folders)
