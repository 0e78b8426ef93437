"""A small store that is ready to be released: Slovak approved, English as source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from corpus.records import (
    Candidate,
    Decision,
    DecisionAction,
    Label,
    Origin,
    Source,
    Translation,
)
from corpus.store import Store
from tests.store_builders import (
    add_batch,
    add_candidates,
    add_ratings,
    add_sources,
    approve,
    consent,
    make_candidate,
    make_source,
    make_store,
)

TEXTS = [
    ("I am emotional.", 1),
    ("NA", 2),
    ('I said "no", and left.', 3),
    ("I sleep well.", 8),
    ("I run, daily.", 9),
    ("None", 16),
]
SOURCES: list[Source] = [
    make_source(row, text, stereotype) for row, (text, stereotype) in enumerate(TEXTS, start=2)
]
MASCULINE = Translation(
    'The man said, "I am emotional."', "sk", "recorded", "", "1", "Muž povedal: „Som emotívny.“"
)

PAIR = make_candidate(
    SOURCES[0],
    "sk",
    Label.PAIR,
    reason="inflection",
    variants={"masculine": "Som emotívny.", "feminine": "Som emotívna."},
    evidence={
        "translations": {"masculine": MASCULINE.key},
        "quality": {
            "model": "made@1",
            "threshold": 0.8,
            "scores": {"masculine": 0.9, "feminine": 0.85},
        },
    },
)
NEUTRAL = [
    make_candidate(source, "sk", Label.NEUTRAL, variants={"neutral": text})
    for source, text in zip(
        SOURCES[1:5], ["null", 'Povedal som "nie",\nodišiel.', "Dobre spím.", "=1+1"], strict=True
    )
]
DISCARDED = make_candidate(SOURCES[5], "sk", Label.DISCARDED, reason="letters", variants={})
CANDIDATES: list[Candidate] = [PAIR, *NEUTRAL, DISCARDED]
ENGLISH = [
    make_candidate(source, "en", Label.NEUTRAL, strategy="source/1", reason="source")
    for source in SOURCES
]
FIGURE = {
    "name": "label_accuracy",
    "value": 0.9583,
    "n": 5,
    "definition": "share of labels equal to the system's, 0 to 1",
    "method": "made by hand",
    "reason": None,
    "interval": None,
    "scope": {"language": "sk", "batch": "sk-1", "raters": "all"},
    "notes": [],
}
GATE = {"name": "items", "passed": True, "value": 5.0, "threshold": 5.0, "reason": None}


def decide(store: Store, candidate: Candidate, action: DecisionAction, **others: Any) -> None:
    decision = Decision(
        candidate.id, candidate.content_hash, action, "looked at it", "curator-1", **others
    )
    with store.writing(Origin.HUMAN) as writer:
        writer.append([decision])


def make_approved_store(folder: Path, origin: Origin = Origin.HUMAN) -> Store:
    """Six sources; of Slovak five candidates are left, one of them rejected, one edited."""
    folder.mkdir(parents=True, exist_ok=True)
    store = make_store(folder)
    add_sources(store, SOURCES)
    with store.writing() as writer:
        writer.append_new([MASCULINE])
    add_candidates(store, CANDIDATES)
    add_candidates(store, ENGLISH)
    _, items = add_batch(store, CANDIDATES[:4], ["r1", "r2"])
    shown = {"quality": 80, "gender_marked": "no", "comment": "Ask Eva about it"}
    add_ratings(store, items, "r1", shown, origin=origin)
    add_ratings(store, items, "r2", {"quality": 100, "gender_marked": "no"}, origin=origin)
    consent(store, "r1", "r2")
    decide(store, NEUTRAL[2], DecisionAction.REJECT)
    decide(store, NEUTRAL[0], DecisionAction.EDIT, variants={"neutral": "nič"}, rule="a rule")
    approve(store, "sk", figures=[FIGURE], gates=[GATE])
    return store
