"""Results of scoring as `stereoscope score` writes them, with values that a reader can foresee."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from corpus.figures import Figure, Interval
from corpus.stereotypes import load_inventory
from corpus.version import PRODUCT
from scoring.run import score_language
from scoring.shards import shard_key, shard_path
from scoring.variants import Condition, ScoredItem
from tests.scoring.toy_engine import ToyEngine

HOSTILE = '<script>alert("1")</script>&<b>*x*</b>'
RELEASE = "1.2.0"
DIGEST = "ab" * 32
SEEN = {"sk": "4 of 6 seen by a human, label error not estimated"}
N = 20


def write_result(
    folder: Path,
    model: str = "river",
    languages: Sequence[str] = ("en", "sk"),
    conditions: Sequence[str] = ("pooled", *Condition),
    **manifest: Any,
) -> Path:
    """A result: q_i falls from stereotype to stereotype, so that rank i is stereotype i."""
    figures = [
        figure
        for language in languages
        for condition in conditions
        for figure in _figures(model, language, condition)
    ]
    document = {"figures": [each.as_json() | {"signature": f"model:{model}"} for each in figures]}
    told = {
        "version": PRODUCT,
        "model": model,
        "release": RELEASE,
        "release_sha256": DIGEST,
        "languages": list(languages),
        "human_eyes": SEEN,
        "unvalidated": [],
        "demonstration": False,
        "inventory": load_inventory().content_hash,
        "stereotypes": load_inventory().as_json(),
        **manifest,
    }
    folder.mkdir(parents=True)
    (folder / "figures.json").write_text(json.dumps(document), encoding="utf-8")
    (folder / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
    return folder


def metadata(
    size: float, kind: str = "base", base: str = "", supported: Sequence[str] = ("en",)
) -> dict[str, Any]:
    """What a models file says of a model, as a manifest holds it."""
    told = {"size": size, "kind": kind, "base": base, "supported_languages": list(supported)}
    return {"model_metadata": told}


def _figures(model: str, language: str, condition: str) -> list[Figure]:
    scope = (
        ("model", model),
        ("language", language),
        ("protocol", "paper"),
        ("condition", condition),
    )
    found = [_figure("g_s", 1.1, scope), _figure("default_rate", 0.6, scope)]
    for number in load_inventory().ids:
        place = (*scope, ("stereotype", str(number)))
        found += [
            _figure("q_i", 0.7 - number / 100, place),
            _figure("rank", float(number), place),
            _figure("inclination", number / 100, place),
        ]
    return found


def _figure(name: str, value: float, scope: tuple[tuple[str, str], ...]) -> Figure:
    interval = Interval(value - 0.01, value + 0.01, 0.95, "percentile bootstrap", 2000, 1)
    return Figure(name, value, N, "A definition.", "protocol paper", None, interval, scope)


def add_shard(folder: Path, language: str = "sk") -> Path:
    """Scores three sentences of a language for a result in `<results>/<result>`; gives the shard.

    Words are tokens of −1 nat, but for `rád` (−0.5), `rada` (−2.5) and `silná` (−3).
    """
    engine = ToyEngine({"rád": -0.5, "rada": -2.5, "silná": -3.0})
    items = [
        ScoredItem("eurogest/sk/a", language, 3, Condition.PAIR, "", "Som rád tu", "Som rada tu"),
        ScoredItem("eurogest/sk/b", language, 3, Condition.PAIR, "", HOSTILE, f"{HOSTILE} x"),
        ScoredItem("eurogest/sk/c", language, 16, Condition.PAIR, "", "Som silný", "Som silná"),
    ]
    key = shard_key(engine, language, items, templates_hash="t", data_hash=DIGEST)
    path = shard_path(folder.parent / "shards", key)
    score_language(engine, items, path, key)
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    manifest["shards"] = {language: asdict(key)}
    file.write_text(json.dumps(manifest), encoding="utf-8")
    return path
