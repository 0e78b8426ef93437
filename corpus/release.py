"""Reading a release: its checksums first, then what it holds.

A release is a folder: `data/<code>.parquet`, `csv/<code>.csv` and `jsonl/<code>.jsonl` with the
rows of each language, `templates/<code>.json`, `agreement/<code>.json`, `ratings/<code>.csv`,
`inventory.json`, `provenance.json`, `README.md`, `DATA_STATEMENT.md`, `ANNOTATION_GUIDELINES.md`,
`CHANGELOG.md`, `CITATION.cff`, `.zenodo.json`, `croissant.json`, tasks for harnesses in `lm_eval/`
and `inspect_ai/`, and `SHA256SUMS` over all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from corpus.errors import InputError, ReleaseError
from corpus.hashing import sha256_file
from corpus.release_schema import (
    RELEASE_FORMAT,
    SCHEMA,
    ReleaseRow,
    Validation,
    row_from_columns,
)
from corpus.stereotypes import Inventory, inventory_from

__all__ = [
    "Release",
    "ReleaseRow",
    "check_sums",
    "is_version",
    "list_files",
    "load_provenance",
    "load_released_inventory",
    "load_rows",
    "load_templates",
    "open_release",
    "parse_version",
]

SUMS_NAME = "SHA256SUMS"
PROVENANCE_NAME = "provenance.json"
INVENTORY_NAME = "inventory.json"
HUB_FILE = ".gitattributes"
"""What a hub keeps beside the files of every repository."""
_HUB_CACHE = ".cache/huggingface/"
_SUMS_LINE = re.compile(r"([0-9a-f]{64})  (.+)")
_VERSION = re.compile(r"(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})")


@dataclass(frozen=True, slots=True)
class Release:
    """A release whose files are what its checksums say; made by `open_release`."""

    path: Path
    version: str
    languages: tuple[str, ...]
    """ISO 639-1 codes, sorted."""
    sums_sha256: str
    """sha256 of its SHA256SUMS: the one hash that stands for all of it."""
    provenance: Mapping[str, Any]

    @property
    def unvalidated(self) -> tuple[str, ...]:
        """Codes of languages that were released although they were not approved."""
        described = self.provenance["languages"]
        return tuple(
            code
            for code in self.languages
            if described[code].get("validation") == Validation.UNVALIDATED
        )

    @property
    def inventory(self) -> Inventory | None:
        """Its stereotypes with their poles; None for the instruments that have none.

        Raises:
            ReleaseError: if the file holds no inventory.
        """
        return load_released_inventory(self.path)

    def rows(self, language: str) -> list[ReleaseRow]:
        """The rows of a language, in the sources' order.

        Raises:
            ReleaseError: if the release is without that language or its table has other columns.
        """
        self._check_language(language)
        return load_rows(self.path / "data" / f"{language}.parquet")

    def templates(self, language: str) -> dict[str, list[list[str]]]:
        """The language's templates: id → masculine and feminine frame, each before and after.

        Raises:
            ReleaseError: if the release is without that language.
        """
        self._check_language(language)
        return load_templates(self.path / "templates" / f"{language}.json")

    def _check_language(self, language: str) -> None:
        if language not in self.languages:
            have = ", ".join(self.languages)
            raise ReleaseError(f"Release {self.version} has no language {language}; it has {have}.")


def open_release(path: Path) -> Release:
    """The release in a folder, after every file's checksum was found right.

    Raises:
        ReleaseError: naming every file that is changed, missing or not listed, or saying what else
            keeps the folder from being a release of this version of the product.
    """
    problems = check_sums(path)
    if problems:
        raise ReleaseError(f"{path} is not a release as it was built:\n" + "\n".join(problems))
    provenance = load_provenance(path)
    return Release(
        path=path,
        version=provenance["version"],
        languages=tuple(sorted(provenance["languages"])),
        sums_sha256=sha256_file(path / SUMS_NAME),
        provenance=provenance,
    )


def check_sums(folder: Path) -> list[str]:
    """What is wrong with the files of a folder by its SHA256SUMS, one sentence each."""
    file = folder / SUMS_NAME
    if not file.is_file():
        return [f"{SUMS_NAME}: missing, so nothing of {folder} can be checked"]
    try:
        # Decoded and split by hand: universal newlines would take other bytes for line ends.
        lines = file.read_bytes().decode("utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        return [f"{SUMS_NAME}: cannot be read ({type(error).__name__})"]
    problems: list[str] = []
    expected: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        match = _SUMS_LINE.fullmatch(line)
        if match is None or _leaves_folder(match[2]) or match[2] in expected:
            problems.append(f"{SUMS_NAME}: line {number} is not a checksum and a file of its own")
            continue
        expected[match[2]] = match[1]
    present = set(list_files(folder)) - {SUMS_NAME}
    problems += [f"{name}: missing" for name in sorted(set(expected) - present)]
    problems += [f"{name}: not listed in {SUMS_NAME}" for name in sorted(present - set(expected))]
    problems += [
        f"{name}: changed since the release was built"
        for name in sorted(present & set(expected))
        if not _is_unchanged(folder / name, expected[name])
    ]
    return problems


def list_files(folder: Path) -> list[str]:
    """Paths of all files in a folder, relative, with forward slashes, sorted.

    What a hub adds to every download of its own is none of the release's.
    """
    found = (each for each in folder.rglob("*") if each.is_symlink() or not each.is_dir())
    names = (each.relative_to(folder).as_posix() for each in found)
    return sorted(name for name in names if not _is_hubs(name))


def load_rows(file: Path) -> list[ReleaseRow]:
    """The rows of a release's Parquet file.

    Raises:
        ReleaseError: if it is no Parquet file, has other columns or values that no row has.
    """
    try:
        table = pq.read_table(file, partitioning=None)
    except (OSError, pa.ArrowInvalid) as error:
        raise ReleaseError(f"{file.name} cannot be read as Parquet: {error}") from error
    if not table.schema.equals(SCHEMA):
        raise ReleaseError(f"{file.name} does not have the columns of a release.")
    try:
        return [row_from_columns(values) for values in table.to_pylist()]
    except (ValueError, TypeError, KeyError) as error:
        raise ReleaseError(f"{file.name} holds a value that no release has: {error}.") from error


def load_templates(file: Path) -> dict[str, list[list[str]]]:
    """The templates in a release's file: id → masculine and feminine frame, each before and after.

    Raises:
        ReleaseError: if the file holds none.
    """
    try:
        found = json.loads(file.read_text(encoding="utf-8"))["templates"]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ReleaseError(
            f"{file.name} cannot be read as templates ({type(error).__name__})."
        ) from error
    if not isinstance(found, dict):
        raise ReleaseError(f"{file.name} holds no templates.")
    return found


def load_released_inventory(folder: Path) -> Inventory | None:
    """The stereotypes of a release folder, None if it has none.

    Raises:
        ReleaseError: if the file holds no inventory.
    """
    file = folder / INVENTORY_NAME
    if not file.exists():
        return None
    try:
        table = json.loads(file.read_text(encoding="utf-8"))
        return inventory_from(table if isinstance(table, dict) else {}, file.name)
    except (OSError, ValueError, InputError) as error:
        raise ReleaseError(f"{file.name} holds no inventory of stereotypes: {error}") from error


def load_provenance(folder: Path) -> dict[str, Any]:
    """The provenance of a release folder, its checksums not looked at.

    Raises:
        ReleaseError: if it is missing, not JSON or of another format.
    """
    try:
        provenance = json.loads((folder / PROVENANCE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        problem = "missing" if isinstance(error, FileNotFoundError) else f"cannot be read ({error})"
        raise ReleaseError(f"{PROVENANCE_NAME}: {problem}") from error
    if not isinstance(provenance, dict) or provenance.get("format") != RELEASE_FORMAT:
        raise ReleaseError(
            f"{folder} is a release of another format; this version of the product reads format "
            f"{RELEASE_FORMAT}. Read it with the version that built it (`product` in its "
            f"{PROVENANCE_NAME}), or build it anew."
        )
    if not isinstance(provenance.get("languages"), dict) or "version" not in provenance:
        raise ReleaseError(f"{folder / PROVENANCE_NAME} names no version or no languages.")
    return provenance


def is_version(name: str) -> bool:
    """Whether a name is a release version, so that a folder of that name is a release."""
    return _VERSION.fullmatch(name) is not None


def parse_version(version: str) -> tuple[int, int, int]:
    """Major, minor and patch number of a release's version.

    Raises:
        ReleaseError: if it is not three numbers with dots.
    """
    match = _VERSION.fullmatch(version)
    if match is None:
        raise ReleaseError(
            f"{version!r} is no release version; write three numbers without leading zeros, "
            "e.g. 1.0.0."
        )
    return int(match[1]), int(match[2]), int(match[3])


def _is_unchanged(file: Path, sha256: str) -> bool:
    # A link could be pointed elsewhere after the check.
    return file.is_file() and not file.is_symlink() and sha256_file(file) == sha256


def _is_hubs(name: str) -> bool:
    return name == HUB_FILE or name.startswith(_HUB_CACHE)


def _leaves_folder(name: str) -> bool:
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts
