"""Every page in every role, in an empty, a small and a full study: it opens and says its part.

The studies are only looked at. What a reader is refused stands in test_rights.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import workspaces
from full_studies import FullStudy
from streamlit.testing.v1 import AppTest

from app.access import Role
from app.web import FOLDER, PAGES
from corpus.workspace import init_workspace

NAMES = tuple(name for name, _, _ in PAGES)
PEOPLE = [{"address": f"{role}@uni.example", "name": f"{role}-1", "role": role} for role in Role]
FULL_LANGUAGES = 29


@dataclass(frozen=True, slots=True)
class Content:
    """What a page has to show of a study."""

    column: str
    """Of one of its tables."""
    rows: int | None
    """Of that table; None for any number."""
    sentence: str
    """Part of one."""


NO_CANDIDATES = "This workspace holds no candidates yet."
EMPTY: Mapping[str, str] = {
    **dict.fromkeys(NAMES, NO_CANDIDATES),
    "approval": "There is no language to approve yet.",
    "releases": "No release yet.",
    "scores": "No scores yet.",
    "prompts": "No prompt tests yet.",
    "sectors": "No scores yet.",
    "audit": "Nothing has been done in this workspace yet.",
}
SMALL: Mapping[str, Content] = {
    "overview": Content("next step", 3, "Next: Answers still missing: 1."),
    "generation": Content("stage", 8, "Candidates as they were generated, before any decision."),
    "candidates": Content("differing words", 4, "4 of 4 candidates"),
    "planning": Content("hours", 3, "Hours are those of timed answers"),
    "annotation": Content("reasons", 1, "Invalid answers: 1."),
    "agreement": Content("with the others", 2, "Nobody can be called an outlier"),
    "disagreements": Content("text shown", 3, "1 of 3 in the queue, heaviest first"),
    "approval": Content("why this default", 9, "State: in annotation. Approval: not approved."),
    "templates": Content("settled", 2, "Not chosen yet: scores use the corrected wording."),
    "releases": Content("frozen at", 1, "releases/0.1.0"),
    "scores": Content("signature", 12, "Not measured: genders other than two"),
    "sectors": Content("sector", None, "0 of 3888 sentences seen by a human"),
    "audit": Content("subject", 2, "2 of 2 entries, the newest first"),
}
FULL: Mapping[str, Content] = {
    **SMALL,
    "overview": Content("next step", FULL_LANGUAGES, "Next: Open disagreements: 10."),
    "generation": Content("coverage", FULL_LANGUAGES, "before any decision."),
    "candidates": Content("differing words", 160, "160 of 160 candidates"),
    "planning": Content("hours", 2 * FULL_LANGUAGES, "Hours are those of timed answers"),
    "annotation": Content("repeats alike", 3, "Raters planned: 3. Items: 100."),
    "agreement": Content("with the others", 3, "Nobody stands out."),
    "disagreements": Content("text shown", 3, "1 of 10 in the queue, heaviest first"),
    "approval": Content("why this default", 9, "State: in review. Approval: not approved."),
    "templates": Content("settled", FULL_LANGUAGES, "Not chosen yet"),
    "releases": Content("frozen at", 1, "releases/1.0.0"),
    "audit": Content("subject", None, "entries, the newest first"),
}
NOT_IN_SMALL = ("prompts",)
NOT_IN_FULL = ("scores", "prompts")
"""The made-up study is released, but no model is scored on it."""


@pytest.fixture(scope="session")
def empty_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return init_workspace(tmp_path_factory.mktemp("empty") / "study", "empty study").path


@pytest.fixture(scope="session")
def small_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspaces.build_small_workspace(tmp_path_factory.mktemp("small") / "study").path


@pytest.fixture(autouse=True)
def people(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEREOSCOPE_DATABASE_URL", raising=False)
    monkeypatch.setenv("STEREOSCOPE_ACTOR", "whoever started the server")
    monkeypatch.setenv("STEREOSCOPE_LOG_IN", "1")
    monkeypatch.setenv("STEREOSCOPE_PEOPLE", json.dumps(PEOPLE))


def open_page(path: Path, name: str, role: Role, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(path))
    app = AppTest.from_file(str(FOLDER / "web.py"), default_timeout=120)
    app.user = {"is_logged_in": True, "email": f"{role}@uni.example", "email_verified": True}
    app.query_params["language"] = "sk"
    if name != NAMES[0]:
        app.switch_page(f"screens/{name}.py")
    app.run()
    assert not app.exception
    assert not app.error
    assert f"Logged in as {role}-1. Role: {role}." in tell(app)
    return app


def tell(app: AppTest) -> str:
    """All sentences of a page."""
    elements: tuple[Any, ...] = (*app.text, *app.caption, *app.info)
    return "\n".join(each.value for each in elements)


def check(app: AppTest, expected: Content) -> None:
    assert expected.sentence in tell(app)
    rows = [len(each.value) for each in app.dataframe if expected.column in each.value]
    assert rows
    assert rows[0] == expected.rows or (expected.rows is None and rows[0])


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("name", NAMES)
def test_an_empty_study_says_what_to_do_first(
    empty_study: Path, name: str, role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(empty_study, name, role, monkeypatch)
    assert EMPTY[name] in tell(app)
    # The sentences about sectors come with the product.
    assert bool(app.dataframe) is (name == "sectors")


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("name", NAMES)
def test_a_small_study_is_shown(
    small_study: Path, name: str, role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(small_study, name, role, monkeypatch)
    if name in NOT_IN_SMALL:
        assert EMPTY[name] in tell(app)
    else:
        check(app, SMALL[name])


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("name", NAMES)
def test_a_study_of_full_size_is_shown(
    full_study: FullStudy, name: str, role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(full_study.path, name, role, monkeypatch)
    if name in NOT_IN_FULL:
        assert EMPTY[name] in tell(app)
    else:
        check(app, FULL[name])


@pytest.mark.parametrize("role", Role)
def test_agreement_of_all_languages_is_shown(
    full_study: FullStudy, role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page(full_study.path, "agreement", role, monkeypatch)
    app.selectbox[0].select("all languages").run()
    assert not app.exception
    told = f"Languages with ratings: {FULL_LANGUAGES}"
    check(app, Content("accuracy low", 3 * FULL_LANGUAGES, told))
