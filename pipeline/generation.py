"""Generation: sources into labelled candidates, in stages that each commit as they go.

1. translate: every text not translated yet is sent, and each response is stored before the next
   request goes out;
2. estimate quality of every translation that has no estimate by this estimator;
3. pair, and store the candidates that differ from the current ones.

Interrupted anywhere and run again, only what is missing is done. English is not translated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from corpus.errors import StateError
from corpus.languages import Language
from corpus.records import (
    AuditEntry,
    Candidate,
    Instrument,
    Origin,
    Source,
    Translation,
    Wrapper,
)
from corpus.standing import SOURCE_LANGUAGE
from corpus.store import Store, Writer
from corpus.store.runs import RunProgress
from engines.quality import QualityEstimator
from engines.recorded import RecordedEngine
from engines.translation import (
    CostEstimate,
    TranslationEngine,
    TranslationRequest,
)
from pipeline.candidates import Labelling, build_candidate
from pipeline.pairing import PairingStrategy
from pipeline.quality_estimation import (
    NO_MODEL,
    NO_THRESHOLD,
    Threshold,
    check_given_threshold,
    estimate_translations,
)
from pipeline.spending import SpendingLimit
from pipeline.stored_translations import claim_requests, send_requests, translation_key
from pipeline.wrapping import WrapperForm, wrap

CHUNK = 500
"""Candidates a transaction."""
GENDERED = (Wrapper.MASCULINE, Wrapper.FEMININE)


@dataclass(frozen=True, slots=True)
class Generation:
    """What is to be generated, and with what."""

    instrument: Instrument
    languages: tuple[Language, ...]
    engine: TranslationEngine
    estimator: QualityEstimator
    strategy: PairingStrategy
    wrapper_form: WrapperForm
    threshold: float | None = None
    """Lowest quality score that passes; None takes the workspace's or the study's calibrated
    one."""
    dataset: str | None = None
    """Only the sources of this dataset; None takes all."""
    limit: SpendingLimit = field(default_factory=SpendingLimit)
    """Of the whole workspace."""
    origin: Origin = Origin.MACHINE
    by: str = "system"
    """Who generates, for the audit trail."""
    announce: Callable[[CostEstimate], None] | None = None
    """Told what is about to be sent, once engine and limit have nothing against it."""


@dataclass(slots=True)
class LanguageReport:
    """What generation did for one language."""

    language: str
    pairable: bool = True
    """False for a gendered language of which the engine has no wrapped translation."""
    translated: int = 0
    """Texts with a translation in the store, now or from before."""
    newly_translated: int = 0
    not_translated: int = 0
    unanswered: dict[str, int] = field(default_factory=dict)
    """Reason why the engine gave no text → texts, in this run."""
    estimated: int = 0
    """New quality estimates."""
    quality_model: str = NO_MODEL
    """`model@revision` of the quality estimates."""
    threshold: Threshold = NO_THRESHOLD
    without_score: int = 0
    """Texts with a translation that the quality model gave no score; they are kept."""
    changed: int = 0
    """Candidates that are new or other than before."""
    counts: dict[str, int] = field(default_factory=dict)
    """`neutral`, `pair` and `discarded:<reason>` → candidates."""


def plan_requests(store: Store, plan: Generation) -> list[TranslationRequest]:
    """The texts that have no stored translation yet, each once, language by language."""
    with store.reading() as state:
        sources = _sources(state.sources(plan.instrument, plan.dataset), plan)
        wanted: dict[str, TranslationRequest] = {}
        for language in plan.languages:
            wrappers = wrappers_for(plan, language, sources)
            for source, wrapper in _texts(sources, wrappers):
                request = TranslationRequest(
                    wrap(source.text, wrapper, plan.wrapper_form), language.code, source.row
                )
                wanted.setdefault(translation_key(plan.engine, request), request)
        present = state.translations(wanted)
    return [request for key, request in wanted.items() if key not in present]


def estimate_cost(store: Store, plan: Generation) -> CostEstimate:
    """What generating would send and cost; nothing is sent or written."""
    return plan.engine.estimate_cost(plan_requests(store, plan))


def generate(store: Store, plan: Generation, progress: RunProgress) -> list[LanguageReport]:
    """Translates, estimates and pairs; one report a language.

    Raises:
        SettingsError: if the threshold is outside the quality model's scale.
        StateError: if there is no source, or the spending limit leaves texts untranslated.
        InputError: if the engine cannot answer as a whole; nothing was written then.
        EngineError: if the engine fails; what it answered before is stored.
    """
    check_given_threshold(plan.estimator, plan.threshold)
    with store.reading() as state:
        sources = _sources(state.sources(plan.instrument, plan.dataset), plan)
    reports = {each.code: LanguageReport(each.code) for each in plan.languages}
    log = _Log(store, plan, progress.id)
    to_pair = len(sources) * len(plan.languages)
    requests = plan_requests(store, plan)
    # Two units of work a language and source: its translation and its candidate.
    progress.plan(len(requests) + to_pair)
    if requests:
        with claim_requests(store, plan.engine, requests, progress):
            # What another run translated while this one waited is there now.
            requests = plan_requests(store, plan)
            progress.plan(len(requests) + to_pair)
            _translate(log, requests, reports, progress)
    for language in plan.languages:
        _make_candidates(log, language, sources, reports[language.code], progress)
    return list(reports.values())


def wrappers_for(
    plan: Generation, language: Language, sources: Sequence[Source]
) -> tuple[Wrapper, ...]:
    """Which wrappers a language's texts are sent in; none for the sources' own language.

    A gendered language of which the recorded engine has no wrapped text at all is imported plain:
    it has translations and no candidates.
    """
    if language.code == SOURCE_LANGUAGE:
        return ()
    if not language.gendered_first_person:
        return (Wrapper.NONE,)
    if isinstance(plan.engine, RecordedEngine):
        wrapped = (
            wrap(source.text, wrapper, plan.wrapper_form)
            for source in sources
            for wrapper in GENDERED
        )
        if not plan.engine.holds_wrapped(language.code, wrapped):
            return (Wrapper.NONE,)
    return GENDERED


@dataclass(slots=True)
class _Log:
    """Where one generation writes; its first change carries the entry in the audit trail."""

    store: Store
    plan: Generation
    run_id: str
    noted: bool = False

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """One transaction of this generation."""
        with self.store.writing(self.plan.origin) as writer:
            before = writer.position
            yield writer
            changes = writer.position > before
            if changes and not self.noted:
                writer.append_audit(self._entry())
        self.noted = self.noted or changes

    def _entry(self) -> AuditEntry:
        plan = self.plan
        after = {
            "languages": [each.code for each in plan.languages],
            "engine": f"{plan.engine.name}/{plan.engine.model}@{plan.engine.version}",
            "strategy": f"{plan.strategy.name}/{plan.strategy.version}",
            "run": self.run_id,
        }
        return AuditEntry(plan.by, "generate", str(plan.instrument), after=after)


def _sources(found: Sequence[Source], plan: Generation) -> Sequence[Source]:
    if not found:
        named = f" in dataset {plan.dataset}" if plan.dataset else ""
        raise StateError(
            f"There are no {plan.instrument} sources{named}; add some with "
            "`stereoscope source add FILE`."
        )
    return found


def _texts(
    sources: Sequence[Source], wrappers: Sequence[Wrapper]
) -> Iterator[tuple[Source, Wrapper]]:
    return ((source, wrapper) for source in sources for wrapper in wrappers)


def _translate(
    log: _Log,
    requests: Sequence[TranslationRequest],
    reports: Mapping[str, LanguageReport],
    progress: RunProgress,
) -> None:
    if not requests:
        return
    plan = log.plan
    for responses in send_requests(
        log.store, plan.engine, requests, plan.limit, log.writing, plan.announce
    ):
        for each in responses:
            report = reports[each.request.language]
            if each.reason is None:
                report.newly_translated += 1
            else:
                report.unanswered[each.reason] = report.unanswered.get(each.reason, 0) + 1
        progress.advance(len(responses))


def _make_candidates(
    log: _Log,
    language: Language,
    sources: Sequence[Source],
    report: LanguageReport,
    progress: RunProgress,
) -> None:
    plan = log.plan
    wrappers = wrappers_for(plan, language, sources)
    translations = _stored_translations(log.store, plan, language, sources, wrappers)
    wanted = {
        wrap(source.text, wrapper, plan.wrapper_form)
        for source, wrapper in _texts(sources, wrappers)
    }
    report.translated = len(translations)
    report.not_translated = len(wanted) - len(translations)
    report.pairable = not language.gendered_first_person or wrappers != (Wrapper.NONE,)
    if not report.pairable:
        progress.advance(len(sources))
        return
    wanted_scores = list(translations.values())
    estimates, report.estimated = estimate_translations(
        log.store, plan.estimator, language.code, wanted_scores, plan.threshold, log.writing
    )
    report.quality_model, report.threshold = estimates.model, estimates.threshold
    report.without_score = estimates.count_without_score(wanted_scores)
    strategy = _prepare(plan, language, sources, translations)
    labelling = Labelling(language, strategy, plan.wrapper_form, estimates)
    for start in range(0, len(sources), CHUNK):
        chunk = [
            build_candidate(labelling, plan.instrument, source, translations)
            for source in sources[start : start + CHUNK]
        ]
        with log.writing() as writer:
            report.changed += len(writer.append_candidates(_of_run(chunk, log.run_id)))
        for candidate in chunk:
            _count(report, candidate)
        progress.advance(len(chunk))


def _prepare(
    plan: Generation,
    language: Language,
    sources: Sequence[Source],
    translations: Mapping[str, Translation],
) -> PairingStrategy:
    """The strategy with all wrapped translations of the language shown to it."""
    if not language.gendered_first_person:
        return plan.strategy
    pairs: list[tuple[str | None, ...]] = []
    for text in dict.fromkeys(source.text for source in sources):
        found = [translations.get(wrap(text, each, plan.wrapper_form)) for each in GENDERED]
        pairs.append(tuple(each.text if each else None for each in found))
    return plan.strategy.prepare(language.code, [(each[0], each[1]) for each in pairs])


def _stored_translations(
    store: Store,
    plan: Generation,
    language: Language,
    sources: Sequence[Source],
    wrappers: Sequence[Wrapper],
) -> dict[str, Translation]:
    """The stored translations of the texts wanted, by the exact text sent."""
    keys = {
        translation_key(
            plan.engine,
            TranslationRequest(wrap(source.text, wrapper, plan.wrapper_form), language.code),
        )
        for source, wrapper in _texts(sources, wrappers)
    }
    with store.reading() as state:
        found = state.translations(keys)
    return {each.text_sent: each for each in found.values()}


def _of_run(candidates: Sequence[Candidate], run_id: str) -> list[Candidate]:
    return [replace(candidate, run_id=run_id) for candidate in candidates]


def _count(report: LanguageReport, candidate: Candidate) -> None:
    name = str(candidate.label)
    if name == "discarded":
        name = f"discarded:{candidate.reason}"
    report.counts[name] = report.counts.get(name, 0) + 1
