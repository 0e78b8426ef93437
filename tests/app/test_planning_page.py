"""The page Planning: a plan follows its inputs, writes nothing, and becomes a batch when asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from store_builders import add_candidates, add_ratings, add_sources, make_candidate, make_source
from streamlit.testing.v1 import AppTest

from app.web import FOLDER
from corpus.people import Person
from corpus.records import Instrument, Label, Origin
from corpus.workspace import Workspace, init_workspace

RATERS = ("r1", "r2", "r3", "r4")
SETTINGS = 'cost_currency = "GBP"\ncost_per_item = 0.51\n'


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    workspace = init_workspace(tmp_path / "study", "planned study")
    settings = workspace.path / "stereoscope.toml"
    settings.write_text(settings.read_text(encoding="utf-8") + SETTINGS, encoding="utf-8")
    store = workspace.open_store()
    sources = [make_source(row, f"I am glad {row}.", 1 + row % 4) for row in range(2, 122)]
    pair = {"masculine": "Bol som rád dnes.", "feminine": "Bola som rada dnes."}
    add_sources(store, sources)
    add_candidates(
        store,
        [
            make_candidate(source, "sk", Label.PAIR, variants=pair)
            if number % 3
            else make_candidate(source, "sk", Label.NEUTRAL, variants={"neutral": "Teším sa dnes."})
            for number, source in enumerate(sources)
        ],
    )
    add_candidates(store, [make_candidate(each, "en", Label.NEUTRAL) for each in sources])
    with store.writing() as writer:
        writer.append([Person(rater, "rater") for rater in RATERS])
    store.close()
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(workspace.path))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", "curator-1")
    monkeypatch.delenv("STEREOSCOPE_DATABASE_URL", raising=False)
    return workspace


def open_planning(language: str = "sk") -> AppTest:
    app = AppTest.from_file(str(FOLDER / "web.py"), default_timeout=60)
    app.run()
    app.switch_page("screens/planning.py")
    app.query_params["language"] = language
    app.run()
    assert not app.exception
    return app


def facts(app: AppTest) -> dict[str, str]:
    table: pd.DataFrame = app.dataframe[0].value
    return dict(zip(table["what"], table["value"], strict=True))


def intervals(app: AppTest) -> pd.DataFrame:
    table = app.dataframe[1].value
    return table[table["raters"] != "all"].set_index("figure")


def element(elements: Sequence[Any], label: str) -> Any:
    return next(each for each in elements if each.label == label)


def batches(workspace: Workspace) -> list[Any]:
    store = workspace.open_store()
    with store.reading() as state:
        found = state.batches(Instrument.EUROGEST)
    store.close()
    return found


def test_a_plan_shows_size_intervals_and_cost(study: Workspace) -> None:
    app = open_planning()
    shown = facts(app)
    # 100 items by two raters at .51 (by hand); nobody has said how long one takes.
    assert shown["sample items"] == "100"
    assert shown["answers"] == "200"
    assert shown["cost"] == "102.00 GBP"
    assert shown["control items"] == "none"
    assert "not known: set seconds_per_item" in shown["time of all raters"]
    rows = intervals(app)
    assert list(rows["items"]) == [100] * 5
    assert rows.loc["Pearson's r of DA", "width"] == pytest.approx(0.3409, abs=5e-4)
    assert list(app.dataframe[2].value["in sample"]) == [9, 8, 8, 8, 17, 17, 17, 16]
    assert batches(study) == []
    assert any("No batch has been created yet" in each.value for each in app.info)


def test_the_plan_follows_what_is_chosen(study: Workspace) -> None:
    app = open_planning()
    element(app.number_input, "How many raters, while none is chosen").set_value(4)
    element(app.selectbox, "Each item is rated by").set_value("a number of them").run()
    element(app.number_input, "Exact repeats, of the sample").set_value(0.1)
    element(app.number_input, "Degraded translations, of the sample").set_value(0.12)
    element(app.number_input, "Seconds an answer").set_value(36.0).run()
    shown = facts(app)
    assert shown["items that two raters share"] == "16 to 17"
    assert shown["answers"] == "244"
    assert "10 exact repeats, 4 words dropped" in shown["control items"]
    assert shown["time of all raters"] == "2.4 hours at 36 seconds an answer"
    assert intervals(app).loc["kappa", "items"] == 16
    # 200 answers by four raters.
    assert intervals(app).loc["accuracy of the system's label", "items"] == 50
    assert batches(study) == []


def test_a_design_that_contradicts_itself_is_refused_in_words(study: Workspace) -> None:
    app = open_planning()
    element(app.checkbox, "Both variants of a pair").check().run()
    assert [each.value for each in app.error] == ["This was refused."]
    assert any("need 4 raters, not 2" in each.value for each in app.text)


def test_a_plan_becomes_a_batch_only_with_its_raters(study: Workspace) -> None:
    app = open_planning()
    assert element(app.button, "Create this batch").disabled
    element(app.number_input, "Candidates in the sample").set_value(12)
    element(app.multiselect, "Raters").set_value(["r1", "r3"]).run()
    element(app.button, "Create this batch").click().run()
    assert not app.exception
    [batch] = batches(study)
    assert (batch.raters_planned, batch.design["size"]) == (2, 12)
    assert batch.design["cost"] == {"currency": "GBP", "per_item": 0.51}
    assert any(f"Batch {batch.id} created: 12 items" in each.value for each in app.text)
    rounds = app.dataframe[-1].value
    assert list(rounds["answers"]) == ["0 of 24"]
    assert list(rounds["cost"]) == ["0.00 of 12.24"]

    store = study.open_store()
    with store.reading() as state:
        items = state.items([batch.id])
    add_ratings(store, items[:5], "r1", origin=Origin.HUMAN)
    store.close()
    app.run()
    rounds = app.dataframe[-1].value
    assert list(rounds["cost"]) == ["2.55 of 12.24"]
    assert any("All rounds: 2.55 of 12.24 GBP" in each.value for each in app.text)


def test_the_sources_own_language_is_not_planned(study: Workspace) -> None:
    app = open_planning("en")
    assert any("not rated" in each.value for each in app.info)
    assert not app.number_input
