"""Every page with an empty and a small workspace, as Streamlit's own test runner draws it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import workspaces
from pages import open_page, press, texts
from store_builders import add_candidates, make_candidate, make_source
from streamlit.testing.v1 import AppTest

from annotation.decisions import Verdict, decide
from app.web import PAGES
from corpus.records import DecisionAction, Instrument, Label, Origin
from corpus.settings import load_settings
from corpus.workspace import Workspace, init_workspace

TITLES = {name: title for name, title, _ in PAGES}
TIMEOUT_S = 60
ACTOR = "*Ana* :smile:"
"""A name that would change if it were read as markup."""


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    workspace = init_workspace(tmp_path / "empty", "empty study")
    return _enter(workspace, monkeypatch)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small workspace that is copied for each test, because building it takes longer."""
    return workspaces.build_small_workspace(tmp_path_factory.mktemp("template") / "small").path


@pytest.fixture
def small(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    copied = shutil.copytree(template, tmp_path / "small")
    return _enter(Workspace(copied, load_settings(copied)), monkeypatch)


def _enter(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(workspace.path))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", ACTOR)
    return workspace


def cells(app: AppTest) -> set[str]:
    return {str(cell) for each in app.dataframe for row in each.value.values for cell in row}


def choice(app: AppTest, label: str) -> object:
    return next(each for each in app.selectbox if each.label == label)


def test_titles_are_those_of_the_issue() -> None:
    assert list(TITLES.values()) == [
        "Overview",
        "Generation",
        "Candidates",
        "Planning",
        "Annotation",
        "Agreement",
        "Disagreements",
        "Approval",
        "Templates",
        "Releases",
        "Scores",
        "Prompts",
        "Sectors",
        "Audit",
    ]


@pytest.mark.parametrize("name", TITLES)
def test_an_empty_workspace_says_what_to_do_next(empty: Workspace, name: str) -> None:
    app = open_page(name)

    assert not app.exception
    assert not app.error
    assert app.title[0].value == TITLES[name]
    assert app.info, "an empty state"
    assert f"Local mode: everybody who can open this address acts as {ACTOR}" in texts(app)
    assert not app.warning, "no demo data"


@pytest.mark.parametrize("name", [name for name in TITLES if name != "prompts"])
def test_a_small_workspace_fills_every_page(small: Workspace, name: str) -> None:
    app = open_page(name, language="sk") if name not in {"releases", "scores"} else open_page(name)

    assert not app.exception
    assert not app.error
    assert app.title[0].value == TITLES[name]
    assert f"Local mode: everybody who can open this address acts as {ACTOR}" in texts(app)
    assert app.dataframe


def test_demo_rows_are_announced_on_every_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _enter(workspaces.build_small_workspace(tmp_path / "demo", Origin.DEMO), monkeypatch)
    for name in TITLES:
        app = open_page(name)
        assert any(each.value.startswith("DEMO") for each in app.warning), name


def test_a_missing_workspace_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(tmp_path / "nowhere"))
    app = open_page("overview")

    assert not app.exception
    assert len(app.error) == 1
    assert any("is no workspace" in each for each in texts(app))


