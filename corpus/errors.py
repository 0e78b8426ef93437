"""The exceptions of the product: each says what, which (file:row or id) and what to do.

Libraries raise these; only the command line turns them into exit codes and only pages show them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class StereoscopeError(Exception):
    """Anything the product refuses to do; the text is one clear message for a person."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of an input: where it is, what is wrong and what to do."""

    file: str
    """File name as the user gave it, or another name of the input."""
    row: int | None
    """Line of the file (1 is the header of a CSV), None when the whole file is meant."""
    field: str | None
    """Column or key, None when the whole row is meant."""
    problem: str
    remedy: str

    def __str__(self) -> str:
        row = f":{self.row}" if self.row is not None else ""
        field = f" [{self.field}]" if self.field else ""
        return f"{self.file}{row}{field}: {self.problem}. {self.remedy}."


class InputError(StereoscopeError):
    """A bad input, refused as a whole, with every fault found in it; nothing was written."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        if not faults:
            raise ValueError("an InputError needs at least one fault")
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class SettingsError(StereoscopeError):
    """A setting is missing or contradicts another one."""


class WorkspaceError(StereoscopeError):
    """No workspace where one is needed, or one that cannot be used."""


class StateError(StereoscopeError):
    """The action does not fit the present state of its subject."""


class AccessError(StereoscopeError):
    """Who acts may not do this."""


class StaleError(StateError):
    """The content an action was made on has changed since."""


class EngineError(StereoscopeError):
    """A translation service, quality estimator or language model failed or is missing."""


class UnwritableError(StereoscopeError):
    """A file cannot be written, and so neither can those that were to come after it."""


class UnreachableError(EngineError):
    """A server does not answer or refuses the key."""


class ReleaseError(StereoscopeError):
    """A release cannot be built, or its files are not what they claim to be."""


class ProjectMissingError(EngineError):
    """A project on the annotation server was deleted or never existed."""
