"""Opening a results folder: what made its figures, and the shards they can be computed from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus.errors import Fault, InputError
from corpus.stereotypes import Inventory, inventory_from
from corpus.version import PRODUCT
from scoring.half_precision import read_r_error
from scoring.results import MANIFEST_NAME, shards_folder
from scoring.shards import Shard, ShardKey, read_shard, shard_path

OTHER_VERSION_REMEDY = "score again with this version"
"""Two versions may compute the same measure differently: their numbers are not shown together."""


@dataclass(frozen=True, slots=True)
class OpenedResult:
    """A complete result of this version of the product."""

    folder: Path
    manifest: Mapping[str, Any]
    keys: Mapping[str, ShardKey]
    """Language → key of its shard."""

    @property
    def model(self) -> str:
        """Name of the model."""
        return str(self.manifest["model"])

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What a models file says of the model: family, size, kind, base, supported_languages."""
        metadata: Mapping[str, Any] = self.manifest.get("model_metadata") or {}
        return metadata

    @property
    def supported_languages(self) -> frozenset[str] | None:
        """Codes of the languages the model was made for; None where nobody says."""
        codes = self.metadata.get("supported_languages")
        return None if codes is None else frozenset(codes)

    @property
    def inventory(self) -> Inventory:
        """The stereotypes it was scored with.

        Raises:
            InputError: if the manifest does not hold them.
        """
        return read_inventory(self.manifest, self.folder)

    def read_shard(self, language: str) -> Shard:
        """The token scores of one of its languages.

        Raises:
            InputError: if the shard is not there, damaged or of another key.
        """
        key = self.keys[language]
        return read_shard(shard_path(shards_folder(self.folder.parent), key), key)

    def r_error(self, language: str) -> float | None:
        """Error of r_masc that half precision brings; None in float32, infinite if not known."""
        record = (self.manifest.get("computed") or {}).get(language, {})
        return read_r_error(record, self.keys[language].dtype)


def read_inventory(manifest: Mapping[str, Any], folder: Path) -> Inventory:
    """The stereotypes that a result was scored with, as its manifest holds them.

    Raises:
        InputError: if the manifest does not hold them, or holds others than were scored with.
    """
    told = manifest.get("stereotypes")
    if not isinstance(told, dict):
        problem = f"its {MANIFEST_NAME} does not hold the stereotypes that it was scored with"
        raise _refuse(folder, problem, "score again with this version")
    inventory = inventory_from(told, f"{folder}/{MANIFEST_NAME}")
    if inventory.content_hash != manifest.get("inventory"):
        problem = "its stereotypes are not those that it was scored with"
        raise _refuse(folder, problem, "score again")
    return inventory


def open_result(folder: Path) -> OpenedResult:
    """The result in a folder.

    Raises:
        InputError: if it is none, is not complete, or is of another version of the product.
    """
    try:
        manifest = json.loads((folder / MANIFEST_NAME).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        remedy = "give a folder that `stereoscope score` finished"
        raise _refuse(folder, f"no result: it holds no {MANIFEST_NAME}", remedy) from error
    except (OSError, ValueError) as error:
        problem = f"its {MANIFEST_NAME} cannot be read"
        raise _refuse(folder, problem, "score again") from error
    if other := find_version_problem(manifest if isinstance(manifest, dict) else {}):
        raise _refuse(folder, other, OTHER_VERSION_REMEDY)
    try:
        keys = {code: ShardKey(**values) for code, values in manifest["shards"].items()}
        opened = OpenedResult(folder, manifest, keys)
        _ = (opened.model, *(manifest[name] for name in ("release", "release_sha256", "items")))
    except (KeyError, TypeError, AttributeError) as error:
        problem = f"a result of another format: its {MANIFEST_NAME} does not say all that made it"
        raise _refuse(folder, problem, "score again with this version") from error
    return opened


def find_version_problem(manifest: Mapping[str, Any]) -> str | None:
    """Why the numbers of a result are not this product's; None if they are."""
    version = manifest.get("version")
    if version == PRODUCT:
        return None
    return f"a result of {version or 'another product'}, not of {PRODUCT}"


def _refuse(folder: Path, problem: str, remedy: str) -> InputError:
    return InputError([Fault(str(folder), None, None, problem, remedy)])
