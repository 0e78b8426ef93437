"""Augmentation: English prompt templates into paraphrases in any language, stage by stage.

For each language: names of communities that are missing are translated, then what stands around the
prompts (once for each different frame, unless a person translated it), then the prompts themselves.
What came of a template becomes candidates at once. Every answer is stored before the next request,
so a run that ends anywhere goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from corpus.prompt_languages import PromptLanguage
from corpus.prompt_sources import (
    FRAME,
    PromptFrame,
    build_paraphrase_source,
    build_prompt_candidate,
)
from corpus.records import AuditEntry, Candidate, Origin, Source
from corpus.standing import SOURCE_LANGUAGE
from corpus.store import Store, Writer
from corpus.store.runs import RunProgress
from engines.prompt_rewriters import Step
from pipeline import reasons
from pipeline.prompt_collection import (
    CommunityNames,
    FrameTexts,
    PromptCollection,
    load_collection,
)
from pipeline.prompt_conversations import Outcome
from pipeline.prompt_flags import find_prompt_flags
from pipeline.prompt_rewriting import Rewriting, RewrittenText, Shortfall

TRANSLATED_STRATEGY = "translated/1"
"""Strategy of communities, and of prompts that are translated and not paraphrased."""
Piece = TypeVar("Piece")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Augmentation:
    """What is to be augmented, and how."""

    dataset: str
    languages: tuple[PromptLanguage, ...]
    rewriting: Rewriting
    parallel: int = 1
    """Templates that are worked on at once."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What a template, or a concern's communities, lacks in a language, and why."""

    language: str
    about: str
    """Id of the template, or name of the concern."""
    step: str
    """`frame`, `translating`, `paraphrasing` or `communities`."""
    reason: str
    told: str
    missing: int
    """Texts that are not there."""


