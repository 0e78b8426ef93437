"""Page Agreement: all languages, one language with an outlier, and leaving her out."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pages import open_page, said
from store_builders import (
    add_batch,
    add_candidates,
    add_ratings,
    add_sources,
    make_candidate,
    make_source,
)
from streamlit.testing.v1 import AppTest

from annotation.ratings_table import RatedItem, build_ratings_table
from annotation.study_agreement import LanguageRatings, compute_study_figures
from app.access import Identity, Role
from app.agreement_page.figures import build_png, build_svg
from app.charts_of_agreement import score_chart
from app.views.agreement import ScorePair, build_confusion
from corpus.records import GenderLabel, Label
from corpus.settings import load_settings
from corpus.workspace import Workspace, init_workspace

RATERS = ("rater-1", "rater-2", "rater-3")
OUTLIER = "rater-3"
ITEMS = 40


@pytest.fixture(scope="module")
def outlier_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Slovak with three raters, of whom the third scores at random; Finnish with two."""
    workspace = init_workspace(tmp_path_factory.mktemp("outlier") / "study", "outlier study")
    store = workspace.open_store()
    sources = [make_source(row, f"I am number {row}.", 1) for row in range(1, ITEMS + 1)]
    add_sources(store, sources)
    draw = np.random.default_rng(3)
    for code, raters in (("sk", RATERS), ("fi", RATERS[:2])):
        candidates = [
            make_candidate(each, code, Label.NEUTRAL, variants={"neutral": f"{code} {each.row}"})
            for each in sources
        ]
        add_candidates(store, candidates)
        _, items = add_batch(store, candidates, raters)
        for item in items:
            level = int(draw.integers(30, 90))
            for rater in raters:
                is_random = rater == OUTLIER
                score = int(draw.integers(0, 101)) if is_random else level + int(draw.integers(9))
                answers = {"quality": score, "gender_marked": "no"}
                add_ratings(store, [item], rater, answers)
    store.close()
    return workspace.path


@pytest.fixture
def study(outlier_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    copied = shutil.copytree(outlier_template, tmp_path / "study")
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(copied))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", "curator-1")
    monkeypatch.delenv("STEREOSCOPE_DATABASE_URL", raising=False)
    return Workspace(copied, load_settings(copied))


def button(app: AppTest, label: str) -> object:
    return next(each for each in app.button if each.label == label)


def find_rater(app: AppTest) -> Any:
    return next(each for each in app.selectbox if each.label == "Rater")


def leave_out(app: AppTest, reason: str) -> AppTest:
    app.text_area(key=f"exclusion reason {OUTLIER}").input(reason)
    button(app, "Leave her out").click().run()  # type: ignore[attr-defined]
    return app


def test_all_languages_stand_beside_one_another(study: Workspace) -> None:
    app = open_page("agreement")

    assert not app.exception
    assert not app.error
    assert "Languages with ratings: 2; of these 1 can show" in said(app)
    accuracy = app.dataframe[0].value
    assert list(accuracy["n"]) == [2 * ITEMS, 2 * ITEMS, ITEMS, ITEMS]
    raters = next(each.value for each in app.dataframe if "accuracy low" in each.value)
    assert len(raters) == 5
    pairs = next(each.value for each in app.dataframe if "p adjusted" in each.value)
    assert len(pairs) == 4
    assert pairs["p adjusted"].notna().all()
    assert set(pairs["undefined"]) == {"kappa: all labels are equal, chance agreement is 1"}


def test_gendered_languages_alone(study: Workspace) -> None:
    app = open_page("agreement", shown="gendered")
    pairs = next(each.value for each in app.dataframe if "p adjusted" in each.value)
    assert set(pairs["language"]) == {"Slovak (sk)"}


