"""Page Sectors: sentences with their status, measures, figures, and contexts apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import workspaces
from pages import open_page, said, texts
from sector_workspaces import write_sector_result
from served_app import keep_screenshot, new_page, open_at, serve_study, settle

from corpus.records import Origin
from corpus.sector_releases import ReleasedFrom
from corpus.workspace import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A study in which nothing is scored."""
    workspace = workspaces.build_small_workspace(tmp_path / "study", Origin.DEMO)
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(workspace.path))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", "curator-1")
    return workspace


def test_sentences_are_shown_before_anything_is_scored(study: Workspace) -> None:
    app = open_page("sectors", language="pl", sector="tertiary", context="shown")
    assert not app.exception
    table = app.dataframe[0].value
    assert list(table)[:4] == ["sentence", "gender", "sector", "status"]
    assert len(table) == 2 * 18 * 2 * 6
    assert set(table.status) == {"unreviewed"}
    assert set(table.sector) == {"tertiary"}
    assert "Moja siostra pracowała w sektorze handlu." in set(table.sentence)
    assert "0 of 4536 sentences seen by a human." in said(app)
    none = open_page("sectors", language="en", context="shown")
    assert not none.exception
    assert not none.dataframe


def test_measures_of_two_models_stand_side_by_side(study: Workspace) -> None:
    write_sector_result(study.results, "river", demonstration=True)
    write_sector_result(study.results, "stone", shift_nats=1.0)
    app = open_page("sectors")
    other = app.multiselect[0]
    other.select(next(iter(other.options))).run()
    assert not app.exception
    biases, sectors = (each.value for each in app.dataframe[:2])
    assert set(biases.model) == {"river", "stone"}
    assert len(biases) == 4
    assert len(sectors) == 12
    river = sectors[(sectors.model == "river") & (sectors.language == "English (en)")]
    assert river["I_s (nats)"].str.split().str[0].tolist() == ["-0.500", "-1.000", "0.250"]
    assert river["W_s"].tolist() == ["-0.376", "-0.516", "0.187"]
    assert set(river["n"]) == {"100"}
    told = said(app)
    for expected in (
        "English (en), compared with England (Global Gender Gap Index 0.780).",
        "Polish (pl): unreviewed; 0 of 840 sentences seen by a human.",
        "Workforce table study, year not stated",
        "Two genders only",
        "not an ideal",
    ):
        assert expected in told
    assert told.count("Workforce table study") == 1
    assert "A demonstration, not a finding." in [each.value for each in app.warning]


def test_contexts_stand_apart_and_weights_without_employment_are_undefined(
    study: Workspace,
) -> None:
    write_sector_result(study.results, "river")
    app = open_page("sectors", context="shown", variant="weighted")
    assert not app.exception
    biases = app.dataframe[0].value
    # English has no sentence in which another word shows the gender.
    assert biases.language.tolist() == ["Polish (pl)"]
    assert biases["SB (nats)"].tolist() == ["– (the workforce table does not state what it needs)"]
    figures = open_page("sectors", part="figures", context="shown", figure="sb-rb")
    assert not figures.exception
    assert any("Context shown: another word shows the gender" in each for each in texts(figures))


def test_sentences_are_those_that_were_scored_with_their_own_status(study: Workspace) -> None:
    status = "6 of 180 sentences seen by a human, release 0.1.0"
    eyes = {"en": "6 of 180 sentences seen by a human"}
    result = write_sector_result(
        study.results, "river", ["en"], status=status, release=ReleasedFrom("0.1.0", "0" * 64, eyes)
    )
    app = open_page("sectors", part="sentences")
    assert not app.exception
    assert set(app.dataframe[0].value.status) == {status}
    # Ten pairs and two terms a sector, as were scored; the files have more.
    assert len(app.dataframe[0].value) == 5 * 10 * 2 * 6
    assert f"English (en): {status}" in said(app)
    assert "0 of " not in said(app)
    files = open_page("sectors", part="sentences", sentences="files", language="en")
    assert "0 of 3240 sentences seen by a human." in said(files)
    for shard in result.folder.parent.glob("shards/*/*.parquet"):
        shard.unlink()
    app = open_page("sectors", part="sentences")
    assert not app.exception
    assert not app.dataframe
    assert "not there. score again" in said(app)


def test_a_result_that_lost_its_sentences_is_told(study: Workspace) -> None:
    result = write_sector_result(study.results, "river", ["en"])
    for shard in study.results.glob("sectors/shards/*/*.parquet"):
        shard.unlink()
    app = open_page("sectors", part="figures")
    assert not app.exception
    assert "not there" in said(app)
    (result.folder / "figures.json").write_text("{", encoding="utf-8")
    app = open_page("sectors")
    assert not app.exception
    assert f"The result {result.folder.name} cannot be read; score again." in said(app)


@pytest.mark.browser
def test_figures_in_a_browser_in_both_themes_and_widths(study: Workspace, browser: Browser) -> None:
    write_sector_result(study.results, "river", demonstration=True)
    with serve_study(study.path) as address:
        for theme, width in (("light", 1280), ("dark", 820)):
            page = new_page(browser, theme)
            page.set_viewport_size({"width": width, "height": 900})
            open_at(page, f"{address}/sectors?part=figures", "Sectors")
            page.locator("[aria-label*='RB = SB']").first.wait_for()
            settle(page)
            assert page.get_by_test_id("stException").count() == 0
            keep_screenshot(page, f"sectors-{theme}")
