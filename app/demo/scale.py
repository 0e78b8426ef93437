"""`demo --scale`: a made-up workspace of the size of a whole study, without any server.

29 languages with candidates, a batch of 100 items each and three scripted raters, so that pages and
figures can be tried at full size. Two raters of each language have rated its templates; some
languages are decided, approved and released. Made by the store's own functions, and marked as demo.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from annotation.batches import BatchPlan, create_batch
from annotation.demo_raters import DemoProfile, DemoRater
from annotation.templates import TemplatePlan, create_template_batch
from app.commands.releases import run_build
from app.demo.script import CURATOR, SEED, DemoLanguage
from app.demo.steps import decide_and_approve
from app.session import Session
from corpus.forms import load_form_named
from corpus.languages import Language, load_languages
from corpus.people import Person
from corpus.records import (
    FEMININE_VARIANT,
    MASCULINE_VARIANT,
    NEUTRAL_VARIANT,
    Candidate,
    Instrument,
    Label,
    Origin,
    RatingRevision,
    RatingState,
    Source,
)
from corpus.review import LanguageState
from corpus.standing import SOURCE_LANGUAGE
from corpus.stereotypes import load_inventory
from corpus.store import Store
from corpus.workspace import Workspace, init_workspace

DATASET = "made-up"
RELEASE = "1.0.0"
SENTENCES = 160
"""Candidates of a language; a batch is drawn from them."""
BATCH_SIZE = 100
RATERS = 3
STARTED = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
"""When the first made-up answer was given."""
SOURCE_NAME = "demo"

USUAL = (
    DemoProfile(mean_score=88, error_rate=0.02, unsure_rate=0.02),
    DemoProfile(mean_score=84, error_rate=0.03, offset=0.4),
    DemoProfile(mean_score=86, error_rate=0.02, unsure_rate=0.01, offset=0.7),
)
"""Three raters who mostly agree, each wrong on a few items of her own."""
OUTLIER = DemoProfile(mean_score=55, score_noise=25, error_rate=0.3, offset=0.2)
"""In every fifth language the third rater: far lower, and hardly related to the others."""
EVERY_OUTLIER, EVERY_UNFINISHED, EVERY_DECIDED = 5, 7, 6
"""In every seventh language the third rater has answered half of her items; every sixth, counted
from the second, is decided and approved if its gates allow it."""


@dataclass(frozen=True, slots=True)
class ScaleCounts:
    """What was made."""

    languages: int
    candidates: int
    ratings: int
    approved: int


def build_scale(
    folder: Path, advance: Callable[[str], None] = lambda language: None
) -> tuple[Workspace, ScaleCounts]:
    """The made-up study in a folder; run again it goes on where it stopped and changes nothing.

    Args:
        folder: The workspace.
        advance: Told each language that is complete.

    Raises:
        WorkspaceError: if the folder cannot become a workspace.
    """
    workspace = init_workspace(folder, "Demonstration at full size")
    store = workspace.open_store()
    candidates = ratings = approved = 0
    try:
        sources = list(_make_sources())
        with store.writing(Origin.DEMO) as writer:
            writer.append_sources(sources)
        targets = [each for code, each in load_languages().items() if code != SOURCE_LANGUAGE]
        for number, language in enumerate(targets):
            made = [_make_candidate(language, each) for each in sources]
            with store.writing(Origin.DEMO) as writer:
                writer.append_candidates(made)
            candidates += len(made)
            ratings += _rate(store, language, number)
            _rate_templates(store, language)
            if number % EVERY_DECIDED == 1:
                approved += _decide(workspace, store, language)
            advance(language.code)
        _release(Session(workspace, store, CURATOR))
    finally:
        store.close()
    return workspace, ScaleCounts(len(targets), candidates, ratings, approved)


def _make_sources() -> Iterator[Source]:
    stereotypes = sorted(load_inventory().ids)
    for number in range(SENTENCES):
        yield Source(
            instrument=Instrument.EUROGEST,
            dataset=DATASET,
            row=number + 2,
            text=f"This is made-up sentence {number + 1} about myself.",
            stereotype_id=stereotypes[number % len(stereotypes)],
        )


def _make_candidate(language: Language, source: Source) -> Candidate:
    """A pair where the language's grammar shows gender, for every other sentence; else neutral."""
    is_pair = language.gendered_first_person and source.row % 2 == 0
    text = f"[{language.code}] {source.text}"
    variants = {NEUTRAL_VARIANT: text}
    if is_pair:
        variants = {MASCULINE_VARIANT: f"{text} (m)", FEMININE_VARIANT: f"{text} (f)"}
    return Candidate(
        instrument=source.instrument,
        language=language.code,
        source_key=source.key,
        label=Label.PAIR if is_pair else Label.NEUTRAL,
        reason="inflection" if is_pair else "identical",
        variants=variants,
        strategy="demo",
    )


