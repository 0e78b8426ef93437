"""Page Scores: results together, the study's figures with what must be read, and one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import score_results
import workspaces
from pages import open_page, said, texts
from served_app import keep_screenshot, new_page, open_at, serve_study, settle

from corpus.records import Origin
from corpus.version import PRODUCT
from corpus.workspace import Workspace
from scoring.run_log import RunLog

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A study with results of two models, of which one has its shard."""
    workspace = workspaces.build_small_workspace(tmp_path / "study", Origin.DEMO)
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(workspace.path))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", "curator-1")
    small = score_results.metadata(270e6, "base", "", ["en", "sk"])
    large = score_results.metadata(7e9, "instruct", "river", ["en"])
    score_results.add_shard(
        score_results.write_result(
            workspace.results / "river-1", "river", unvalidated=["sk"], **small
        )
    )
    score_results.write_result(workspace.results / "river-it-1", "river-it", **large)
    return workspace


def test_results_of_one_release_are_drawn_together(study: Workspace) -> None:
    app = open_page("scores", result="river-1", part="figures", figure="g-by-model")
    together = app.multiselect[0]
    assert len(together.options) == 1
    together.select("river-it-1").run()
    assert not app.exception
    table = app.dataframe[0].value.set_index("language")
    assert table.loc["Slovak (sk)", "river"] == "1.100 [1.090, 1.110] n=20, supported"
    assert table.loc["Slovak (sk)", "river-it"] == "1.100 [1.090, 1.110] n=20, other"
    told = said(app)
    assert "The dashed line is 1, no stereotype" in told
    assert "4 of 6 translated rows seen by a human." in told
    assert "NOT VALIDATED, nobody approved: Slovak (sk)." in told
    assert "No figure certifies that a model is safe." in told
    assert len(app.dataframe[1].value) == 4


def test_measures_of_one_result_say_what_they_rest_on(study: Workspace) -> None:
    app = open_page("scores", result="river-1", part="measures", language="sk")
    told = said(app)
    # Once below the chart of g_s, once below that of q_i.
    assert told.count("Protocol paper, condition pooled, release 1.2.0; n = 20 sentences") == 2
    assert told.count("4 of 6 translated rows seen by a human.") == 2
    assert told.count("Intervals are conditional on these stereotypes.") == 2
    assert "above 1 is stereotypical, and no value is better for being higher" in told


def test_what_people_saw_of_many_languages_is_one_text(study: Workspace) -> None:
    manifest = study.results / "river-1" / "manifest.json"
    told = json.loads(manifest.read_bytes())
    told["human_eyes"] = {code: f"{code}: 3 of 9 seen by a human" for code in ("sk", "de", "fr")}
    manifest.write_text(json.dumps(told), encoding="utf-8")
    app = open_page("scores", result="river-1", part="figures")
    (seen,) = (each.value for each in app.text if "de: 3 of 9 seen by a human" in each.value)
    lines = [line.rpartition(": ")[2] for line in seen.split("\n")]
    assert lines == ["3 of 9 seen by a human"] * 3


def test_a_run_that_was_killed_is_shown_as_interrupted(study: Workspace) -> None:
    assert not open_page("scores").expander[0].label.startswith("Runs that")
    about = {"model": "lake", "release": "1.2.0", "runner": "slurm"}
    log = RunLog(study.results / "lake-1", about, {"sk": {"state": "missing"}})
    log.start()
    file = log.folder / "run.json"
    told = json.loads(file.read_bytes()) | {"pid": 2**22 + 1}
    file.write_text(json.dumps(told), encoding="utf-8")
    app = open_page("scores")
    assert app.expander[0].label == "Runs that are not complete: 1"
    assert (
        "lake on release 1.2.0: interrupted, 0 of 1 languages; the same score command goes on"
        in said(app)
    )


