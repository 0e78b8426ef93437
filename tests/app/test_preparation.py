"""The served app reads the study before anybody comes, and stays silent where it cannot."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import streamlit as st
import workspaces
from pages import open_page, texts

from app import study as kept
from app.served import prepare
from corpus.workspace import Workspace


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    workspace = workspaces.build_small_workspace(tmp_path / "small")
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(workspace.path))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", "curator-1")
    st.cache_resource.clear()
    return workspace


def test_once_prepared_no_page_reads_or_assesses_a_language_again(
    small: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare()

    def fail(*_: object) -> None:
        raise AssertionError("read although it was prepared")

    for name in ("load_study", "load_standing", "assess_language"):
        monkeypatch.setattr(kept, name, fail)
    for page in ("overview", "approval", "agreement", "disagreements"):
        app = open_page(page, language="sk")
        assert not app.exception, page
        assert not app.error, page


def test_what_cannot_be_read_is_for_the_page_to_say(
    small: Workspace,
) -> None:
    shutil.rmtree(small.path)
    prepare()
    app = open_page("overview")
    assert app.error
    assert any("is no workspace" in each for each in texts(app))
