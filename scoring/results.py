"""The results folder: where shards, runs and figures lie, and what a result says of itself.

    <results>/shards/<model>/<language>-<key>.parquet    what a model gave to each token
    <results>/<model>-<key>/run.json                     how far the run is, from its start on
    <results>/<model>-<key>/figures.json                 every figure with its signature
    <results>/<model>-<key>/manifest.json                what made them; written last

The key stands for everything that made the figures, so a repeated command finds its result. A
folder without a manifest is what an interrupted run left; the same command goes on with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from corpus.drafts import replacing
from corpus.figures import Figure
from corpus.hashing import sha256_json
from corpus.human_eyes import read_eyes
from corpus.version import PRODUCT
from scoring.file_names import shorten_name
from scoring.models_file import ModelMetadata
from scoring.plan import ItemPlan, ScoreRequest, missing_stereotypes
from scoring.shards import RunRecord, ShardKey

FIGURES_NAME = "figures.json"
MANIFEST_NAME = "manifest.json"
RUN_NAME = "run.json"
SHARDS_NAME = "shards"
VOLATILE = frozenset({"seconds", "scored_at"})
"""Parts of a shard's record that another run of the same numbers has otherwise."""
NOT_MEASURED = (
    "Two genders only; likelihoods of sentences, not behaviour; stereotypes of "
    "Anglophone origin in European languages; no certificate of safety."
)


@dataclass(frozen=True, slots=True)
class ScoreResult:
    """The figures of one model on one release, and where they are stored."""

    folder: Path
    figures: tuple[Figure, ...]
    manifest: dict[str, Any]

    @property
    def gaps(self) -> Mapping[str, str]:
        """Language → why it has no figures, though it was asked for."""
        gaps: dict[str, str] = self.manifest["gaps"]
        return gaps


def shards_folder(results: Path) -> Path:
    """Where the shards lie."""
    return results / SHARDS_NAME


def describe_inputs(
    request: ScoreRequest, plan: ItemPlan, keys: Mapping[str, ShardKey]
) -> dict[str, Any]:
    """All that decides the numbers; the result's key is its hash."""
    return {
        "shards": {code: asdict(key) for code, key in keys.items()},
        "protocols": [protocol.name for protocol in request.protocols],
        "inventory": request.inventory.content_hash,
        "seed": request.seed,
        "draws": request.draws,
        "edition": str(request.edition),
        "items": plan.mark,
        "demonstration": request.demonstration,
    }


def result_folder(results: Path, inputs: Mapping[str, Any]) -> Path:
    """The folder of the result that these inputs make."""
    first: Mapping[str, Any] = next(iter(inputs["shards"].values()))
    return results / f"{shorten_name(first['model_id'])}-{sha256_json(inputs)[:12]}"


def build_manifest(
    request: ScoreRequest,
    plan: ItemPlan,
    keys: Mapping[str, ShardKey],
    records: Mapping[str, RunRecord],
    gaps: Mapping[str, str],
    signatures: Iterable[str],
    metadata: ModelMetadata,
) -> dict[str, Any]:
    """What a result says of itself.

    Args:
        request: What was asked for.
        plan: The items of all languages.
        keys: The key of every language that was asked for.
        records: Language → how its shard was made, for every language that has figures.
        gaps: Language → why it has none.
        signatures: Those of the figures.
        metadata: What the models file says of the model.
    """
    inputs = describe_inputs(request, plan, keys)
    first = next(iter(keys.values()))
    complete = [code for code in request.languages if code in records]
    return {
        "key": sha256_json(inputs),
        "version": PRODUCT,
        "model": first.model_id,
        "revision": first.revision,
        "dtype": first.dtype,
        "bos_policy": first.bos_policy,
        "likelihood": first.likelihood,
        "model_metadata": metadata.as_json(),
        "release": request.release.version,
        "release_sha256": request.release.sums_sha256,
        "languages": complete,
        **inputs,
        "shards": {code: inputs["shards"][code] for code in complete},
        "gaps": dict(gaps),
        "computed": {
            code: {name: value for name, value in records[code].items() if name not in VOLATILE}
            for code in complete
        },
        "human_eyes": _describe_eyes(request),
        "items_missing": dict(plan.older.missing) if plan.older else {},
        "stereotypes": request.inventory.as_json(),
        "stereotypes_missing": missing_stereotypes(plan, request.inventory),
        "unvalidated": sorted(set(request.languages) & set(request.release.unvalidated)),
        "refused": _by_scope(plan.variants.refused),
        "contained": _by_scope(plan.variants.contained),
        "signatures": sorted(set(signatures)),
        "not_measured": NOT_MEASURED,
    }


def write_result(
    folder: Path,
    manifest: Mapping[str, Any],
    figures: Sequence[tuple[Figure, str]],
    command: str,
    inputs_sha256: str,
) -> None:
    """Writes each figure with its signature, then the manifest.

    Args:
        folder: Where they go.
        manifest: What the result says of itself.
        figures: Each with its signature.
        command: The command that made it.
        inputs_sha256: Hash of what it was made from.
    """
    document = {
        "command": command,
        "version": PRODUCT,
        "inputs_sha256": inputs_sha256,
        "definitions": {figure.name: figure.definition for figure, _ in figures},
        "figures": [figure.as_json() | {"signature": mark} for figure, mark in figures],
    }
    # The manifest comes last: a folder without one is not a result.
    write_json(folder / FIGURES_NAME, document)
    write_json(folder / MANIFEST_NAME, manifest)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Writes a JSON file as a whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True)
    with replacing(path) as stream:
        stream.write(text.encode("utf-8") + b"\n")


def _describe_eyes(request: ScoreRequest) -> dict[str, str]:
    """Language → what people saw of its rows and the error that leaves."""
    described = request.release.provenance["languages"]
    eyes = {code: read_eyes(described[code]) for code in request.languages}
    return {code: str(found) for code, found in eyes.items() if found is not None}


def _by_scope(counts: Any) -> dict[str, int]:
    return {f"{language}/{condition}": n for (language, condition), n in sorted(counts.items())}