@dataclass(slots=True)
class AugmentationReport:
    """What came of one language."""

    language: str
    templates: int
    blocked: int
    """Templates that cannot be sent as they are meant; they are left out."""
    complete: int = 0
    partial: int = 0
    """Templates with some of their paraphrases."""
    failed: int = 0
    """Templates with none."""
    texts: int = 0
    communities: int = 0
    """Names translated in this run."""
    changed: int = 0
    """Candidates that are new or other than before."""
    failures: list[Failure] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Made:
    """What one unit of work gave."""

    sources: tuple[Source, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class _Frame:
    """What stands around a template's prompt in a language."""

    frame: PromptFrame
    origin: str
    """`source`, `import` or `machine`."""
    keys: tuple[str, ...] = ()
    """Of the stored answers it rests on."""


class PromptLog:
    """Where one augmentation writes; its first change carries the entry in the audit trail."""

    def __init__(self, store: Store, entry: AuditEntry, origin: Origin = Origin.MACHINE) -> None:
        self.store = store
        self._entry = entry
        self._origin = origin
        self._noted = False

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """One transaction."""
        with self.store.writing(self._origin) as writer:
            before = writer.position
            yield writer
            changes = writer.position > before
            if changes and not self._noted:
                writer.append_audit(self._entry)
        self._noted = self._noted or changes


def augment(log: PromptLog, plan: Augmentation, progress: RunProgress) -> list[AugmentationReport]:
    """Translates and paraphrases; one report a language.

    Raises:
        StateError: if there is no such dataset, or the spending limit leaves texts unasked.
        UnreachableError: if a model cannot be reached; what was answered before is stored.
        EngineError: if a model gives nothing usable over and over.
    """
    collection = _load(log.store, plan)
    progress.plan(count_units(collection, plan))

    def keep(report: AugmentationReport, made: _Made) -> None:
        candidates = [replace(each, run_id=progress.id) for each in made.candidates]
        with log.writing() as writer:
            writer.append_sources(list(made.sources))
            report.changed += len(writer.append_candidates(candidates))

    return _Run(collection, plan, keep, progress.advance).run()


def imagine(store: Store, plan: Augmentation) -> list[AugmentationReport]:
    """Walks through an augmentation whose conversations send nothing; nothing is written."""
    return _Run(_load(store, plan), plan, lambda report, made: None, lambda: None).run()


def count_units(collection: PromptCollection, plan: Augmentation) -> int:
    """Steps of progress: English paraphrases, then frames, concerns and templates by language."""
    templates = len(collection.templates)
    steps = templates if plan.rewriting.paraphrases_first else 0
    for language in plan.languages:
        steps += templates + len(collection.frames_to_translate(language.code))
        steps += len(collection.concerns_to_translate(language.code))
    return steps


def _load(store: Store, plan: Augmentation) -> PromptCollection:
    with store.reading() as state:
        return load_collection(state, plan.dataset, [each.code for each in plan.languages])


def _in_parallel(
    pieces: Sequence[Piece], work: Callable[[Piece], Result], parallel: int
) -> Iterator[tuple[Piece, Result]]:
    """Each piece with what came of it, as they end; the first error ends all that is waiting."""
    if parallel <= 1:
        for piece in pieces:
            yield piece, work(piece)
        return
    with ThreadPoolExecutor(parallel) as pool:
        futures = {pool.submit(work, piece): piece for piece in pieces}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


class _Run:
    """One walk through all languages.

    Args:
        collection: the dataset.
        plan: what is wanted.
        keep: stores what a unit of work gave.
        advance: called after each unit.
    """

    def __init__(
        self,
        collection: PromptCollection,
        plan: Augmentation,
        keep: Callable[[AugmentationReport, _Made], None],
        advance: Callable[[], None],
    ) -> None:
        self._collection = collection
        self._plan = plan
        self._keep = keep
        self._advance = advance
        self._frames: dict[FrameTexts, Outcome] = {}
        """Frames of the language at hand."""

    def run(self) -> list[AugmentationReport]:
        """One report a language."""
        plan = self._plan
        if plan.rewriting.paraphrases_first:
            # Before all languages: no two of them ask for the same paraphrases at once.
            english = plan.rewriting.paraphrase_english
            for _ in _in_parallel(self._collection.templates, english, plan.parallel):
                self._advance()
        return [self._run_language(language) for language in plan.languages]

    def _run_language(self, language: PromptLanguage) -> AugmentationReport:
        collection, plan = self._collection, self._plan
        templates = collection.templates
        report = AugmentationReport(language.code, len(templates), len(collection.blocked))
        if language.code != SOURCE_LANGUAGE:
            plan.rewriting.translator.prepare(language, self._find_texts(language))
        concerns = collection.concerns_to_translate(language.code)
        for _, made in _in_parallel(concerns, partial(self._name, language), plan.parallel):
            self._keep(report, made)
            report.failures += made.failures
            report.communities += len(made.candidates)
            self._advance()
        frames = collection.frames_to_translate(language.code)
        translate = partial(plan.rewriting.translator.translate_frame, language)
        self._frames = {}
        for frame, outcome in _in_parallel(frames, translate, plan.parallel):
            self._frames[frame] = outcome
            self._advance()
        for _, made in _in_parallel(templates, partial(self._augment, language), plan.parallel):
            self._keep(report, made)
            _count(report, made)
            self._advance()
        order = {str(each.explicit_id): place for place, each in enumerate(templates)}
        report.failures.sort(key=lambda each: order.get(each.about, -1))
        return report

    def _find_texts(self, language: PromptLanguage) -> list[str]:
        """Every English text that a language needs, for translators that take all together."""
        texts: list[str] = []
        for frame in self._collection.frames_to_translate(language.code):
            texts += frame.texts
        for concern in self._collection.concerns_to_translate(language.code):
            texts += concern.names
        rewriting = self._plan.rewriting
        for source in self._collection.templates:
            if rewriting.paraphrases_first:
                texts += rewriting.paraphrase_english(source).texts
            elif not self._needs_nothing(source, language):
                texts.append(source.text)
        return texts

    def _name(self, language: PromptLanguage, concern: CommunityNames) -> _Made:
        """The candidates of those communities of a concern that have no name in the language."""
        translator = self._plan.rewriting.translator
        outcome = translator.translate_communities(language, concern.concern, concern.names)
        if outcome.problem is not None:
            lack = Shortfall("communities", outcome.problem, len(concern.names))
            return _Made(failures=(_failure(language, concern.concern, lack),))
        return _Made(
            candidates=tuple(
                build_prompt_candidate(
                    source,
                    language.code,
                    name,
                    None,
                    strategy=TRANSLATED_STRATEGY,
                    reason=reasons.TRANSLATED,
                    evidence=self._describe({Step.TRANSLATING: outcome.keys}),
                )
                for source, name in zip(concern.sources, outcome.texts, strict=True)
                if source.key not in concern.named
            )
        )

    def _augment(self, language: PromptLanguage, source: Source) -> _Made:
        """The candidates of a template in a language, with what is missing and why."""
        about = str(source.explicit_id)
        if self._needs_nothing(source, language):
            return _Made()
        frame = self._find_frame(language, source)
        if isinstance(frame, Shortfall):
            return _Made(failures=(_failure(language, about, frame),))
        rewritten, lacking = self._plan.rewriting.rewrite(language, source)
        failures = tuple(_failure(language, about, each) for each in lacking)
        if not self._plan.rewriting.paraphrases:
            made = [self._build(source, source, language, each, frame) for each in rewritten]
            return _Made((), tuple(made), failures)
        order = self._plan.rewriting.order
        sources = tuple(
            build_paraphrase_source(source, order, number)
            for number in range(1, len(rewritten) + 1)
        )
        made = [
            self._build(each, source, language, text, frame)
            for each, text in zip(sources, rewritten, strict=True)
        ]
        return _Made(sources, tuple(made), failures)

    def _find_frame(self, language: PromptLanguage, source: Source) -> _Frame | Shortfall:
        """The frame of a template in a language, or why there is none."""
        known = self._collection.known_frame(source, language.code)
        if known is not None:
            return _Frame(*known)
        english = PromptFrame.from_json(source.attributes)
        texts = FrameTexts.of(english)
        outcome = self._frames[texts]
        if outcome.problem is not None:
            missing = max(self._plan.rewriting.paraphrases, 1)
            return Shortfall(FRAME, outcome.problem, missing)
        return _Frame(texts.translated(english, outcome.texts), "machine", outcome.keys)

    def _needs_nothing(self, source: Source, language: PromptLanguage) -> bool:
        """Whether only a translation is wanted of what is English or translated by a person."""
        if self._plan.rewriting.paraphrases:
            return False
        human = self._collection.human_translation(source, language.code)
        return language.code == SOURCE_LANGUAGE or human is not None

    def _build(
        self,
        source: Source,
        template: Source,
        language: PromptLanguage,
        text: RewrittenText,
        frame: _Frame,
    ) -> Candidate:
        rewriting = self._plan.rewriting
        only_translated = not rewriting.paraphrases
        return build_prompt_candidate(
            source,
            language.code,
            text.text,
            frame.frame,
            strategy=TRANSLATED_STRATEGY if only_translated else f"{rewriting.order}/1",
            reason=reasons.TRANSLATED if only_translated else reasons.PARAPHRASED,
            flags=find_prompt_flags(template.text, text.text, language.code),
            evidence={
                "frame_origin": frame.origin,
                **text.between,
                **self._describe({**text.keys, FRAME: frame.keys}),
            },
        )

    def _describe(self, keys: Mapping[str, Sequence[str]]) -> dict[str, object]:
        """The stored answers a text rests on, and the models that gave them."""
        rewriting = self._plan.rewriting
        models = {str(Step.TRANSLATING): rewriting.translator.description}
        if rewriting.paraphraser is not None:
            models[str(Step.PARAPHRASING)] = rewriting.paraphraser.description
        return {
            # One name for each answer, as with translations of sentences.
            "translations": {
                f"{step}-{number}" if number > 1 else str(step): key
                for step, used in keys.items()
                for number, key in enumerate(used, start=1)
            },
            "models": {str(step): models[str(step)] for step in keys if step in models},
        }


def _failure(language: PromptLanguage, about: str, lack: Shortfall) -> Failure:
    problem = lack.problem
    return Failure(language.code, about, lack.step, problem.reason, problem.told, lack.missing)


def _count(report: AugmentationReport, made: _Made) -> None:
    report.texts += len(made.candidates)
    report.failures += made.failures
    if not made.failures:
        report.complete += 1
    elif made.candidates:
        report.partial += 1
    else:
        report.failed += 1
