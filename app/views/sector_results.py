"""Sector results as they are shown: which of them, in which context, and who saw the sentences."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.views import words
from app.views.scores import MANIFEST_NAME, Result, load_result
from app.views.sector_names import name_results
from corpus.errors import Fault, InputError, StateError
from corpus.figures import Figure
from corpus.sectors import UNREVIEWED, SectorSentence
from scoring.occupation_control import CONTROL_NAME
from scoring.sector_contrasts import (
    Context,
    Contrast,
    Lengths,
    ScoredSentence,
    build_contrasts,
    choose_contrasts,
)
from scoring.sector_half_precision import read_contrast_error
from scoring.sector_scores import SECTORS_NAME
from scoring.sector_shards import SectorShardKey, read_sector_shard, sector_shard_path

ASSOCIATION = "association"
"""What a masked model is asked for; results of another method are not drawn with it."""
NOT_STATED = "not stated"


@dataclass(frozen=True, slots=True)
class ShownModel:
    """A model of a figure."""

    number: int
    """By which its marks are told apart, from 1 on."""
    label: str
    size_name: str
    """`base`, `large`, …, or `not stated`."""
    casing: str
    """`cased`, `uncased` or `not stated`."""

    @property
    def described(self) -> str:
        """`1 name (large, uncased)`."""
        return f"{self.number} {self.label} (size {self.size_name}, casing {self.casing})"


@dataclass(frozen=True, slots=True)
class ShownSectors:
    """Results drawn together: all of one method, in one context."""

    results: tuple[Result, ...]
    languages: tuple[str, ...]
    context: Context = Context.OPEN
    lengths: Lengths = Lengths.ALL

    @property
    def models(self) -> tuple[ShownModel, ...]:
        """One for each result, in their order."""
        labels = name_results(self.results)
        found = []
        for number, (result, label) in enumerate(zip(self.results, labels, strict=True), start=1):
            facts = result.manifest.get("metadata") or {}
            told = (str(facts.get(key) or NOT_STATED) for key in ("size_name", "casing"))
            found.append(ShownModel(number, label, *told))
        return tuple(found)

    @property
    def method(self) -> str:
        """What the models were asked for."""
        return str(self.results[0].manifest.get("method", ASSOCIATION))

    @property
    def scored(self) -> tuple[tuple[Result, str], ...]:
        """One result of each scoring, and the name of what was scored.

        Results that differ only in the workforce hold the same associations.
        """
        by_shards: dict[str, list[tuple[Result, str]]] = {}
        for result, model in zip(self.results, self.models, strict=True):
            shards = json.dumps(result.manifest["shards"], sort_keys=True)
            by_shards.setdefault(shards, []).append((result, model.label))
        firsts = [found[0][0] for found in by_shards.values()]
        labels = name_results(firsts)
        return tuple(
            (result, found[0][1] if len(found) == 1 else label)
            for found, result, label in zip(by_shards.values(), firsts, labels, strict=True)
        )

    @property
    def demonstration(self) -> bool:
        """Whether one of them is no finding."""
        return any(each.demonstration for each in self.results)

    def figures_of(self, result: Result) -> tuple[tuple[Figure, str], ...]:
        """A result's figures in this context and these languages, each with its signature."""
        wanted = {"context": str(self.context), "lengths": str(self.lengths)}
        return tuple(
            (figure, mark)
            for figure, mark in zip(result.figures, result.signatures, strict=True)
            if wanted.items() <= dict(figure.scope).items()
            and dict(figure.scope)["language"] in self.languages
        )


def load_sector_results(results: Path) -> tuple[tuple[Result, ...], tuple[str, ...]]:
    """The sector results in a workspace's results, the latest first, and what cannot be read."""
    found, problems = [], []
    for manifest in (results / SECTORS_NAME).glob(f"*/{MANIFEST_NAME}"):
        try:
            found.append(
                (-manifest.stat().st_mtime, manifest.parent.name, load_result(manifest.parent))
            )
        except (OSError, InputError):
            problems.append(f"The result {manifest.parent.name} cannot be read; score again.")
    found.sort(key=lambda one: one[:2])
    return tuple(result for *_, result in found), tuple(sorted(problems))


def find_control(result: Result) -> Result | None:
    """The latest result of the control with the same model and reading, beside this one."""
    place = result.folder.parent.parent / CONTROL_NAME
    same = ("model", "revision", "dtype", "reading")
    found = []
    for manifest in place.glob(f"*/{MANIFEST_NAME}"):
        try:
            control = load_result(manifest.parent)
        except InputError:
            continue
        if all(control.manifest.get(name) == result.manifest.get(name) for name in same):
            found.append((manifest.stat().st_mtime, control.key, control))
    return max(found, key=lambda one: one[:2])[2] if found else None


