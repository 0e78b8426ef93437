"""The commands that plan batches, create them and change who answers them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus.records import AssignmentState, Instrument, Purpose
from corpus.store import open_store
from tests.command_line import Outcome, database_of, run_here, snapshot_of
from tests.store_builders import NEUTRAL_YES, add_ratings

DESIGN = ("--raters-per-item", "2", "--repeats", "0.1", "--degraded", "0.2")
MAN = {"quality": 85, "gender_marked": "yes", "speaker_gender": "man"}


@pytest.fixture
def study(study_copy: Path) -> Path:
    for number in (3, 4, 5):
        assert run_here("raters", "add", f"rater-{number}", "-w", study_copy).code == 0
    return study_copy


def batch(study: Path, *arguments: str) -> Outcome:
    return run_here("batch", *arguments, "-w", study)


def succeed(study: Path, *arguments: str) -> Outcome:
    ended = batch(study, *arguments)
    assert ended.code == 0, ended.text
    return ended


def create(study: Path, *design: str, raters: str = "rater-1,rater-2") -> str:
    options = ("-l", "sk", "--raters", raters, "--size", "20", *design)
    return succeed(study, "create", *options).out.strip()


def answer(study: Path, batch_id: str, rater: str, answers: dict[str, object], count: int) -> None:
    store = open_store(f"sqlite:///{database_of(study)}")
    with store.reading() as state:
        items = [each for each in state.items([batch_id]) if each.purpose is Purpose.SAMPLE]
    add_ratings(store, items[:count], rater, answers)
    store.close()


def test_a_dry_run_shows_the_batch_that_would_be_and_writes_nothing(study: Path) -> None:
    before = snapshot_of(study)
    options = ("-l", "sk", "--raters", "rater-1,rater-2,rater-3", "--size", "20", *DESIGN)
    dry = succeed(study, "create", *options, "--dry-run")
    assert "2 exact repeats, 2 words dropped, 1 words of another sentence" in dry.out
    assert "Pearson's r of DA" in dry.out
    assert "not known: no rate is set" in dry.out
    assert snapshot_of(study) == before
    batch_id = succeed(study, "create", *options).out.strip()
    assert f"The batch would be {batch_id}." in dry.message
    assert "is there already" in succeed(study, "create", *options).err


def test_a_plan_needs_no_raters_and_gives_figures(study: Path) -> None:
    before = snapshot_of(study)
    env = {"STEREOSCOPE_COST_PER_ITEM": "0.51", "STEREOSCOPE_COST_CURRENCY": "GBP"}
    arguments = ("batch", "plan", "-l", "sk", "--raters", "4", "--size", "20", "-w", study)
    ended = run_here(*arguments, "--json", "--expect-pearson", "0.5", env=env)
    assert ended.code == 0, ended.text
    figures = {each["name"]: each for each in json.loads(ended.out)["figures"]}
    assert figures["cost"]["value"] == pytest.approx(20 * 4 * 0.51)
    assert figures["expected_pearson"]["value"] == 0.5
    assert figures["expected_kappa"]["n"] == 20
    assert (figures["hours"]["value"], figures["hours"]["reason"]) == (None, "not_set")
    assert "40.80 GBP" in run_here(*arguments, env=env).out
    assert snapshot_of(study) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("create", "-l", "sk", "--raters", "nobody", "--dry-run"), "Unknown raters: nobody"),
        (("create", "-l", "sk", "--raters", "rater-1", *DESIGN), "cannot have 2 raters of 1"),
        (("plan", "-l", "sk", "--raters", "2", "--both-variants"), "need 4 raters, not 2"),
        (("plan", "-l", "sk", "--repeats", "0.6"), "together at most 0.5"),
        (("plan", "-l", "sk", "--expect-accuracy", "2"), "shares from 0 to 1"),
        (("plan", "-l", "en"), "cannot send a batch"),
        (("plan", "-l", "sk", "--allocation", "equal", "--size", "3"), "Take at least"),
        (("add-rater", "none", "rater-1"), "no batch none"),
        (("add-rater", "none", "rater-1", "--share", "0.5", "--conflicts"), "Either --share"),
        (("replace-rater", "none", "rater-1", "rater-2"), "no batch none"),
        (("reassign", "none", "rater-1"), "no batch none"),
    ],
)
def test_what_does_not_fit_is_one_sentence_and_writes_nothing(
    study: Path, arguments: tuple[str, ...], message: str
) -> None:
    before = snapshot_of(study)
    ended = batch(study, *arguments)
    assert (ended.code, message in ended.message) == (1, True), ended.text
    assert snapshot_of(study) == before


def test_raters_join_leave_and_take_over(study: Path) -> None:
    batch_id = create(study)
    joined = succeed(study, "add-rater", batch_id, "rater-3", "--share", "0.25")
    assert "rater-3 has 5 more items" in joined.message
    answer(study, batch_id, "rater-2", dict(NEUTRAL_YES), 8)
    replaced = succeed(study, "replace-rater", batch_id, "rater-2", "rater-4")
    assert "rater-4 has 12 more items" in replaced.message
    before = snapshot_of(study)
    assert (
        "none are new"
        in succeed(study, "add-rater", batch_id, "rater-3", "--share", "0.25").message
    )
    assert "none are new" in succeed(study, "replace-rater", batch_id, "rater-2", "rater-4").message
    assert "none are new" in succeed(study, "reassign", batch_id, "rater-5").message
    assert snapshot_of(study) == before
    store = open_store(f"sqlite:///{database_of(study)}")
    with store.reading() as state:
        assignments = {each.rater_id: each for each in state.assignments([batch_id])}
        actions = [each.action for each in state.audit_entries()]
    store.close()
    assert assignments["rater-2"].state is AssignmentState.LEFT
    assert {rater: len(each.item_ids) for rater, each in assignments.items()} == {
        "rater-1": 20,
        "rater-2": 8,
        "rater-3": 5,
        "rater-4": 12,
    }
    assert actions[-3:] == ["batch create", "batch add-rater", "batch replace-rater"]


def test_a_third_opinion_is_a_batch_of_its_own(study: Path) -> None:
    batch_id = create(study)
    answer(study, batch_id, "rater-1", dict(NEUTRAL_YES), 20)
    answer(study, batch_id, "rater-2", MAN, 20)
    made = succeed(study, "add-rater", batch_id, "rater-3", "--conflicts")
    again = succeed(study, "add-rater", batch_id, "rater-3", "--conflicts")
    assert "nothing to do" in again.message
    assert again.out == ""
    store = open_store(f"sqlite:///{database_of(study)}")
    with store.reading() as state:
        items = state.items([made.out.strip()])
        assert len(state.batches(Instrument.EUROGEST)) == 2
    store.close()
    assert len(items) == 20
    assert {item.purpose for item in items} == {Purpose.ADJUDICATION}


def test_costs_of_every_round(study: Path) -> None:
    env = {"STEREOSCOPE_COST_PER_ITEM": "0.51", "STEREOSCOPE_COST_CURRENCY": "GBP"}
    options = ("-l", "sk", "--raters", "rater-1", "--size", "20", "-w", study)
    batch_id = run_here("batch", "create", *options, env=env).out.strip()
    answer(study, batch_id, "rater-1", dict(NEUTRAL_YES), 10)
    shown = succeed(study, "costs")
    assert "10 of 20" in shown.out
    assert "5.10 of 10.20" in shown.out
    assert "All rounds: 5.10 of 10.20 GBP" in shown.message
    figures = json.loads(succeed(study, "costs", "--json").out)["figures"]
    costs = {each["scope"]["kind"]: each["value"] for each in figures if each["name"] == "cost"}
    assert costs == {"forecast": pytest.approx(10.2), "actual": pytest.approx(5.1)}
