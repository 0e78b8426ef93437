"""What a calibration takes from a workspace: counted ratings with the scores of what was shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.calibration_data import gather_calibration_data
from app.session import open_session
from corpus.errors import StateError
from corpus.records import Candidate, Instrument, Label
from corpus.workspace import init_workspace
from pipeline.calibration import CalibrationItem, ScoredCandidate
from tests.store_builders import (
    add_batch,
    add_candidates,
    add_ratings,
    add_sources,
    exclude,
    make_candidate,
    make_source,
)

PAIR = {"masculine": "Som unavený.", "feminine": "Som unavená."}


def scored(
    row: int, label: Label, scores: dict[str, float | None], model: str = "m@1", **others: object
) -> Candidate:
    quality = {"model": model, "threshold": None, "scores": scores}
    source = make_source(row, f"I am {row}.", stereotype_id=row)
    return make_candidate(source, "sk", label, evidence={"quality": quality}, **others)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    store = init_workspace(folder).open_store()
    candidates = [
        scored(2, Label.PAIR, {"masculine": 0.9, "feminine": 0.8}, variants=PAIR),
        scored(3, Label.NEUTRAL, {"masculine": 0.7, "feminine": 0.6}),
        scored(4, Label.NEUTRAL, {"masculine": None, "feminine": 0.5}),
        scored(5, Label.DISCARDED, {"masculine": 0.2, "feminine": 0.1}, reason="quality"),
        scored(6, Label.DISCARDED, {"masculine": 0.9, "feminine": 0.9}, reason="word_count"),
        scored(7, Label.NEUTRAL, {"masculine": None, "feminine": None}),
    ]
    add_sources(store, [make_source(n, f"I am {n}.", stereotype_id=n) for n in range(2, 8)])
    add_candidates(store, candidates)
    [pair, first, second] = candidates[:3]
    answers = [{"quality": score, "gender_marked": "no"} for score in (90, 70, 0)]
    batch, items = add_batch(store, [pair], ["a"], batch_id="sk-1", variant="masculine")
    add_ratings(store, items, "a", answers[0])
    batch, items = add_batch(store, [first, second], ["a", "b", "c"], batch_id="sk-2")
    for rater, answer in zip("abc", answers, strict=True):
        add_ratings(store, items, rater, answer)
    exclude(store, batch, "c")
    store.close()
    return folder


def test_takes_mean_da_and_the_score_of_what_was_shown(study: Path) -> None:
    with open_session(study, "tester") as session:
        data = gather_calibration_data(session, Instrument.EUROGEST, "sk")
    assert data.model == "m@1"
    # The masculine text has a score of its own; a neutral text rests on both translations.
    assert data.items == (
        CalibrationItem(90.0, 0.9),
        CalibrationItem(80.0, 0.6),
        CalibrationItem(80.0, 0.5),
    )
    # Kept ones and those discarded by quality; what pairing discarded is not the threshold's.
    assert data.candidates == (
        ScoredCandidate(0.8, 2),
        ScoredCandidate(0.6, 3),
        ScoredCandidate(0.5, 4),
        ScoredCandidate(0.1, 5),
    )


def test_scores_of_two_models_are_not_mixed(study: Path) -> None:
    with open_session(study, "tester") as session:
        add_candidates(
            session.store, [scored(6, Label.NEUTRAL, {"masculine": 0.1}, model="other@1")]
        )
        with pytest.raises(StateError, match=r"scores of several models \(m@1, other@1\)"):
            gather_calibration_data(session, Instrument.EUROGEST, "sk")
