"""Inventories of stereotypes: which ids there are, what each is called and whose stereotype it is.

An inventory is a TOML file, so that a study can bring its own:

    name = "coast"
    title = "Stereotypes collected on the coast"
    stereotypes = [
      { id = 1, pole = "feminine", name = "patient" },
      { id = 2, pole = "masculine", name = "seafaring" },
    ]
    default_rate_ids = [1, 2]   # optional
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Any

from corpus.errors import Fault, InputError
from corpus.hashing import nfc, sha256_json, unstorable
from corpus.toml_files import parse_toml

DEFAULT_INVENTORY = "gest"

_INVENTORY_KEYS = {"name", "title", "stereotypes", "default_rate_ids"}
_STEREOTYPE_KEYS = {"id", "pole", "name"}


class Pole(StrEnum):
    """The gender that a stereotype is held about."""

    FEMININE = "feminine"
    MASCULINE = "masculine"


@dataclass(frozen=True, slots=True)
class Stereotype:
    """One stereotype of an inventory."""

    id: int
    """From 1 on; what the sources' stereotype ids refer to."""
    pole: Pole
    name: str


@dataclass(frozen=True, slots=True)
class Inventory:
    """A set of stereotypes with both poles, in the order of their ids."""

    name: str
    title: str
    stereotypes: tuple[Stereotype, ...]
    default_rate_ids: tuple[int, ...]
    """Stereotypes that the default rate is taken over, as many of one pole as of the other."""

    def as_json(self) -> dict[str, Any]:
        """The inventory with the keys of its file, as `inventory_from` reads them."""
        return {
            "name": self.name,
            "title": self.title,
            "stereotypes": [
                {"id": one.id, "pole": str(one.pole), "name": one.name} for one in self.stereotypes
            ],
            "default_rate_ids": list(self.default_rate_ids),
        }

    @property
    def ids(self) -> tuple[int, ...]:
        """All ids, ascending."""
        return tuple(one.id for one in self.stereotypes)

    @property
    def content_hash(self) -> str:
        """sha256 of ids, poles, names and the ids of the default rate: for signatures."""
        rows = [[one.id, one.pole, one.name] for one in self.stereotypes]
        return sha256_json([rows, list(self.default_rate_ids)])

    def ids_of(self, pole: Pole) -> tuple[int, ...]:
        """The ids of one pole, ascending."""
        return tuple(one.id for one in self.stereotypes if one.pole is pole)

    def stereotype(self, stereotype_id: int) -> Stereotype:
        """The stereotype with this id.

        Raises:
            InputError: if the inventory has no such id.
        """
        for one in self.stereotypes:
            if one.id == stereotype_id:
                return one
        known = ", ".join(map(str, self.ids))
        problem = f"unknown stereotype id {stereotype_id}"
        raise InputError([Fault(self.name, None, "stereotype", problem, f"use one of {known}")])


def load_inventory(name_or_path: str | Path = DEFAULT_INVENTORY) -> Inventory:
    """The inventory of this name, or the one in this TOML file.

    A string without a folder and without the ending `.toml` is the name of an inventory that the
    product brings (`gest`).

    Raises:
        InputError: with every fault of the file.
    """
    source = Path(name_or_path)
    if source.suffix != ".toml" and len(source.parts) == 1:
        folder = resources.files("corpus") / "inventories"
        brought = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))
        if f"{source}.toml" not in brought:
            names = ", ".join(name.removesuffix(".toml") for name in brought)
            remedy = f"use one of {names}, or the path of a .toml file"
            raise InputError([Fault(str(source), None, None, "unknown inventory", remedy)])
        data = (folder / f"{source}.toml").read_bytes()
    else:
        try:
            data = source.read_bytes()
        except OSError as error:
            problem = f"cannot be read: {error.strerror or error}"
            raise InputError(
                [Fault(str(source), None, None, problem, "give the path of an inventory")]
            ) from error
    return parse_inventory(data, str(source))


def parse_inventory(data: bytes, file: str) -> Inventory:
    """The inventory in the bytes of a TOML file; `file` is its name in messages.

    Raises:
        InputError: with every fault found.
    """
    table = parse_toml(data, file)
    return inventory_from(table, file)


