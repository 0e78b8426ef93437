"""Page Generation: funnel, reasons, stereotypes, published counts and human labels."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotation.batches import BatchPlan, create_batch
from annotation.confusion import ConfusionCount
from app.funnels import build_label_rows, format_report
from app.views.generation import draw_reasons, draw_stages, draw_stereotypes, tell
from app.web import FOLDER
from corpus.people import Person
from corpus.records import GenderLabel, Instrument, Label, Origin, Purpose
from corpus.stereotypes import load_inventory
from corpus.workspace import find_workspace
from pipeline.funnel import compute_funnel
from pipeline.funnel_report import build_report
from tests.store_builders import add_ratings, make_candidate, make_source


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
    feminine = labels.set_index("system label").loc["feminine"]
    assert (feminine["feminine"], feminine["masculine"], feminine["answers"]) == (1, 1, 2)
    assert labels["answers"].sum() == 5
    told = [each.value for each in page.text]
    assert "word count: the texts have different numbers of words" in told
    assert any("translated: sources with a translation" in each for each in told)
    assert "published coverage" not in languages.columns


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
    # 10 published sentences are not the 4 of here: how many had the stereotype is not known.
    first = shown.dataframe[3].value.set_index("stereotype").iloc[0]
    assert first["published count"] == 4
    assert first[["published share"]].isna().all()


def test_published_counts_of_as_many_sources_are_shares_of_a_stereotype(page: AppTest) -> None:
    shown = upload(page, HEADER + 'Slovak,1,1,1,1,50.00,"{1: 1, 3: 0}"\n')
    first = shown.dataframe[3].value.set_index("stereotype").iloc[0]
    assert (first["published count"], first["published share"]) == (1, 1.0)


def test_labels_of_discarded_texts_stand_apart_by_reason(page: AppTest, tmp_path: Path) -> None:
    store = find_workspace(tmp_path / "small").open_store()
    with store.writing(Origin.HUMAN) as writer:
        writer.append([Person("rater-sk-9", "rater", None, None)])
    plan = BatchPlan(
        Instrument.EUROGEST,
        "sk",
        1,
        ("rater-sk-9",),
        seed=1,
        purpose=Purpose.TARGETED,
        label=Label.DISCARDED,
    )
    created = create_batch(store, plan, "curator-1", Origin.HUMAN)
    add_ratings(store, list(created.items), "rater-sk-9", {"quality": 90, "gender_marked": "no"})
    store.close()
    shown = page.run()
    assert not shown.exception
    discarded = shown.dataframe[5].value
    [row] = discarded.to_dict("records")
    assert row["reason: text shown"] == f"word count: {created.items[0].variant}"
    assert (row["neutral"], row["answers"]) == (1, 1)
    assert len(shown.dataframe[4].value) == 2, "the others as before"


def test_labels_as_rows_have_shares_of_their_system_label() -> None:
    counts = [
        ConfusionCount("", GenderLabel.NEUTRAL, GenderLabel.NEUTRAL, 3),
        ConfusionCount("", GenderLabel.NEUTRAL, GenderLabel.UNSURE, 1),
        ConfusionCount("synonym", GenderLabel.MASCULINE, GenderLabel.MASCULINE, 0),
    ]
    rows = build_label_rows("sk", counts)
    assert [(each.stage, each.count, each.of, each.share) for each in rows] == [
        ("labels", 3, 4, 0.75),
        ("labels", 1, 4, 0.25),
        ("labels_of_discarded", 0, 0, None),
    ]
    header, first, *_ = format_report(rows).decode().splitlines()
    assert first == "sk,labels,,3,4,0.75,,,neutral,neutral"
    assert header.endswith("published_count,published_share,system_label,human_label")


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
    assert tell(draw_stereotypes(rows, "sk", load_inventory())).startswith("13 ")
    assert draw_stages(rows, "es") == ()
