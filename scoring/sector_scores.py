"""Scores of one model on the sector sentences of some languages.

    <results>/sectors/shards/<model>/<language>-<key>.parquet   associations of each sentence
    <results>/sectors/<model>-<key>/figures.json                every figure with its signature
    <results>/sectors/<model>-<key>/manifest.json               what made them; written last

A shard that is there is not scored again, so an interrupted run goes on with the next language;
figures with another workforce table, seed or number of draws need no model at all. What a masked
and what a causal model are asked is not the same: `method` in signature and manifest says it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from corpus.figures import Figure
from corpus.hashing import sha256_json
from corpus.sector_releases import ReleasedFrom
from corpus.sectors import SectorSentences
from corpus.version import PRODUCT
from corpus.workforce import WorkforceTable
from engines.likelihood.association_opening import ASSOCIATION, SENTENCE_LIKELIHOOD
from scoring.half_precision import describe_r_error
from scoring.results import result_folder, write_result
from scoring.sector_contrasts import (
    Context,
    Contrast,
    Lengths,
    ScoredSentence,
    build_contrasts,
    choose_contrasts,
)
from scoring.sector_half_precision import WordEngine, read_contrast_error
from scoring.sector_measures import compute_sector_measures
from scoring.sector_resampling import SectorResampling
from scoring.sector_runs import IdentifiedModel, score_sentences
from scoring.sector_shards import SectorShardKey, read_sector_record, sector_shard_path
from scoring.signature import HASH_DIGITS

SECTORS_NAME = "sectors"
NOT_MEASURED = (
    "Two genders only; associations of words in made-up sentences, not behaviour; sentences that "
    "no rater has judged where they are unreviewed; no certificate of safety."
)
NOT_COMPARABLE = (
    "A causal model was asked for the likelihood of whole sentences, so SB and RB hold how usual "
    "the person words are: they cannot be set against those of masked models; relative_disparity "
    "can, by sign and order."
)


@dataclass(frozen=True, slots=True)
class SectorRequest:
    """What is to be scored and how figures are computed from it."""

    languages: tuple[SectorSentences, ...]
    workforce: WorkforceTable
    dtype: str
    reading: str
    resampling: SectorResampling
    demonstration: bool = False
    """The model is made up: figures show how the product works and nothing else."""
    method: str = ASSOCIATION
    """What the model is asked; its kind decides."""
    release: ReleasedFrom | None = None
    """Where the sentences are from, unless from files."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """What a models file says of the model; goes into the manifest and changes no number."""


@dataclass(frozen=True, slots=True)
class SectorSignature:
    """Everything that made a figure."""

    instrument: str
    data_hash: str
    status: str
    """What people have judged of the sentences."""
    workforce: str
    """Name, country, year and hash of the workforce table."""
    model: str
    revision: str
    dtype: str
    contrast_error: str
    """What half precision may put a contrast off by, in nats; `none` in float32, or `unknown`."""
    tokenizer: str
    method: str
    reading: str
    language: str
    context: str
    lengths: str
    seed: str
    """Seed and draws of the intervals."""
    version: str

    def __str__(self) -> str:
        """`name:value` joined by `|`; hashes in full."""
        return "|".join(f"{each.name}:{getattr(self, each.name)}" for each in fields(self))


@dataclass(frozen=True, slots=True)
class SectorResult:
    """The figures of one model and where they are stored."""

    folder: Path
    figures: tuple[Figure, ...]
    manifest: dict[str, Any]


def score_sectors(
    model: IdentifiedModel,
    open_engine: Callable[[], WordEngine],
    request: SectorRequest,
    results: Path,
    plan: Callable[[int], None] = lambda total: None,
    advance: Callable[[int], None] = lambda done: None,
    open_float32: Callable[[], WordEngine] | None = None,
) -> SectorResult:
    """The figures of a model; what is scored already is not scored again.

    Args:
        model: What identifies it.
        open_engine: Opens it; called only if a shard is missing, and once.
        request: Languages, workforce table and seed.
        results: The workspace's folder of results.
        plan: Told how many sentences there are.
        advance: Told how many more sentences are done.
        open_float32: Opens the model in float32, to tell what half precision costs; called once at
            most, and only where something is scored in half precision.

    Raises:
        InputError: if the workforce table lacks a language, before anything is scored.
        EngineError: if a word becomes the unknown token in any of the languages that are still to
            be scored, before the first of them is, or if the model fails on a sentence.
    """
    for language in request.languages:
        request.workforce.country_of(language.code)
    folder = results / SECTORS_NAME
    keys, scored = score_sentences(
        model,
        open_engine,
        request.languages,
        (request.dtype, request.reading),
        folder / "shards",
        (plan, advance),
        open_float32,
    )
    records = {
        code: read_sector_record(sector_shard_path(folder / "shards", key))
        for code, key in keys.items()
    }
    figures = [
        each
        for code, key in keys.items()
        for each in compute_sector_figures(scored[code], key, request, records[code])
    ]
    return _write_result(folder, keys, request, figures, scored, records)


def compute_sector_figures(
    scored: Sequence[ScoredSentence],
    key: SectorShardKey,
    request: SectorRequest,
    record: Mapping[str, float],
) -> Iterator[tuple[Figure, str]]:
    """Each figure of one language with its signature, contexts and lengths apart."""
    contrasts = build_contrasts(scored)
    error = read_contrast_error(record, key.dtype)
    for context in Context:
        for lengths in Lengths:
            chosen = choose_contrasts(contrasts, context, lengths)
            if not chosen:
                continue
            signature = str(_signature(key, request, context, lengths, error))
            scope = (
                ("model", key.model_id),
                ("language", key.language),
                ("context", str(context)),
                ("lengths", str(lengths)),
            )
            country = request.workforce.country_of(key.language)
            for figure in compute_sector_measures(
                chosen, country, request.resampling, scope, request.method, error
            ):
                yield figure, signature


def _signature(
    key: SectorShardKey,
    request: SectorRequest,
    context: Context,
    lengths: Lengths,
    error: float | None,
) -> SectorSignature:
    table = request.workforce
    country = table.country_of(key.language).country
    resampling = request.resampling
    return SectorSignature(
        instrument=SECTORS_NAME,
        data_hash=key.data_hash,
        status=key.status,
        workforce=f"{table.name}, {country}, {table.year}, {table.content_hash[:HASH_DIGITS]}",
        model=key.model_id,
        revision=key.revision,
        dtype=key.dtype,
        contrast_error=describe_r_error(error),
        tokenizer=key.tokenizer_hash,
        method=request.method,
        reading=key.reading,
        language=key.language,
        context=str(context),
        lengths=str(lengths),
        seed=f"{resampling.seed}x{resampling.draws}",
        version=key.product_version,
    )


def _write_result(
    folder: Path,
    keys: dict[str, SectorShardKey],
    request: SectorRequest,
    figures: Sequence[tuple[Figure, str]],
    scored: dict[str, tuple[ScoredSentence, ...]],
    records: Mapping[str, Mapping[str, float]],
) -> SectorResult:
    table = request.workforce
    inputs = {
        **list_inputs(keys, request.resampling, request.demonstration),
        "workforce": table.content_hash,
    }
    told = {
        **describe_shards(keys, records),
        "metadata": dict(request.metadata),
        "method": request.method,
        "kind": "causal" if request.method == SENTENCE_LIKELIHOOD else "masked",
        "workforce_table": {"name": table.name, "source": table.source, "year": table.year},
        "countries": {code: table.country_of(code).country for code in keys},
        "sentences": {code: len(found) for code, found in scored.items()},
        "contrasts": {code: _count(build_contrasts(found)) for code, found in scored.items()},
        "release": None if request.release is None else asdict(request.release),
        "human_eyes": {} if request.release is None else dict(request.release.eyes),
        "not_measured": _describe_limits(request),
    }
    return store_result(folder, inputs, told, figures, "sectors score")


def list_inputs(
    keys: Mapping[str, SectorShardKey], resampling: SectorResampling, demonstration: bool
) -> dict[str, Any]:
    """What every result of shards is made of."""
    return {
        "shards": {code: asdict(key) for code, key in keys.items()},
        "seed": resampling.seed,
        "draws": resampling.draws,
        "level": resampling.level,
        "demonstration": demonstration,
    }


def describe_shards(
    keys: Mapping[str, SectorShardKey], records: Mapping[str, Mapping[str, float]]
) -> dict[str, Any]:
    """What a manifest says of one model's shards, by language."""
    first = next(iter(keys.values()))
    return {
        "model": first.model_id,
        "revision": first.revision,
        "dtype": first.dtype,
        "reading": first.reading,
        "languages": list(keys),
        "status": {code: key.status for code, key in keys.items()},
        "half_precision": {code: dict(record) for code, record in records.items() if record},
    }


