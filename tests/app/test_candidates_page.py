"""Page Candidates: filters by code, one candidate with all about it, and a targeted batch."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import workspaces
from pages import open_page, said

from corpus.people import Person
from corpus.records import Instrument, Label, Origin, Purpose
from corpus.workspace import Workspace, find_workspace


@pytest.fixture
def small(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    copied = shutil.copytree(template, tmp_path / "small")
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(copied))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", "curator-1")
    monkeypatch.delenv("STEREOSCOPE_DATABASE_URL", raising=False)
    return find_workspace(copied)


def test_discarded_candidates_are_browsed_by_reason(small: Workspace) -> None:
    app = open_page("candidates", language="sk", label="discarded", reason="word_count")
    assert not app.exception
    [row] = app.dataframe[0].value.to_dict("records")
    assert (row["label"], row["reason code"]) == ("discarded", "word_count")
    assert row["reason"] == "the texts have different numbers of words"
    reasons = next(each for each in app.selectbox if each.label == "Reason")
    assert "the texts have different numbers of words" in reasons.options
    told = said(app)
    assert "Reason: the texts have different numbers of words" in told
    assert "Stereotype: 13 leaders" in told
    assert "⟦Som⟧ ⟦vodca⟧ ⟦tímu⟧." in told


def test_a_candidate_of_the_address_is_shown_literally(small: Workspace) -> None:
    app = open_page("candidates", language="sk", candidate=workspaces.HOSTILE_ID)
    assert workspaces.HOSTILE in [each.value for each in app.text]


def test_a_sample_of_a_reason_goes_to_raters_who_are_chosen(small: Workspace) -> None:
    store = small.open_store()
    with store.writing(Origin.HUMAN) as writer:
        writer.append([Person("rater-sk-9", "rater", None, None)])
    app = open_page("candidates", language="sk", label="discarded", reason="word_count")
    submit = next(each for each in app.button if each.label == "Create the batch")
    submit.click().run()
    assert "Choose at least one rater." in said(app)
    app.multiselect[0].set_value(["rater-sk-9"])
    app.number_input[0].set_value(7)
    next(each for each in app.button if each.label == "Create the batch").click().run()
    assert not app.exception
    assert "created: 1 items. Next: stereoscope batch push sk-" in said(app)
    with store.reading() as state:
        [batch] = [
            each
            for each in state.batches(Instrument.EUROGEST, "sk")
            if each.design.get("purpose") == "targeted"
        ]
        [item] = state.items([batch.id])
        candidates = {each.id: each for each in state.candidates(Instrument.EUROGEST, "sk")}
    store.close()
    assert item.purpose is Purpose.TARGETED
    assert candidates[item.subject_id].label is Label.DISCARDED
    assert (batch.design["size"], batch.design["reasons"]) == (7, ["word_count"])


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"language": "sk"}, "Choose a label"),
        ({"language": "sk", "label": "pair"}, "There is no rater yet"),
    ],
)
def test_what_a_batch_still_needs_is_said(
    small: Workspace, query: dict[str, str], sentence: str
) -> None:
    app = open_page("candidates", **query)
    assert any(each.value.startswith(sentence) for each in app.info)


def test_the_sources_language_is_not_sent_to_raters(small: Workspace) -> None:
    app = open_page("candidates", language="en", label="neutral")
    assert "Let raters judge some of them" not in [each.value for each in app.subheader]
