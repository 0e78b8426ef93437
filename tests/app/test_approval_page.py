"""The approval page: gates with reasons, approving, revoking, and what changed since."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest
import workspaces
from pages import press, said
from store_builders import add_ratings
from streamlit.testing.v1 import AppTest

from app.web import FOLDER
from corpus.records import Instrument
from corpus.settings import load_settings
from corpus.workspace import Workspace

TIMEOUT_S = 60


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspaces.build_small_workspace(tmp_path_factory.mktemp("template") / "small").path


@pytest.fixture
def small(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    copied = shutil.copytree(template, tmp_path / "small")
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(copied))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", "curator-7")
    return Workspace(copied, load_settings(copied))


def open_approval(language: str) -> AppTest:
    app = AppTest.from_file(str(FOLDER / "web.py"), default_timeout=TIMEOUT_S).run()
    app.switch_page("screens/approval.py")
    app.query_params["language"] = language
    return app.run()


def gates_of(app: AppTest, column: str = "state") -> pd.DataFrame:
    """The table of gates with that column, by condition."""
    tables = [each.value for each in app.dataframe]
    return next(each for each in tables if {"condition", column} <= set(each)).set_index(
        "condition"
    )


def test_each_gate_has_its_interval_and_the_reason_for_its_default(small: Workspace) -> None:
    app = open_approval("es")
    table, reasons = gates_of(app), gates_of(app, "why this default")
    mean = table.loc["mean DA"]
    accuracy = table.loc["accuracy of the system's label"]
    low, high = (float(each) for each in accuracy["interval"].split(" to "))
    # All labels are the system's, so Wilson's interval ends at 1.
    assert 0 < low < high == 1
    assert mean["state"] == "✓ passed"
    assert mean["needed"] == "at least 70"
    assert list(reasons.index) == list(table.index)
    assert all(reasons["why this default"])
    assert "✓ 8 passed, ? 1 not assessable." in said(app)
    assert table.loc["items rated", "interval"] == ""


def test_the_source_language_needs_no_approval(small: Workspace) -> None:
    app = open_approval("en")
    assert not app.dataframe
    assert not app.button
    assert "needs no approval" in app.info[0].value


def test_a_failed_agreement_proposes_a_third_rater(small: Workspace) -> None:
    assert "stereoscope batch add-rater sk-1 RATER" in said(open_approval("sk"))
    assert "add-rater" not in said(open_approval("es"))


def test_revoke_and_approve_again(small: Workspace) -> None:
    app = open_approval("es")
    app.text_area(key="revoke reason").input("Looked again.")
    press(app, "Revoke")
    assert "is revoked" in said(app)
    press(app, "Approve against the gate")
    assert "pearson not_assessable" in said(app)
    app.text_area(key="override reason").input(workspaces.OVERRIDE)
    press(app, "Approve against the gate")
    assert "is approved" in said(app)
    assert "approved by curator-7" in said(app)
    assert "against a gate" in said(app)


def test_an_agreement_gate_says_what_was_judged_and_why_it_is_undefined(small: Workspace) -> None:
    app = open_approval("es")
    table, reasons = gates_of(app), gates_of(app, "about")
    labels, scores = "agreement of two raters' labels: AC1", "correlation of two raters' DA"
    assert tuple(table.loc[labels, ["state", "value", "needed"]]) == (
        "✓ passed",
        "1",
        "at least 0.800",
    )
    assert reasons.loc[labels, "about"] == (
        "rater-es-1 and rater-es-2; their commonest label has 100.0 % of their answers"
    )
    assert tuple(table.loc[scores, ["state", "needed"]]) == (
        "? not assessable",
        "an interval above 0",
    )
    assert reasons.loc[scores, "about"] == (
        "rater-es-1 and rater-es-2; too few items for this figure"
    )
    mixed = gates_of(open_approval("sk"))
    assert "agreement of two raters' labels: kappa" in mixed.index


def test_an_invalid_rating_is_explained_once(small: Workspace) -> None:
    app = open_approval("sk")
    gate = gates_of(app).loc["invalid ratings not explained"]
    assert (gate["state"], gate["value"], gate["needed"]) == ("✗ failed", "1", "at most 0")
    press(app, "Explain")
    assert "needs a written reason" in said(app)
    app.text_area(key="explain reason").input("*She* was logged in as somebody else.")
    press(app, "Explain")
    assert "Invalid ratings explained: 1." in said(app)
    assert gates_of(app).loc["invalid ratings not explained", "state"] == "✓ passed"
    rows = next(each.value for each in app.dataframe if "why invalid" in each.value)
    assert list(rows["explanation"]) == ["*She* was logged in as somebody else."]
    assert list(rows["by"]) == ["curator-7"]
    assert "Explain" not in [each.label for each in app.button]


def test_nothing_chosen_explains_nothing(small: Workspace) -> None:
    app = open_approval("sk")
    app.multiselect[0].set_value([])
    app.text_area(key="explain reason").input("Nothing.")
    press(app, "Explain")
    assert "There is no invalid rating to explain." in said(app)


def test_a_later_rating_makes_it_stale_and_the_page_says_so(small: Workspace) -> None:
    assert "What has changed since the approval" not in [
        each.value for each in open_approval("es").subheader
    ]
    store = small.open_store()
    with store.reading() as state:
        batches = [each.id for each in state.batches(Instrument.EUROGEST, "es")]
        item = state.items(batches)[0]
    add_ratings(store, [item], "rater-es-1", workspaces.QUALITY | {"quality": 71}, revision="2")
    store.close()

    app = open_approval("es")
    assert "stale" in said(app)
    changed = app.dataframe[0].value
    assert list(changed["what changed"]) == ["ratings changed"]
    assert list(changed["number"]) == [1]
    assert list(changed["which"]) == [f"{item.id}, rater-es-1"]
