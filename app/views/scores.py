"""Scores: what `stereoscope score` left in the results folder, ready to be drawn."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from app.views import words
from corpus.errors import Fault, InputError
from corpus.figures import Figure
from corpus.stereotypes import Inventory
from scoring.result_folders import OTHER_VERSION_REMEDY, find_version_problem, read_inventory

FIGURES_NAME = "figures.json"
MANIFEST_NAME = "manifest.json"
RESULTS_KEPT = 64
"""Results kept in memory, each until its files change."""
EQUAL = 1.0
"""g_s of a model without a difference between the poles."""


@dataclass(frozen=True, slots=True)
class Result:
    """One scoring run: its figures and what made them."""

    key: str
    """Name of its folder."""
    figures: tuple[Figure, ...]
    signatures: tuple[str, ...]
    """One for each figure; empty where the file has none."""
    manifest: Mapping[str, Any]
    folder: Path = Path()

    @property
    def demonstration(self) -> bool:
        """Whether the numbers are a demonstration and no finding."""
        return bool(self.manifest.get("demonstration"))

    @property
    def unvalidated(self) -> tuple[str, ...]:
        """Codes of languages that were scored though nobody had approved them."""
        return tuple(self.manifest.get("unvalidated") or ())

    @property
    def human_eyes(self) -> tuple[str, ...]:
        """For each language what people saw of its rows, and the label error that leaves."""
        told = self.manifest.get("human_eyes") or {}
        return tuple(f"{words.describe_language(code)}: {eyes}" for code, eyes in told.items())

    @property
    def inventory(self) -> Inventory:
        """The stereotypes it was scored with.

        Raises:
            InputError: if its manifest does not hold them.
        """
        return read_inventory(self.manifest, self.folder)

    @property
    def title(self) -> str:
        """Model and release as the run names them, and its folder."""
        parts = [
            str(self.manifest[name]) for name in ("model", "release") if self.manifest.get(name)
        ]
        return " · ".join([*parts, self.key])

    def choices(self, name: str) -> tuple[str, ...]:
        """The values that a part of the figures' scope takes, e.g. of `language`."""
        values = (dict(figure.scope).get(name) for figure in self.figures)
        return tuple(dict.fromkeys(value for value in values if value is not None))


@dataclass(frozen=True, slots=True)
class DrawnFigure:
    """A defined figure with its interval and the line it is read against."""

    mark: str
    """What the figure is about on the axis: a stereotype, a language or a rater."""
    value: float
    low: float | None
    high: float | None
    n: int


def load_results(folder: Path) -> tuple[tuple[Result, ...], tuple[str, ...]]:
    """The scoring results in a folder, the latest first, and a sentence for each that is none.

    A result that cannot be read or that another version of the product made is not among them.
    """
    found: list[tuple[float, Result]] = []
    problems: list[str] = []
    # The manifest is written last: a folder without one is what an interrupted run left.
    for manifest in sorted(folder.glob(f"*/{MANIFEST_NAME}")):
        try:
            result = _look_up(manifest)
            if problem := find_version_problem(result.manifest):
                problems.append(f"{result.key}: {problem}. {OTHER_VERSION_REMEDY}.")
                continue
            found.append((manifest.stat().st_mtime, result))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            problems.append(
                f"The result {manifest.parent.name} cannot be read ({type(error).__name__}); "
                "score again."
            )
    found.sort(key=lambda one: (-one[0], one[1].key))
    return tuple(result for _, result in found), tuple(problems)


def load_result(folder: Path) -> Result:
    """The scoring result in a folder.

    Raises:
        InputError: if there is none, or it cannot be read.
    """
    try:
        return _look_up(folder / MANIFEST_NAME)
    except FileNotFoundError as error:
        problem, remedy = "no finished result", "name a folder that `stereoscope score` wrote"
        raise InputError([Fault(str(folder), None, None, problem, remedy)]) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        problem = f"a result that cannot be read ({type(error).__name__})"
        raise InputError([Fault(str(folder), None, None, problem, "score again")]) from error


def find_version_faults(results: Iterable[Result]) -> Iterator[Fault]:
    """One fault for each result that another version of the product made."""
    for each in results:
        if problem := find_version_problem(each.manifest):
            yield Fault(str(each.folder), None, None, problem, OTHER_VERSION_REMEDY)


def select_figures(
    figures: Iterable[Figure], name: str, scope: Mapping[str, str]
) -> tuple[Figure, ...]:
    """The figures of that name whose scope has all the given parts."""
    return tuple(
        figure
        for figure in figures
        if figure.name == name and scope.items() <= dict(figure.scope).items()
    )


def find_value(figures: Iterable[Figure], name: str, scope: Mapping[str, str]) -> float | None:
    """The value of the first such figure; None if there is none or it is undefined."""
    return next((figure.value for figure in select_figures(figures, name, scope)), None)


def draw_by(
    figures: Iterable[Figure], part: str, inventory: Inventory | None = None
) -> tuple[DrawnFigure, ...]:
    """The defined figures with one part of their scope as their mark, in words.

    Stereotypes are named by the inventory; without one they have their numbers.
    """
    return tuple(
        DrawnFigure(
            mark=_in_words(part, dict(figure.scope).get(part, ""), inventory),
            value=figure.value,
            low=figure.interval.low if figure.interval else None,
            high=figure.interval.high if figure.interval else None,
            n=figure.n,
        )
        for figure in figures
        if figure.value is not None
    )


def _in_words(part: str, value: str, inventory: Inventory | None) -> str:
    if part == "language":
        return words.describe_language(value)
    if part == "stereotype" and value.isdigit() and inventory is not None:
        return words.describe_stereotype(int(value), inventory)
    return value


def _look_up(manifest: Path) -> Result:
    files = (manifest, manifest.with_name(FIGURES_NAME))
    return _load(manifest.resolve(), tuple(each.stat().st_mtime_ns for each in files))


@lru_cache(maxsize=RESULTS_KEPT)
def _load(manifest_file: Path, _changed: tuple[int, ...]) -> Result:
    folder = manifest_file.parent
    manifest = json.loads(manifest_file.read_text(encoding="utf-8"))
    if not isinstance(manifest, dict):
        raise TypeError(MANIFEST_NAME)
    given = json.loads((folder / FIGURES_NAME).read_text(encoding="utf-8"))["figures"]
    return Result(
        folder.name,
        tuple(Figure.from_json(each) for each in given),
        tuple(str(each.get("signature") or "") for each in given),
        manifest,
        folder,
    )
