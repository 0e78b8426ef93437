"""The translating step: a chat model that knows what a prompt is, or any translation engine.

A chat model translates what stands around a prompt together with the answers looked for. An engine
is given each text alone; what does not come back right is told by the same checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from corpus.prompt_languages import PromptLanguage
from corpus.store import Store, Writer
from engines.prompt_rewriters import PromptRewriter
from engines.prompt_rewriting import TranslateCommunities, TranslateFrame, TranslatePrompt
from engines.prompt_rewriting_checks import Problem, check_communities, check_frame, check_prompt
from engines.translation import TranslationEngine, TranslationRequest
from pipeline.prompt_collection import FrameTexts
from pipeline.prompt_conversations import Conversations, Outcome
from pipeline.reasons import NOT_TRANSLATED
from pipeline.spending import SpendingLimit
from pipeline.stored_translations import find_missing, send_requests, translation_key

Communities = Mapping[str, Sequence[str]]
"""Markup → English names."""


class PromptTranslator(Protocol):
    """Translates prompts and what belongs to them out of English."""

    @property
    def description(self) -> str:
        """`engine/model`: what is named as the augmenting model of all that rests on it."""

    def prepare(self, language: PromptLanguage, texts: Sequence[str]) -> None:
        """Has these texts translated, for translators that do so together."""

    def translate_prompt(
        self, language: PromptLanguage, prompt: str, communities: Communities
    ) -> Outcome:
        """The prompt in the language."""

    def translate_frame(self, language: PromptLanguage, frame: FrameTexts) -> Outcome:
        """The frame's texts in the language, in their order."""

    def translate_communities(
        self, language: PromptLanguage, concern: str, names: tuple[str, ...]
    ) -> Outcome:
        """The names in the language, in their order."""


class ChatTranslator:
    """Translates by asking a chat model."""

    def __init__(self, rewriter: PromptRewriter, conversations: Conversations) -> None:
        self._rewriter = rewriter
        self._conversations = conversations

    @property
    def description(self) -> str:
        """What is named as the augmenting model of all that rests on it."""
        return self._rewriter.description

    def prepare(self, language: PromptLanguage, texts: Sequence[str]) -> None:
        """Does nothing: each task is a conversation of its own."""

    def translate_prompt(
        self, language: PromptLanguage, prompt: str, communities: Communities
    ) -> Outcome:
        """The prompt in the language."""
        task = TranslatePrompt(language.name, prompt, communities)
        return self._conversations.hold(self._rewriter, task, language.code)

    def translate_frame(self, language: PromptLanguage, frame: FrameTexts) -> Outcome:
        """The frame's texts in the language, in their order."""
        task = TranslateFrame(
            language.name, frame.task_prefix, frame.output_formatting, frame.expected, frame.keys
        )
        return self._conversations.hold(self._rewriter, task, language.code)

    def translate_communities(
        self, language: PromptLanguage, concern: str, names: tuple[str, ...]
    ) -> Outcome:
        """The names in the language, in their order."""
        task = TranslateCommunities(language.name, concern, names)
        return self._conversations.hold(self._rewriter, task, language.code)


class EngineTranslator:
    """Translates with an engine of the product, each text alone.

    Args:
        engine: the engine.
        store: where translations are.
        writing: one transaction of the run; None only notes in `missing` what would be sent.
        limit: of the whole workspace.
    """

    def __init__(
        self,
        engine: TranslationEngine,
        store: Store,
        writing: Callable[[], AbstractContextManager[Writer]] | None,
        limit: SpendingLimit,
    ) -> None:
        self._engine = engine
        self._store = store
        self._writing = writing
        self._limit = limit
        self.missing: list[TranslationRequest] = []
        """What would be sent, if nothing is."""

    @property
    def description(self) -> str:
        """What is named as the augmenting model of all that rests on it."""
        return f"{self._engine.name}/{self._engine.model}@{self._engine.version}"

    def prepare(self, language: PromptLanguage, texts: Sequence[str]) -> None:
        """Has those texts translated that are not yet; each response is stored at once.

        Raises:
            EngineError: if the engine fails; what it answered before is stored.
            StateError: if the spending limit leaves some of them untranslated.
        """
        wanted = [text for text in texts if text.strip()]
        _, missing = find_missing(self._store, self._engine, language.code, wanted)
        if self._writing is None:
            self.missing += missing
        elif missing:
            for _ in send_requests(self._store, self._engine, missing, self._limit, self._writing):
                pass

    def translate_prompt(
        self, language: PromptLanguage, prompt: str, communities: Communities
    ) -> Outcome:
        """The prompt in the language."""
        return self._translate(language, (prompt,), lambda texts: check_prompt(prompt, texts[0]))

    def translate_frame(self, language: PromptLanguage, frame: FrameTexts) -> Outcome:
        """The frame's texts in the language, in their order."""
        given = frame.texts
        return self._translate(language, given, lambda texts: check_frame(given, texts, frame.keys))

    def translate_communities(
        self, language: PromptLanguage, concern: str, names: tuple[str, ...]
    ) -> Outcome:
        """The names in the language, in their order."""
        return self._translate(language, names, lambda texts: check_communities(names, texts))

    def _translate(
        self,
        language: PromptLanguage,
        texts: Sequence[str],
        check: Callable[[Sequence[str]], Problem | None],
    ) -> Outcome:
        if self._writing is None:
            return Outcome(tuple(texts))
        requests = [TranslationRequest(text, language.code) for text in texts]
        keys = [translation_key(self._engine, request) for request in requests]
        with self._store.reading() as state:
            found = state.translations(keys)
        answers = tuple(found[key].text.strip() if key in found else "" for key in keys)
        lost = any(text.strip() and key not in found for key, text in zip(keys, texts, strict=True))
        problem = Problem(NOT_TRANSLATED, "the engine gave no text") if lost else check(answers)
        used = tuple(key for key in keys if key in found)
        return Outcome(() if problem else answers, used, problem)