def open_sector_result(folder: Path) -> Result:
    """The sector result in a folder.

    Raises:
        InputError: if there is none, or it is of another instrument.
    """
    result = load_result(folder)
    if not {"shards", "status", "countries"} <= result.manifest.keys():
        problem, remedy = "no result of sectors", "name a folder that `sectors score` wrote"
        raise InputError([Fault(str(folder), None, None, problem, remedy)])
    return result


def show_sectors(
    results: Sequence[Result],
    languages: Sequence[str] = (),
    context: Context = Context.OPEN,
    lengths: Lengths = Lengths.ALL,
) -> ShownSectors:
    """Results to be drawn together.

    Args:
        results: At least one.
        languages: Codes; all that a result has if empty.
        context: Which sentences.
        lengths: Which person pairs.

    Raises:
        StateError: if they are of different methods, or none has such a language or context.
    """
    methods = {str(each.manifest.get("method", ASSOCIATION)) for each in results}
    if len(methods) > 1:
        raise StateError(
            f"Results of different methods ({', '.join(sorted(methods))}) have no common scale: "
            "show them one by one."
        )
    known = list(dict.fromkeys(code for each in results for code in each.manifest["languages"]))
    unknown = [code for code in languages if code not in known]
    if unknown:
        raise StateError(f"No result has {', '.join(unknown)}; there are {', '.join(known)}.")
    shown = ShownSectors(tuple(results), tuple(languages or known), context, lengths)
    if not any(shown.figures_of(each) for each in results):
        raise StateError(f"No sentence with context {context} and lengths {lengths} was scored.")
    return shown


def load_contrasts(result: Result, language: str, shown: ShownSectors) -> tuple[Contrast, ...]:
    """The sentence pairs behind a result's figures.

    Raises:
        InputError: if its shard is missing or damaged.
    """
    return choose_contrasts(
        build_contrasts(_load_scored(result, language)), shown.context, shown.lengths
    )


def load_sentences(result: Result, language: str) -> tuple[SectorSentence, ...]:
    """The sentences that were scored, each with what people had judged of it by then.

    Raises:
        InputError: if the result's shard is missing or damaged.
    """
    return tuple(one.sentence for one in _load_scored(result, language))


def _load_scored(result: Result, language: str) -> tuple[ScoredSentence, ...]:
    key = SectorShardKey(**result.manifest["shards"][language])
    return read_sector_shard(sector_shard_path(result.folder.parent / "shards", key), key)


def describe_country(result: Result, code: str) -> str:
    """`German, compared with Germany (Global Gender Gap Index 0.801)`."""
    index = next(
        (
            figure.value
            for figure in result.figures
            if figure.name == "global_gender_gap_index"
            and dict(figure.scope).get("language") == code
        ),
        None,
    )
    told = NOT_STATED if index is None else f"{index:.3f}"
    country = result.manifest["countries"][code]
    language = words.describe_language(code)
    return f"{language}, compared with {country} (Global Gender Gap Index {told})"


def describe_status(result: Result, code: str) -> str:
    """What people have judged of a language's sentences."""
    told = (result.manifest.get("human_eyes") or {}).get(code)
    status = str(result.manifest["status"][code])
    if told is None:
        count = result.manifest["sentences"][code]
        seen = "0" if status == UNREVIEWED else f"{NOT_STATED} how many"
        told = f"{seen} of {count} sentences seen by a human"
    return f"{words.describe_language(code)}: {status}; {told}"


def describe_half_precision(manifest: Mapping[str, Any], code: str) -> str:
    """What half precision means for a language's figures; empty in float32."""
    record = (manifest.get("half_precision") or {}).get(code) or {}
    error = read_contrast_error(record, str(manifest["dtype"]))
    if error is None:
        return ""
    told = f"{words.describe_language(code)}, {manifest['model']} ({manifest['dtype']})"
    if not math.isfinite(error):
        return (
            f"{told}: nobody measured what half precision puts a sentence pair off by, so that "
            "figures are not ordered."
        )
    return (
        f"{told}: half precision puts a sentence pair off by up to {error:.2g} nats "
        f"({record['pairs']:.0f} pairs against float32). As if all erred by that much: figures "
        f"closer than {2 * error:.2g} are not ordered, and a value within {error:.2g} of 0 has no "
        "sign."
    )


def join_distinct(values: Iterable[str]) -> str:
    """The different ones, with semicolons."""
    return "; ".join(dict.fromkeys(values))
