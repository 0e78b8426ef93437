"""Progress from a standing: counts by hand, sums over raters, times without pauses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.answer_times import (
    AnswerTimes,
    compute_answer_times,
    compute_cut_off_s,
    median_interval,
)
from annotation.problems import (
    ANSWER_SENTENCES,
    PROJECT_SENTENCES,
    REMEDIES,
    REPAIRED,
    TASK_SENTENCES,
)
from annotation.progress import (
    Progress,
    build_problem_figures,
    build_progress_figures,
    compute_progress,
    find_noted_problems,
)
from corpus.records import (
    AssignmentState,
    Item,
    Label,
    PullMark,
    RatingRevision,
    RatingState,
)
from corpus.standing import Answer, Standing
from corpus.store import Store
from tests.store_builders import (
    add_batch,
    add_candidates,
    add_sources,
    exclude,
    make_candidate,
    make_source,
    make_store,
    standing_of,
)

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
STATES = [RatingState.VALID, RatingState.SKIPPED, RatingState.INVALID, RatingState.DRAFT]


def rating(
    item: str, rater: str, state: RatingState, minute: int = 0, lead_s: float | None = None
) -> RatingRevision:
    return RatingRevision(
        item,
        rater,
        state,
        {"quality": 90, "gender_marked": "no"},
        reasons=("missing:quality",) if state is RatingState.INVALID else (),
        source_id=f"{item}/{rater}",
        answered_at=START + timedelta(minutes=minute),
        lead_time_s=lead_s,
    )


def append(store: Store, records: Sequence[RatingRevision | PullMark]) -> None:
    with store.writing() as writer:
        writer.append(list(records))


def study(store: Store) -> list[Item]:
    """Slovak with one batch of six items for r1 and r2, one of two for r3."""
    sources = [make_source(row, f"I am glad {row}.") for row in range(2, 8)]
    candidates = [make_candidate(each, "sk", Label.NEUTRAL) for each in sources]
    add_sources(store, sources)
    add_candidates(store, candidates)
    _, items = add_batch(store, candidates, ["r1", "r2"])
    add_batch(store, candidates[:2], ["r3"], batch_id="sk-2")
    return items


def row_of(rows: Sequence[Progress], *scope: str | None) -> Progress:
    [found] = [each for each in rows if (each.batch_id, each.rater_id) == scope]
    return found


def counts(row: Progress) -> tuple[int, int, int, int, int]:
    return row.assigned, row.done, row.declined, row.invalid, row.missing


def test_counts_of_language_batch_and_rater(store: Store) -> None:
    items = [each.id for each in study(store)]
    append(
        store,
        [
            rating(items[0], "r1", RatingState.VALID, 1),
            rating(items[1], "r1", RatingState.VALID, 7),
            rating(items[2], "r1", RatingState.SKIPPED, 3),
            rating(items[3], "r1", RatingState.INVALID, 4),
            rating(items[4], "r1", RatingState.DRAFT, 5),
            rating("sk-2/0001", "r3", RatingState.VALID, 2),
        ],
    )
    standing = standing_of(store, "sk")
    rows = compute_progress(standing)
    # By hand: r1 has 2 valid, 1 skipped, 1 invalid and 3 awaited, r2 nothing of 6, r3 1 of 2.
    assert counts(row_of(rows, "sk-1", "r1")) == (6, 2, 1, 1, 3)
    assert counts(row_of(rows, "sk-1", "r2")) == (6, 0, 0, 0, 6)
    assert counts(row_of(rows, "sk-1", None)) == (12, 2, 1, 1, 9)
    assert counts(row_of(rows, None, None)) == (14, 3, 1, 1, 10)
    assert row_of(rows, None, None).missing == standing.answers_missing
    assert row_of(rows, "sk-1", "r1").share_done == 0.5
    assert row_of(rows, None, None).last_activity == START + timedelta(minutes=7)
    assert row_of(rows, "sk-1", "r2").last_activity is None
    assert [each.batch_id for each in compute_progress(standing, "sk-2")] == ["sk-2", "sk-2"]


def test_nobody_waits_for_who_left_or_is_excluded(store: Store) -> None:
    items = [each.id for each in study(store)]
    append(store, [rating(items[0], "r1", RatingState.VALID)])
    with store.writing() as writer:
        [first, *_] = writer.assignments(["sk-1"])
        left = replace(first, state=AssignmentState.LEFT, item_ids=(items[0],), stamp=None)
        writer.append([left])
    standing = standing_of(store, "sk")
    exclude(store, standing.batches[0], "r2")
    standing = standing_of(store, "sk")
    rows = compute_progress(standing)
    gone, out = row_of(rows, "sk-1", "r1"), row_of(rows, "sk-1", "r2")
    assert (counts(gone), gone.left, gone.excluded) == ((1, 1, 0, 0, 0), True, False)
    assert (counts(out), out.left, out.excluded) == ((6, 0, 0, 0, 0), False, True)
    assert row_of(rows, None, None).missing == standing.answers_missing == 2


@given(
    given_states=st.lists(
        st.tuples(st.integers(0, 5), st.sampled_from(["r1", "r2"]), st.sampled_from(STATES)),
        unique_by=lambda each: each[:2],
    ),
    order=st.randoms(use_true_random=False),
)
def test_rows_are_sums_and_do_not_depend_on_order(
    tmp_path_factory: pytest.TempPathFactory,
    given_states: list[tuple[int, str, RatingState]],
    order: Random,
) -> None:
    standing = _BASE.get(tmp_path_factory)
    items = [each.id for each in standing.items if each.batch_id == "sk-1"]
    answers = [
        Answer(rating(items[number], rater, state, number, 10.0 + number), excluded=False)
        for number, rater, state in given_states
    ]
    rows = compute_progress(replace(standing, answers=tuple(answers)))
    order.shuffle(answers)
    assert compute_progress(replace(standing, answers=tuple(answers))) == rows
    raters = [each for each in rows if each.rater_id is not None]
    for total in (row_of(rows, None, None), row_of(rows, "sk-1", None)):
        parts = [each for each in raters if total.batch_id in {None, each.batch_id}]
        assert counts(total) == tuple(map(sum, zip(*map(counts, parts), strict=True)))
        assert len(total.times.kept) + total.times.pauses == total.done
        assert total.done + total.declined + total.missing == total.assigned
        assert total.invalid <= total.missing


class _Base:
    """One standing for all examples of the property, because a store takes longer to make."""

    standing: Standing | None = None

    def get(self, factory: pytest.TempPathFactory) -> Standing:
        if self.standing is None:
            store = make_store(factory.mktemp("progress"))
            study(store)
            self.standing = standing_of(store, "sk")
            store.close()
        return self.standing


_BASE = _Base()


def test_a_rater_is_cut_off_by_her_own_times() -> None:
    # By hand: quartiles of 10, 11, ..., 20 are 12.5 and 17.5; the fence is 17.5 + 3 * 5 = 32.5,
    # twice the upper quartile is 35.
    even = [float(each) for each in range(10, 21)]
    assert compute_cut_off_s(even) == 35.0
    # Quartiles of ten and ten: 10 and 30, fence 90.
    assert compute_cut_off_s([10.0] * 10 + [30.0] * 10) == 90.0
    assert compute_cut_off_s([12.0] * 10) == 24.0
    assert compute_cut_off_s(even[:9]) == 300.0
    assert compute_cut_off_s([200.0 + each for each in even]) == 300.0
    slow = [rating("i", "r", RatingState.VALID, lead_s=each) for each in [*even, 36.0, 4000.0]]
    times = compute_answer_times(slow, 35.0)
    assert (times.median_s, times.pauses) == (15.0, 2)
    invalid = [rating("i", "r", RatingState.INVALID, lead_s=9.0), rating("i", "r", STATES[0])]
    assert compute_answer_times(invalid) == AnswerTimes()


def test_interval_of_a_median() -> None:
    # Conover 1999, section 3.2: of n = 16 the 95 % limits are the 4th and the 13th value; six
    # values are the fewest with P(all on one side) = 2/64 under 5 %.
    sixteen = [float(each) for each in range(1, 17)]
    interval = median_interval(sixteen)
    assert (interval.low, interval.high) == (4.0, 13.0)
    assert median_interval(sixteen[:6]).low == 1.0
    assert median_interval(sixteen[:5]).reason == "too_few"


def test_figures_name_language_batch_and_rater(store: Store) -> None:
    items = [each.id for each in study(store)]
    given = [
        rating(item, "r1", RatingState.VALID, number, 10.0 + number)
        for number, item in enumerate(items)
    ]
    append(store, given)
    figures = build_progress_figures(compute_progress(standing_of(store, "sk")))
    found = {(each.name, *(value for _, value in each.scope)): each for each in figures}
    assert found["done", "sk", "sk-1", "r1"].value == 6
    median = found["median_seconds", "sk", "sk-1", "r1"]
    assert (median.value, median.n, median.notes) == (12.5, 6, ("weak",))
    assert median.interval is not None
    assert (median.interval.low, median.interval.high) == (10.0, 15.0)
    activity = found["last_activity", "sk"]
    assert activity.value == (START + timedelta(minutes=5)).timestamp()
    assert activity.notes == ("2026-03-02T09:05:00+00:00",)
    for name in ("median_seconds", "last_activity"):
        assert found[name, "sk", "sk-2", "r3"].reason == "no_data"


def test_problems_of_the_last_pull_are_told_with_what_to_do(store: Store) -> None:
    study(store)
    noted = (
        {"code": "task_altered", "count": 2, "about": ["sk-1/0001", "sk-1/0002"]},
        {"code": "draft", "count": 1, "about": ["sk-1/0003"]},
    )
    append(store, [PullMark("sk-1/r2", "7", None, 6, noted)])
    standing = standing_of(store, "sk")
    with store.reading() as state:
        marks = state.pull_marks(each.id for each in standing.assignments)
    found = find_noted_problems(standing, marks)
    assert [(each.rater_id, each.problem.code, each.problem.count) for each in found] == [
        ("r2", "task_altered", 2),
        ("r2", "draft", 1),
    ]
    assert find_noted_problems(standing, marks, "sk-2") == ()
    [altered, _] = build_problem_figures(found)
    assert (altered.value, dict(altered.scope)["code"]) == (2.0, "task_altered")
    assert altered.notes == ("Tasks with a changed text: 2; answers given since are void.",)


def test_every_problem_has_something_to_do_about_it() -> None:
    assert set(REMEDIES) == {*PROJECT_SENTENCES, *TASK_SENTENCES, *ANSWER_SENTENCES}
    assert all("batch repair" in REMEDIES[code] for code in REPAIRED)
