"""The page Annotation: progress by itself, problems with what to do, reliability of raters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from pages import open_page
from store_builders import (
    add_batch,
    add_candidates,
    add_ratings,
    add_sources,
    make_candidate,
    make_source,
)
from streamlit.testing.v1 import AppTest

from app.views.reliability import NO_VERDICT
from corpus.records import Assignment, Instrument, Item, Label, Origin, PullMark, Purpose
from corpus.store import Store
from corpus.workspace import Workspace, init_workspace

RATERS = ("r1", "r2", "r3")


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Slovak with twelve items and six degraded ones; r3 gives one score and sees no damage."""
    workspace = init_workspace(tmp_path / "study", "rated study")
    store = workspace.open_store()
    build_rated_study(store)
    store.close()
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(workspace.path))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", "curator-1")
    return workspace


def build_rated_study(store: Store, origin: Origin = Origin.HUMAN) -> None:
    sources = [make_source(row, f"I am glad {row}.", 1 + row % 16) for row in range(12)]
    candidates = [make_candidate(each, "sk", Label.NEUTRAL) for each in sources]
    add_sources(store, sources)
    add_candidates(store, candidates)
    batch, items = add_batch(store, candidates, RATERS)
    degraded = [_degrade(item, number) for number, item in enumerate(items[:6])]
    everything = [*items, *degraded]
    with store.writing() as writer:
        writer.append(degraded)
        ids = tuple(each.id for each in everything)
        for project, rater in enumerate(RATERS, start=7):
            writer.append([Assignment(batch.id, rater, ids, external_id=str(project))])
        problem = {"code": "task_altered", "count": 1, "about": [items[0].id]}
        writer.append([PullMark(f"{batch.id}/r2", "8", None, 18, (problem,))])
    for number, item in enumerate(everything):
        lower = 0 if item.purpose is Purpose.SAMPLE else 30
        for rater, score in (
            ("r1", 95 - 3 * number - lower),
            ("r2", 90 - 3 * number - lower),
            ("r3", 76),
        ):
            ratings = {"quality": score, "gender_marked": "no"}
            add_ratings(store, [item], rater, ratings, origin=origin)


def _degrade(item: Item, number: int) -> Item:
    making = {"of": item.id, "kind": "drop_words", "strength": 1 + number % 3, "changes": []}
    shown = {"src_text": item.shown["src_text"], "mt_text": "I am."}
    return replace(
        item,
        id=f"{item.batch_id}/{100 + number:04d}",
        purpose=Purpose.DEGRADED,
        making=making,
        shown=shown,
        stamp=None,
    )


def table(app: AppTest, column: str) -> pd.DataFrame:
    return next(each.value for each in app.dataframe if column in each.value.columns)


def test_reliability_marks_what_to_look_at_and_excludes_nobody(study: Workspace) -> None:
    app = open_page("annotation", language="sk")
    lines = table(app, "degraded lower").set_index("rater")
    assert list(lines["degraded lower"]) == ["6 of 6", "6 of 6", "0 of 6"]
    assert lines.loc["r3"]["look at"] == "degraded_not_lower, one_score"
    # Three tests, two of them with p = 1/64: adjusted 3/2 of that.
    assert lines.loc["r1"]["degraded p"] == "0.0234"
    assert lines.loc["r1"]["repeats alike"] == "none"
    assert list(table(app, "mark")["mark"]) == ["degraded_not_lower", "one_score"]
    assert any(NO_VERDICT in each.value for each in app.text)
    store = study.open_store()
    with store.reading() as state:
        assert state.exclusions(["sk-1"]) == []
        assert len(state.rating_revisions(each.id for each in state.items(["sk-1"]))) == 54
    store.close()
    figures = table(app, "measure")
    assert set(figures["code"]) >= {
        "degraded_p",
        "degraded_p_adjusted",
        "longest_run",
        "look_at",
    }


def test_problems_are_listed_with_what_to_do(study: Workspace) -> None:
    [problem] = table(open_page("annotation", language="sk"), "what to do").to_dict("records")
    assert problem["rater"] == "r2"
    assert problem["problem"].startswith("Tasks with a changed text: 1")
    assert problem["what to do"] == "`batch repair` sets it right."
    assert problem["about"] == "sk-1/0001"


def test_progress_follows_the_store(study: Workspace) -> None:
    app = open_page("annotation", language="sk")
    assert list(table(app, "missing")["done"]) == [54, 54]
    store = study.open_store()
    with store.reading() as state:
        items = state.items(["sk-1"])
        candidate = state.candidates(Instrument.EUROGEST, "sk")[0]
    add_batch(store, [candidate], ["r1"], batch_id="sk-2")
    store.close()
    app.run()
    assert list(table(app, "missing")["assigned"]) == [55, 54, 1]
    assert len(items) == 18
    batch = next(each for each in app.selectbox if each.label == "Batch")
    batch.set_value("sk-2").run()
    assert any("No valid rating yet" in each.value for each in app.info)


def test_a_batch_that_is_nowhere_cannot_be_pulled_or_repaired(study: Workspace) -> None:
    store = study.open_store()
    with store.reading() as state:
        candidate = state.candidates(Instrument.EUROGEST, "sk")[0]
    add_batch(store, [candidate], ["r1"], batch_id="sk-2")
    store.close()
    app = open_page("annotation", language="sk")
    disabled = {each.key: each.disabled for each in app.button if each.key}
    assert disabled["pull sk-1"] is disabled["repair sk-1"] is False
    assert disabled["pull sk-2"] is disabled["repair sk-2"] is True