def test_an_outlier_is_named_and_left_out_with_a_reason(study: Workspace) -> None:
    app = open_page("agreement", language="sk", rater=OUTLIER)
    assert not app.exception
    assert f"Worth a look: {OUTLIER} agrees less with the others" in said(app)
    assert "(setting outlier_shift)" in said(app)
    assert "chosen after seeing the data" in said(app)
    changed = next(each.value for each in app.dataframe if "without her" in each.value)
    assert {"mean of Pearson's correlations", "mean DA"} <= set(changed["measure"])
    assert (changed["with her"] != changed["without her"]).all()

    leave_out(app, "Answers at random.")
    assert not app.exception
    assert f"{OUTLIER} is left out of sk-1. Reason: Answers at random." in said(app)
    assert f"{OUTLIER} is left out of batch sk-1, by curator-1" in said(app)
    assert "Nobody can be called an outlier: needs three raters or more." in said(app)

    app.text_area(key=f"exclusion reason {OUTLIER}").input("She explained herself.")
    button(app, "Put her back").click().run()  # type: ignore[attr-defined]
    assert f"{OUTLIER} counts again in sk-1" in said(app)
    store = study.open_store()
    with store.reading() as state:
        actions = [each.action for each in state.audit_entries()]
    store.close()
    assert actions[-2:] == ["exclude rater", "reinstate rater"]


def test_the_rater_who_stands_out_is_shown_first_even_when_left_out(study: Workspace) -> None:
    app = open_page("agreement", language="sk")
    assert find_rater(app).value == OUTLIER
    leave_out(app, "Answers at random.")
    again = open_page("agreement", language="sk")
    chosen = find_rater(again)
    assert chosen.options == [OUTLIER, *RATERS[:2]]
    assert chosen.value == OUTLIER


def test_leaving_out_needs_a_reason(study: Workspace) -> None:
    app = leave_out(open_page("agreement", language="sk", rater=OUTLIER), "  ")
    assert [each.value for each in app.error] == ["This was refused."]
    assert "needs a written reason" in said(app)


def test_a_reader_sees_the_page_and_leaves_nobody_out(
    study: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Identity("reader-1", Role.READER, is_local=False)
    monkeypatch.setattr("app.study.find_identity", lambda _: reader)
    app = open_page("agreement", language="sk", rater=OUTLIER)
    assert f"Worth a look: {OUTLIER}" in said(app)
    leave_out(app, "Answers at random.")
    assert [each.value for each in app.error] == ["This was refused."]
    store = study.open_store()
    with store.reading() as state:
        assert state.exclusions(["sk-1"]) == []
    store.close()


def test_charts_are_drawn_as_files() -> None:
    chart = score_chart([ScorePair("i1", 50.0, 60.0), ScorePair("i2", 70.0, 65.0)], "a", "b")
    assert build_png(chart).startswith(b"\x89PNG")
    assert b"DA of a" in build_svg(chart)


def test_equal_charts_are_drawn_once_and_others_anew() -> None:
    scores = [ScorePair("i1", 50.0, 60.0), ScorePair("i2", 70.0, 65.0)]
    drawn = score_chart(scores, "a", "b")
    assert score_chart(list(scores), "a", "b") is drawn
    assert score_chart(scores[:1], "a", "b") != drawn
    assert score_chart(scores, "a", "c") != drawn


def test_labels_of_two_raters_are_counted_on_common_items() -> None:
    man, none = GenderLabel.MASCULINE, GenderLabel.NEUTRAL
    cells = build_confusion({"i1": man, "i2": man, "i3": none}, {"i1": man, "i2": none})
    counted = {(each.system, each.rater): each.count for each in cells if each.count}
    assert counted == {("masculine", "masculine"): 1, ("masculine", "neutral"): 1}


def test_accuracy_is_pooled_over_languages_and_given_for_gendered_ones_alone() -> None:
    none, man = GenderLabel.NEUTRAL, GenderLabel.MASCULINE
    languages = [
        LanguageRatings(
            code,
            is_gendered,
            build_ratings_table(
                RatedItem(f"i{n}", "r", 50.0, man if n < wrong else none) for n in range(10)
            ),
            {f"i{n}": none for n in range(10)},
            (),
        )
        for code, is_gendered, wrong in (("sk", True, 4), ("fi", False, 0))
    ]
    accuracy = [each.value for each in compute_study_figures(languages)]
    assert accuracy == pytest.approx([0.8, 0.8, 0.6, 0.6])
