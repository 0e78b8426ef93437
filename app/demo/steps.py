"""The steps of the demonstration; each can be repeated and then changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotation.approvals import approve_language
from annotation.assessment import AssessmentSettings, assess_language
from annotation.batches import BatchPlan, create_batch
from annotation.consents import record_consent, record_ethics
from annotation.decisions import Verdict, decide
from annotation.demo_raters import DemoProfile, DemoRater, answer_items
from annotation.label_studio.client import LabelStudioServer as LabelStudioClient
from annotation.label_studio.rater_session import HttpRaterSession
from annotation.label_studio.server import LabelStudioServer
from annotation.pull import pull_batch
from annotation.push import push_batch
from annotation.template_choices import choose_template, find_unsettled, list_options
from app.checks import check_pair
from app.commands.generation import run_generation
from app.demo.script import (
    BATCH_SIZE,
    CURATOR,
    ETHICS,
    LANGUAGES,
    SEED,
    TEMPLATE_REASON,
    DemoLanguage,
    choose_action,
)
from app.progress import watched_run
from app.session import Session
from app.views.gates import AGREEMENT_GATES
from corpus.errors import StateError
from corpus.languages import languages as find_languages
from corpus.people import Person
from corpus.records import Instrument, Origin, TemplateChoice
from corpus.review import LanguageState
from corpus.samples import sentences_path, translation_paths
from engines.quality import NoEstimator
from engines.recorded import load_recorded
from pipeline.generation import Generation, LanguageReport
from pipeline.pairing import pairing_strategy
from pipeline.sources import load_sources
from pipeline.wrapping import WrapperForm

INSTRUMENT = Instrument.EUROGEST
DECIDED_GATES = frozenset({"open_disagreements"})
"""Gates that a curator's own work settles."""


@dataclass(frozen=True, slots=True)
class DemoAccount:
    """A rater's log-in on the demonstration's server; stored only in the demonstration's folder."""

    rater_id: str
    email: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class DemoOutcome:
    """What became of a language."""

    summary: str
    """In a few words."""
    refusal: str = ""
    """Why it was not approved, empty if it was."""


def generate_sample(session: Session) -> list[LanguageReport]:
    """Adds the bundled sentences and makes candidates of English and the four languages."""
    loaded = load_sources(sentences_path(), INSTRUMENT, "sample")
    with session.store.writing(Origin.DEMO) as writer:
        writer.append_sources(loaded.sources)
    paths = translation_paths()
    plan = Generation(
        instrument=INSTRUMENT,
        languages=find_languages(["en", *paths]),
        engine=load_recorded(list(paths.values())),
        estimator=NoEstimator(),
        strategy=pairing_strategy("extended"),
        wrapper_form=WrapperForm.PAPER,
        dataset="sample",
        origin=Origin.DEMO,
    )
    return run_generation(session, plan)


def create_batches(session: Session, accounts: Mapping[str, DemoAccount]) -> dict[str, str]:
    """Adds the raters and what they agree to, and draws a batch of each language; gives its id."""
    with session.store.writing(Origin.DEMO) as writer:
        known = {person.id: person.address for person in writer.people()}
        writer.append(
            [
                Person(each.rater_id, "rater", None, each.email)
                for each in accounts.values()
                if known.get(each.rater_id) != each.email
            ]
        )
    record_ethics(session.store, ETHICS, CURATOR, Origin.DEMO)
    for rater_id in accounts:
        record_consent(session.store, rater_id, True, CURATOR, Origin.DEMO)
    batches = {}
    for language in LANGUAGES:
        plan = BatchPlan(INSTRUMENT, language.code, BATCH_SIZE, language.raters, SEED)
        batches[language.code] = create_batch(session.store, plan, CURATOR, Origin.DEMO).batch.id
    return batches


def collect_ratings(
    session: Session,
    server: LabelStudioServer,
    accounts: Mapping[str, DemoAccount],
    batches: Mapping[str, str],
) -> None:
    """Pushes the batches, lets the demo raters answer in Label Studio, and pulls."""
    tokens = {
        rater_id: server.create_rater(each.email, each.password).token
        for rater_id, each in accounts.items()
    }
    with watched_run(session.store, "demo raters") as progress:
        progress.plan(_count_answers(session, list(batches.values())))
        for language in LANGUAGES:
            profiles = dict(zip(language.raters, language.profiles, strict=True))
            batch_id = batches[language.code]
            _answer_batch(session, server, tokens, batch_id, profiles, progress.advance)


