"""Names of sector results: the model, and what tells results of one model apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.views.score_models import label_of
from app.views.scores import Result

FEW_COUNTRIES = 2
"""More are not named with a workforce table."""


def name_results(results: Sequence[Result]) -> tuple[str, ...]:
    """A name for each, none twice: the model, and only what differs from others of the model.

    That is workforce table, release, revision, reading or dtype; the folder where none does.
    """
    models = [label_of(str(each.manifest["model"])) for each in results]
    names = []
    for result, model in zip(results, models, strict=True):
        others = [r for r, name in zip(results, models, strict=True) if name == model]
        told = [text for name, text in _facts(result) if _differs(name, others)]
        names.append(f"{model} ({', '.join(told)})" if told else model)
    return tuple(
        name if names.count(name) == 1 else f"{model} ({result.key})"
        for name, model, result in zip(names, models, results, strict=True)
    )


def describe_result(result: Result) -> str:
    """Model, release, workforce table and folder: what a result is chosen by."""
    facts = dict(_facts(result))
    told = [str(result.manifest["model"]), facts["release"], facts["workforce"], result.key]
    return " · ".join(filter(None, told))


def describe_workforce(manifest: Mapping[str, Any]) -> str:
    """`workforce mine 2021, Austria`."""
    table = manifest["workforce_table"]
    told = f"workforce {table['name']}"
    if str(table["year"]).isdigit():
        told += f" {table['year']}"
    countries = list(dict.fromkeys(manifest["countries"].values()))
    if len(countries) <= FEW_COUNTRIES:
        told = ", ".join([told, *map(str, countries)])
    return told


def _differs(name: str, results: Sequence[Result]) -> bool:
    return len({dict(_facts(each))[name] for each in results}) > 1


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    manifest = result.manifest
    release = manifest.get("release")
    yield "workforce", describe_workforce(manifest)
    yield "release", f"release {_version(release)}" if release else ""
    yield "revision", f"revision {str(manifest.get('revision', ''))[:12]}"
    yield "reading", str(manifest.get("reading", ""))
    yield "dtype", str(manifest.get("dtype", ""))


def _version(release: object) -> str:
    return str(release.get("version", "")) if isinstance(release, Mapping) else str(release)
