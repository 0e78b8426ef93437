"""What one command or page works in: the workspace, its store and who acts."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.serve import ACTOR_VARIABLE
from corpus.errors import SettingsError
from corpus.hashing import unstorable
from corpus.records import Instrument
from corpus.settings import Settings
from corpus.standing import Standing, language_standing
from corpus.store import Store
from corpus.workspace import Workspace, find_workspace


@dataclass(frozen=True, slots=True)
class Session:
    """An open workspace and the name of who acts in it."""

    workspace: Workspace
    store: Store
    actor: str

    @property
    def settings(self) -> Settings:
        """The workspace's settings, overridden by environment and command line."""
        return self.workspace.settings

    def standing(self, instrument: Instrument, language: str) -> Standing:
        """What the store says about a language now."""
        with self.store.reading() as state:
            return language_standing(state, instrument, language)


@contextmanager
def open_session(
    workspace: Path | None = None,
    actor: str | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Iterator[Session]:
    """The session of a workspace, closed at the end.

    Raises:
        WorkspaceError: if there is no workspace or its database cannot be opened.
        SettingsError: if its settings do not work, or nobody can be named as the actor.
    """
    found = find_workspace(workspace, overrides)
    store = found.open_store()
    try:
        yield Session(found, store, name_actor(actor))
    finally:
        store.close()


def name_actor(given: str | None = None) -> str:
    """Who acts: the name given, else STEREOSCOPE_ACTOR, else the log-in name.

    Raises:
        SettingsError: if there is none of them.
    """
    named = (given or os.environ.get(ACTOR_VARIABLE, "")).strip()
    if unstorable(named):
        raise SettingsError("The name of who acts is not valid Unicode; give another with --as.")
    if named:
        return named
    try:
        return getpass.getuser()
    except (KeyError, OSError) as error:
        raise SettingsError("Nobody is logged in; name who acts with --as NAME.") from error
