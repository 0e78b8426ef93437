"""What becomes of one template in one language: translated and paraphrased, in either order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from corpus.prompt_languages import PromptLanguage, load_prompt_languages
from corpus.prompt_sources import Order
from corpus.records import Source
from corpus.standing import SOURCE_LANGUAGE
from engines.prompt_rewriters import PromptRewriter, Step
from engines.prompt_rewriting import ParaphrasePrompt
from engines.prompt_rewriting_checks import DUPLICATE, Problem, comparable
from pipeline.prompt_conversations import Conversations, Outcome
from pipeline.prompt_translators import PromptTranslator

_REPEATS = Problem(DUPLICATE, "two paraphrases have the same translation")


@dataclass(frozen=True, slots=True)
class RewrittenText:
    """One text that came of a template, with what it rests on."""

    text: str
    keys: Mapping[str, Sequence[str]]
    """Step → keys of the stored answers."""
    between: Mapping[str, str] = field(default_factory=dict)
    """The text between the two steps, by the step that gave it."""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Why some of the texts wanted are not there."""

    step: str
    problem: Problem
    missing: int


@dataclass(frozen=True, slots=True)
class Rewriting:
    """How templates are rewritten."""

    order: Order
    paraphrases: int
    """Of each template; 0 only translates."""
    translator: PromptTranslator
    paraphraser: PromptRewriter | None
    """None only where nothing is paraphrased."""
    conversations: Conversations
    communities: Mapping[str, Sequence[str]]
    """Markup → English names of what is filled in."""

    @property
    def paraphrases_first(self) -> bool:
        """Whether English is paraphrased before anything is translated."""
        return self.order is Order.P2T and self.paraphrases > 0

    def rewrite(
        self, language: PromptLanguage, source: Source
    ) -> tuple[list[RewrittenText], list[Shortfall]]:
        """The texts of a template in a language, and why there are not more of them."""
        if self.paraphrases_first:
            return self._paraphrase_then_translate(language, source)
        if language.code == SOURCE_LANGUAGE:
            start = RewrittenText(source.text, {})
        else:
            outcome = self.translator.translate_prompt(language, source.text, self.communities)
            if outcome.problem is not None:
                return [], [Shortfall(Step.TRANSLATING, outcome.problem, max(self.paraphrases, 1))]
            start = RewrittenText(outcome.texts[0], {Step.TRANSLATING: outcome.keys})
        if not self.paraphrases:
            return [start], []
        return self._paraphrase_start(language, start)

    def paraphrase_english(self, source: Source) -> Outcome:
        """The English paraphrases of a template."""
        return self._paraphrase(load_prompt_languages()[SOURCE_LANGUAGE], source.text)

    def _paraphrase(self, language: PromptLanguage, text: str) -> Outcome:
        if self.paraphraser is None:
            raise ValueError("there is no model that paraphrases")
        task = ParaphrasePrompt(language.name, text, self.paraphrases, self.communities)
        return self.conversations.hold(self.paraphraser, task, language.code)

    def _paraphrase_start(
        self, language: PromptLanguage, start: RewrittenText
    ) -> tuple[list[RewrittenText], list[Shortfall]]:
        outcome = self._paraphrase(language, start.text)
        keys = {**start.keys, str(Step.PARAPHRASING): outcome.keys}
        between = {} if not start.keys else {"translated": start.text}
        return [RewrittenText(text, keys, between) for text in outcome.texts], self._lacking(
            outcome
        )

    def _lacking(self, outcome: Outcome) -> list[Shortfall]:
        missing = self.paraphrases - len(outcome.texts)
        if outcome.problem is None or not missing:
            return []
        return [Shortfall(Step.PARAPHRASING, outcome.problem, missing)]

    def _paraphrase_then_translate(
        self, language: PromptLanguage, source: Source
    ) -> tuple[list[RewrittenText], list[Shortfall]]:
        paraphrased = self.paraphrase_english(source)
        found: list[RewrittenText] = []
        lacking = self._lacking(paraphrased)
        seen: set[str] = set()
        for text in paraphrased.texts:
            keys: dict[str, Sequence[str]] = {Step.PARAPHRASING: paraphrased.keys}
            if language.code == SOURCE_LANGUAGE:
                found.append(RewrittenText(text, keys))
                continue
            outcome = self.translator.translate_prompt(language, text, self.communities)
            problem = outcome.problem
            if problem is None and comparable(outcome.texts[0]) in seen:
                problem = _REPEATS
            if problem is not None:
                lacking.append(Shortfall(Step.TRANSLATING, problem, 1))
                continue
            seen.add(comparable(outcome.texts[0]))
            both = {**keys, Step.TRANSLATING: outcome.keys}
            found.append(RewrittenText(outcome.texts[0], both, {"paraphrased": text}))
        return found, lacking
