from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from servers import MemoryDesk, ServerDesk
from studies import PushedBatch, add_language, add_people, plan_batch, push_study

from annotation.agreement import find_figure
from annotation.assessment import Assessment, AssessmentSettings, assess_language
from annotation.batches import create_batch
from annotation.decisions import Verdict, decide
from annotation.demo_raters import (
    CAREFUL,
    CONSISTENT,
    DISSATISFIED,
    DIVIDED,
    DemoProfile,
    DemoRater,
    answer_items,
)
from annotation.gates import is_approvable
from annotation.labels import compute_gender_label, compute_system_label
from annotation.pull import pull_batch
from annotation.push import push_batch
from corpus.errors import UnreachableError
from corpus.forms import load_form, validate_answers
from corpus.records import DecisionAction, GenderLabel, Origin, RatingState
from corpus.settings import Settings
from corpus.store import Store
from tests.store_builders import settle_templates, standing_of

RATERS = ("r1", "r2")
SIZES = (20, 24, 30)


def answer_study(
    study: PushedBatch, profiles: Sequence[DemoProfile], seed: int = 20251
) -> dict[str, int]:
    return {
        rater: answer_items(
            DemoRater(rater, seed, profile),
            study.sessions[rater],
            study.project(rater),
            study.form,
            study.items,
        )
        for rater, profile in zip(study.sessions, profiles, strict=True)
    }


def assess(store: Store, language: str) -> Assessment:
    settings = AssessmentSettings.from_settings(Settings(gate_items=20, draws=1000))
    return assess_language(standing_of(store, language), settings)


def run_demo(
    store: Store, profiles: Sequence[DemoProfile], size: int, neutral: int, pairs: int
) -> Assessment:
    """Assessment of a language after two demo raters answered a batch on the memory server."""
    desk = MemoryDesk()
    add_language(store, "sk", neutral, pairs)
    settle_templates(store, "sk")
    add_people(store, RATERS)
    created = create_batch(store, plan_batch("sk", size, RATERS), "curator-1", Origin.DEMO)
    accounts = {rater: desk.add_rater(f"{rater}@example.org") for rater in RATERS}
    push_batch(store, desk.server, created.batch.id, "curator-1")
    sessions = {rater: session for rater, (_, session) in accounts.items()}
    items = {item.id: item for item in created.items}
    answer_study(PushedBatch(store, desk, created, sessions, {}, items=items), profiles)
    pulled = pull_batch(store, desk.server, created.batch.id, "curator-1", Origin.DEMO)
    assert [(each.added, each.invalid, each.problems) for each in pulled] == [(size, 0, ())] * 2
    with store.reading() as state:
        stamps = [each.stamp for each in state.ratings(items)]
    assert all(stamp and stamp.origin is Origin.DEMO for stamp in stamps)
    return assess(store, "sk")


def failed(assessment: Assessment) -> set[str]:
    return {gate.name for gate in assessment.gates if gate.blocks}


@pytest.mark.parametrize("size", SIZES)
def test_careful_raters_pass_every_gate_once_their_doubts_are_decided(
    store: Store, size: int
) -> None:
    assessment = run_demo(store, CAREFUL, size, neutral=30, pairs=20)
    assert failed(assessment) == {"open_disagreements"}
    assert 1 <= len(assessment.open_disagreements) <= 4
    standing = standing_of(store, "sk")
    hashes = {each.candidate.id: each.candidate.content_hash for each in standing.candidates}
    for each in assessment.open_disagreements:
        subject = each.subject_id
        decide(store, Verdict(subject, hashes[subject], DecisionAction.ACCEPT, "demo"), "curator-1")
    decided = assess(store, "sk")
    assert is_approvable(decided.gates)
    kappa = find_figure(decided.figures, "kappa", RATERS)
    assert kappa is not None
    assert kappa.value is not None


@pytest.mark.parametrize("size", SIZES)
def test_divided_raters_fail_by_their_scores_alone(store: Store, size: int) -> None:
    assessment = run_demo(store, DIVIDED, size, neutral=30, pairs=20)
    assert failed(assessment) == {"pearson", "open_disagreements"}