def store_result(
    folder: Path,
    inputs: Mapping[str, Any],
    told: Mapping[str, Any],
    figures: Sequence[tuple[Figure, str]],
    command: str,
) -> SectorResult:
    """The result, written into its own folder under `folder`.

    Args:
        folder: Results of the instrument.
        inputs: What the figures depend on; names the folder.
        told: What else the manifest says.
        figures: Each with its signature.
        command: That computed them.
    """
    place = result_folder(folder, inputs)
    manifest = {**inputs, "key": sha256_json(inputs), "version": PRODUCT, **told}
    write_result(place, manifest, figures, command, manifest["key"])
    return SectorResult(place, tuple(figure for figure, _ in figures), manifest)


def _describe_limits(request: SectorRequest) -> str:
    if request.method == SENTENCE_LIKELIHOOD:
        return f"{NOT_MEASURED} {NOT_COMPARABLE}"
    return NOT_MEASURED


def _count(contrasts: Sequence[Contrast]) -> dict[str, int]:
    """How many contrasts there are and how many carry a flag."""
    return {
        "all": len(contrasts),
        "unequal_length": sum(not one.equal_length for one in contrasts),
        "altered_by_tokenizer": sum(one.altered for one in contrasts),
        "context_shows_gender": sum(one.context is Context.SHOWN for one in contrasts),
    }
