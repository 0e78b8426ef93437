"""What pages show, computed without Streamlit; and the commands the app starts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import workspaces
from hypothesis import given
from hypothesis import strategies as st

from app.background import BackgroundCommands, background_command
from app.checks import check_pair
from app.serve import web_command, web_environment
from app.views.differences import CLOSING, OPENING, mark_pair
from app.views.figure_table import build_figure_table
from app.views.snapshot import load_position, load_study
from app.web import FOLDER, PAGES
from corpus.figures import Figure
from corpus.records import Instrument, Origin
from corpus.workspace import init_workspace


def test_differing_words_are_marked_in_both_texts() -> None:
    marked = mark_pair("Som emotívny, dnes.", "Som emotívna, dnes.")
    assert marked.masculine == "Som ⟦emotívny⟧, dnes."
    assert marked.feminine == "Som ⟦emotívna⟧, dnes."
    assert marked.differences == (("emotívny", "emotívna"),)


def test_a_word_that_one_text_lacks_is_marked_in_the_other() -> None:
    marked = mark_pair("Je suis un ami.", "Je suis une bonne amie.")
    assert marked.feminine == "Je suis ⟦une⟧ ⟦bonne⟧ ⟦amie⟧."
    assert marked.masculine == "Je suis ⟦un⟧ ⟦ami⟧."


@given(st.text(max_size=60), st.text(max_size=60))
def test_marks_change_nothing_but_add_brackets(masculine: str, feminine: str) -> None:
    marked = mark_pair(masculine, feminine)
    for text, given_text in ((marked.masculine, masculine), (marked.feminine, feminine)):
        without = text.replace(OPENING, "").replace(CLOSING, "")
        assert without == given_text.replace(OPENING, "").replace(CLOSING, "")


@pytest.mark.parametrize(
    ("masculine", "feminine", "problem"),
    [
        ("Som emotívny.", "Som emotívna.", None),
        ("Ich bin müde.", "Ich bin müde.", "the same sentence"),
        ("Som unavený.", "Som veľmi unavená.", "different numbers of words"),
        ("Som učiteľ.", "Som učiteľka.", None),
        ("Som herec.", "Som upratovačka.", "another word"),
    ],
)
def test_a_pair_is_checked_by_the_extended_rule(
    masculine: str, feminine: str, problem: str | None
) -> None:
    found = check_pair("sk", masculine, feminine)
    assert (found is None) if problem is None else (found is not None and problem in found)


def test_an_undefined_figure_has_a_reason_and_no_number() -> None:
    scope = (("language", "sk"), ("raters", "a,b"))
    table = build_figure_table(
        [Figure("kappa", None, 3, "Definition.", "m", "no_variation", scope=scope)], ("language",)
    )
    row = table.iloc[0]
    assert row["value"] != row["value"], "missing, not zero"
    assert row["why undefined"] == "all labels are equal, chance agreement is 1"
    assert row["about"] == "raters a,b"


def test_a_snapshot_is_that_of_its_position(tmp_path: Path) -> None:
    workspace = workspaces.build_small_workspace(tmp_path / "study", Origin.DEMO)
    store = workspace.open_store()
    now = load_study(store, load_position(store))
    before = load_study(store, 0)
    store.close()
    assert now.languages == {Instrument.EUROGEST: ("es", "sk", "en")}
    assert now.holds_demo
    assert (before.languages, before.audit, before.holds_demo) == ({}, (), False)


def test_the_app_is_served_on_loopback_without_usage_statistics() -> None:
    command = web_command(8700)
    options = dict(zip(command[3::2], command[4::2], strict=True))
    assert command[:3] == [sys.executable, "-m", "app.served"]
    assert options["--server.address"] == "127.0.0.1"
    assert options["--server.port"] == "8700"
    assert options["--browser.gatherUsageStats"] == "false"
    assert options["--client.showErrorDetails"] == "none"


def test_the_served_app_finds_workspace_and_actor(tmp_path: Path) -> None:
    found = web_environment(tmp_path, "ana")
    assert found == {
        "STEREOSCOPE_WORKSPACE": str(tmp_path.resolve()),
        "STEREOSCOPE_ACTOR": "ana",
        "STEREOSCOPE_LOG_IN": "0",
        "OPENBLAS_NUM_THREADS": "1",
    }
    assert web_environment(tmp_path, "ana", logs_in=True)["STEREOSCOPE_LOG_IN"] == "1"


def test_page_files_are_where_streamlit_leaves_them_alone() -> None:
    assert {each.stem for each in (FOLDER / "screens").glob("*.py")} == {
        "__init__",
        *(name for name, _, _ in PAGES),
    }
    assert not (FOLDER / "pages").exists()


def test_a_background_command_names_workspace_and_actor(tmp_path: Path) -> None:
    command = background_command(("batch", "pull", "sk-1"), tmp_path, "ana")
    assert command[1:] == [
        *("-m", "app.cli", "batch", "pull", "sk-1"),
        *("--workspace", str(tmp_path), "--as", "ana"),
    ]


def test_a_background_command_that_fails_says_why(tmp_path: Path) -> None:
    workspace = init_workspace(tmp_path / "study")
    commands = BackgroundCommands(workspace.path)
    started = commands.start(("batch", "pull", "nowhere"), "ana")
    assert commands.start(("batch", "pull", "nowhere"), "ana") is started, "not started twice"
    started.process.wait(timeout=120)
    assert started.exit_code == 1
    assert "Traceback" not in started.message
    assert started.message
    assert (commands.failed, commands.running) == ([started], [])
