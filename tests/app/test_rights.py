"""A reader sees every page and is refused every action; a curator may; nobody else sees a thing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import workspaces
from streamlit.testing.v1 import AppTest

from app import background
from app.web import FOLDER, PAGES
from corpus.people import Person
from corpus.records import Origin
from corpus.settings import load_settings
from corpus.workspace import Workspace, init_workspace

ADDRESSES = {
    "reader": "bo@uni.example",
    "curator": "ada@uni.example",
    "administrator": "cy@uni.example",
}
PEOPLE = [
    {"address": address, "name": f"{role}-1", "role": role} for role, address in ADDRESSES.items()
]
NAMES = [name for name, _, _ in PAGES]


@pytest.fixture
def study(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    copied = shutil.copytree(template, tmp_path / "small")
    workspace = enter(Workspace(copied, load_settings(copied)), monkeypatch)
    store = workspace.open_store()
    with store.writing(Origin.HUMAN) as writer:
        writer.append([Person("rater-sk-9", "rater", None, None)])
    store.close()
    return workspace


def enter(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.delenv("STEREOSCOPE_DATABASE_URL", raising=False)
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(workspace.path))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", "whoever started the server")
    monkeypatch.setenv("STEREOSCOPE_LOG_IN", "1")
    monkeypatch.setenv("STEREOSCOPE_PEOPLE", json.dumps(PEOPLE))
    return workspace


def claims(role: str) -> dict[str, Any]:
    return {"is_logged_in": True, "email": ADDRESSES[role].upper(), "email_verified": True}


def open_page(name: str, user: dict[str, Any], **query: str) -> AppTest:
    app = AppTest.from_file(str(FOLDER / "web.py"), default_timeout=60)
    app.user = user
    app.query_params.update(query)
    app.run()
    if name != NAMES[0]:
        app.switch_page(f"screens/{name}.py")
        app.query_params.update(query)
        app.run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    return "\n".join(each.value for each in app.text)


def button(app: AppTest, label: str) -> Any:
    return next(each for each in app.button if each.label == label)


def read_everything(workspace: Workspace) -> str:
    store = workspace.open_store()
    with store.reading() as state:
        found = repr(state.audit_entries())
    store.close()
    return found


@pytest.mark.parametrize(
    ("name", "role"),
    [*((name, "reader") for name in NAMES), (NAMES[0], "curator"), (NAMES[0], "administrator")],
)
def test_a_reader_sees_every_page_and_everybody_her_role(
    study: Workspace, name: str, role: str
) -> None:
    app = open_page(name, claims(role), language="sk")
    assert not app.error
    # The study of these tests has no prompts: their page says what to do instead of showing rows.
    assert app.info if name == "prompts" else app.dataframe
    assert f"Logged in as {role}-1. Role: {role}." in said(app)
    assert button(app, "Log out")
    assert "uni.example" not in said(app).casefold()


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_workspace_can_be_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    enter(init_workspace(tmp_path / "empty", "empty study"), monkeypatch)
    app = open_page(name, claims("reader"))
    assert not app.error
    assert app.info


NOBODY: list[tuple[dict[str, Any], str]] = [
    ({"is_logged_in": False}, "for the people whom its settings name"),
    ({}, "for the people whom its settings name"),
    ({**claims("curator"), "email_verified": False}, "no verified e-mail address"),
    ({**claims("curator"), "email": "eve@uni.example"}, "stands for nobody"),
]


@pytest.mark.parametrize(
    ("name", "user", "sentence"),
    [
        *((NAMES[0], *each) for each in NOBODY),
        *((name, *NOBODY[-1]) for name in NAMES[1:]),
    ],
)
def test_nobody_else_sees_anything(
    study: Workspace, name: str, user: dict[str, Any], sentence: str
) -> None:
    app = open_page(name, user, language="sk")
    assert sentence in said(app)
    assert not app.dataframe
    assert not app.selectbox
    assert [each.label for each in app.button] == [
        "Log out" if user.get("is_logged_in") else "Log in"
    ]
    assert study.settings.name not in said(app)


def revoke(app: AppTest) -> None:
    app.text_area(key="revoke reason").input("Looked again.")
    button(app, "Revoke").click().run()


def explain(app: AppTest) -> None:
    app.text_area(key="explain reason").input("She was logged in as somebody else.")
    button(app, "Explain").click().run()


def decide(app: AppTest) -> None:
    app.text_area(key=f"reason {workspaces.PAIR_ID}").input("The woman is right.")
    button(app, "Store the decision").click().run()


def pull(app: AppTest) -> None:
    next(each for each in app.button if each.label.startswith("Pull") and not each.disabled).click()
    app.run()


def repair(app: AppTest) -> None:
    next(
        each for each in app.button if each.label.startswith("Repair") and not each.disabled
    ).click()
    app.run()


def draw_sample(app: AppTest) -> None:
    app.multiselect[0].set_value(["rater-sk-9"])
    button(app, "Create the batch").click().run()


def choose_template(app: AppTest) -> None:
    next(e for e in app.text_area if e.label == "Reason for the noun template").set_value("Fine.")
    button(app, "Choose this noun template").click().run()


def plan_batch(app: AppTest) -> None:
    app.multiselect(key="plan raters").set_value(["rater-sk-9"]).run()
    button(app, "Create this batch").click().run()


def leave_out(app: AppTest) -> None:
    app.text_area(key="exclusion reason rater-sk-1").input("Answers at random.")
    button(app, "Leave her out").click().run()


ACTIONS: list[tuple[str, dict[str, str], Callable[[AppTest], None]]] = [
    ("approval", {"language": "es"}, revoke),
    ("approval", {"language": "sk"}, explain),
    ("disagreements", {"language": "sk", "item": workspaces.PAIR_ID}, decide),
    ("annotation", {"language": "sk"}, pull),
    ("annotation", {"language": "sk"}, repair),
    ("candidates", {"language": "sk", "label": "discarded", "reason": "word_count"}, draw_sample),
    ("templates", {"language": "sk"}, choose_template),
    ("planning", {"language": "sk"}, plan_batch),
    ("agreement", {"language": "sk", "rater": "rater-sk-1"}, leave_out),
]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[tuple[str, ...], str]]:
    """Commands that would have been started, with their actors."""
    found: list[tuple[tuple[str, ...], str]] = []
    start = background.background_command

    def note(arguments: tuple[str, ...], workspace: Path, actor: str) -> list[str]:
        found.append((tuple(arguments), actor))
        return [start(arguments, workspace, actor)[0], "-c", "pass"]

    monkeypatch.setattr(background, "background_command", note)
    return found


@pytest.mark.parametrize(("page", "query", "act"), ACTIONS)
def test_a_reader_is_refused_in_the_action(
    study: Workspace,
    started: list[Any],
    page: str,
    query: dict[str, str],
    act: Callable[[AppTest], None],
) -> None:
    before = read_everything(study)
    app = open_page(page, claims("reader"), **query)
    act(app)
    assert not app.exception
    assert [each.value for each in app.error] == ["This was refused."]
    assert "This needs the role curator; reader-1 is reader." in said(app)
    assert read_everything(study) == before
    assert not started


@pytest.mark.parametrize(("page", "query", "act"), ACTIONS)
def test_a_curator_may_under_her_name(
    study: Workspace,
    started: list[Any],
    page: str,
    query: dict[str, str],
    act: Callable[[AppTest], None],
) -> None:
    app = open_page(page, claims("curator"), **query)
    act(app)
    assert not app.exception
    assert not app.error
    if page == "annotation":
        assert [actor for _, actor in started] == ["curator-1"]
    else:
        assert "'curator-1'" in read_everything(study)
    assert "uni.example" not in read_everything(study)


def test_a_role_that_was_taken_away_is_gone_at_the_next_click(
    study: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page("approval", claims("curator"), language="es")
    before = read_everything(study)
    monkeypatch.setenv("STEREOSCOPE_PEOPLE", json.dumps(PEOPLE[:1]))
    revoke(app)
    assert read_everything(study) == before
    assert "stands for nobody" in said(app)


def test_a_setting_taken_out_while_the_app_runs_does_not_open_it(
    study: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not study.settings.oidc_metadata_url
    assert button(open_page("overview", {}), "Log in")
    monkeypatch.setenv("STEREOSCOPE_LOG_IN", "0")
    assert "Local mode" in said(open_page("overview", {}))
    monkeypatch.setenv("STEREOSCOPE_OIDC_METADATA_URL", "https://login.example/x")
    assert button(open_page("overview", {}), "Log in")
