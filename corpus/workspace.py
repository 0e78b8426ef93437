"""A workspace: one study's folder with settings, database, releases and results."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus.errors import WorkspaceError
from corpus.records import Instrument
from corpus.settings import FILE_NAME, PREFIX, Settings, load_settings
from corpus.stereotypes import Inventory, load_inventory
from corpus.store import Store, open_store, upgrade_schema
from corpus.store.connection import open_engine

DATABASE_NAME = "stereoscope.sqlite"

NEW_FILE = """\
# Settings of this study. `stereoscope config show` lists all of them with their present values.
# Secrets (the Label Studio token) are read from the environment only.
name = {name}
"""


def releases_folder(releases: Path, instrument: Instrument) -> Path:
    """Where in the folder of releases those of an instrument are: EuroGEST's are in it itself."""
    return releases if instrument is Instrument.EUROGEST else releases / str(instrument)


@dataclass(frozen=True, slots=True)
class Workspace:
    """An existing workspace folder and its settings."""

    path: Path
    settings: Settings

    @property
    def database_url(self) -> str:
        """The URL set, or SQLite in the folder."""
        return self.settings.database_url or f"sqlite:///{self.path / DATABASE_NAME}"

    @property
    def releases(self) -> Path:
        """Folder of the releases, one folder each, named by version."""
        return self.path / "releases"

    def releases_of(self, instrument: Instrument) -> Path:
        """Folder of an instrument's releases: versions of two instruments may be the same."""
        return releases_folder(self.releases, instrument)

    @property
    def results(self) -> Path:
        """Folder of the scoring results."""
        return self.path / "results"

    def load_inventory(self) -> Inventory:
        """The study's stereotypes: a brought inventory, or a file of the folder or elsewhere.

        Raises:
            InputError: with every fault of the file.
        """
        named = self.settings.inventory
        is_file = Path(named).suffix == ".toml" or len(Path(named).parts) > 1
        return load_inventory(self.path / named if is_file else named)

    def open_store(self) -> Store:
        """The workspace's store.

        Raises:
            WorkspaceError: if the database cannot be opened or has another schema.
        """
        return open_store(self.database_url)


def find_workspace(
    given: Path | None = None, overrides: Mapping[str, Any] | None = None
) -> Workspace:
    """The workspace given, else that of STEREOSCOPE_WORKSPACE, else the nearest one upward.

    Raises:
        WorkspaceError: if there is none.
        SettingsError: if its settings do not work.
    """
    named = given or _from_environment()
    path = named if named is not None else _nearest(Path.cwd())
    if path is None:
        raise WorkspaceError(
            f"No workspace: neither --workspace nor {PREFIX}WORKSPACE is given, and no folder from "
            f"here upward holds {FILE_NAME}. Make one with `stereoscope init FOLDER`."
        )
    path = path.resolve()
    if not (path / FILE_NAME).is_file():
        raise WorkspaceError(
            f"{path} is no workspace: it holds no {FILE_NAME}. "
            f"Make it one with `stereoscope init {path}`."
        )
    return Workspace(path, load_settings(path, overrides))


def init_workspace(path: Path, name: str | None = None) -> Workspace:
    """Makes a folder a workspace and its database ready; repeated, it only upgrades the database.

    Raises:
        WorkspaceError: if the folder cannot be made or its database cannot be opened.
    """
    path = path.resolve()
    file = path / FILE_NAME
    try:
        path.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            quoted = '"' + (name or path.name).replace("\\", "\\\\").replace('"', '\\"') + '"'
            file.write_text(NEW_FILE.format(name=quoted), encoding="utf-8")
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be made a workspace: {error}.") from error
    workspace = Workspace(path, load_settings(path))
    engine = open_engine(workspace.database_url)
    upgrade_schema(engine)
    engine.dispose()
    return workspace


def _from_environment() -> Path | None:
    value = os.environ.get(PREFIX + "WORKSPACE")
    return Path(value) if value else None


def _nearest(start: Path) -> Path | None:
    for folder in (start, *start.parents):
        if (folder / FILE_NAME).is_file():
            return folder
    return None