@pytest.mark.parametrize("size", SIZES)
def test_dissatisfied_raters_refuse_the_language(store: Store, size: int) -> None:
    assessment = run_demo(store, DISSATISFIED, size, neutral=30, pairs=0)
    assert failed(assessment) == {
        "mean_da",
        "label_accuracy",
        "label_agreement",
        "open_disagreements",
    }


@pytest.mark.parametrize("size", SIZES)
def test_consistent_raters_of_neutral_texts_leave_kappa_undefined(store: Store, size: int) -> None:
    assessment = run_demo(store, (CONSISTENT, CONSISTENT), size, neutral=30, pairs=0)
    assert is_approvable(assessment.gates)
    kappa = find_figure(assessment.figures, "kappa", RATERS)
    assert kappa is not None
    assert (kappa.value, kappa.reason) == (None, "no_variation")


class _CutSession:
    """Dies after some answers."""

    def __init__(self, session: Any, left: int) -> None:
        self._session = session
        self._left = left

    def fetch_tasks(self, project_id: str) -> Any:
        return self._session.fetch_tasks(project_id)

    def submit(self, *arguments: Any, **named: Any) -> Any:
        if self._left == 0:
            raise UnreachableError("cut")
        self._left -= 1
        return self._session.submit(*arguments, **named)


def test_a_cut_rater_goes_on_where_she_was_and_never_answers_twice(
    store: Store, desk: ServerDesk
) -> None:
    study = push_study(store, desk, RATERS, size=6)
    rater = DemoRater("r1", 7, DIVIDED[0])
    project = study.project("r1")
    answered: list[None] = []
    cut: Any = _CutSession(study.sessions["r1"], 2)
    with pytest.raises(UnreachableError, match="cut"):
        answer_items(rater, cut, project, study.form, study.items, lambda: answered.append(None))
    assert len(answered) == 2
    session = study.sessions["r1"]
    assert answer_items(rater, session, project, study.form, study.items) == 4
    assert answer_items(rater, session, project, study.form, study.items) == 0
    study.pull()
    expected = rater.rate(study.form, study.items)
    assert {each.item_id: dict(each.answers) for each in study.ratings()} == expected
    assert {each.state for each in study.ratings()} == {RatingState.VALID}


def test_rates_are_met_and_answers_fit_both_forms(store: Store) -> None:
    study = push_study(store, MemoryDesk(), RATERS, size=8)
    [some] = list(study.items.values())[:1]
    items = {f"b/{n:04}": replace(some, id=f"b/{n:04}", variant="neutral") for n in range(100)}
    profile = DemoProfile(mean_score=80, error_rate=0.12, unsure_rate=0.07)
    answers = DemoRater("r1", 3, profile).rate(study.form, items)
    assert DemoRater("r1", 3, profile).rate(study.form, dict(reversed(items.items()))) == answers
    labels = Counter(compute_gender_label(each) for each in answers.values())
    assert labels[GenderLabel.NEUTRAL] == 81
    assert labels[GenderLabel.UNSURE] == 7
    assert labels[GenderLabel.MASCULINE] + labels[GenderLabel.FEMININE] == 12
    assert 77 < sum(each["quality"] for each in answers.values()) / 100 < 83
    for form in (study.form, load_form("prompt_template")):
        for given in DemoRater("r1", 3, profile).rate(form, items).values():
            assert validate_answers(form, given) == ()


def test_raters_with_distant_offsets_err_on_different_items(store: Store) -> None:
    study = push_study(store, MemoryDesk(), RATERS, size=8)
    wrong = []
    for rater, profile in zip(RATERS, DISSATISFIED, strict=True):
        answers = DemoRater(rater, 5, profile).rate(study.form, study.items)
        wrong.append(
            {
                item_id
                for item_id, given in answers.items()
                if compute_gender_label(given)
                is not compute_system_label(study.items[item_id].variant)
            }
        )
    assert [len(each) for each in wrong] == [2, 2]
    assert not wrong[0] & wrong[1]
