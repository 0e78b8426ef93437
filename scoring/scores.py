"""Scores of one model on one release: shards first, then every figure computed from them.

A result is a folder `<results>/<model>-<key>/` with `figures.json` and `manifest.json`; the shards
lie under `<results>/shards/`. The key stands for everything that made the figures, so a repeated
command finds its result, and an interrupted one goes on with the next language.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from corpus.drafts import replacing
from corpus.figures import Figure
from corpus.hashing import sha256_json
from corpus.human_eyes import read_eyes
from corpus.languages import Edition
from corpus.languages import languages as find_languages
from corpus.release import Release
from corpus.release_schema import ReleaseRow
from corpus.stereotypes import Inventory
from corpus.templates import take_chosen
from corpus.version import PRODUCT
from engines.likelihood.protocol import LikelihoodEngine
from scoring.measures import compute_measures
from scoring.older_items import OlderItems, select_older_items
from scoring.protocols import POOLED, ScoringProtocol, compute_values, select_pairs
from scoring.run import score_language
from scoring.shards import ShardKey, read_shard, shard_key, shard_path
from scoring.signature import ALL_ITEMS, build_signature
from scoring.uncertainty import Resampling, build_resampling
from scoring.variants import Condition, VariantPlan, build_variants

CONDITIONS = (POOLED, *Condition)


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """What is to be scored and how figures are computed from it."""

    release: Release
    languages: tuple[str, ...]
    protocols: tuple[ScoringProtocol, ...]
    inventory: Inventory
    seed: int
    draws: int
    """Bootstrap draws of every interval."""
    edition: Edition = Edition.CHOSEN
    items_of: Release | None = None
    """An older release whose items alone are scored; None for all."""
    demonstration: bool = False
    """The model or the data are made up: figures show how the product works and nothing else."""


@dataclass(frozen=True, slots=True)
class ScoreResult:
    """The figures of one model on one release, and where they are stored."""

    folder: Path
    figures: tuple[Figure, ...]
    manifest: dict[str, Any]


def score_release(
    engine: LikelihoodEngine,
    request: ScoreRequest,
    results: Path,
    plan: Callable[[int], None] = lambda total: None,
    advance: Callable[[int], None] = lambda done: None,
) -> ScoreResult:
    """The figures of a model; what is scored already is not scored again.

    Args:
        engine: The model, ready.
        request: Release, languages, protocols and seed.
        results: The workspace's folder of results.
        plan: Told how many items there are.
        advance: Told how many more items are done.

    Raises:
        ReleaseError: if the release has no such language.
        InputError: if a row cannot be scored.
        EngineError: if the model fails on a text; complete languages are kept.
    """
    older = _select_older(request)
    rows = older.rows if older else _read_rows(request)
    framing = request.items_of or request.release
    known = [
        take_chosen(language, framing.templates(language.code))
        for language in find_languages(request.languages)
    ]
    terminated = any(protocol.terminated for protocol in request.protocols)
    variants = build_variants(rows, known, request.edition, terminated=terminated)
    plan(len(variants.items))
    keys: dict[str, ShardKey] = {}
    for code in request.languages:
        items = variants.items_of(code)
        keys[code] = shard_key(
            engine,
            code,
            items,
            templates_hash=variants.templates_hash[code],
            data_hash=request.release.sums_sha256,
        )
        path = shard_path(results / "shards", keys[code])
        score_language(engine, items, path, keys[code], _steps(advance))
    resampling = build_resampling(variants.items, seed=request.seed, draws=request.draws)
    figures = _compute_figures(results, request, keys, resampling, older)
    manifest = _manifest(request, keys, variants, figures, older)
    folder = results / _result_name(engine.model_id, manifest["key"])
    _write_result(folder, manifest, figures)
    return ScoreResult(folder, tuple(figure for figure, _ in figures), manifest)


def _select_older(request: ScoreRequest) -> OlderItems | None:
    if request.items_of is None:
        return None
    return select_older_items(request.release, request.items_of, request.languages)


def _read_rows(request: ScoreRequest) -> tuple[ReleaseRow, ...]:
    return tuple(row for code in request.languages for row in request.release.rows(code))


def _steps(advance: Callable[[int], None]) -> Callable[[int, int], None]:
    """A progress function that passes on the difference to what was reported before."""
    reported = 0

    def report(done: int, _total: int) -> None:
        nonlocal reported
        advance(done - reported)
        reported = done

    return report


def _compute_figures(
    results: Path,
    request: ScoreRequest,
    keys: dict[str, ShardKey],
    resampling: Resampling,
    older: OlderItems | None,
) -> list[tuple[Figure, str]]:
    """Each figure with its signature."""
    found: list[tuple[Figure, str]] = []
    for code, key in keys.items():
        pairs = read_shard(shard_path(results / "shards", key), key).pairs
        for protocol in request.protocols:
            for condition in CONDITIONS:
                chosen = select_pairs(pairs, condition)
                if not chosen:
                    continue
                signature = build_signature(
                    key,
                    release=request.release.version,
                    items=older.mark if older else ALL_ITEMS,
                    protocol=protocol,
                    condition=str(condition),
                    inventory=request.inventory,
                    resampling=resampling,
                )
                measures = compute_measures(
                    compute_values(chosen, protocol),
                    protocol,
                    request.inventory,
                    resampling=resampling,
                    scope=(
                        ("model", key.model_id),
                        ("language", code),
                        ("protocol", protocol.name),
                        ("condition", str(condition)),
                    ),
                )
                found += [(figure, str(signature)) for figure in measures.figures]
    return found


def _manifest(
    request: ScoreRequest,
    keys: dict[str, ShardKey],
    variants: VariantPlan,
    figures: Sequence[tuple[Figure, str]],
    older: OlderItems | None,
) -> dict[str, Any]:
    made_of = {
        "shards": {code: asdict(key) for code, key in keys.items()},
        "protocols": [protocol.name for protocol in request.protocols],
        "inventory": request.inventory.content_hash,
        "seed": request.seed,
        "draws": request.draws,
        "edition": str(request.edition),
        "items": older.mark if older else ALL_ITEMS,
        "demonstration": request.demonstration,
    }
    first = next(iter(keys.values()))
    return {
        "key": sha256_json(made_of),
        "version": PRODUCT,
        "model": first.model_id,
        "revision": first.revision,
        "dtype": first.dtype,
        "bos_policy": first.bos_policy,
        "release": request.release.version,
        "release_sha256": request.release.sums_sha256,
        "languages": list(request.languages),
        **made_of,
        "human_eyes": _describe_eyes(request),
        "items_missing": dict(older.missing) if older else {},
        "unvalidated": sorted(set(request.languages) & set(request.release.unvalidated)),
        "refused": _by_scope(variants.refused),
        "contained": _by_scope(variants.contained),
        "signatures": sorted({signature for _, signature in figures}),
        "not_measured": (
            "Two genders only; likelihoods of sentences, not behaviour; stereotypes of "
            "Anglophone origin in European languages; no certificate of safety."
        ),
    }


def _describe_eyes(request: ScoreRequest) -> dict[str, str]:
    """Language → what people saw of its rows and the error that leaves."""
    described = request.release.provenance["languages"]
    eyes = {code: read_eyes(described[code]) for code in request.languages}
    return {code: str(found) for code, found in eyes.items() if found is not None}


def _by_scope(counts: Any) -> dict[str, int]:
    return {f"{language}/{condition}": n for (language, condition), n in sorted(counts.items())}


def _result_name(model_id: str, key: str) -> str:
    model = re.sub(r"[^A-Za-z0-9._-]+", "-", model_id).strip("-.") or "model"
    return f"{model[-60:]}-{key[:12]}"


def _write_result(
    folder: Path, manifest: dict[str, Any], figures: Sequence[tuple[Figure, str]]
) -> None:
    document = {
        "command": "score",
        "version": PRODUCT,
        "inputs_sha256": manifest["release_sha256"],
        "definitions": {figure.name: figure.definition for figure, _ in figures},
        "figures": [figure.as_json() | {"signature": mark} for figure, mark in figures],
    }
    folder.mkdir(parents=True, exist_ok=True)
    # The manifest comes last: a folder without one is not a result.
    for name, content in (("figures.json", document), ("manifest.json", manifest)):
        text = json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True)
        with replacing(folder / name) as stream:
            stream.write(text.encode("utf-8") + b"\n")
