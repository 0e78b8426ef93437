"""A workspace whose Slovak raters disagree on sixteen candidates, for page Disagreements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from store_builders import (
    add_batch,
    add_candidates,
    add_ratings,
    add_sources,
    make_candidate,
    make_source,
)

from corpus.people import Person
from corpus.records import Candidate, Label, Source
from corpus.workspace import Workspace, init_workspace

RATERS = ("rater-1", "rater-2", "rater-3")
FREE_RATER = "rater-4"
MODEL = "made@1"
ADJECTIVES = (
    ("patient", "trpezlivý", "trpezlivá"),
    ("tired", "unavený", "unavená"),
    ("happy", "šťastný", "šťastná"),
    ("proud", "hrdý", "hrdá"),
    ("content", "spokojný", "spokojná"),
    ("strong", "silný", "silná"),
    ("sad", "smutný", "smutná"),
    ("sensitive", "citlivý", "citlivá"),
    ("careful", "opatrný", "opatrná"),
    ("brave", "odvážny", "odvážna"),
)
FRAMES = (
    ("I am {}.", "Som {}.", "Som {}."),
    ("Yesterday I was {}.", "Včera som bol {}.", "Včera som bola {}."),
)
DISAGREE = 16
"""So many of the twenty candidates; of the others nothing is to be decided."""
WOMAN = {"quality": 92, "gender_marked": "yes", "speaker_gender": "woman"}
MAN = {"quality": 90, "gender_marked": "yes", "speaker_gender": "man"}
NEITHER = {"quality": 30, "gender_marked": "no"}
COMMENTED = WOMAN | {"quality": 96, "comment": "Only a woman would say it so."}


def build_disagreement_workspace(folder: Path) -> Workspace:
    """Twenty pairs; the last rater differs on sixteen, on every fourth of them two raters do."""
    workspace = init_workspace(folder, "disagreement study")
    store = workspace.open_store()
    sources, candidates = _make_pairs()
    add_sources(store, sources)
    add_candidates(store, candidates)
    texts = {each.key: each.text for each in sources}
    # The first of the variants by name is shown, the feminine one.
    _, items = add_batch(
        store, candidates, RATERS, form="sentence/2", source_texts=texts, batch_id="sk-1"
    )
    for number, item in enumerate(items):
        for rater, answers in zip(RATERS, _answers(number), strict=True):
            add_ratings(store, [item], rater, answers)
    with store.writing() as writer:
        writer.append([Person(each, "rater") for each in (*RATERS, FREE_RATER)])
    store.close()
    return workspace


def _answers(number: int) -> tuple[dict[str, Any], ...]:
    if number >= DISAGREE:
        return (WOMAN, WOMAN, WOMAN)
    if number % 4 == 3:
        return (COMMENTED, NEITHER, NEITHER)
    return (COMMENTED, WOMAN, MAN)


def _make_pairs() -> tuple[list[Source], list[Candidate]]:
    sources, candidates = [], []
    for english, masculine, feminine in FRAMES:
        for word, man, woman in ADJECTIVES:
            number = len(sources)
            source = make_source(number + 2, english.format(word), 1 + number % 3)
            score = 0.81 + 0.03 * (number % 4)
            sources.append(source)
            candidates.append(
                make_candidate(
                    source,
                    "sk",
                    Label.PAIR,
                    reason="inflection",
                    variants={
                        "masculine": masculine.format(man),
                        "feminine": feminine.format(woman),
                    },
                    evidence={
                        "quality": {
                            "model": MODEL,
                            "threshold": 0.8,
                            "scores": {"masculine": score, "feminine": score + 0.01},
                        }
                    },
                )
            )
    return sources, candidates
