"""Page Disagreements: the queue, decisions, raters who are asked, and shared evidence."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import disagreement_workspaces as study
import pytest
from streamlit.testing.v1 import AppTest

from annotation.decisions import Verdict, decide
from app.web import FOLDER
from corpus.records import Decision, DecisionAction, Instrument, Label, Purpose
from corpus.settings import load_settings
from corpus.standing import Standing
from corpus.workspace import Workspace
from tests.store_builders import add_ratings, standing_of

PEOPLE = [
    {"address": f"{role}@uni.example", "name": f"{role}-1", "role": role}
    for role in ("reader", "curator")
]
NAME = "eurogest/sk/made/"
FIRST = f"{NAME}13"
"""Heaviest: two raters see no gender and score low."""


@pytest.fixture(scope="module")
def disagreeing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("disagreeing") / "study"
    return study.build_disagreement_workspace(folder).path


@pytest.fixture
def workspace(disagreeing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    copied = shutil.copytree(disagreeing, tmp_path / "study")
    monkeypatch.delenv("STEREOSCOPE_DATABASE_URL", raising=False)
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(copied))
    monkeypatch.setenv("STEREOSCOPE_LOG_IN", "1")
    monkeypatch.setenv("STEREOSCOPE_PEOPLE", json.dumps(PEOPLE))
    return Workspace(copied, load_settings(copied))


def open_as(role: str, **query: str) -> AppTest:
    app = AppTest.from_file(str(FOLDER / "web.py"), default_timeout=60)
    claims: dict[str, Any] = {
        "is_logged_in": True,
        "email": f"{role}@uni.example",
        "email_verified": True,
    }
    app.user = claims
    for _ in range(2):
        for name, value in {"language": "sk", **query}.items():
            app.query_params[name] = value
        app.switch_page("screens/disagreements.py")
        app.run()
    assert not app.exception
    return app


def press(app: AppTest, label: str) -> AppTest:
    pressed = next(each for each in app.button if each.label == label).click().run()
    assert not pressed.exception
    return pressed


def choice(app: AppTest, label: str) -> Any:
    return next(each for each in app.selectbox if each.label == label)


def said(app: AppTest) -> str:
    return "\n".join(each.value for each in app.text)


def shown(app: AppTest) -> str:
    return str(choice(app, "Candidate").value)


def read(workspace: Workspace) -> Standing:
    store = workspace.open_store()
    found = standing_of(store, "sk")
    store.close()
    return found


def decisions(workspace: Workspace) -> list[Decision]:
    store = workspace.open_store()
    with store.reading() as state:
        found = state.decisions(Instrument.EUROGEST, "sk")
    store.close()
    return found


def give_reason(app: AppTest, subject: str, text: str) -> None:
    app.text_area(key=f"reason {subject}").input(text)


def test_the_queue_is_filtered_in_the_address(workspace: Workspace) -> None:
    assert "1 of 16 in the queue, heaviest first" in said(open_as("reader"))
    app = open_as("reader", kind="low_da", stereotype="2")
    # The fourth, eighth, … candidate is low; of them those at 5 and 17 are of stereotype 2.
    assert "1 of 1 in the queue" in said(app)
    assert choice(app, "Stereotype").value == "2"
    nothing = open_as("reader", kind="unsure")
    assert "No disagreement fits." in nothing.info[0].value


def test_next_and_previous_go_round_the_queue(workspace: Workspace) -> None:
    app = open_as("reader")
    options = choice(app, "Candidate").options
    assert shown(app) == FIRST
    assert shown(press(app, "Next")) == options[1].split(":")[0]
    assert shown(press(app, "Previous")) == FIRST
    assert shown(press(app, "Previous")) == options[-1].split(":")[0]
    assert app.query_params["item"] == shown(app)


def test_one_key_accepts_or_rejects_and_shows_the_next(workspace: Workspace) -> None:
    app = open_as("curator")
    press(app, "Reject: the raters are right")
    second = shown(app)
    assert second != FIRST
    press(app, "Accept: the system is right")
    assert [(each.subject_id, each.action, each.reason) for each in decisions(workspace)] == [
        (FIRST, DecisionAction.REJECT, "The raters are right."),
        (second, DecisionAction.ACCEPT, "The system is right."),
    ]
    press(app, "Decided last")
    assert (shown(app), choice(app, "Show").value) == (second, "decided")
    assert app.text_area(key=f"reason {second}")


def test_a_pair_without_its_other_variant_is_kept_out(workspace: Workspace) -> None:
    app = open_as("curator", item=FIRST)
    choice(app, "Action").set_value(DecisionAction.RELABEL).run()
    choice(app, "New label").set_value(Label.DISCARDED).run()
    choice(app, "Gender that the text shows").set_value("feminine").run()
    give_reason(app, FIRST, "No man says it so.")
    press(app, "Store the decision")
    [reviewed] = [each for each in read(workspace).candidates if each.candidate.id == FIRST]
    assert (reviewed.candidate.reason, dict(reviewed.candidate.variants)) == (
        "one_gender_only",
        {"feminine": "Včera som bola unavená."},
    )


def test_what_was_typed_outlives_a_stale_page(workspace: Workspace) -> None:
    app = open_as("curator", item=FIRST)
    choice(app, "Action").set_value(DecisionAction.EDIT).run()
    next(each for each in app.text_area if each.label == "New feminine text").input("Moja veta.")
    give_reason(app, FIRST, "Mine is better.")
    store = workspace.open_store()
    seen = next(each.candidate for each in read(workspace).candidates if each.candidate.id == FIRST)
    other = Verdict(FIRST, seen.content_hash, DecisionAction.REJECT, "why")
    decide(store, other, "another curator")
    store.close()
    press(app, "Store the decision")
    assert "This has changed meanwhile" in app.error[0].value
    assert f"What you had typed for {FIRST}, which was not stored:" in said(app)
    assert "feminine: Moja veta." in said(app)
    assert "reason: Mine is better." in said(app)
    assert len(decisions(workspace)) == 1
    press(app, "Show what was decided")
    assert shown(app) == FIRST
    press(app, "Drop it")
    assert "What you had typed" not in said(app)


def test_sent_back_it_stays_open_and_says_who_is_asked(workspace: Workspace) -> None:
    app = open_as("curator", item=FIRST)
    press(app, "Send back to its raters")
    assert "Raters who are asked again need a question." in said(app)
    app.text_area(key=f"referral question {FIRST}").input("Can a man say *this*?")
    press(app, "Send back to its raters")
    assert "created: 3 items. Next: stereoscope batch push sk-" in said(app)
    assert shown(app) == FIRST
    assert "; a rater is asked" in next(
        each for each in choice(app, "Candidate").options if each.startswith(FIRST)
    )
    assert "Sent back by curator-1, to rater-1, rater-2, rater-3" in said(app)
    assert "“Can a man say *this*?”. No answer yet from rater-1, rater-2, rater-3." in said(app)
    # 15 others are settled by the rule; the one that is asked about waits.
    assert "It would decide 15: accept 12, reject 3." in said(app)

    asked = [each for each in read(workspace).items if each.purpose is Purpose.ADJUDICATION]
    store = workspace.open_store()
    for rater, item in zip(study.RATERS, asked, strict=True):
        add_ratings(store, [item], rater, study.WOMAN)
    store.close()
    app.run()
    assert "Answered, or nobody is waited for any more." in said(app)
    ratings = next(each.value for each in app.dataframe if "rater" in each.value.columns)
    assert list(ratings["counted"]).count("no: asked because of earlier answers") == 3


def test_another_rater_is_asked_from_the_page(workspace: Workspace) -> None:
    app = open_as("curator", item=FIRST)
    assert choice(app, "Another rater").options == [study.FREE_RATER]
    press(app, "Ask another rater")
    assert f"Another rater by curator-1, to {study.FREE_RATER}" in said(app)
    assert "Every rater was given a text of this candidate" in "".join(
        each.value for each in app.info
    )


def test_all_that_share_a_word_change_are_decided_by_a_previewed_rule(
    workspace: Workspace,
) -> None:
    app = open_as("curator", item=FIRST)
    evidence = choice(app, "Evidence")
    assert evidence.options == [
        "word change: bol / bola (9 others, 9 undecided)",
        "word change: unavený / unavená (1 others, 1 undecided)",
        "reason: each word that differs is the same word in another gender (19 others, 19 "
        "undecided)",
        "quality band: 0.90 to 0.95 (made@1) (4 others, 4 undecided)",
    ]
    evidence.set_value("word change: unavený / unavená").run()
    press(app, "Decide 1 so")
    assert "A decision needs a reason." in said(app)
    next(each for each in app.text_area if each.label == "Reason for all of them").input("Both.")
    app.run()
    press(app, "Decide 1 so")
    assert "Applied: same evidence (1); 1 decided." in said(app)
    [decision] = decisions(workspace)
    assert (decision.subject_id, decision.action, decision.rule) == (
        f"{NAME}3",
        DecisionAction.REJECT,
        "same evidence (1)",
    )
    assert decision.reason == f"Rule: same word change: unavený / unavená as {FIRST}. Both."
    app.text_area(key="undo reason").input("Too coarse.")
    press(app, "Undo this rule")
    assert "Undone: same evidence (1); 1 open again." in said(app)


def test_all_that_share_evidence_go_to_raters_as_a_targeted_batch(workspace: Workspace) -> None:
    app = open_as("curator", item=FIRST)
    name = f"{FIRST} word change: bol / bola"
    app.multiselect(key=f"raters {name}").set_value([study.FREE_RATER])
    app.number_input(key=f"size {name}").set_value(4)
    press(app, "Send them to raters")
    assert "created: 4 items." in said(app)
    items = [each for each in read(workspace).items if each.purpose is Purpose.TARGETED]
    assert len(items) == 4
    assert all(" bol" in each.shown["mt_text"] for each in items)


def test_a_text_that_a_curator_writes_waits_for_a_rater(workspace: Workspace) -> None:
    app = open_as("curator", item=FIRST)
    choice(app, "Action").set_value(DecisionAction.EDIT).run()
    new = {"masculine": "Včera som bol smutný.", "feminine": "Včera som bola smutná."}
    for name, text in new.items():
        next(each for each in app.text_area if each.label == f"New {name} text").input(text)
    give_reason(app, FIRST, "Tired is another word.")
    press(app, "Store the decision")
    assert "human-written, to be rated: feminine, masculine" in said(app)
    assert "1 candidates stay out of releases" in said(app)
    app.multiselect(key="raters written").set_value([study.FREE_RATER])
    form = [each for each in app.button if each.label == "Send them to raters"]
    form[-1].click().run()
    assert "created: 1 items." in said(app)
    [item] = [each for each in read(workspace).items if each.purpose is Purpose.TARGETED]
    assert (item.variant, item.shown["mt_text"]) == ("masculine", "Včera som bol smutný.")
    assert "0 of them can be sent now" in said(app)


def quick_accept(app: AppTest) -> None:
    press(app, "Accept: the system is right")


def send_back(app: AppTest) -> None:
    app.text_area(key=f"referral question {FIRST}").input("Why?")
    press(app, "Send back to its raters")


def ask_another(app: AppTest) -> None:
    press(app, "Ask another rater")


def decide_shared(app: AppTest) -> None:
    next(each for each in app.text_area if each.label == "Reason for all of them").input("Both.")
    app.run()
    press(app, "Decide 9 so")


def send_shared(app: AppTest) -> None:
    app.multiselect[0].set_value([study.FREE_RATER])
    press(app, "Send them to raters")


@pytest.mark.parametrize("act", [quick_accept, send_back, ask_another, decide_shared, send_shared])
def test_a_reader_sees_the_page_and_is_refused(
    workspace: Workspace, act: Callable[[AppTest], None]
) -> None:
    app = open_as("reader", item=FIRST)
    assert "Včera som ⟦bol⟧ ⟦unavený⟧." in said(app)
    before = read(workspace)
    act(app)
    assert [each.value for each in app.error] == ["This was refused."]
    assert "This needs the role curator; reader-1 is reader." in said(app)
    assert read(workspace) == before
