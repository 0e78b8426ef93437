from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from corpus.invalid_ratings import Explanation
from corpus.records import (
    ApprovalAction,
    Assignment,
    AssignmentState,
    AuditEntry,
    Candidate,
    Decision,
    DecisionAction,
    Exclusion,
    Instrument,
    Item,
    Label,
    RatingRevision,
    RatingState,
    ReleaseRecord,
    TemplateChoice,
)
from corpus.review import LanguageState
from corpus.standing import language_standing, language_templates
from corpus.store import Store
from tests.store_builders import (
    add_batch,
    add_candidates,
    add_ratings,
    add_sources,
    approve,
    exclude,
    make_candidate,
    make_source,
    make_store,
    standing_of,
)

SOURCES = [make_source(row, f"I am number {row}.") for row in (2, 3, 4)]
CANDIDATES = [make_candidate(source, "sv", Label.NEUTRAL) for source in SOURCES]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = make_store(tmp_path)
    add_sources(made, SOURCES)
    yield made
    made.close()


def generate(store: Store, candidates: list[Candidate] = CANDIDATES) -> None:
    add_candidates(store, candidates)


def test_language_without_candidates_is_empty(store: Store) -> None:
    standing = standing_of(store, "sv")
    assert standing.review.state is LanguageState.EMPTY
    assert standing.candidates == ()
    assert standing.answers_missing is None
    assert standing.position == 0


def test_generated_language_has_no_answers_to_wait_for(store: Store) -> None:
    generate(store)
    standing = standing_of(store, "sv")
    assert standing.review.state is LanguageState.GENERATED
    assert [each.candidate.source_key for each in standing.candidates] == [
        source.key for source in SOURCES
    ]
    assert standing.answers_missing is None


def test_english_is_source(store: Store) -> None:
    generate(store, [make_candidate(SOURCES[0], "en", Label.NEUTRAL, strategy="source")])
    assert standing_of(store, "en").review.state is LanguageState.SOURCE


def test_batch_waits_for_every_assigned_answer(store: Store) -> None:
    generate(store)
    _, items = add_batch(store, CANDIDATES, ["r1", "r2"])
    add_ratings(store, items, "r1")
    add_ratings(store, items[:1], "r2", {}, state=RatingState.SKIPPED)
    add_ratings(store, items[1:], "r2", {}, state=RatingState.INVALID)
    standing = standing_of(store, "sv")
    assert standing.answers_missing == 2
    assert standing.review.state is LanguageState.IN_ANNOTATION
    assert [rating.rater_id for rating in standing.counted] == ["r1", "r1", "r1"]

    add_ratings(store, items[1:], "r2", revision="2")
    standing = standing_of(store, "sv")
    assert standing.answers_missing == 0
    assert standing.review.state is LanguageState.IN_REVIEW
    assert len(standing.counted) == 5


def test_excluded_rater_is_marked_and_not_waited_for(store: Store) -> None:
    generate(store)
    batch, items = add_batch(store, CANDIDATES, ["r1", "r2"])
    add_ratings(store, items, "r1")
    add_ratings(store, items[:1], "r2")
    before = standing_of(store, "sv")
    exclude(store, batch, "r2")
    standing = standing_of(store, "sv")
    assert standing.answers_missing == 0
    assert {answer.rating.rater_id: answer.excluded for answer in standing.answers} == {
        "r1": False,
        "r2": True,
    }
    assert {rating.rater_id for rating in standing.counted} == {"r1"}
    assert standing.data_hash != before.data_hash

    exclude(store, batch, "r2", excluded=False)
    assert standing_of(store, "sv").data_hash == before.data_hash
    assert standing_of(store, "sv").answers_missing == 2


def test_latest_of_two_answers_counts(store: Store) -> None:
    generate(store)
    _, items = add_batch(store, CANDIDATES[:1], ["r1"])
    add_ratings(store, items, "r1", {"quality": 10, "gender_marked": "no"}, source_id="first")
    add_ratings(store, items, "r1", {"quality": 20, "gender_marked": "no"}, source_id="second")
    assert [rating.answers["quality"] for rating in standing_of(store, "sv").counted] == [20]


@pytest.mark.parametrize(
    "state", [RatingState.INVALID, RatingState.DELETED, RatingState.DRAFT], ids=str
)
def test_second_answer_that_is_none_does_not_hide_the_first(
    store: Store, state: RatingState
) -> None:
    generate(store)
    _, items = add_batch(store, CANDIDATES[:1], ["r1"])
    (first,) = add_ratings(store, items, "r1", source_id="first")
    add_ratings(store, items, "r1", {}, state=state, source_id="second")
    standing = standing_of(store, "sv")
    assert standing.counted == (first,)
    assert standing.answers_missing == 0


def test_deleted_answer_is_awaited_again(store: Store) -> None:
    generate(store)
    _, items = add_batch(store, CANDIDATES[:1], ["r1"])
    add_ratings(store, items, "r1")
    add_ratings(store, items, "r1", {}, state=RatingState.DELETED, revision="2")
    standing = standing_of(store, "sv")
    assert standing.counted == ()
    assert standing.answers_missing == 1


def answer_at(
    store: Store, item: Item, hour: int, source: str, quality: int, state: RatingState
) -> None:
    revision = RatingRevision(
        item.id,
        "r1",
        state,
        {"quality": quality, "gender_marked": "no"},
        source=source,
        source_id=f"{source}/{hour}",
        answered_at=datetime(2026, 5, 1, hour, tzinfo=UTC),
    )
    with store.writing() as writer:
        writer.append([revision])


