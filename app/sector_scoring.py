"""Scoring sector sentences for the command line: one model, any number of workforce tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.output import describe_figure, print_table, say
from app.score_tables import DEMONSTRATION
from app.session import Session
from app.views.sector_results import describe_half_precision
from corpus.errors import Fault, InputError
from corpus.figures import Figure
from corpus.sector_files import load_sector_languages
from corpus.sector_releases import ReleasedFrom, load_released_sentences
from corpus.sectors import SectorSentences
from corpus.store.runs import RunProgress
from corpus.workforce import WorkforceTable
from corpus.workforce_files import load_workforces
from engines.likelihood.association_opening import (
    SENTENCE_LIKELIHOOD,
    WordModel,
    identify_word_model,
    open_word_engine,
)
from scoring.models_file import ModelMetadata
from scoring.sector_contrasts import Context, Lengths
from scoring.sector_half_precision import FLOAT32, WordEngine
from scoring.sector_resampling import SectorResampling
from scoring.sector_scores import SectorRequest, SectorResult, score_sectors

COMMIT = re.compile(r"[0-9a-f]{40}")
SHOWN = ("sb", "rb", "mean_absolute_gap", "rank_correlation")
SHOWN_OF_CAUSAL = (*SHOWN, "relative_disparity")
"""The one that may be read beside a masked model's stands with what may not."""


@dataclass(frozen=True, slots=True)
class SectorModel:
    """A model to be scored, and how it is opened."""

    name: str
    """On the hub, or a folder."""
    revision: str | None = None
    dtype: str | None = None
    """None is what the settings say."""
    metadata: ModelMetadata | None = None
    """What a models file says of it."""


@dataclass(frozen=True, slots=True)
class SectorOrder:
    """What a model is scored on."""

    languages: tuple[SectorSentences, ...]
    tables: tuple[WorkforceTable, ...]
    """Workforce tables; each gives a result of its own, from the same scores."""
    reading: str | None = None
    """How several tokens are taken together; None is the first one of the model's kind."""
    demonstration: bool = False
    release: ReleasedFrom | None = None
    """Where the sentences are from, unless from files."""


def plan_order(
    codes: Sequence[str],
    data: Path | None,
    release: Path | None,
    workforce: Sequence[str],
    reading: str | None = None,
    *,
    demonstration: bool = False,
) -> SectorOrder:
    """The order for sentences of files, or of a release, and workforce tables by name or file.

    Raises:
        InputError: with every fault of all files, or if a language is in none of the tables.
        ReleaseError: if the release is not as it was built.
    """
    languages: tuple[SectorSentences, ...] = ()
    tables: tuple[WorkforceTable, ...] = ()
    origin = None
    faults: list[Fault] = []
    try:
        tables = load_workforces(workforce)
    except InputError as error:
        faults.extend(error.faults)
    try:
        if release is None:
            languages = load_sector_languages(codes, data)
        else:
            languages, origin = load_released_sentences(release, codes, data)
    except InputError as error:
        faults.extend(error.faults)
    if faults:
        raise InputError(faults)
    faults = [
        Fault(", ".join(sorted({table.name for table in tables})), None, "languages",
              f"no workforce for the language {one.code!r}", f"add [languages.{one.code}]")
        for one in languages
        if not any(one.code in table.countries for table in tables)
    ]  # fmt: skip
    if faults:
        raise InputError(faults)
    return SectorOrder(languages, tables, reading, demonstration, origin)


def identify_model(
    model: SectorModel, reading: str | None
) -> tuple[WordModel, Callable[[str, str], WordEngine]]:
    """What identifies a model, and what opens it, given a number type and a device.

    Raises:
        EngineError: if it is not there, or is asked in a way that is not of its kind.
    """
    found = identify_word_model(model.name, model.revision, reading)
    # Whatever happens on the hub meanwhile, what is opened is what was identified.
    at = found.revision if COMMIT.fullmatch(found.revision) else model.revision

    def open_engine(dtype: str, device: str) -> WordEngine:
        return open_word_engine(model.name, found, dtype=dtype, device=device, revision=at)

    return found, open_engine


