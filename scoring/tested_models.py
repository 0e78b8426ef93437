"""Models files of prompt tests: which chat models are tested, how they are asked, and who helped.

    [[models]]
    name = "stork-chat"                  # what results call it
    family = "Stork"
    engine = "endpoint"                  # or local
    url = "https://example.org/v1"       # address of the API up to its version
    model = "stork-chat-2026-05"         # the server's name for it; else the name above
    provider = "Example"                 # who serves it, said in reports
    key_variable = "STORK_API_KEY"       # environment variable that holds its key; for a server
                                         # elsewhere that needs none, keyless = true
    temperature = 0.0
    max_tokens = 256
    requests_per_minute = 600

    [[models]]
    name = "tiny"
    family = "Tiny"
    engine = "local"
    path = "models/tiny"                 # folder, or a name on the hub

    [[helpers]]                          # models that translated, paraphrased or judge
    name = "heron-large"
    family = "Heron"

Families matter because a model that is tested on texts of its own family, or judged by it, has an
advantage nobody can measure (the confound that the study names).
"""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from corpus.errors import Fault, InputError
from corpus.hashing import nfc, unstorable

TEXTS = ("name", "family", "engine", "url", "path", "model", "revision", "provider", "key_variable")
NUMBERS: Mapping[str, tuple[type, float, float]] = {
    "temperature": (float, 0.0, 2.0),
    "max_tokens": (int, 1, 1_000_000),
    "seed": (int, 0, 2**31 - 1),
    "requests_per_minute": (int, 1, 1_000_000),
    "timeout_s": (float, 0.01, 3600.0),
    "attempts": (int, 1, 20),
}
"""Number → kind, least and largest value."""
KEYS = (*TEXTS, *NUMBERS, "keyless")
HELPER_KEYS = ("name", "family")
ONLY_ENDPOINT = (
    "url", "model", "key_variable", "keyless", "requests_per_minute", "timeout_s", "attempts",
)  # fmt: skip
ONLY_LOCAL = ("path", "revision")


class ModelEngine(StrEnum):
    """How a model is asked."""

    ENDPOINT = "endpoint"
    """By an OpenAI-compatible server."""
    LOCAL = "local"
    """By transformers in this process."""


@dataclass(frozen=True, slots=True)
class TestedModel:
    """One chat model under test, as a models file describes it."""

    __test__ = False
    name: str
    family: str
    engine: ModelEngine
    url: str = ""
    """Never stored with results."""
    path: str = ""
    model: str = ""
    """The server's name for it; the name itself where nothing else is said."""
    revision: str = ""
    provider: str = ""
    key_variable: str = ""
    """Environment variable that holds the key."""
    keyless: bool = False
    """Whether a server elsewhere needs no key; one on this machine is not asked for it."""
    temperature: float = 0.0
    max_tokens: int = 256
    seed: int | None = None
    """Sent to an endpoint where it is given; a local model always has one."""
    requests_per_minute: int | None = None
    timeout_s: float = 60.0
    attempts: int = 5

    @property
    def identity(self) -> dict[str, Any]:
        """All settings that decide answers; what a key of an answer is made of."""
        identity: dict[str, Any] = {
            "name": self.name,
            "engine": str(self.engine),
            "provider": self.provider,
            "model": self.model or self.name,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
        }
        if self.engine is ModelEngine.LOCAL:
            identity["model"] = Path(self.path).name
            identity["revision"] = self.revision
        return identity


@dataclass(frozen=True, slots=True)
class HelperModel:
    """A model that translated, paraphrased or judges, and its family where that is known."""

    name: str
    family: str = ""


@dataclass(frozen=True, slots=True)
class TestedModels:
    """A models file of prompt tests."""

    __test__ = False
    models: tuple[TestedModel, ...]
    helpers: tuple[HelperModel, ...] = ()

    def name_helper(self, name: str) -> HelperModel:
        """A model by its name, with the family that the file says for it."""
        families = {model.model or model.name: model.family for model in self.models}
        families |= {model.name: model.family for model in self.models}
        families |= {helper.name: helper.family for helper in self.helpers}
        return HelperModel(name, families.get(name, ""))


