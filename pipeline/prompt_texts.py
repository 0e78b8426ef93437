"""The texts whose quality is looked at: templates, what models made of them, what people wrote."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.prompt_findings import FINDINGS
from corpus.prompt_sources import Order
from corpus.records import Candidate, Instrument, Origin, RatingState
from corpus.standing import SOURCE_LANGUAGE
from corpus.store.state import State
from pipeline.prompt_collection import text_of
from pipeline.prompt_import import IMPORT_STRATEGY

TRANSLATED = "translated"
"""Key of evidence: the text in the language before it was paraphrased."""


@dataclass(frozen=True, slots=True)
class TemplateTexts:
    """One template in one language and order."""

    id: str
    english: str
    paraphrases: tuple[str, ...]
    before: str | None = None
    """The text in the same language that was paraphrased; None where that was English."""
    human: str | None = None
    """A person's translation into the same language."""


@dataclass(frozen=True, slots=True)
class TextGroup:
    """What one order made of a dataset in one language."""

    language: str
    order: Order
    templates: tuple[TemplateTexts, ...]
    models: tuple[str, ...]
    """What translated and paraphrased."""
    seen: int
    """Texts that a person rated as they stand."""

    @property
    def texts(self) -> int:
        """Texts in all."""
        return sum(len(each.paraphrases) for each in self.templates)


def load_text_groups(state: State, dataset: str, languages: Sequence[str]) -> list[TextGroup]:
    """One group for each language and order that has texts."""
    english = {
        str(each.explicit_id): each.text for each in state.sources(Instrument.MLA_BITE, dataset)
    }
    groups = []
    for language in languages:
        found = state.candidates(Instrument.MLA_BITE, language)
        human = _human_texts(found, dataset) if language != SOURCE_LANGUAGE else {}
        rated = _find_rated(state, language)
        for order in Order:
            mine = _by_template(state, found, f"{dataset}.{order}")
            if mine:
                groups.append(_build(language, order, english, human, mine, rated))
    return groups


def _build(
    language: str,
    order: Order,
    english: dict[str, str],
    human: dict[str, str],
    mine: dict[str, list[Candidate]],
    rated: set[str],
) -> TextGroup:
    templates = []
    for number, candidates in mine.items():
        before = candidates[0].evidence.get(TRANSLATED)
        if language == SOURCE_LANGUAGE:
            before = english[number]
        texts = tuple(map(text_of, candidates))
        templates.append(TemplateTexts(number, english[number], texts, before, human.get(number)))
    every = [each for candidates in mine.values() for each in candidates]
    models = {name for each in every for name in each.evidence.get("models", {}).values()}
    seen = sum(each.content_hash in rated for each in every)
    return TextGroup(language, order, tuple(templates), tuple(sorted(models)), seen)


def _by_template(
    state: State, candidates: Sequence[Candidate], dataset: str
) -> dict[str, list[Candidate]]:
    """Id of a template → its paraphrases in order."""
    sources = {each.key: each for each in state.sources(Instrument.MLA_BITE, dataset)}
    found: dict[str, list[Candidate]] = defaultdict(list)
    for each in candidates:
        if each.source_key in sources:
            found[str(sources[each.source_key].attributes["of"])].append(each)
    for candidates_of in found.values():
        candidates_of.sort(key=lambda each: sources[each.source_key].attributes["paraphrase"])
    return dict(found)


def _human_texts(candidates: Sequence[Candidate], dataset: str) -> dict[str, str]:
    """Id → a person's translation, those left out whose placeholders are wrong."""
    prefix = f"{dataset}/"
    return {
        each.source_key.removeprefix(prefix): text_of(each)
        for each in candidates
        if each.strategy == IMPORT_STRATEGY
        and each.source_key.startswith(prefix)
        and FINDINGS.keys().isdisjoint(each.flags)
    }


def _find_rated(state: State, language: str) -> set[str]:
    """Content hashes of what has a valid rating by a person; a demo rater is none."""
    batches = [each.id for each in state.batches(Instrument.MLA_BITE, language)]
    items = {each.id: each.content_hash for each in state.items(batches)}
    return {
        items[each.item_id]
        for each in state.ratings(items)
        if each.state is RatingState.VALID
        and each.item_id in items
        and not (each.stamp is not None and each.stamp.origin is Origin.DEMO)
    }