@pytest.mark.parametrize("pulled_first", ["label-studio", "workbook"])
def test_of_browser_and_workbook_the_answer_given_last_counts(
    store: Store, pulled_first: str
) -> None:
    generate(store)
    _, [item] = add_batch(store, CANDIDATES[:1], ["r1"])
    given = {"label-studio": (14, 40), "workbook": (9, 70)}
    for source in sorted(given, key=lambda each: each != pulled_first):
        hour, quality = given[source]
        answer_at(store, item, hour, source, quality, RatingState.VALID)
    standing = standing_of(store, "sv")
    assert [rating.answers["quality"] for rating in standing.counted] == [40]
    # Declined later still, she has declined.
    answer_at(store, item, 15, "workbook", 0, RatingState.SKIPPED)
    assert standing_of(store, "sv").counted == ()
    assert standing_of(store, "sv").answers_missing == 0
    # A later answer that is none hides nothing.
    answer_at(store, item, 16, "label-studio", 500, RatingState.INVALID)
    [answer] = standing_of(store, "sv").answers
    assert answer.rating.state is RatingState.SKIPPED


def test_nobody_waits_for_a_rater_who_left(store: Store) -> None:
    generate(store)
    batch, items = add_batch(store, CANDIDATES, ["r1", "r2"])
    add_ratings(store, items, "r1")
    add_ratings(store, items[:2], "r2")
    assert standing_of(store, "sv").answers_missing == 1
    left = Assignment(batch.id, "r2", tuple(item.id for item in items), state=AssignmentState.LEFT)
    with store.writing() as writer:
        writer.append([left])
    standing = standing_of(store, "sv")
    assert standing.answers_missing == 0
    assert len([each for each in standing.counted if each.rater_id == "r2"]) == 2


def test_approval_goes_stale_and_can_be_revoked(store: Store) -> None:
    generate(store)
    _, items = add_batch(store, CANDIDATES, ["r1"])
    add_ratings(store, items, "r1")
    approve(store, "sv")
    assert standing_of(store, "sv").review.state is LanguageState.APPROVED

    reject = Decision(
        CANDIDATES[0].id, CANDIDATES[0].content_hash, DecisionAction.REJECT, "wrong", "curator-1"
    )
    with store.writing() as writer:
        writer.append([reject])
    standing = standing_of(store, "sv")
    assert standing.review.stale
    assert standing.review.state is LanguageState.IN_REVIEW
    assert [each.rejected for each in standing.candidates] == [True, False, False]

    approve(store, "sv")
    approve(store, "sv", action=ApprovalAction.REVOKE)
    assert standing_of(store, "sv").review.state is LanguageState.IN_REVIEW


def test_release_makes_the_language_released(store: Store) -> None:
    generate(store)
    _, items = add_batch(store, CANDIDATES, ["r1"])
    add_ratings(store, items, "r1")
    approve(store, "sv")
    frozen = standing_of(store, "sv").position
    with store.writing() as writer:
        writer.append([ReleaseRecord("0.1.0", frozen, ("sv",), "0" * 64)])
    assert standing_of(store, "sv").review.state is LanguageState.RELEASED


def test_position_is_that_of_the_languages_own_rows(store: Store) -> None:
    generate(store)
    before = standing_of(store, "sv").position
    generate(store, [make_candidate(SOURCES[0], "de", Label.NEUTRAL)])
    with store.writing() as writer:
        writer.append_audit(AuditEntry("curator-1", "looked", "de"))
    assert standing_of(store, "sv").position == before
    generate(store, [make_candidate(SOURCES[0], "sv", Label.DISCARDED)])
    assert standing_of(store, "sv").position > before


def positions_of(store: Store) -> dict[str, int]:
    with store.reading() as state:
        return state.language_positions(Instrument.EUROGEST)


def test_a_language_is_at_its_own_position_what_it_is_now(store: Store) -> None:
    """Whatever is added moves the position of its language, and of no other."""
    generate(store)
    generate(store, [make_candidate(SOURCES[0], "de", Label.NEUTRAL)])
    batch, items = add_batch(store, CANDIDATES, ["r1"])
    german = positions_of(store)["de"]
    subject, content = CANDIDATES[0].id, CANDIDATES[0].content_hash
    rows: list[list[object]] = [
        [Assignment(batch.id, "r2", (items[0].id,))],
        [RatingRevision(items[0].id, "r1", RatingState.VALID, {"quality": 90})],
        [Decision(subject, content, DecisionAction.REJECT, "r", "curator-1")],
        [Explanation(items[0].id, "r1", 1, "r", "curator-1")],
        [Exclusion("r1", batch.id, True, "r", "curator-1")],
        [TemplateChoice("sv", "noun", ("a", ""), ("b", ""), "r", "curator-1")],
        [ReleaseRecord("0.1.0", 1, ("sv",), "0" * 64)],
    ]
    for number, new in enumerate(rows):
        before = positions_of(store)["sv"]
        with store.writing() as writer:
            writer.append(new)
        if number == 0:
            approve(store, "sv")
        after = positions_of(store)
        assert (after["sv"] > before, after["de"]) == (True, german), new
        with store.reading(after["sv"]) as state:
            then = language_standing(state, Instrument.EUROGEST, "sv")
        assert then == standing_of(store, "sv")
        with store.writing() as writer:
            writer.append_audit(AuditEntry("curator-1", "looked", "sv"))
        assert positions_of(store) == after


def test_templates_are_frames_of_both_genders() -> None:
    templates = language_templates("sv")
    # The Swedish noun phrases of the published templates.
    assert templates["sv/noun/final/corrected"][0][1].endswith("sa mannen")
    assert templates["sv/noun/final/corrected"][1][1].endswith("sa kvinnan")
