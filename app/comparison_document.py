"""A comparison as the one JSON object of a command; every figure points to its signatures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from app.output import figures_document
from corpus.figures import Figure
from corpus.hashing import sha256_json
from corpus.stereotypes import Inventory
from scoring.comparison import Comparison
from scoring.protocols import ScoringProtocol
from scoring.result_folders import OpenedResult
from scoring.signature import build_signature

RESULT_PARTS = (
    "model",
    "revision",
    "dtype",
    "bos_policy",
    "likelihood",
    "model_metadata",
    "release",
    "release_sha256",
    "items",
    "edition",
    "inventory",
    "human_eyes",
    "unvalidated",
    "demonstration",
    "not_measured",
)
SEEN = "seen"
Place = tuple[str, str, str, str, str]
"""Label, language, protocol, condition, sentences."""


def build_document(
    command: str,
    comparison: Comparison,
    *,
    protocols: tuple[ScoringProtocol, ...],
    inventory: Inventory,
    only_validated: bool,
    statements: tuple[str, ...],
) -> dict[str, Any]:
    """The object: figures, the results they are of, gaps, and what has to be said with them.

    `signatures` holds each signature once; a figure's own `signatures` are places in that list, one
    for a measure, more for what is averaged over or compared.
    """
    compared = comparison.compared
    digests = sorted(key.digest for each in compared.results for key in each.keys.values())
    signatures = _sign(comparison, protocols, inventory, only_validated)
    places = {place: index for index, place in enumerate(signatures)}
    document = figures_document(command, sha256_json(digests), comparison.figures)
    document["figures"] = [
        figure.as_json() | {"signatures": sorted(_find_signatures(figure, places))}
        for figure in comparison.figures
    ]
    return document | {
        "compared_in": str(compared.factor),
        "named_differences": {name: list(values) for name, values in compared.named.items()},
        "results": [
            {"label": label} | _describe_result(result)
            for label, result in zip(compared.labels, compared.results, strict=True)
        ],
        "rows": "seen by a human" if only_validated else "all",
        "gaps": [
            {
                "model": gap.model,
                "language": gap.language,
                "protocol": gap.protocol,
                "condition": gap.condition,
                "reason": gap.reason,
            }
            for gap in comparison.gaps
        ],
        "signatures": list(signatures.values()),
        "statements": list(statements),
    }


def _sign(
    comparison: Comparison,
    protocols: tuple[ScoringProtocol, ...],
    inventory: Inventory,
    only_validated: bool,
) -> dict[Place, str]:
    """The signature of every column."""
    known = {protocol.name: protocol for protocol in protocols}
    compared = comparison.compared
    results = dict(zip(compared.labels, compared.results, strict=True))
    found: dict[Place, str] = {}
    for each in comparison.measures:
        place = _place(dict(each.scope))
        label, language, protocol, condition, sentences = place
        result = results[label]
        marks = [str(result.manifest["items"])]
        marks += [SEEN] if only_validated else []
        marks += [each.mark] if each.mark != sentences else []
        signature = build_signature(
            result.keys[language],
            release=str(result.manifest["release"]),
            items="+".join(marks),
            protocol=known[protocol],
            condition=condition,
            inventory=inventory,
            r_error=result.r_error(language),
        )
        seed = f"{comparison.seed}x{comparison.draws}"
        found[place] = str(replace(signature, seed=seed))
    return found


def _find_signatures(figure: Figure, places: Mapping[Place, int]) -> Iterator[int]:
    """Places in the list of signatures of the columns that a figure is made from."""
    scope = dict(figure.scope)
    kind = scope.get("kind")
    languages = scope["language"] if "language" in scope else scope["languages"]
    sides = [scope]
    if kind in {"models", "base_instruct", "data"}:
        sides = [{**scope, "model": scope[side]} for side in ("first", "second")]
    elif kind == "templates":
        sides = [{**scope, "condition": scope[side]} for side in ("first", "second")]
    elif kind == "protocols":
        sides = [{**scope, "protocol": scope[side]} for side in ("first", "second")]
    for side in sides:
        for language in languages.split(","):
            place = _place({**side, "language": language})
            if place in places:
                yield places[place]


def _place(scope: Mapping[str, str]) -> Place:
    return (
        scope["model"],
        scope["language"],
        scope["protocol"],
        scope["condition"],
        scope["sentences"],
    )


def _describe_result(result: OpenedResult) -> dict[str, Any]:
    return {"folder": result.folder.name} | {
        name: result.manifest.get(name) for name in RESULT_PARTS
    }