def inventory_from(table: dict[str, Any], file: str) -> Inventory:
    """The inventory in a table with the keys of an inventory's file.

    Raises:
        InputError: with every fault found.
    """
    faults = [*_header_faults(table, file), *_stereotype_faults(table.get("stereotypes"), file)]
    if not faults:
        faults.extend(_default_rate_faults(table, file))
    if faults:
        raise InputError(faults)
    stereotypes = _parse_stereotypes(table)
    default_rate_ids = table.get("default_rate_ids")
    return Inventory(
        name=nfc(table["name"]),
        title=nfc(table.get("title", table["name"])),
        stereotypes=stereotypes,
        default_rate_ids=(
            _balanced_ids(stereotypes)
            if default_rate_ids is None
            else tuple(sorted(default_rate_ids))
        ),
    )


def _parse_stereotypes(table: dict[str, Any]) -> tuple[Stereotype, ...]:
    rows = sorted(table["stereotypes"], key=lambda row: int(row["id"]))
    return tuple(Stereotype(row["id"], Pole(row["pole"]), nfc(row["name"])) for row in rows)


def _balanced_ids(stereotypes: tuple[Stereotype, ...]) -> tuple[int, ...]:
    """The first ids of each pole, as many as the smaller pole has."""
    poles = [[one.id for one in stereotypes if one.pole is pole] for pole in Pole]
    size = min(map(len, poles))
    return tuple(sorted(id_ for ids in poles for id_ in ids[:size]))


def _header_faults(table: dict[str, Any], file: str) -> Iterator[Fault]:
    yield from _unknown_key_faults(table, _INVENTORY_KEYS, file, None)
    for key in ("name", "title"):
        if key in table or key == "name":
            yield from _text_faults(table.get(key), file, key)


def _stereotype_faults(rows: Any, file: str) -> Iterator[Fault]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        remedy = "write a list of { id, pole, name }"
        yield Fault(file, None, "stereotypes", "missing or not a list of tables", remedy)
        return
    for number, row in enumerate(rows, start=1):
        place = f"stereotypes[{number}]"
        yield from _unknown_key_faults(row, _STEREOTYPE_KEYS, file, place)
        if not _is_id(row.get("id")):
            problem = "missing or not a whole number from 1 on"
            yield Fault(file, None, f"{place}.id", problem, "number the stereotypes")
        if row.get("pole") not in list(Pole):
            problem = "missing or not a pole"
            yield Fault(file, None, f"{place}.pole", problem, "use feminine or masculine")
        yield from _text_faults(row.get("name"), file, f"{place}.name")
    yield from _repetition_faults(rows, file)
    for pole in Pole:
        if all(row.get("pole") != pole for row in rows):
            problem = f"no {pole} stereotype"
            yield Fault(file, None, "stereotypes", problem, "name at least one of each pole")


def _repetition_faults(rows: list[dict[str, Any]], file: str) -> Iterator[Fault]:
    ids = Counter(row["id"] for row in rows if _is_id(row.get("id")))
    names = Counter(nfc(row["name"]).casefold() for row in rows if isinstance(row.get("name"), str))
    for key, counts in (("id", ids), ("name", names)):
        for value, count in counts.items():
            if count > 1:
                problem = f"{key} {value!r} stands {count} times"
                yield Fault(file, None, f"stereotypes.{key}", problem, "keep one")


def _default_rate_faults(table: dict[str, Any], file: str) -> Iterator[Fault]:
    """Faults of `default_rate_ids` in a table whose stereotypes have none."""
    ids = table.get("default_rate_ids")
    if ids is None:
        return
    key = "default_rate_ids"
    poles = {row["id"]: row["pole"] for row in table["stereotypes"]}
    if not isinstance(ids, list) or not all(_is_id(one) and one in poles for one in ids):
        yield Fault(file, None, key, "not a list of ids of this inventory", "use ids given above")
        return
    if len(set(ids)) != len(ids):
        yield Fault(file, None, key, "an id stands twice", "keep one")
    counts = Counter(poles[one] for one in set(ids))
    if not ids or counts[Pole.FEMININE] != counts[Pole.MASCULINE]:
        problem = "not as many feminine as masculine stereotypes"
        yield Fault(file, None, key, problem, "take the same number of each pole")


def _text_faults(value: Any, file: str, field: str) -> Iterator[Fault]:
    if not isinstance(value, str) or not value.strip():
        yield Fault(file, None, field, "missing or not a text", "give it a name")
    elif problem := unstorable(value):
        yield Fault(file, None, field, f"text holds a {problem}", "remove the character")


def _unknown_key_faults(
    table: dict[str, Any], known: set[str], file: str, place: str | None
) -> Iterator[Fault]:
    for key in sorted(table.keys() - known):
        field = f"{place}.{key}" if place else key
        yield Fault(file, None, field, "unknown key", f"use {', '.join(sorted(known))}")


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
