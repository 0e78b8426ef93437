"""Page Generation: funnel, reasons, stereotypes, published counts and human labels."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import workspaces
from streamlit.testing.v1 import AppTest

from app.views.generation import draw_reasons, draw_stages, draw_stereotypes, tell
from app.web import FOLDER
from corpus.records import Label
from pipeline.funnel import compute_funnel
from pipeline.funnel_report import build_report
from tests.store_builders import make_candidate, make_source


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspaces.build_small_workspace(tmp_path_factory.mktemp("template") / "small").path


@pytest.fixture
def page(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page with Slovak chosen."""
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(shutil.copytree(template, tmp_path / "small")))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", "curator-1")
    app = AppTest.from_file(str(FOLDER / "web.py"), default_timeout=60)
    app.query_params["language"] = "sk"
    app.run().switch_page("screens/generation.py")
    app.query_params["language"] = "sk"
    return app.run()


def test_the_funnel_of_every_language_and_the_bars_of_one(page: AppTest) -> None:
    assert not page.exception
    assert not page.error
    languages, stages, reasons, stereotypes, labels = (each.value for each in page.dataframe)
    slovak = languages.set_index("language").loc["Slovak (sk)"]
    # The small workspace: two neutral, one pair, one discarded of four.
    assert (slovak["sources"], slovak["neutral"], slovak["pair"]) == (4, 2, 1)
    assert (slovak["coverage"], slovak["passed quality"]) == ("75.0 %", "not filtered")
    assert stages.set_index("stage").loc["kept: neutral or pair", "share"] == 0.75
    assert list(reasons["reason"]) == ["word count"]
    by_id = {
        int(name.split(" ")[0]): kept
        for name, kept in stereotypes.set_index("stereotype")["count"].items()
    }
    assert by_id == {1: 1, 3: 1, 4: 1, 13: 0}
    assert labels["count"].sum() == 5
    assert any(each.value.startswith("word_count: the texts have") for each in page.text)


def upload(page: AppTest, content: str) -> AppTest:
    [uploader] = page.get("file_uploader")
    return uploader.upload("theirs.csv", content.encode(), "text/csv").run()


HEADER = ",Neutral,Gendered,Discarded during heuristic filtering,Discarded during QE filtering,"
HEADER += "Coverage,Number samples per stereotype\n"


def test_published_counts_stand_beside_ours(page: AppTest) -> None:
    shown = upload(page, HEADER + 'Slovak,2,3,4,1,50.00,"{1: 4}"\n')
    assert not shown.exception
    languages = shown.dataframe[0].value.set_index("language")
    assert languages.loc["Slovak (sk)", "published coverage"] == "50.0 %"
    assert languages.loc["Spanish (es)", "published coverage"] == ""


def test_faults_of_the_chosen_file_are_told_with_its_name(page: AppTest) -> None:
    shown = upload(page, HEADER + "Klingon,2,3,4,1,50.00,{}\n")
    assert not shown.exception
    assert len(shown.error) == 1
    assert any(each.value.startswith("theirs.csv:2 [Klingon]") for each in shown.text)
    assert shown.dataframe


def test_bars_are_told_in_words() -> None:
    source = make_source(2, "I lead.", 13)
    candidate = make_candidate(source, "sk", Label.DISCARDED, variants={}, reason="word_count")
    rows = build_report([compute_funnel("sk", [candidate], {source.key: 13})])
    assert "kept by repair" not in [each.mark for each in draw_stages(rows, "sk")]
    assert tell(draw_reasons(rows, "sk")) == "word count 1 (100.0 %)"
    assert tell(draw_stereotypes(rows, "sk")).startswith("13 ")
    assert draw_stages(rows, "es") == ()