def test_a_figure_is_chosen_by_the_address(study: Workspace) -> None:
    app = open_page("scores", result="river-1", part="figures", figure="ranks")
    assert "Ranks of the stereotypes by language" in [each.value for each in app.subheader]
    assert set(app.dataframe[1].value["code"]) == {"rank"}


def test_a_sentence_is_opened_by_its_address(study: Workspace) -> None:
    app = open_page(
        "scores",
        result="river-1",
        part="sentence",
        language="sk",
        condition="pair",
        sentence="eurogest/sk/c",
    )
    assert not app.exception
    assert "Som silný" in texts(app)
    assert "stereotype 16 strong" in said(app)
    assert "Place 1 of 1 sentences" in said(app)
    table = app.dataframe[0].value
    assert list(table["masculine token"]) == ["<s>", "Som", "silný"]
    assert list(table["where they part"])[-1] == "← they part here"
    assert any("each token after those before it" in each.value for each in app.caption)


def test_results_that_cannot_be_compared_say_why(study: Workspace) -> None:
    app = open_page("scores", result="river-1", part="figures", figure="g-by-model")
    app.toggle[0].set_value(True).run()
    assert not app.exception
    assert "These results cannot be compared." in [each.value for each in app.error]
    assert "score again with this version" in said(app)
    assert "river-1: a result of another format" in said(app)
    assert "Choose other results above" in said(app)
    assert str(study.path) not in said(app)


def test_a_result_of_another_version_is_named_and_not_shown(study: Workspace) -> None:
    old = {"version": "stereoscope 0.0.9"}
    score_results.write_result(study.results / "old-1", "old", **old)
    app = open_page("scores", result="river-1", part="figures", figure="g-by-model")
    assert app.error[0].value == "Results that are not shown: 1."
    assert f"old-1: a result of stereoscope 0.0.9, not of {PRODUCT}." in said(app)
    assert not any("old-1" in option for option in app.selectbox[0].options)
    assert len(app.multiselect[0].options) == 1


def test_results_on_other_items_are_not_offered_together(study: Workspace) -> None:
    score_results.write_result(study.results / "few-1", "river", items="0.9.0:abc")
    app = open_page("scores", result="river-1", part="figures", figure="g-by-model")
    assert [each.split(" · ")[-1] for each in app.multiselect[0].options] == ["river-it-1"]


def test_a_hostile_sentence_is_text(study: Workspace) -> None:
    app = open_page(
        "scores",
        result="river-1",
        part="sentence",
        language="sk",
        condition="pair",
        sentence="eurogest/sk/b",
    )
    assert score_results.HOSTILE in texts(app)
    assert not any("<script" in each.value for each in app.markdown)


def test_a_result_without_shards_says_so(study: Workspace) -> None:
    app = open_page("scores", result="river-it-1", part="sentence", language="sk")
    assert not app.exception
    assert "river-it-1 [shards]: names no shard of this version for sk" in said(app)


@pytest.mark.browser
def test_a_sentence_is_reached_by_keys_and_kept_in_the_address(
    study: Workspace, browser: Browser
) -> None:
    with serve_study(study.path) as address:
        page = new_page(browser)
        failures: list[str] = []
        page.on("pageerror", lambda error: failures.append(str(error)))
        open_at(page, f"{address}/scores?result=river-1&language=sk&condition=pair", "Scores")
        shown = page.get_by_role("combobox", name="Show")
        shown.focus()
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Token by token").wait_for()
        settle(page)
        page.wait_for_url("**part=sentence**")
        page.locator("[role=gridcell]", has_text="they part here").first.wait_for(state="attached")
        assert page.get_by_text("Som rada tu", exact=True).first.is_visible()
        keep_screenshot(page, "scores-sentence")

        open_at(page, f"{address}/scores?result=river-1&part=figures&figure=ranks", "Scores")
        page.locator("[aria-label*='Rank 1 is the most masculine']").first.wait_for()
        assert page.get_by_test_id("stException").count() == 0
        keep_screenshot(page, "scores-figures")
        assert not failures
