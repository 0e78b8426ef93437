"""The demonstration's prompt tests: rated in Label Studio, released, run, and marked as made up."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import open_page, said

from annotation.consents import record_consent, record_ethics
from annotation.label_studio.server import LabelStudioServer
from app.demo.prompts import DATASET, INSTRUMENT, SPANISH, TESTED, ask_prompts_of_demo
from app.demo.script import CURATOR, ETHICS
from app.demo.steps import DemoAccount
from app.session import open_session
from corpus.people import Person
from corpus.records import Origin
from corpus.workspace import init_workspace
from scoring.oracles import Outcome

pytestmark = pytest.mark.label_studio


def test_prompts_go_from_templates_to_rates_and_again_change_nothing(
    tmp_path: Path, label_studio: LabelStudioServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = init_workspace(tmp_path / "demo", "Demonstration")
    accounts = {
        rater: DemoAccount(rater, f"{rater}@demo.example", "only-for-tests-5")
        for rater in SPANISH.raters
    }
    with open_session(workspace.path, CURATOR, {"draws": 200}) as session:
        with session.store.writing(Origin.DEMO) as writer:
            people = [
                Person(each.rater_id, "rater", None, each.email) for each in accounts.values()
            ]
            writer.append(people)
        record_ethics(session.store, ETHICS, CURATOR, Origin.DEMO)
        for rater_id in accounts:
            record_consent(session.store, rater_id, True, CURATOR, Origin.DEMO)
        run = ask_prompts_of_demo(session, label_studio, accounts)
        assert run is not None
        with session.store.reading() as state:
            position = state.position
        again = ask_prompts_of_demo(session, label_studio, accounts)
        assert again is not None
        assert again.manifest == run.manifest
        with session.store.reading() as state:
            assert state.position == position
            datasets = {each.dataset for each in state.sources(INSTRUMENT)}
        parts = ("", ".t2p", ".communities", ".requirements")
        assert datasets == {DATASET + part for part in parts}
    assert run.manifest["demonstration"] is True
    assert set(run.marked_models) == {TESTED}
    assert run.manifest["human_eyes"]["es_es"].endswith("seen by a human")
    outcomes = {result.judged.outcome for result in run.results}
    assert {Outcome.PASSED, Outcome.FAILED} <= outcomes

    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(workspace.path))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", CURATOR)
    app = open_page("prompts")
    assert not app.exception
    assert "A demonstration, not a finding." in [each.value for each in app.warning]
    assert "seen by a human" in said(app)
    # Demo raters are no humans.
    assert "0 of 28 translated texts seen by a human." in said(app)
    assert "es t2p 0 of 12" in said(open_page("prompts", view="quality"))