def score_model(
    session: Session, model: SectorModel, order: SectorOrder, progress: RunProgress
) -> tuple[SectorResult, ...]:
    """The results of a model, one for each workforce table; the sentences are scored once.

    Raises:
        EngineError: if the model cannot be opened, is asked in a way that is not of its kind, or
            cannot be scored on a sentence.
    """
    settings = session.settings
    dtype = model.dtype or settings.dtype
    found, open_engine = identify_model(model, order.reading)
    results = []
    for table in order.tables:
        request = SectorRequest(
            languages=tuple(one for one in order.languages if one.code in table.countries),
            workforce=table,
            dtype=dtype,
            reading=found.reading,
            resampling=SectorResampling(settings.seed, settings.draws),
            demonstration=order.demonstration,
            method=found.method,
            release=order.release,
            metadata=model.metadata.as_json() if model.metadata else {},
        )
        if not request.languages:
            continue
        results.append(
            score_sectors(
                found,
                lambda: open_engine(dtype, settings.device),
                request,
                session.workspace.results,
                lambda total: progress.plan(progress.done + total),
                progress.advance,
                lambda: open_engine(FLOAT32, "cpu"),
            )
        )
    return tuple(results)


def gather_figures(results: Sequence[SectorResult]) -> list[Figure]:
    """The figures of all results; where there are several, the scope says which workforce."""
    if len(results) == 1:
        return list(results[0].figures)
    found: list[Figure] = []
    for result in results:
        if "workforce_table" not in result.manifest:
            found.extend(result.figures)
            continue
        year = result.manifest["workforce_table"]["year"]
        for figure in result.figures:
            country = result.manifest["countries"][dict(figure.scope)["language"]]
            scope = (*figure.scope, ("workforce", f"{country}, {year}"))
            found.append(replace(figure, scope=scope))
    return found


def print_result(result: SectorResult) -> None:
    """The measures of open templates and all pairs; the rest is in the result's folder."""
    manifest = result.manifest
    names = SHOWN_OF_CAUSAL if manifest["kind"] == "causal" else SHOWN
    rows: list[Sequence[object]] = []
    for figure in result.figures:
        scope = dict(figure.scope)
        headline = (scope["context"], scope["lengths"]) == (Context.OPEN, Lengths.ALL)
        if figure.name in names and headline:
            name = " ".join([figure.name, *(scope[k] for k in ("variant", "sector") if k in scope)])
            rows.append((scope["language"], name, describe_figure(figure), figure.n))
    asked = "Sentence likelihoods" if manifest["kind"] == "causal" else "Sector associations"
    print_table(
        f"{asked} of {manifest['model']}", ("language", "measure", "value [interval]", "n"), rows
    )
    for code in manifest["languages"]:
        counts = manifest["contrasts"][code]
        say(
            f"{code}: sentences {manifest['status'][code]}; of {counts['all']} sentence pairs "
            f"{counts['unequal_length']} have words of unequal length, "
            f"{counts['altered_by_tokenizer']} a word that the tokenizer altered and "
            f"{counts['context_shows_gender']} a context that shows the gender (apart). "
            f"Workforce: {manifest['countries'][code]}."
        )
        if told := describe_half_precision(manifest, code):
            say(told)
    table = manifest["workforce_table"]
    say(f"Workforce table {table['name']}, year {table['year']}: {table['source']}.")
    if manifest["method"] == SENTENCE_LIKELIHOOD:
        say(
            "SB below 0 favours men, but how usual the person words are is part of it; not of "
            "relative_disparity, to be read beside a masked model's by sign and order."
        )
    else:
        say("SB 0 is neutral, below 0 favours men; RB = SB − mean(W) in every language.")
    if manifest["demonstration"]:
        say(DEMONSTRATION)
    say(f"Limits: {manifest['not_measured']} {result.folder}")