def test_an_unexpected_failure_is_one_sentence(
    small: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("app.views.audit.build_audit_rows", fail)
    app = open_page("audit")

    assert not app.exception
    assert len(app.error) == 1
    assert "secret detail" not in app.error[0].value


def test_overview_counts_and_gates_in_words(small: Workspace) -> None:
    app = open_page("overview", language="sk")
    table = app.dataframe[0].value.set_index("language")
    steps = app.dataframe[1].value.set_index("language")

    slovak, spanish = table.loc["Slovak (sk)"], table.loc["Spanish (es)"]
    assert (slovak["neutral"], slovak["pair"], slovak["discarded"]) == (2, 1, 1)
    assert slovak["state"] == "in annotation"
    assert re.fullmatch(r"✗ \d of \d block", slovak["gates"])
    assert list(app.dataframe[0].value.columns)[:4] == ["language", "state", "gates", "ratings"]
    assert spanish["state"] == "released"
    assert "approved by curator-1" in steps.loc["Spanish (es)"]["approval"]
    assert "Answers still missing: 1" in steps.loc["Slovak (sk)"]["next step"]
    assert table.loc["English (en)"]["gates"] == "none needed"


def test_revoking_and_approving_again_end_in_the_audit_trail(small: Workspace) -> None:
    app = open_page("approval", language="es")
    app.text_area(key="revoke reason").input("Looked again.")
    app.button[0].click().run()
    assert not app.exception
    assert any("is revoked" in each for each in texts(app))
    app.text_area(key="override reason").input("Still too few for an interval.")
    next(each for each in app.button if each.label == "Approve against the gate").click().run()
    assert any("is approved" in each for each in texts(app))

    audit = open_page("audit")
    done = audit.dataframe[0].value
    assert list(done["what"][:2]) == ["approve", "revoke"]
    assert list(done["who"][:2]) == [ACTOR, ACTOR]


def test_candidates_are_filtered_and_shown_literally(small: Workspace) -> None:
    app = open_page("candidates", language="sk")
    assert workspaces.HOSTILE in cells(app)
    assert "emotívny / emotívna" in cells(app)
    assert "the texts have different numbers of words" in cells(app)

    pairs = open_page("candidates", language="sk", label="pair").dataframe[0].value
    assert list(pairs["masculine"]) == [workspaces.MASCULINE]


def test_nothing_of_the_data_reaches_an_element_that_reads_markup(small: Workspace) -> None:
    app = open_page("disagreements", language="sk", item=workspaces.HOSTILE_ID)

    assert workspaces.HOSTILE in texts(app)
    assert workspaces.HOSTILE_COMMENT in cells(app)
    marked_up = [*app.markdown, *app.info, *app.warning, *app.error, *app.caption, *app.subheader]
    for each in marked_up:
        for piece in ("<b>", "stars", "$x", "smile", "script"):
            assert piece not in each.value
    assert "<script>" not in str([each.label for each in app.button])


def test_annotation_shows_progress_and_why_answers_are_invalid(
    small: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEREOSCOPE_LABEL_STUDIO_URL", "http://127.0.0.1:8080")
    app = open_page("annotation", language="sk")
    totals = app.dataframe[0].value.set_index("batch")
    progress = app.dataframe[1].value.set_index("rater")

    assert dict(progress.loc["rater-sk-2"][["assigned", "done", "declined", "missing"]]) == {
        "assigned": 3,
        "done": 2,
        "declined": 1,
        "missing": 0,
    }
    assert list(totals.index) == ["all", "sk-1", "sk-2"]
    assert dict(totals.loc["all"][["assigned", "done", "invalid", "missing"]]) == {
        "assigned": 7,
        "done": 5,
        "invalid": 1,
        "missing": 1,
    }
    assert progress.loc["rater-sk-1"]["project"] == "http://127.0.0.1:8080/projects/7/data"
    found = "a required answer is missing (quality); answered by another account than the rater's"
    assert found in cells(app)


def test_agreement_shows_undefined_figures_with_their_reason(small: Workspace) -> None:
    app = open_page("agreement", language="sk")
    table = app.dataframe[-1].value

    assert set(table["code"]) >= {"pearson", "kappa", "mean_da", "label_accuracy", "ac1"}
    undefined = table[table["value"].isna()]
    assert len(undefined)
    assert all(undefined["why undefined"])
    assert not any(table[table["value"].notna()]["why undefined"])


def test_a_decision_is_stored_and_the_next_item_shown(small: Workspace) -> None:
    app = open_page("disagreements", language="sk", item=workspaces.PAIR_ID)
    assert "Som ⟦emotívny⟧." in texts(app)
    app.text_area(key=f"reason {workspaces.PAIR_ID}").input("The woman is right.")
    press(app, "Store the decision")

    assert not app.exception
    assert f"Stored: accept {workspaces.PAIR_ID}" in texts(app)
    assert choice(app, "Candidate").value != workspaces.PAIR_ID  # type: ignore[attr-defined]
    store = small.open_store()
    with store.reading() as state:
        [decision] = state.decisions(Instrument.EUROGEST, "sk")
    store.close()
    assert (decision.subject_id, decision.by) == (workspaces.PAIR_ID, ACTOR)
    assert decision.action is DecisionAction.ACCEPT

    decided = open_page("disagreements", language="sk", status="decided")
    assert "decide accept" in cells(decided)
    latest = open_page("audit").dataframe[0].value.iloc[0]
    assert (latest["who"], latest["what"]) == (ACTOR, "decide accept")
    assert "The woman is right." in latest["after"]


def test_a_decision_without_a_reason_is_refused_in_words(small: Workspace) -> None:
    app = open_page("disagreements", language="sk", item=workspaces.PAIR_ID)
    press(app, "Store the decision")

    assert [each.value for each in app.error] == ["This was refused."]
    assert "A decision needs a reason." in texts(app)
    assert choice(app, "Candidate").value == workspaces.PAIR_ID  # type: ignore[attr-defined]


def test_an_edit_must_stay_a_minimal_pair(small: Workspace) -> None:
    app = open_page("disagreements", language="sk", item=workspaces.PAIR_ID)
    choice(app, "Action").set_value(DecisionAction.EDIT).run()  # type: ignore[attr-defined]
    feminine = next(each for each in app.text_area if each.label == "New feminine text")
    assert feminine.value == workspaces.FEMININE
    feminine.input("Som veľmi emotívna.")
    app.text_area(key=f"reason {workspaces.PAIR_ID}").input("Better.")
    press(app, "Store the decision")

    assert any("different numbers of words" in each for each in texts(app))
    feminine = next(each for each in app.text_area if each.label == "New feminine text")
    feminine.input("Som citlivá.")
    masculine = next(each for each in app.text_area if each.label == "New masculine text")
    masculine.input("Som citlivý.")
    press(app, "Store the decision")
    written = "human-written, to be rated: feminine, masculine"
    assert f"Stored: edit {workspaces.PAIR_ID}; {written}" in texts(app)


def test_relabelling_asks_for_the_texts_of_the_new_label(small: Workspace) -> None:
    app = open_page("disagreements", language="sk", item=workspaces.HOSTILE_ID)
    choice(app, "Action").set_value(DecisionAction.RELABEL).run()  # type: ignore[attr-defined]
    kept_out = "one gender only: nobody can give the other variant, keep it out"
    assert choice(app, "New label").options == ["pair", kept_out]  # type: ignore[attr-defined]
    labels = [each.label for each in app.text_area]
    assert labels[:3] == ["New masculine text", "New feminine text", "Reason"]


def test_the_second_of_two_curators_is_told(small: Workspace) -> None:
    app = open_page("disagreements", language="sk", item=workspaces.PAIR_ID)
    store = small.open_store()
    with store.reading() as state:
        seen = state.candidate(workspaces.PAIR_ID)
    verdict = Verdict(
        seen.id,
        seen.content_hash,
        DecisionAction.RELABEL,
        "It is neutral.",
        label=Label.NEUTRAL,
        variants={"neutral": "Emotívne."},
    )
    decide(store, verdict, "another curator")
    app.text_area(key=f"reason {workspaces.PAIR_ID}").input("The woman is right.")
    press(app, "Store the decision")

    assert any("changed meanwhile" in each.value for each in app.error)
    assert any(workspaces.PAIR_ID in each for each in texts(app))
    with store.reading() as state:
        assert len(state.decisions(Instrument.EUROGEST, "sk")) == 1
    store.close()


def test_a_release_is_listed_counted_and_verified(small: Workspace) -> None:
    app = open_page("releases")
    assert list(app.dataframe[0].value["version"]) == ["0.1.0"]
    counts = app.dataframe[1].value.set_index("language")
    assert counts.loc["Spanish (es)"]["rows"] == 5
    assert counts.loc["Spanish (es)"]["seen by a human"] == "5 of 5"
    app.button[0].click().run()
    assert any("as it was built" in each.value for each in app.success)

    (small.releases / "0.1.0" / "README.md").write_text("changed", encoding="utf-8")
    app.button[0].click().run()
    assert any("not as it was built" in each.value for each in app.error)
    assert any("README.md: changed" in each for each in texts(app))


def test_scores_say_that_a_demonstration_is_no_finding(small: Workspace) -> None:
    app = open_page("scores")
    assert any("not a finding" in each.value for each in app.warning)
    table = app.dataframe[0].value
    assert list(table["value"]) == [1.1, 1.2000000000000002]
    assert list(table["low"]) == [1.1 - 0.05, 1.2000000000000002 - 0.05]
    assert any("default rate, 0.600" in each for each in texts(app))
    assert "tiny|0.1.0|paper" in cells(app)


def test_scores_say_what_people_saw_and_what_nobody_approved(small: Workspace) -> None:
    app = open_page("scores")
    assert "Spanish (es): 5 of 5 seen by a human, label error 0.0 % (0.0 to 43.4 %)" in texts(app)
    assert any("NOT VALIDATED" in each.value for each in app.warning)
    assert "Slovak (sk)" in texts(app)


def test_an_unreadable_result_does_not_hide_the_others(small: Workspace) -> None:
    workspaces.write_result(small.results / "broken", demonstration=False)
    (small.results / "broken" / "figures.json").write_text("{", encoding="utf-8")
    app = open_page("scores")
    assert any("The result broken cannot be read" in each for each in texts(app))
    assert app.dataframe


def test_new_data_are_seen_without_a_restart(small: Workspace) -> None:
    app = open_page("candidates", language="sk")
    before = len(app.dataframe[0].value)
    store = small.open_store()
    with store.writing() as writer:
        writer.append_sources([source := make_source(7, "I sing.", 2)])
    add_candidates(store, [make_candidate(source, "sk", Label.NEUTRAL)])
    store.close()
    assert len(app.run().dataframe[0].value) == before + 1


@pytest.fixture(autouse=True)
def _own_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEREOSCOPE_DATABASE_URL", raising=False)