def load_tested_models(path: Path) -> TestedModels:
    """The models of a file, in its order.

    Raises:
        InputError: with every fault of the file.
    """
    file = str(path)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
        raise InputError([Fault(file, None, None, problem, "give a models file")]) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        problem = f"not a TOML file: {error}"
        raise InputError([Fault(file, None, None, problem, "correct it")]) from error
    faults = [Fault(file, None, *found) for found in _find_faults(table)]
    if faults:
        raise InputError(faults)
    models = tuple(_read_model(entry, path.parent) for entry in table["models"])
    helpers = tuple(
        HelperModel(nfc(entry["name"]), nfc(entry["family"])) for entry in table.get("helpers", ())
    )
    return TestedModels(models, helpers)


def _read_model(entry: Mapping[str, Any], folder: Path) -> TestedModel:
    values: dict[str, Any] = {key: nfc(entry[key]) for key in TEXTS if key in entry}
    values |= {key: NUMBERS[key][0](entry[key]) for key in NUMBERS if key in entry}
    values |= {"engine": ModelEngine(values["engine"]), "keyless": entry.get("keyless", False)}
    if "path" in values and (folder / values["path"]).is_dir():
        values["path"] = str(folder / values["path"])
    return TestedModel(**values)


def _find_faults(table: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Field, problem and remedy of everything that is wrong."""
    for key in sorted(table.keys() - {"models", "helpers"}):
        yield key, "unknown key", "write tables [[models]] and [[helpers]]"
    models, helpers = table.get("models"), table.get("helpers", [])
    if not _is_tables(models) or not models:
        yield "models", "missing, empty or not a list of tables", "write one [[models]] for each"
    else:
        yield from _name_entries("models", models, _find_model_faults)
        times = Counter(repr(entry.get("name")) for entry in models)
        for name in (name for name, count in times.items() if count > 1):
            yield "models", f"{name} stands {times[name]} times", "give each its own name"
    if not _is_tables(helpers):
        yield "helpers", "not a list of tables", "write one [[helpers]] for each"
    else:
        yield from _name_entries("helpers", helpers, _find_helper_faults)


def _name_entries(
    table: str,
    entries: Sequence[Mapping[str, Any]],
    find: Callable[[Mapping[str, Any]], Iterator[tuple[str, str, str]]],
) -> Iterator[tuple[str, str, str]]:
    for number, entry in enumerate(entries, start=1):
        for key, problem, remedy in find(entry):
            yield f"{table}[{number}].{key}", problem, remedy


def _find_helper_faults(entry: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for key in sorted(entry.keys() - set(HELPER_KEYS)):
        yield key, "unknown key", "use name and family"
    for key in HELPER_KEYS:
        if not _is_text(entry.get(key)):
            yield key, "missing or not a text", "write it"


def _find_model_faults(entry: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for key in sorted(entry.keys() - set(KEYS)):
        yield key, "unknown key", f"use {', '.join(KEYS)}"
    for key in TEXTS:
        if key in entry and not _is_text(entry[key]):
            yield key, "not a text that can be stored", "write a text"
    for key in ("name", "family"):
        if key not in entry:
            yield key, "missing", "write it: results are read by it"
    for key, (kind, least, largest) in NUMBERS.items():
        if key in entry and not _is_number(entry[key], kind, least, largest):
            what = "a whole number" if kind is int else "a number"
            yield key, f"{entry[key]!r} cannot be used", f"write {what} from {least} to {largest}"
    yield from _find_engine_faults(entry)


def _find_engine_faults(entry: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    engine = entry.get("engine")
    if engine not in list(ModelEngine):
        yield "engine", f"{engine!r} is not known", f"use {' or '.join(ModelEngine)}"
        return
    local = engine == ModelEngine.LOCAL
    for key in ONLY_ENDPOINT if local else ONLY_LOCAL:
        if key in entry:
            yield key, f"means nothing for the engine {engine}", "leave it out"
    if not isinstance(entry.get("keyless", False), bool):
        yield "keyless", "neither true nor false", "write true or leave it out"
    if entry.get("keyless") and "key_variable" in entry:
        yield "keyless", "a key is named as well", "keep one of keyless and key_variable"
    if local and "path" not in entry:
        yield "path", "missing", "give a folder or a name on the hub"
    if not local and not str(entry.get("url", "")).startswith(("http://", "https://")):
        yield "url", "missing or no http:// or https:// address", "give it up to its version, …/v1"


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and unstorable(value) is None


def _is_number(value: Any, kind: type, least: float, largest: float) -> bool:
    if isinstance(value, bool) or not isinstance(value, int if kind is int else (int, float)):
        return False
    return math.isfinite(value) and least <= value <= largest
