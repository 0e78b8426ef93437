"""The made-up study at full size: how much it holds, and that it is marked as made up."""

from __future__ import annotations

from collections import Counter

import pytest
from full_studies import FullStudy

from annotation.assessment import gather_ratings
from annotation.outliers import find_outliers
from annotation.template_choices import find_unsettled
from annotation.templates import gather_template_ratings
from app.demo.scale import BATCH_SIZE, EVERY_UNFINISHED, RATERS, SENTENCES, build_scale
from corpus.records import Instrument, Origin
from corpus.review import LanguageState
from corpus.standing import Standing, language_standing
from corpus.workspace import Workspace, find_workspace

LANGUAGES, APPROVED = 29, 3


@pytest.fixture
def scale(full_study: FullStudy) -> Workspace:
    return find_workspace(full_study.path)


def test_the_command_says_what_it_made_and_where_to_look(full_study: FullStudy) -> None:
    assert full_study.made.code == 0, full_study.made.text
    said = full_study.made.text
    assert "sk is complete." in said
    unfinished = -(-LANGUAGES // EVERY_UNFINISHED)
    ratings = LANGUAGES * BATCH_SIZE * RATERS - unfinished * BATCH_SIZE // 2
    assert f"Made up: {LANGUAGES} languages, {LANGUAGES * SENTENCES:,} candidates" in said
    assert f"{ratings:,} ratings; approved: {APPROVED}." in said
    assert f"stereoscope app -w {full_study.path}" in said


def standings(workspace: Workspace) -> dict[str, Standing]:
    store = workspace.open_store()
    with store.reading() as state:
        codes = state.languages(Instrument.EUROGEST)
        found = {code: language_standing(state, Instrument.EUROGEST, code) for code in codes}
    store.close()
    return found


def test_each_language_has_a_batch_and_some_are_unfinished(scale: Workspace) -> None:
    found = standings(scale)
    assert "en" not in found
    assert len(found) == LANGUAGES
    sampled = [Counter(item.purpose for item in each.items) for each in found.values()]
    assert sampled == [Counter(sample=BATCH_SIZE, template=4)] * LANGUAGES
    missing = sorted(each.answers_missing or 0 for each in found.values())
    assert missing == [0] * 24 + [BATCH_SIZE // 2] * 5
    states = Counter(each.review.state for each in found.values())
    assert states[LanguageState.RELEASED] == APPROVED
    assert set(states) == {
        LanguageState.IN_REVIEW,
        LanguageState.IN_ANNOTATION,
        LanguageState.RELEASED,
    }


def test_templates_are_rated_and_one_is_suggested_anew(scale: Workspace) -> None:
    found = standings(scale)
    for code, standing in found.items():
        suggested = [each for each in gather_template_ratings(standing) if each.suggestion]
        assert [each.rater_id for each in suggested] == [f"demo-{code}-2"]
    approved = [each for each in found.values() if each.review.state is LanguageState.RELEASED]
    assert [find_unsettled(each) for each in approved] == [()] * APPROVED


def test_everything_is_marked_as_made_up_and_made_once(scale: Workspace) -> None:
    store = scale.open_store()
    with store.reading() as state:
        position = state.position
        for rows in (
            state.sources(),
            state.people(),
            state.batches(Instrument.EUROGEST),
            state.audit_entries(),
            state.candidates(Instrument.EUROGEST, "sk"),
        ):
            assert rows
            assert {each.stamp.origin for each in rows if each.stamp} == {Origin.DEMO}
    store.close()
    build_scale(scale.path)
    store = scale.open_store()
    with store.reading() as state:
        assert state.position == position
    store.close()


def test_every_fifth_language_has_an_outlier(scale: Workspace) -> None:
    found = standings(scale)
    codes = sorted(found)
    marked = {}
    for code in codes:
        table, _ = gather_ratings(found[code])
        report = find_outliers(table, 1, draws=1000)
        marked[code] = [each.rater_id for each in report.raters if each.marks]
    assert sum(bool(each) for each in marked.values()) == 6
    assert all(each in ([], [f"demo-{code}-3"]) for code, each in marked.items())
