"""Candidates that are sent back to their raters, or shown to another one, before a decision."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from studies import NEUTRAL, add_language, add_people, plan_batch

from annotation.assessment import AssessmentSettings, assess_language
from annotation.batches import CreatedBatch, create_batch
from annotation.bulk_rules import BulkRule, preview_rule, preview_shared
from annotation.decisions import Verdict, decide
from annotation.referrals import (
    Question,
    Referral,
    ReferralKind,
    find_awaited,
    find_free_raters,
    find_referrals,
    refer_candidate,
)
from corpus.errors import StaleError, StateError
from corpus.records import DecisionAction, Item, Origin, Purpose, RatingState
from corpus.review import LanguageState
from corpus.settings import Settings
from corpus.store import Store
from tests.store_builders import add_ratings, exclude, standing_of

SETTINGS = AssessmentSettings.from_settings(Settings())
MAN = {"quality": 85, "gender_marked": "yes", "speaker_gender": "man"}
ASKED = "Can a woman say this, too?"


@pytest.fixture
def rated(store: Store) -> tuple[Store, Item]:
    """Three neutral items with two raters, who differ on the first."""
    add_language(store, "sk", neutral=3, pairs=0)
    add_people(store, ("r1", "r2", "r3"))
    created = create_batch(store, plan_batch("sk", 3, ("r1", "r2")), "curator-1", Origin.HUMAN)
    items = sorted(created.items, key=lambda item: item.subject_id)
    add_ratings(store, items, "r1", NEUTRAL)
    add_ratings(store, items[1:], "r2", NEUTRAL)
    add_ratings(store, items[:1], "r2", MAN)
    return store, items[0]


def refer(store: Store, item: Item, text: str = ASKED, rater: str | None = None) -> CreatedBatch:
    question = Question(item.subject_id, item.content_hash, text, rater)
    return refer_candidate(store, question, "curator-1")


def referrals_of(store: Store, item: Item) -> tuple[Referral, ...]:
    return find_referrals(standing_of(store, "sk")).get(item.subject_id, ())


def open_ids(store: Store) -> list[str]:
    found = assess_language(standing_of(store, "sk"), SETTINGS).open_disagreements
    return [each.subject_id for each in found]


def answer(store: Store, items: Iterable[Item], raters: Iterable[str]) -> None:
    for item, rater in zip(items, raters, strict=True):
        add_ratings(store, [item], rater, MAN, source_id="again")


def test_raters_are_asked_again_with_the_question(rated: tuple[Store, Item]) -> None:
    store, item = rated
    before = assess_language(standing_of(store, "sk"), SETTINGS)
    made = refer(store, item, f"  {ASKED} \n")
    assert [each.purpose for each in made.items] == [Purpose.ADJUDICATION] * 2
    assert [each.rater_id for each in made.assignments] == ["r1", "r2"]
    assert [each.item_ids for each in made.assignments] == [(each.id,) for each in made.items]
    for each in made.items:
        assert each.shown["mt_text"] == item.shown["mt_text"]
        assert each.shown["content_note"] == f"The study asks: {ASKED}"
    assert referrals_of(store, item) == (
        Referral(
            made.batch.id, ReferralKind.SENT_BACK, ASKED, "curator-1", ("r1", "r2"), ("r1", "r2")
        ),
    )
    assert standing_of(store, "sk").review.state is LanguageState.IN_ANNOTATION

    answer(store, made.items, ["r1", "r2"])
    after = assess_language(standing_of(store, "sk"), SETTINGS)
    assert after.figures == before.figures
    assert open_ids(store) == [item.subject_id]
    assert referrals_of(store, item)[0].awaited == ()
    assert find_awaited(standing_of(store, "sk")) == frozenset()


def test_another_rater_sees_what_was_rated_without_a_question(rated: tuple[Store, Item]) -> None:
    store, item = rated
    before = assess_language(standing_of(store, "sk"), SETTINGS)
    assert find_free_raters(standing_of(store, "sk"), item.subject_id, ["r1", "r2", "r3"]) == (
        "r3",
    )
    made = refer(store, item, "", "r3")
    [shown] = made.items
    assert shown.shown == item.shown
    assert [each.kind for each in referrals_of(store, item)] == [ReferralKind.ANOTHER_RATER]
    add_ratings(store, [shown], "r3", {"quality": 1, "gender_marked": "no"})
    assert assess_language(standing_of(store, "sk"), SETTINGS).figures == before.figures
    with pytest.raises(StateError, match=r"r3 was given a text of .* herself"):
        refer(store, item, "", "r3")


def test_while_somebody_is_asked_it_stays_open_and_no_rule_decides_it(
    rated: tuple[Store, Item],
) -> None:
    store, item = rated

    def count(subject: str) -> tuple[int, int]:
        standing = standing_of(store, "sk")
        assessment = assess_language(standing, SETTINGS)
        by_rule = preview_rule(standing, assessment, BulkRule.LOW_DA, 100.0)
        shared = preview_shared(standing, [subject], DecisionAction.REJECT, "why")
        return len(by_rule), len(shared)

    assert count(item.subject_id) == (1, 1)
    made = refer(store, item)
    assert count(item.subject_id) == (0, 0)
    assert open_ids(store) == [item.subject_id]
    answer(store, made.items, ["r1", "r2"])
    assert count(item.subject_id) == (1, 1)


def test_nobody_is_asked_twice_at_once(rated: tuple[Store, Item]) -> None:
    store, item = rated
    first = refer(store, item)
    with pytest.raises(StateError, match=r"r1, r2 was asked about .* not answered yet"):
        refer(store, item, "And what of a man?")
    answer(store, first.items, ["r1", "r2"])
    second = refer(store, item)
    assert second.batch.id != first.batch.id
    assert [each.batch_id for each in referrals_of(store, item)] == [
        first.batch.id,
        second.batch.id,
    ]


def test_who_is_excluded_or_declines_is_not_waited_for(rated: tuple[Store, Item]) -> None:
    store, item = rated
    made = refer(store, item)
    exclude(store, made.batch, "r1")
    assert referrals_of(store, item)[0].awaited == ("r2",)
    add_ratings(store, made.items[1:], "r2", {}, state=RatingState.SKIPPED)
    assert referrals_of(store, item)[0].awaited == ()


def test_what_cannot_be_asked_is_refused_and_leaves_nothing(rated: tuple[Store, Item]) -> None:
    store, item = rated
    with store.reading() as state:
        position = state.position
    for text, rater, message in (
        (" ", None, "need a question"),
        ("x" * 501, None, "at most 500 characters, not 501"),
        ("a\x00", "r3", "NUL"),
        ("", "r1", "herself; ask somebody else"),
        ("", "nobody", "Unknown raters: nobody"),
    ):
        with pytest.raises(StateError, match=message):
            refer(store, item, text, rater)
    unknown = Question("eurogest/sk/made/99", "0", ASKED)
    with pytest.raises(StateError, match="no candidate"):
        refer_candidate(store, unknown, "curator-1")
    stale = Question(item.subject_id, "0" * 64, ASKED)
    with pytest.raises(StaleError, match="changed meanwhile"):
        refer_candidate(store, stale, "curator-1")
    with pytest.raises(StateError) as refused:
        refer_candidate(store, Question("eurogest/sk/made/99", None, "x" * 501, "r9"), "curator-1")
    told = str(refused.value).split("\n")
    assert [each.partition(" ")[0] for each in told] == ["There", "A", "Unknown"]
    with store.reading() as state:
        assert state.position == position


def test_a_decided_candidate_is_reopened_first(rated: tuple[Store, Item]) -> None:
    store, item = rated
    verdict = Verdict(item.subject_id, item.content_hash, DecisionAction.ACCEPT, "why")
    decide(store, verdict, "curator-1")
    with pytest.raises(StateError, match="is decided; reopen it"):
        refer(store, item)


def test_a_rule_writes_no_texts(rated: tuple[Store, Item]) -> None:
    store, item = rated
    with pytest.raises(StateError, match="to edit needs a look"):
        preview_shared(standing_of(store, "sk"), [item.subject_id], DecisionAction.EDIT, "why")
