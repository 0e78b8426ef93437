"""Page Templates: what raters said of a language's templates, and the choice of the final ones."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from store_builders import add_ratings
from streamlit.testing.v1 import AppTest

from annotation.templates import TemplatePlan, create_template_batch
from app.access import Identity, Role
from app.web import FOLDER
from corpus.people import Person
from corpus.records import Origin, TemplateChoice
from corpus.settings import load_settings
from corpus.workspace import Workspace


@pytest.fixture
def small(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    copied = shutil.copytree(template, tmp_path / "small")
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(copied))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", "curator-1")
    return Workspace(copied, load_settings(copied))


def open_templates() -> AppTest:
    app = AppTest.from_file(str(FOLDER / "web.py"), default_timeout=60)
    app.query_params["language"] = "sk"
    app.run()
    app.switch_page("screens/templates.py")
    app.query_params["language"] = "sk"
    return app.run()


def choose_noun(app: AppTest, reason: str) -> AppTest:
    next(e for e in app.text_area if e.label == "Reason for the noun template").set_value(reason)
    return next(each for each in app.button if each.label == "Choose this noun template").click()


def choices_of(workspace: Workspace) -> list[TemplateChoice]:
    store = workspace.open_store()
    with store.reading() as state:
        found = state.template_choices("sk")
    store.close()
    return found


def texts(app: AppTest) -> list[str]:
    return [each.value for each in app.text]


def rate_templates(workspace: Workspace) -> str:
    """Rates the four sentences and gives the noun's masculine one reworded."""
    store = workspace.open_store()
    with store.writing() as writer:
        writer.append([Person("r8", "rater")])
    plan = TemplatePlan("sk", ("r8",), seed=1)
    items = create_template_batch(store, plan, "curator-1", Origin.HUMAN).items
    shown = items[0].shown["mt_text"]
    sentence = shown.removeprefix("„").partition(",“")[0]
    suggestion = f"**Muž** riekol: „{sentence}“"
    answers = {"quality": 60, "reworded": "yes", "suggestion": suggestion}
    add_ratings(store, items[:1], "r8", answers)
    add_ratings(store, items[1:], "r8", {"quality": 100, "reworded": "no"})
    store.close()
    return suggestion


def test_without_ratings_the_shipped_wording_can_be_chosen(small: Workspace) -> None:
    app = open_templates()
    assert not app.exception
    assert any("No translator has rated" in each.value for each in app.info)
    assert any(each.startswith("Not chosen yet") for each in texts(app))
    app = choose_noun(app, "as the study has it").run()
    assert not app.error
    [choice] = choices_of(small)
    assert (choice.kind, choice.by, choice.masculine) == (
        "noun",
        "curator-1",
        ("„", ",“ povedal muž"),
    )
    assert any("✓ chosen by curator-1" in each for each in texts(app))
    assert "✗ not yet: pronoun" in {str(cell) for cell in app.dataframe[0].value.values.ravel()}


def test_a_suggestion_is_shown_literally_and_can_be_chosen(small: Workspace) -> None:
    suggestion = rate_templates(small)
    app = open_templates()
    assert suggestion in {str(c) for each in app.dataframe for c in each.value.values.ravel()}
    wording = next(each for each in app.selectbox if each.label.startswith("Wording of the noun"))
    option = next(each for each in wording.options if each.startswith("suggested by r8"))
    assert "**Muž** riekol: „{}“ / „{},“ povedala žena" in option
    wording.select(option)
    app = choose_noun(app.run(), "the rater's").run()
    [choice] = choices_of(small)
    assert (choice.masculine, choice.reason) == (("**Muž** riekol: „", "“"), "the rater's")


def test_a_choice_without_a_reason_is_refused_and_keeps_what_was_typed(small: Workspace) -> None:
    app = open_templates()
    own = next(each for each in app.text_input if each.label == "masculine, noun")
    own.set_value("Chlap: „{}“")
    app = choose_noun(app, " ").run()
    assert [each.value for each in app.error] == ["This was refused."]
    assert "Choosing a template needs a written reason." in texts(app)
    assert choices_of(small) == []
    kept = next(each for each in app.text_input if each.label == "masculine, noun")
    assert kept.value == "Chlap: „{}“"


def test_a_reader_looks_and_cannot_choose(
    small: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Identity("reader-1", Role.READER, is_local=False)
    monkeypatch.setattr("app.study.find_identity", lambda _workspace: reader)
    app = open_templates()
    assert app.dataframe
    app = choose_noun(app, "because").run()
    assert any("needs the role curator" in each for each in texts(app))
    assert choices_of(small) == []