def rate_batch(
    session: Session,
    server: LabelStudioServer,
    accounts: Mapping[str, DemoAccount],
    batch_id: str,
    language: DemoLanguage,
) -> None:
    """Pushes one batch, lets the language's demo raters answer it in Label Studio, and pulls."""
    profiles = dict(zip(language.raters, language.profiles, strict=True))
    tokens = {
        rater_id: server.create_rater(accounts[rater_id].email, accounts[rater_id].password).token
        for rater_id in profiles
    }
    with watched_run(session.store, "demo raters") as progress:
        progress.plan(_count_answers(session, [batch_id]))
        _answer_batch(session, server, tokens, batch_id, profiles, progress.advance)


def _answer_batch(
    session: Session,
    server: LabelStudioServer,
    tokens: Mapping[str, str],
    batch_id: str,
    profiles: Mapping[str, DemoProfile],
    advance: Callable[..., None],
) -> None:
    client = LabelStudioClient(server.base_url, server.administrator.token)
    pushed = push_batch(session.store, client, batch_id, CURATOR, Origin.DEMO)
    with session.store.reading() as state:
        form = state.form(state.batch(batch_id).form)
        items = {item.id: item for item in state.items([batch_id])}
    for each in pushed:
        rater_id = each.assignment.rater_id
        rater = DemoRater(rater_id, SEED, profiles[rater_id])
        access = HttpRaterSession(server.base_url, tokens[rater_id])
        project = str(each.assignment.external_id)
        answered = answer_items(rater, access, project, form, items, advance)
        advance(len(items) - answered)
    pull_batch(session.store, client, batch_id, CURATOR, Origin.DEMO)


def _count_answers(session: Session, batch_ids: Sequence[str]) -> int:
    with session.store.reading() as state:
        return sum(len(each.item_ids) for each in state.assignments(list(batch_ids)))


def decide_and_approve(
    session: Session, language: DemoLanguage, instrument: Instrument = INSTRUMENT
) -> DemoOutcome:
    """Chooses templates, resolves what the script resolves, approves if every gate allows it."""
    settings = AssessmentSettings.from_settings(session.settings)
    if instrument is INSTRUMENT:
        _choose_templates(session, language.code)
    standing = session.standing(instrument, language.code)
    if standing.review.state in (LanguageState.APPROVED, LanguageState.RELEASED):
        return DemoOutcome(str(standing.review.state))
    assessment = assess_language(standing, settings)
    if language.decides:
        hashes = {each.candidate.id: each.candidate.content_hash for each in standing.candidates}
        for each in assessment.open_disagreements:
            action, reason = choose_action(each)
            verdict = Verdict(
                each.subject_id, hashes[each.subject_id], action, reason, rule="demonstration"
            )
            decide(session.store, verdict, CURATOR, check_pair, Origin.DEMO)
    try:
        approve_language(
            session.store, instrument, language.code, CURATOR, settings, origin=Origin.DEMO
        )
    except StateError as refusal:
        failed = {gate.name for gate in assessment.gates if gate.blocks}
        needs_rater = bool(failed & AGREEMENT_GATES) and failed <= AGREEMENT_GATES | DECIDED_GATES
        return DemoOutcome("needs a third rater" if needs_rater else "refused", str(refusal))
    return DemoOutcome("approved")


def _choose_templates(session: Session, code: str) -> None:
    """Settles the language's templates as they are shipped; those chosen already stay."""
    unsettled = find_unsettled(session.standing(INSTRUMENT, code))
    shipped = {each.kind: each for each in reversed(list_options(code, ()))}
    for kind in unsettled:
        option = shipped[kind]
        frames = [(each.before, each.after) for each in (option.masculine, option.feminine)]
        choice = TemplateChoice(code, kind, frames[0], frames[1], TEMPLATE_REASON, CURATOR)
        choose_template(session.store, choice, Origin.DEMO)


def approved_languages(session: Session) -> list[str]:
    """English and the languages whose approval stands."""
    approved = []
    for language in LANGUAGES:
        state = session.standing(INSTRUMENT, language.code).review.state
        if state in (LanguageState.APPROVED, LanguageState.RELEASED):
            approved.append(language.code)
    return ["en", *approved]


def texts_of_release(paths: Sequence[Path]) -> list[str]:
    """The lines of the release's CSV files, to train the tiny model's tokenizer on."""
    return [line for path in sorted(paths) for line in path.read_text("utf-8").splitlines()]
