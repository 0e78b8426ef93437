"""Workspaces that are made once a module and copied for each test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
import workspaces
from full_studies import FullStudy, make_full_study

from tests.sample_workspaces import make_sample_workspace


@pytest.fixture(scope="session", autouse=True)
def _no_search_for_components() -> Iterator[None]:
    """Streamlit's test runner looks for components in every installed package at each run.

    That takes longer than most pages, and the app has none.
    """
    with mock.patch(
        "streamlit.components.v2.manifest_scanner.scan_component_manifests", return_value=[]
    ):
        yield


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small workspace that is copied for each test, because building it takes longer."""
    return workspaces.build_small_workspace(tmp_path_factory.mktemp("template") / "small").path


@pytest.fixture(scope="session")
def full_study(tmp_path_factory: pytest.TempPathFactory) -> FullStudy:
    """Made once, because that takes longer than most tests; whoever changes it copies it."""
    return make_full_study(tmp_path_factory.mktemp("full") / "study")


@pytest.fixture(scope="module")
def prepared_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_sample_workspace(tmp_path_factory.mktemp("prepared") / "study")


@pytest.fixture
def study_copy(prepared_study: Path, tmp_path: Path) -> Path:
    """A copy of the sample's workspace."""
    return shutil.copytree(prepared_study, tmp_path / "study")
