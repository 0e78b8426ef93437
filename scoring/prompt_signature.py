"""The signature of a figure of prompt tests: everything that made it, as one line.

Models that translated, paraphrased or judged are part of it: a figure about a model of their
family is not comparable with one about another model as it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

NONE = "none"
ORACLES_VERSION = "2"
"""Raised whenever the same answers can get another verdict."""


def build_prompt_signature(
    manifest: Mapping[str, Any], model: str, language: str, *, judge: str | None = None
) -> str:
    """`name:value` joined by `|` for the figures of one model in one language."""
    tested = next(each for each in manifest["models"] if each["name"] == model)
    identity: Mapping[str, Any] = tested["identity"]
    parts = {
        "templates": manifest["inputs_sha256"],
        "release": manifest["release"] or NONE,
        "language": language,
        **{f"model.{name}": value for name, value in identity.items()},
        "model.family": tested["family"],
        "model.served": _join(tested["served"]),
        "instances": manifest["limit"] or "all",
        "seed": manifest["seed"],
        "repeats": manifest["repeats"],
        "augmented_by": _join(describe_helper(each) for each in manifest["augmenters"]),
        "judged_by": judge or _join(describe_helper(each) for each in manifest["judges"]),
        "oracles": ORACLES_VERSION,
        "demonstration": str(bool(manifest["demonstration"])).lower(),
        "version": manifest["version"],
    }
    return "|".join(f"{name}:{escape_part(value)}" for name, value in parts.items())


def describe_helper(helper: Mapping[str, Any]) -> str:
    """Name and family of an augmenting or judging model."""
    return f"{helper['name']} ({helper['family'] or 'family not said'})"


def find_same_family(
    family: str, names: Iterable[str], helpers: Iterable[Mapping[str, Any]]
) -> tuple[str, ...]:
    """Helpers of a tested model's family, or that are the model itself."""
    known = family.casefold()
    own = set(names)
    return tuple(
        each["name"]
        for each in helpers
        if each["name"] in own or (each["family"] and each["family"].casefold() == known)
    )


def _join(values: Iterable[str]) -> str:
    return ", ".join(values) or NONE


def escape_part(value: object) -> str:
    """The value with what parts a signature made inert."""
    return str(value).replace("\\", "\\\\").replace("|", "\\|")
