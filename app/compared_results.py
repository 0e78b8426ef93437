"""From folders of results to their comparison, and what has to be said with it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.comparison_document import build_document
from app.progress import Steps
from app.views import words
from corpus.errors import SettingsError, StateError
from corpus.release import Release, open_release
from corpus.stereotypes import Inventory, load_inventory
from corpus.workspace import find_workspace
from scoring.comparability import Compared, check_comparable
from scoring.compared_columns import load_entries
from scoring.comparing import compare
from scoring.comparison import Comparison, ComparisonRequest
from scoring.protocols import POOLED, ScoringProtocol
from scoring.result_folders import OpenedResult, open_result
from scoring.row_choices import RowFacts, read_row_facts
from scoring.variants import Condition

CONDITIONS = (*map(str, Condition), POOLED)
"""Apart first, pooled second."""
CONDITIONAL = "Intervals and p are conditional on these {} stereotypes and on the languages named."
LINES = (
    "1 is the line of no stereotype for g_s and of no difference for a ratio, 0 for the others; "
    "no value is good or bad by being higher."
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of results."""

    protocols: tuple[ScoringProtocol, ...]
    inventory: Inventory
    conditions: tuple[str, ...] = CONDITIONS
    languages: tuple[str, ...] = ()
    """Codes; empty for all that any of the results has."""
    only_validated: bool = False
    """Whether only rows count that a person saw."""
    with_rows: bool = False
    """Whether rows that a person saw, and rows from a quality threshold on, stand beside all."""
    thresholds: tuple[float, ...] = ()
    per_stereotype: bool = False
    averages_only: bool = False
    """Whether averages over languages are all that is asked for."""


def find_folders(named: Sequence[str], workspace: Path | None) -> tuple[Path, ...]:
    """The folders, or those of these names in the workspace's results; each once.

    Raises:
        WorkspaceError: if a name needs a workspace and there is none.
    """
    folders = [
        Path(name) if Path(name).is_dir() else find_workspace(workspace).results / name
        for name in named
    ]
    return tuple(dict.fromkeys(map(Path.resolve, folders)))


def choose_inventory(named: str | None, folders: Sequence[Path]) -> Inventory:
    """The stereotypes named, else those that the first result was scored with.

    Raises:
        InputError: if the file is faulty or the folder holds no result of this version.
    """
    return load_inventory(named) if named else open_result(folders[0]).inventory


def answer(
    folders: Sequence[Path], question: Question, progress: Steps | None = None
) -> Comparison:
    """The comparison of the results in these folders.

    Raises:
        InputError: if one is no result of this version, or they differ in more than one thing.
        SettingsError: if none of them has a language that is asked for.
        StateError: if rows are asked for and a result's release is not beside it.
        ReleaseError: if a release is damaged.
    """
    compared = check_comparable([open_result(folder) for folder in folders], question.inventory)
    languages = _choose_languages(compared, question)
    progress = progress or Steps()
    progress.plan(len(languages) * (len(compared.results) + 1))
    facts = {}
    if question.only_validated or question.with_rows:
        facts = _read_facts(compared, languages)
    kept = {key: fact.seen for key, fact in facts.items()} if question.only_validated else {}
    entries, gaps = load_entries(
        compared,
        languages,
        question.protocols,
        question.conditions,
        question.inventory,
        lambda result, language: kept.get((result, language)),
        progress.advance,
    )
    if not entries:
        reasons = sorted(
            {f"{gap.language}: {words.describe_figure_reason(gap.reason)}" for gap in gaps}
        )
        raise StateError(f"There is nothing to compute from. {'; '.join(reasons)}.")
    first = compared.results[0].manifest
    request = ComparisonRequest(
        question.inventory,
        seed=int(first["seed"]),
        draws=int(first["draws"]),
        per_stereotype=question.per_stereotype,
        averages_only=question.averages_only,
        **_row_choices(facts, question),
    )
    return compare(compared, entries, gaps, request, progress.advance)


