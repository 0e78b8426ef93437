"""Template batches: what translators are shown of a language's templates, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from annotation.assessment import AssessmentSettings, assess_language
from annotation.templates import (
    TemplatePlan,
    compute_template_figures,
    create_template_batch,
    list_template_ratings,
)
from corpus.errors import InputError, StateError
from corpus.languages import Edition, load_languages
from corpus.records import Instrument, Item, Label, Origin, Purpose
from corpus.settings import Settings
from corpus.standing import Standing, language_standing
from corpus.store import Store
from tests.annotation.studies import add_language, add_people
from tests.store_builders import (
    add_candidates,
    add_ratings,
    add_sources,
    make_candidate,
    make_source,
)

GOOD = {"quality": 100, "reworded": "no"}


def plan(code: str = "sk", **others: Any) -> TemplatePlan:
    return replace(TemplatePlan(code, ("r1", "r2"), seed=7), **others)


def create(store: Store, wanted: TemplatePlan) -> tuple[Item, ...]:
    return create_template_batch(store, wanted, "curator-1", Origin.HUMAN).items


def add_example(store: Store, code: str = "sk", text: str = "Teším sa.") -> None:
    add_people(store, ["r1", "r2"])
    source = make_source(2, "I am glad.")
    add_sources(store, [source])
    add_candidates(store, [make_candidate(source, code, Label.NEUTRAL, variants={"neutral": text})])


def standing_of(store: Store, code: str = "sk") -> Standing:
    with store.reading() as state:
        return language_standing(state, Instrument.EUROGEST, code)


def test_noun_and_pronoun_are_shown_for_both_genders_around_one_sentence(store: Store) -> None:
    """Slovak frames as in the published template phrases, corrected by translators."""
    add_example(store)
    items = create(store, plan())
    assert [(item.variant, item.shown["src_text"], item.shown["mt_text"]) for item in items] == [
        ("masculine", '"I am glad," the man said', "„Teším sa,“ povedal muž"),
        ("feminine", '"I am glad," the woman said', "„Teším sa,“ povedala žena"),
        ("masculine", '"I am glad," he said', "„Teším sa,“ povedal"),
        ("feminine", '"I am glad," she said', "„Teším sa,“ povedala"),
    ]
    assert {item.purpose for item in items} == {Purpose.TEMPLATE}
    assert {item.subject_kind for item in items} == {"template"}
    assert items[3].subject_id == "eurogest/sk/template/sk/pronoun/final/corrected/feminine"


@pytest.mark.parametrize("code", sorted(set(load_languages()) - {"en"}))
def test_every_language_has_its_four(store: Store, code: str) -> None:
    """Also where both genders are said alike: each is rated against its own English."""
    add_example(store, code, "Sentence.")
    items = create(store, plan(code))
    assert len(items) == 4
    assert len({item.subject_id for item in items}) == 4
    assert len({item.shown["src_text"] for item in items}) == 4


def test_the_same_plan_is_the_same_batch_and_another_wording_another(store: Store) -> None:
    add_example(store, "ca")
    first = create_template_batch(store, plan("ca"), "curator-1", Origin.HUMAN)
    again = create_template_batch(store, plan("ca"), "curator-1", Origin.HUMAN)
    assert (first.created, again.created) == (True, False)
    assert (first.batch, first.items, first.assignments) == (
        again.batch,
        again.items,
        again.assignments,
    )
    published = create_template_batch(
        store, plan("ca", edition=Edition.PUBLISHED), "curator-1", Origin.HUMAN
    )
    assert published.batch.id != first.batch.id
    assert published.items[2].shown["mt_text"] == '"Teším sa", va dir'
    assert first.items[2].shown["mt_text"] == '"Teším sa", va dir ell'


def test_raters_see_them_in_orders_of_their_own(store: Store) -> None:
    add_example(store)
    created = create_template_batch(store, plan(), "curator-1", Origin.HUMAN)
    first, second = (each.item_ids for each in created.assignments)
    assert sorted(first) == sorted(second) == [item.id for item in created.items]


def test_the_example_carries_no_content_note_unless_it_is_chosen(store: Store) -> None:
    add_people(store, ["r1", "r2"])
    sources = [make_source(2, "I am passionate.", 15), make_source(3, "I am glad.", 1)]
    add_sources(store, sources)
    add_candidates(store, [make_candidate(each, "sk", Label.NEUTRAL) for each in sources])
    for seed in range(5):
        assert "glad" in create(store, plan(seed=seed))[0].shown["src_text"]
    chosen = create(store, plan(example=sources[0].key))
    assert "passionate" in chosen[0].shown["src_text"]


def test_what_cannot_be_is_refused(store: Store) -> None:
    add_language(store, "sk", neutral=0, pairs=2)
    with pytest.raises(StateError, match="Unknown raters: r1, r2"):
        create(store, plan())
    add_people(store, ["r1", "r2"])
    with pytest.raises(StateError, match="no neutral sentence"):
        create(store, plan())
    with pytest.raises(StateError, match="no neutral candidate"):
        create(store, plan(example="made/2"))
    with pytest.raises(StateError, match="each named once"):
        create(store, plan(raters=("r1", "r1")))
    with pytest.raises(StateError, match="English"):
        create(store, plan("en"))
    with pytest.raises(InputError, match="xx"):
        create(store, plan("xx"))


def test_they_move_no_state_and_enter_no_agreement(store: Store) -> None:
    add_example(store)
    before = standing_of(store)
    items = create(store, plan())
    for rater in ("r1", "r2"):
        add_ratings(store, items, rater, GOOD)
    after = standing_of(store)
    assert after.review.state is before.review.state
    assessment = assess_language(after, AssessmentSettings.from_settings(Settings(draws=1000)))
    assert assessment.table.item_ids == ()
    assert assessment.disagreements == ()


def test_ratings_and_suggestions_are_listed_and_averaged(store: Store) -> None:
    add_example(store)
    items = create(store, plan())
    add_ratings(store, items, "r1", GOOD)
    worse: Mapping[str, Any] = {"quality": 80, "reworded": "yes", "suggestion": "„S“"}
    add_ratings(store, items[:1], "r2", worse)
    with store.reading() as state:
        ratings = list_template_ratings(state, "sk")
    assert [(each.item.id, each.rater_id, each.score_0_100) for each in ratings][:2] == [
        (items[0].id, "r1", 100),
        (items[0].id, "r2", 80),
    ]
    assert [each.suggestion for each in ratings if each.rater_id == "r2"] == ["„S“"]
    *single, overall = compute_template_figures(ratings, "sk")
    assert {dict(each.scope)["template"]: (each.value, each.n) for each in single} == {
        "sk/noun/final/corrected/masculine": (90.0, 2),
        "sk/noun/final/corrected/feminine": (100.0, 1),
        "sk/pronoun/final/corrected/masculine": (100.0, 1),
        "sk/pronoun/final/corrected/feminine": (100.0, 1),
    }
    assert (overall.value, overall.n) == (96.0, 5)


def test_without_ratings_the_mean_is_undefined() -> None:
    [overall] = compute_template_figures([], "sk")
    assert (overall.value, overall.reason) == (None, "no_data")
