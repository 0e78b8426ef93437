"""A prepared workspace for the tests of commands that are refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.sample_workspaces import make_sample_workspace


@pytest.fixture(scope="module")
def prepared_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_sample_workspace(tmp_path_factory.mktemp("prepared") / "study")


@pytest.fixture
def study_copy(prepared_study: Path, tmp_path: Path) -> Path:
    """A copy of the sample's workspace."""
    return shutil.copytree(prepared_study, tmp_path / "study")
