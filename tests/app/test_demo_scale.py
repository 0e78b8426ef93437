"""The made-up study at full size: how much it holds, and that it is marked as made up."""

from __future__ import annotations

import pytest

from annotation.assessment import gather_ratings
from annotation.outliers import find_outliers
from app.demo.scale import BATCH_SIZE, EVERY_UNFINISHED, RATERS, build_scale
from corpus.records import Instrument, Origin
from corpus.review import LanguageState
from corpus.standing import Standing, language_standing
from corpus.workspace import Workspace


@pytest.fixture(scope="module")
def scale(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    workspace, counts = build_scale(tmp_path_factory.mktemp("scale") / "study")
    assert counts.languages == 29
    unfinished = -(-counts.languages // EVERY_UNFINISHED)
    assert counts.ratings == counts.languages * BATCH_SIZE * RATERS - unfinished * BATCH_SIZE // 2
    return workspace


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
    assert {len(each.items) for each in found.values()} == {BATCH_SIZE}
    missing = sorted(each.answers_missing or 0 for each in found.values())
    assert missing == [0] * 24 + [BATCH_SIZE // 2] * 5
    states = {each.review.state for each in found.values()}
    assert states == {LanguageState.IN_REVIEW, LanguageState.IN_ANNOTATION}


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
