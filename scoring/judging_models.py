"""Models that judged the answers of a run after it was made, as the run's manifest then names them.

A judging leaves a folder in the run's own; the manifest of the run, which nothing changes, does not
know of it. Whoever opens the run is told, so that figures computed from then on bear the judges in
their signatures, and the marks of models of their families.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from corpus.errors import Fault, InputError
from scoring.prompt_signature import find_same_family
from scoring.results import MANIFEST_NAME

JUDGES_NAME = "judges"


def list_judgings(folder: Path) -> tuple[Path, ...]:
    """The manifests of all finished judgings of the run in a folder, by name."""
    return tuple(sorted((folder / JUDGES_NAME).glob(f"*/{MANIFEST_NAME}")))


def load_judging(path: Path) -> dict[str, Any]:
    """What a judging says of itself.

    Raises:
        InputError: if that cannot be read.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        judge = found["judge"]
        if not all(isinstance(judge[name], str) for name in ("name", "family")):
            raise TypeError("name or family")
        if not isinstance(found["answers_sha256"], str):
            raise TypeError("answers_sha256")
    except (OSError, ValueError, KeyError, TypeError) as error:
        name = f"{JUDGES_NAME}/{path.parent.name}/{MANIFEST_NAME}"
        problem, remedy = f"its {name} cannot be read", "remove that folder and judge again"
        fault = Fault(path.parent.parent.parent.name, None, None, problem, remedy)
        raise InputError([fault]) from error
    return dict(found)


def add_judges(folder: Path, manifest: Mapping[str, Any], answers_sha256: str) -> dict[str, Any]:
    """The manifest of a run with the models that judged these answers, and their families' marks.

    Raises:
        InputError: if what a judging says of itself cannot be read.
    """
    found = [load_judging(path) for path in list_judgings(folder)]
    later = [
        {name: each["judge"][name] for name in ("name", "family")}
        for each in found
        if each["answers_sha256"] == answers_sha256
    ]
    judges = _unique([*manifest["judges"], *later])
    models = [
        {**model, "same_family": [*dict.fromkeys((*model["same_family"], *_own(model, judges)))]}
        for model in manifest["models"]
    ]
    return {**manifest, "judges": judges, "models": models}


def _own(model: Mapping[str, Any], judges: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return find_same_family(model["family"], (model["name"], model["identity"]["model"]), judges)


def _unique(helpers: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return list({(each["name"], each["family"]): each for each in helpers}.values())
