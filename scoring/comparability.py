"""What several results may be compared in: models on one data set, or data sets under one model.

Results are compared in one thing at a time. What belongs to a model (revision, dtype, tokenizer,
BOS policy, kind of likelihood) may differ between models and is named; data, templates, inventory
of stereotypes and version of the product may not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from corpus.errors import Fault, InputError
from corpus.stereotypes import Inventory
from scoring.result_folders import OpenedResult
from scoring.shards import ShardKey
from scoring.signature import ALL_ITEMS

OF_MODEL = ("model_id", "revision", "dtype", "tokenizer_hash", "bos_policy", "likelihood")
NAMED = ("dtype", "bos_policy", "likelihood")
"""Parts of a model that a reader has to know where they differ."""


class DescribedResult(Protocol):
    """A results folder and what it says of itself."""

    @property
    def folder(self) -> Path:
        """Where it lies."""

    @property
    def manifest(self) -> Mapping[str, Any]:
        """What made its figures."""


class Factor(StrEnum):
    """What differs between the results."""

    NOTHING = "nothing"
    """There is one result."""
    MODEL = "model"
    DATA = "data"
    """The release, its templates or the choice of its items."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Results that may be compared."""

    results: tuple[OpenedResult, ...]
    labels: tuple[str, ...]
    """A name for each, all different."""
    factor: Factor
    named: Mapping[str, tuple[str, ...]]
    """Of `NAMED` what is not the same in all, with its values in the results' order."""


def check_comparable(results: Sequence[OpenedResult], inventory: Inventory) -> Compared:
    """The results, if they differ in one thing only.

    Results over the same shards are one; the first of them is taken.

    Raises:
        InputError: with everything that keeps them from being compared.
    """
    results = tuple(_drop_repeated(results))
    if not results:
        remedy = "give the folder of at least one result"
        raise InputError([Fault("results", None, None, "there is none", remedy)])
    models = {_model_of(each) for each in results}
    data = {data_of(each) for each in results}
    faults = [
        *find_inventory_faults(results, inventory),
        *(_mixed_faults(results) if len(models) > 1 and len(data) > 1 else ()),
    ]
    if faults:
        raise InputError(faults)
    factor = Factor.DATA if len(data) > 1 else Factor.MODEL if len(models) > 1 else Factor.NOTHING
    named = {
        part: values
        for part in NAMED
        if len(set(values := tuple(str(_first_part(each, part)) for each in results))) > 1
    }
    return Compared(results, _label(results), factor, named)


def _drop_repeated(results: Sequence[OpenedResult]) -> Iterator[OpenedResult]:
    known = set()
    for each in results:
        digests = frozenset(key.digest for key in each.keys.values())
        if digests not in known:
            known.add(digests)
            yield each


def _first_key(result: OpenedResult) -> ShardKey | None:
    return next(iter(result.keys.values()), None)


def _first_part(result: OpenedResult, part: str) -> object:
    key = _first_key(result)
    return "" if key is None else getattr(key, part)


def _model_of(result: OpenedResult) -> tuple[object, ...]:
    return tuple(_first_part(result, part) for part in OF_MODEL)


def data_of(result: DescribedResult) -> tuple[object, ...]:
    """What was scored: the release, the choice of its items and the wording of its templates."""
    return tuple(result.manifest.get(part) for part in ("release_sha256", "items", "edition"))


def find_inventory_faults(
    results: Sequence[DescribedResult], inventory: Inventory
) -> Iterator[Fault]:
    """A fault for each result that was scored with another inventory."""
    for each in results:
        if each.manifest.get("inventory") != inventory.content_hash:
            yield Fault(
                str(each.folder),
                None,
                "inventory",
                f"scored with another inventory of stereotypes than {inventory.name}",
                "name its inventory, or score again",
            )


def _mixed_faults(results: Sequence[OpenedResult]) -> Iterator[Fault]:
    first = results[0]
    for each in results[1:]:
        if data_of(each) != data_of(first) and _model_of(each) != _model_of(first):
            yield Fault(
                str(each.folder),
                None,
                "release",
                f"differs from {first.folder.name} in its model and in its data "
                f"({describe_data(each)}, not {describe_data(first)})",
                "compare models on one release, or one model on several",
            )


def describe_data(result: DescribedResult) -> str:
    """The same in words."""
    manifest = result.manifest
    items = str(manifest.get("items", ALL_ITEMS))
    chosen = "" if items == ALL_ITEMS else f", items of {items.split(':')[0]}"
    return f"release {manifest.get('release')}{chosen}, templates {manifest.get('edition')}"


def _label(results: Sequence[OpenedResult]) -> tuple[str, ...]:
    """The model's name, with what else tells results of one model apart."""
    labels = []
    for each in results:
        same = [other for other in results if other.model == each.model]
        parts = [
            str(_first_part(each, part))[:20]
            for part in ("dtype", "bos_policy", "likelihood", "revision", "tokenizer_hash")
            if len({_first_part(other, part) for other in same}) > 1
        ]
        if len({data_of(other) for other in same}) > 1:
            parts.append(describe_data(each))
        labels.append(f"{each.model} ({', '.join(parts)})" if parts else each.model)
    if len(set(labels)) < len(labels):
        labels = [f"{label} #{number}" for number, label in enumerate(labels, start=1)]
    return tuple(labels)
