"""A small study in a store: sources, candidates, raters; and batches that are pushed."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from servers import ServerDesk

from annotation.batches import BatchPlan, CreatedBatch, create_batch
from annotation.label_studio.markup import build_result
from annotation.label_studio.protocol import RaterSession, ServerTask
from annotation.project_pull import PulledAssignment
from annotation.pull import pull_batch
from annotation.push import push_batch
from corpus.forms import Form, load_form
from corpus.people import Person
from corpus.records import Batch, Instrument, Item, Label, Origin, RatingRevision
from corpus.store import Store
from tests.store_builders import (
    add_batch,
    add_candidates,
    add_ratings,
    add_sources,
    make_candidate,
    make_source,
    settle_templates,
)

FORM = load_form("sentence")
NEUTRAL = {"quality": 90, "gender_marked": "no"}
ANSWERS_OF_VARIANT = {
    "neutral": NEUTRAL,
    "masculine": {"quality": 85, "gender_marked": "yes", "speaker_gender": "man"},
    "feminine": {"quality": 85, "gender_marked": "yes", "speaker_gender": "woman"},
}


def add_language(store: Store, language: str, neutral: int, pairs: int, discarded: int = 0) -> None:
    """Sources (shared by all languages of a store) and candidates of a language."""
    labels = [Label.NEUTRAL] * neutral + [Label.PAIR] * pairs + [Label.DISCARDED] * discarded
    sources = [
        make_source(row, f"I am glad {row}.", 1 + row % 16) for row in range(2, 2 + len(labels))
    ]
    add_sources(store, sources)
    add_candidates(
        store,
        [
            make_candidate(source, language, label, variants=_variants(label, source.row))
            for source, label in zip(sources, labels, strict=True)
        ],
    )


def _variants(label: Label, row: int) -> dict[str, str]:
    if label is Label.NEUTRAL:
        return {"neutral": f"Teším sa {row}."}
    return {"masculine": f"Som rád {row}.", "feminine": f"Som rada {row}."}


def add_passing_language(
    store: Store, language: str = "sk", neutral: int = 10, pairs: int = 10
) -> tuple[Batch, list[Item]]:
    """A language that passes every gate, with the batch of two raters who agree about it.

    The item of number n (0 the first) has 75 + 7n mod 20 from `r1`, and one more from `r2` where n
    is even. No interval, and so no approval without an override, rests on fewer than 20 items.
    """
    add_language(store, language, neutral, pairs)
    with store.reading() as state:
        candidates = state.candidates(Instrument.EUROGEST, language)
    batch, items = add_batch(store, candidates, ("r1", "r2"))
    for number, item in enumerate(items):
        for rater, more in (("r1", 0), ("r2", 1 - number % 2)):
            quality = {"quality": 75 + (7 * number) % 20 + more}
            add_ratings(store, [item], rater, ANSWERS_OF_VARIANT[item.variant] | quality)
    settle_templates(store, language)
    return batch, items


def add_people(store: Store, raters: Sequence[str], domain: str = "example.org") -> None:
    with store.writing() as writer:
        writer.append(
            [Person(rater, "rater", address=f"{rater.upper()}@{domain}") for rater in raters]
        )


def plan_batch(language: str = "sk", size: int = 10, raters: Sequence[str] = ()) -> BatchPlan:
    return BatchPlan(Instrument.EUROGEST, language, size, tuple(raters), seed=7)


@dataclass
class PushedBatch:
    """A batch on a server, with its raters' sessions."""

    store: Store
    desk: ServerDesk
    created: CreatedBatch
    sessions: dict[str, RaterSession]
    user_ids: dict[str, int]
    form: Form = FORM
    items: dict[str, Item] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.created.batch.id

    def project(self, rater: str) -> str:
        with self.store.reading() as state:
            [mine] = [each for each in state.assignments([self.id]) if each.rater_id == rater]
        assert mine.external_id is not None
        return mine.external_id

    def tasks(self, rater: str) -> list[ServerTask]:
        return self.desk.server.fetch_tasks(self.project(rater))

    def answer(self, rater: str, number: int, answers: Mapping[str, Any], **options: Any) -> str:
        """Answers the rater's task of that number, 0 the first, and gives the answer's id."""
        result = build_result(self.form, answers)
        task = self.tasks(rater)[number]
        return self.sessions[rater].submit(task.id, result, **options)

    def answer_all(self, rater: str) -> None:
        for task in self.tasks(rater):
            answers = ANSWERS_OF_VARIANT[self.items[task.data["item_id"]].variant]
            self.sessions[rater].submit(task.id, build_result(self.form, answers))

    def add_tasks(self, rater: str, again: ServerTask, *, strange: bool = False) -> None:
        """Puts a task into the rater's project again, and one of no item of hers."""
        added = [dict(again.data)]
        if strange:
            added.append({**again.data, "item_id": "sk-other/0001"})
        self.desk.server.import_tasks(self.project(rater), added)

    def pull(self) -> list[PulledAssignment]:
        return pull_batch(self.store, self.desk.server, self.id, "curator-1", Origin.HUMAN)

    def ratings(self) -> list[RatingRevision]:
        with self.store.reading() as state:
            return state.ratings(self.items)

    def revisions(self) -> list[RatingRevision]:
        with self.store.reading() as state:
            return state.rating_revisions(self.items)


def push_study(
    store: Store, desk: ServerDesk, raters: Sequence[str] = ("r1",), size: int = 3
) -> PushedBatch:
    """A pushed batch of Slovak; a real server is shared, so every test has raters of its own."""
    domain = f"{uuid.uuid4().hex}.example.org"
    add_language(store, "sk", neutral=4, pairs=4, discarded=1)
    add_people(store, raters, domain)
    created = create_batch(store, plan_batch("sk", size, raters), "curator-1", Origin.HUMAN)
    accounts = {rater: desk.add_rater(f"{rater}@{domain}") for rater in raters}
    push_batch(store, desk.server, created.batch.id, "curator-1")
    return PushedBatch(
        store,
        desk,
        created,
        {rater: session for rater, (_, session) in accounts.items()},
        {rater: user_id for rater, (user_id, _) in accounts.items()},
        items={item.id: item for item in created.items},
    )
