"""Rules on page Disagreements: previewed, applied, undone; a reader is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import workspaces
from streamlit.testing.v1 import AppTest

from annotation.bulk_rules import BulkRule
from app.web import FOLDER
from corpus.records import Decision, DecisionAction, Instrument
from corpus.settings import load_settings
from corpus.workspace import Workspace

PEOPLE = [
    {"address": f"{role}@uni.example", "name": f"{role}-1", "role": role}
    for role in ("reader", "curator")
]


@pytest.fixture
def small(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    copied = shutil.copytree(template, tmp_path / "small")
    monkeypatch.delenv("STEREOSCOPE_DATABASE_URL", raising=False)
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(copied))
    monkeypatch.setenv("STEREOSCOPE_LOG_IN", "1")
    monkeypatch.setenv("STEREOSCOPE_PEOPLE", json.dumps(PEOPLE))
    return Workspace(copied, load_settings(copied))


def open_as(role: str) -> AppTest:
    claims: dict[str, Any] = {
        "is_logged_in": True,
        "email": f"{role}@uni.example",
        "email_verified": True,
    }
    app = AppTest.from_file(str(FOLDER / "web.py"), default_timeout=60)
    app.user = claims
    app.query_params["language"] = "sk"
    app.run()
    app.switch_page("screens/disagreements.py")
    app.query_params["language"] = "sk"
    return app.run()


def button(app: AppTest, start: str) -> Any:
    return next(each for each in app.button if each.label.startswith(start))


def texts(app: AppTest) -> str:
    return "\n".join(each.value for each in app.text)


def stored(workspace: Workspace) -> list[Decision]:
    store = workspace.open_store()
    with store.reading() as state:
        found = state.decisions(Instrument.EUROGEST, "sk")
    store.close()
    return found


def choose_low_da(app: AppTest) -> AppTest:
    app.selectbox(key="rule").set_value(BulkRule.LOW_DA).run()
    app.number_input[0].set_value(60.0).run()
    assert not app.exception
    return app


def test_a_rule_is_previewed_applied_and_undone(small: Workspace) -> None:
    app = choose_low_da(open_as("curator"))
    assert "It would decide 1: reject 1." in texts(app)
    preview = next(each.value for each in app.dataframe if "why" in each.value.columns)
    assert list(preview["candidate"]) == [workspaces.HOSTILE_ID]
    assert stored(small) == []

    button(app, "Apply this rule to 1").click().run()
    assert "Applied: median DA below (1); 1 decided." in texts(app)
    [decision] = stored(small)
    assert (decision.subject_id, decision.action, decision.by, decision.rule) == (
        workspaces.HOSTILE_ID,
        DecisionAction.REJECT,
        "curator-1",
        "median DA below (1)",
    )

    button(app, "Undo this rule").click().run()
    assert "Undoing a rule needs a written reason." in texts(app)
    app.text_area(key="undo reason").input("Too coarse.")
    button(app, "Undo this rule").click().run()
    assert "Undone: median DA below (1); 1 open again." in texts(app)
    assert [each.action for each in stored(small)][1:] == [DecisionAction.REOPEN]
    assert "It would decide 1: reject 1." in texts(app)


def test_a_reader_sees_the_preview_and_may_not_apply_it(small: Workspace) -> None:
    app = choose_low_da(open_as("reader"))
    button(app, "Apply this rule to 1").click().run()
    assert "This needs the role curator; reader-1 is reader." in texts(app)
    assert stored(small) == []
