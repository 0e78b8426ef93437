"""The system's label against human labels, kept and discarded candidates apart."""

from __future__ import annotations

from dataclasses import replace

import pytest
from studies import ANSWERS_OF_VARIANT, NEUTRAL, add_language, add_people, plan_batch

from annotation.assessment import AssessmentSettings, assess_language
from annotation.batches import create_batch
from annotation.confusion import build_confusion_figures, compute_confusion
from corpus.records import Instrument, Label, Origin, Purpose
from corpus.settings import Settings
from corpus.store import Store
from tests.store_builders import add_batch, add_candidates, add_ratings, standing_of

SETTINGS = AssessmentSettings.from_settings(Settings(draws=1000))
RATERS = ("rater-1", "rater-2", "rater-3")


@pytest.fixture
def study(store: Store) -> Store:
    """A sample of three candidates, on one of which two raters differ."""
    add_language(store, "sk", neutral=1, pairs=2, discarded=4)
    add_people(store, RATERS)
    with store.reading() as state:
        candidates = state.candidates(Instrument.EUROGEST, "sk")
    _, items = add_batch(store, candidates[:3], RATERS[:1])
    for item in items:
        add_ratings(store, [item], RATERS[0], ANSWERS_OF_VARIANT[item.variant])
    # Pairs show their feminine text here; this rater finds one of them neutral.
    _, again = add_batch(store, candidates[1:2], RATERS[1:2], batch_id="sk-2")
    add_ratings(store, again, RATERS[1], NEUTRAL)
    return store


def counts_of(store: Store) -> dict[tuple[str, str, str], int]:
    return {
        (each.discarded_for, str(each.system), str(each.human)): each.count
        for each in compute_confusion(standing_of(store, "sk"))
        if each.count
    }


def rate_discarded(store: Store) -> int:
    plan = replace(plan_batch("sk", 4, RATERS), purpose=Purpose.TARGETED, label=Label.DISCARDED)
    items = create_batch(store, plan, "curator-1", Origin.HUMAN).items
    for item in items:
        add_ratings(store, [item], RATERS[0], ANSWERS_OF_VARIANT[item.variant])
    return len(items)


def test_every_counted_answer_is_in_one_cell(study: Store) -> None:
    assert counts_of(study) == {
        ("", "neutral", "neutral"): 1,
        ("", "feminine", "feminine"): 2,
        ("", "feminine", "neutral"): 1,
    }
    figures = build_confusion_figures("sk", compute_confusion(standing_of(study, "sk")))
    assert len(figures) == 2 * 5
    assert sum(each.n for each in figures) == 4
    assert figures[0].scope == (("language", "sk"), ("system", "neutral"), ("human", "neutral"))


def test_no_ratings_give_no_cell(store: Store) -> None:
    add_language(store, "sk", neutral=1, pairs=1)
    assert compute_confusion(standing_of(store, "sk")) == ()


def test_discarded_candidates_are_judged_apart_and_never_enter_agreement(study: Store) -> None:
    before = assess_language(standing_of(study, "sk"), SETTINGS)
    kept = counts_of(study)
    assert rate_discarded(study) == 4

    found = counts_of(study)
    judged = {key: count for key, count in found.items() if key[0]}
    assert {key: count for key, count in found.items() if not key[0]} == kept
    # Balanced: two masculine and two feminine texts, each rated once.
    assert judged == {
        ("discarded", "masculine", "masculine"): 2,
        ("discarded", "feminine", "feminine"): 2,
    }
    after = assess_language(standing_of(study, "sk"), SETTINGS)
    assert after.figures == before.figures
    assert after.gates == before.gates
    assert after.open_disagreements == before.open_disagreements


def test_a_candidate_that_is_kept_now_is_not_judged_as_discarded(study: Store) -> None:
    rate_discarded(study)
    with study.reading() as state:
        candidates = state.candidates(Instrument.EUROGEST, "sk")
    add_candidates(
        study,
        [
            replace(each, label=Label.PAIR, reason="inflection", stamp=None)
            for each in candidates
            if each.label is Label.DISCARDED
        ],
    )
    assert {key[0] for key in counts_of(study)} == {""}