def _rate(store: Store, language: Language, number: int) -> int:
    """Makes the batch of a language with all its ratings; how many there are."""
    profiles = list(USUAL)
    if number % EVERY_OUTLIER == 0:
        profiles[-1] = OUTLIER
    raters = [
        DemoRater(rater_id, SEED, profile)
        for rater_id, profile in zip(_name_raters(language), profiles, strict=True)
    ]
    with store.writing(Origin.DEMO) as writer:
        known = {each.id for each in writer.people()}
        people = [Person(each.id, "rater") for each in raters if each.id not in known]
        writer.append(people)
    plan = BatchPlan(
        instrument=Instrument.EUROGEST,
        language=language.code,
        size=BATCH_SIZE,
        raters=tuple(each.id for each in raters),
        seed=SEED,
    )
    created = create_batch(store, plan, CURATOR, Origin.DEMO)
    items = {item.id: item for item in created.items}
    form = load_form_named(created.batch.form)
    revisions: list[RatingRevision] = []
    for rater in raters:
        answers = rater.rate(form, items)
        is_unfinished = number % EVERY_UNFINISHED == 0 and rater is raters[-1]
        answered = list(answers)[: len(answers) // 2 if is_unfinished else None]
        revisions += [
            _build_revision(
                rater.id, item_id, answers[item_id], at, lead_time_s=rater.lead_time_s(item_id)
            )
            for at, item_id in enumerate(answered)
        ]
    with store.writing(Origin.DEMO) as writer:
        writer.append_ratings(revisions)
    return len(revisions)


def _rate_templates(store: Store, language: Language) -> None:
    """Two raters like a language's templates; the second would have the first one reworded."""
    raters = _name_raters(language)[:2]
    plan = TemplatePlan(language.code, raters, SEED)
    items = create_template_batch(store, plan, CURATOR, Origin.DEMO).items
    revisions = [
        _build_revision(rater, item.id, {"quality": 100, "reworded": "no"}, place)
        for rater in raters
        for place, item in enumerate(items)
    ]
    suggestion = f"{DATASET}: {items[0].shown['mt_text']}"
    answers = {"quality": 70, "reworded": "yes", "suggestion": suggestion}
    revisions[len(items)] = replace(revisions[len(items)], answers=answers)
    with store.writing(Origin.DEMO) as writer:
        writer.append_ratings(revisions)


def _decide(workspace: Workspace, store: Store, language: Language) -> bool:
    """Whether the language is approved once the scripted curator has decided what is open."""
    script = DemoLanguage(language.code, USUAL, decides=True, expectation="")
    outcome = decide_and_approve(Session(workspace, store, CURATOR), script)
    return not outcome.refusal


def _release(session: Session) -> None:
    """Releases what is approved, unless something was released before."""
    with session.store.reading() as state:
        if state.releases(Instrument.EUROGEST):
            return
    states = {
        code: session.standing(Instrument.EUROGEST, code).review.state for code in load_languages()
    }
    codes = [code for code, state in states.items() if state is LanguageState.APPROVED]
    run_build(session, RELEASE, codes, Instrument.EUROGEST)


def _name_raters(language: Language) -> tuple[str, ...]:
    return tuple(f"demo-{language.code}-{number + 1}" for number in range(RATERS))


def _build_revision(
    rater: str,
    item: str,
    answers: Mapping[str, Any],
    place: int,
    lead_time_s: float | None = None,
) -> RatingRevision:
    return RatingRevision(
        item_id=item,
        rater_id=rater,
        state=RatingState.VALID,
        answers=answers,
        source=SOURCE_NAME,
        source_id=f"{item}/{rater}",
        source_revision="1",
        answered_at=STARTED + timedelta(minutes=place),
        lead_time_s=lead_time_s,
    )