def document_of(command: str, comparison: Comparison, question: Question) -> dict[str, Any]:
    """The one JSON object of a command."""
    return build_document(
        command,
        comparison,
        protocols=question.protocols,
        inventory=question.inventory,
        only_validated=question.only_validated,
        statements=tuple(build_statements(comparison, question)),
    )


def build_statements(comparison: Comparison, question: Question) -> Iterator[str]:
    """The sentences that stand with every table of a comparison."""
    compared = comparison.compared
    yield LINES
    yield CONDITIONAL.format(len(question.inventory.ids))
    for name, values in compared.named.items():
        told = ", ".join(
            f"{label}: {value}" for label, value in zip(compared.labels, values, strict=True)
        )
        yield f"The models differ in {name}: {told}."
    yield from _tell_half_precision(comparison)
    if not all(each.difference.is_ordered for each in comparison.differences):
        yield (
            "Not ordered: the error of half precision could make a difference this small, whatever "
            "its p, or that error is not known."
        )
    if question.only_validated:
        yield "Only rows count that a human saw."
    seen = {
        f"{code}: {eyes}."
        for result in compared.results
        for code, eyes in (result.manifest.get("human_eyes") or {}).items()
        if code in comparison.languages
    }
    yield from sorted(seen)
    unvalidated = {
        code for result in compared.results for code in result.manifest.get("unvalidated") or ()
    } & set(comparison.languages)
    if unvalidated:
        yield f"NOT VALIDATED: nobody approved {', '.join(sorted(unvalidated))}."
    if any(result.manifest.get("demonstration") for result in compared.results):
        yield "A demonstration, not a finding: the model or the data are made up."
    yield from sorted(
        {
            f"Limits: {result.manifest['not_measured']}"
            for result in compared.results
            if result.manifest.get("not_measured")
        }
    )


def _tell_half_precision(comparison: Comparison) -> Iterator[str]:
    compared = comparison.compared
    for label, result in zip(compared.labels, compared.results, strict=True):
        languages = [code for code in comparison.languages if code in result.keys]
        errors = [error for code in languages if (error := result.r_error(code)) is not None]
        if errors:
            told = f"up to {max(errors):.2g}" if math.isfinite(max(errors)) else "an unknown amount"
            yield f"Half precision moves each sentence's r under {label} by {told}."


def _choose_languages(compared: Compared, question: Question) -> tuple[str, ...]:
    known = dict.fromkeys(
        code
        for result in compared.results
        for code in (*result.keys, *(result.manifest.get("gaps") or {}))
    )
    unknown = [code for code in question.languages if code not in known]
    if unknown:
        raise SettingsError(
            f"No result has the language {', '.join(unknown)}; they have {', '.join(known)}."
        )
    return question.languages or tuple(known)


def _read_facts(compared: Compared, languages: Sequence[str]) -> dict[tuple[int, str], RowFacts]:
    releases: dict[str, Release] = {}
    facts = {}
    for index, result in enumerate(compared.results):
        wanted = result.manifest["release_sha256"]
        if wanted not in releases:
            releases[wanted] = _find_release(result)
        for language in languages:
            if language in result.keys:
                facts[index, language] = read_row_facts(releases[wanted], language)
    return facts


def _find_release(result: OpenedResult) -> Release:
    """The release a result was scored on, which lies beside the workspace's results."""
    version = str(result.manifest["release"])
    folder = result.folder.parent.parent / "releases" / version
    if not folder.is_dir():
        raise StateError(
            f"{folder} is not there: rows are known only where release {version} lies beside the "
            "results, as in the workspace that scored it."
        )
    release = open_release(folder)
    if release.sums_sha256 != result.manifest["release_sha256"]:
        raise StateError(
            f"{folder} is another release {version} than {result.folder.name} was scored on."
        )
    return release


def _row_choices(facts: dict[tuple[int, str], RowFacts], question: Question) -> dict[str, Any]:
    if not question.with_rows:
        return {}
    return {
        "seen": {} if question.only_validated else {k: f.seen_keys for k, f in facts.items()},
        "from_quality": {
            key: {t: fact.keys_from(t) for t in fact.thresholds(question.thresholds)}
            for key, fact in facts.items()
        },
    }
