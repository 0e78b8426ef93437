"""The study that a page shows: its store at one log position, kept until that position moves on.

What is kept is made of frozen records and shared by all pages and browsers; nobody changes it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from annotation.assessment import Assessment, AssessmentSettings, assess_language
from app.access import Identity, Role, identify
from app.background import BackgroundCommands
from app.serve import LOG_IN_VARIABLE
from app.session import name_actor
from app.views.snapshot import StudySnapshot, load_position, load_standing, load_study
from corpus.records import Instrument
from corpus.standing import Standing
from corpus.stereotypes import Inventory
from corpus.store import Store, open_store
from corpus.workspace import Workspace, find_workspace

KEPT = 256
"""Languages and positions that are kept at once."""
INSTRUMENT = "instrument"
"""Name of the choice of the instrument; the frame draws it before the page runs."""


@dataclass(frozen=True, slots=True)
class Study:
    """What one run of a page works on."""

    workspace: Workspace
    store: Store
    identity: Identity
    snapshot: StudySnapshot
    instrument: Instrument

    @property
    def actor(self) -> str:
        """Who acts, as the audit trail names her."""
        return self.identity.name

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the instrument's languages with candidates, sorted, English last."""
        return self.snapshot.languages.get(self.instrument, ())

    @property
    def inventory(self) -> Inventory:
        """The study's stereotypes.

        Raises:
            InputError: with every fault of its file.
        """
        return self.workspace.load_inventory()

    @property
    def assessment_settings(self) -> AssessmentSettings:
        """What decides an assessment besides the data."""
        return AssessmentSettings.from_settings(self.workspace.settings)

    def standing(self, language: str) -> Standing:
        """A language at the position of this page."""
        return _standing(
            self.workspace.database_url,
            # Of what changed in other languages nothing is read anew.
            self.snapshot.positions[self.instrument].get(language, 0),
            str(self.instrument),
            language,
            self.store,
        )

    def assessment(self, language: str) -> Assessment:
        """Figures, gates and disagreements of a language at the position of this page."""
        standing = self.standing(language)
        return _assessment(
            self.workspace.database_url,
            standing.position,
            str(self.instrument),
            language,
            self.assessment_settings,
            standing,
        )


def open_study() -> Study:
    """The study of the workspace that the app was started for, as it is now.

    Raises:
        WorkspaceError: if there is no workspace or its database cannot be opened.
        SettingsError: if its settings do not work, or nobody can be named as the actor.
        AccessError: if one has to log in and did not, or is none of the study's people.
    """
    workspace = find_workspace()
    store = _store(workspace.database_url)
    snapshot = _study(workspace.database_url, load_position(store), store)
    return Study(
        workspace, store, find_identity(workspace), snapshot, _instrument(snapshot.instruments)
    )


def prepare_study() -> None:
    """Reads and assesses every language, so that no page has to while somebody waits.

    Raises:
        WorkspaceError: if there is no workspace or its database cannot be opened.
        SettingsError: if its settings do not work.
    """
    workspace = find_workspace()
    store = _store(workspace.database_url)
    snapshot = _study(workspace.database_url, load_position(store), store)
    nobody = Identity("nobody", Role.READER, is_local=False)
    for instrument, languages in snapshot.languages.items():
        study = Study(workspace, store, nobody, snapshot, instrument)
        for language in languages:
            study.assessment(language)


def needs_log_in(workspace: Workspace) -> bool:
    """Whether people log in: as the server was started, whatever the settings say since."""
    return os.environ.get(LOG_IN_VARIABLE) == "1" or bool(workspace.settings.oidc_metadata_url)


def find_identity(workspace: Workspace) -> Identity:
    """Who acts in this browser, by the settings of the workspace as it was opened.

    Raises:
        AccessError: if one has to log in and did not, or is none of the study's people.
    """
    if needs_log_in(workspace):
        return identify(st.user.to_dict(), workspace.settings)
    return Identity(name_actor(), Role.ADMINISTRATOR, is_local=True)


def background_commands(workspace: Path) -> BackgroundCommands:
    """The commands that this server has started for a workspace."""
    return _background_commands(str(workspace))


def remembered_choice(name: str) -> str:
    """What was chosen last under a name, on this page or an earlier one; empty if nothing was."""
    return str(st.session_state.get(f"remembered {name}", ""))


def _instrument(known: Sequence[Instrument]) -> Instrument:
    chosen = remembered_choice(INSTRUMENT)
    return next((each for each in known if each == chosen), known[0])


@st.cache_resource(show_spinner=False)
def _store(database_url: str) -> Store:
    return open_store(database_url)


@st.cache_resource(show_spinner=False)
def _background_commands(workspace: str) -> BackgroundCommands:
    return BackgroundCommands(Path(workspace))


@st.cache_resource(show_spinner=False, max_entries=8)
def _study(database_url: str, position: int, _store: Store) -> StudySnapshot:
    return load_study(_store, position)


@st.cache_resource(show_spinner=False, max_entries=KEPT)
def _standing(
    database_url: str, position: int, instrument: str, language: str, _store: Store
) -> Standing:
    return load_standing(_store, position, Instrument(instrument), language)


@st.cache_resource(show_spinner=False, max_entries=KEPT)
def _assessment(
    database_url: str,
    position: int,
    instrument: str,
    language: str,
    settings: AssessmentSettings,
    _standing: Standing,
) -> Assessment:
    return assess_language(_standing, settings)
