"""A dataset of prompts as augmentation sees it: templates, their frames, concerns, human texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from corpus.errors import StateError
from corpus.prompt_findings import FINDINGS
from corpus.prompt_sources import FRAME, Kind, PromptFrame, kind_of
from corpus.records import NEUTRAL_VARIANT, Candidate, Instrument, Source
from corpus.standing import SOURCE_LANGUAGE
from corpus.store.state import State
from engines.prompt_rewriting_checks import find_quoted
from pipeline.prompt_import import IMPORT_STRATEGY


@dataclass(frozen=True, slots=True)
class FrameTexts:
    """What is translated of a frame; equal ones are translated once."""

    task_prefix: str
    output_formatting: str
    expected: tuple[str, ...]
    keys: tuple[str, ...]
    """Names of a JSON format, which stay as they are."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts in one row."""
        return (self.task_prefix, self.output_formatting, *self.expected)

    @classmethod
    def of(cls, frame: PromptFrame) -> FrameTexts:
        """The texts of an English frame."""
        keys: tuple[str, ...] = ()
        if frame.oracle.demands_structure:
            keys = tuple(sorted(find_quoted(frame.output_formatting)))
        return cls(frame.task_prefix, frame.output_formatting, frame.oracle.expected, keys)

    def translated(self, english: PromptFrame, texts: Sequence[str]) -> PromptFrame:
        """The frame with its texts in a language; answers that became the same stand once."""
        expected = tuple(dict.fromkeys(texts[2:]))
        return PromptFrame(texts[0], texts[1], replace(english.oracle, expected=expected))


@dataclass(frozen=True, slots=True)
class CommunityNames:
    """A concern's communities in English, and those that have a name in one language."""

    concern: str
    markup: str
    sources: tuple[Source, ...]
    named: frozenset[str]
    """Source keys of those that have one."""

    @property
    def names(self) -> tuple[str, ...]:
        """The English names in order."""
        return tuple(each.text for each in self.sources)


@dataclass(frozen=True, slots=True)
class PromptCollection:
    """What the store says of a dataset of prompts."""

    templates: tuple[Source, ...]
    """Those that can be sent as they are meant."""
    blocked: tuple[str, ...]
    """Ids of the others."""
    communities: tuple[Source, ...]
    candidates: Mapping[tuple[str, str], Candidate]
    """Source key and language → the current candidate."""

    @property
    def names_by_markup(self) -> Mapping[str, tuple[str, ...]]:
        """Markup → English names of what is filled in."""
        found: dict[str, list[str]] = defaultdict(list)
        for each in self.communities:
            found[each.attributes["markup"]].append(each.text)
        return {markup: tuple(names) for markup, names in found.items()}

    def human_translation(self, source: Source, language: str) -> Candidate | None:
        """The translation of a template that a person made, if a file brought one."""
        found = self.candidates.get((source.key, language))
        return found if found is not None and found.strategy == IMPORT_STRATEGY else None

    def known_frame(self, source: Source, language: str) -> tuple[PromptFrame, str] | None:
        """The frame of a template in a language and where it is from, if nothing must be made."""
        if language == SOURCE_LANGUAGE:
            return PromptFrame.from_json(source.attributes), "source"
        human = self.human_translation(source, language)
        if human is None or FRAME not in human.evidence:
            return None
        return PromptFrame.from_json(human.evidence[FRAME]), "import"

    def frames_to_translate(self, language: str) -> list[FrameTexts]:
        """Each different frame that no person has translated, in the templates' order."""
        found = (
            FrameTexts.of(PromptFrame.from_json(source.attributes))
            for source in self.templates
            if self.known_frame(source, language) is None
        )
        return list(dict.fromkeys(found))

    def concerns_to_translate(self, language: str) -> list[CommunityNames]:
        """The concerns with a community that has no name in a language."""
        concerns: dict[str, list[Source]] = defaultdict(list)
        for each in self.communities:
            concerns[each.attributes["concern"]].append(each)
        found = []
        if language == SOURCE_LANGUAGE:
            return []
        for concern, sources in concerns.items():
            named = {each.key for each in sources if (each.key, language) in self.candidates}
            if len(named) < len(sources):
                markup = sources[0].attributes["markup"]
                found.append(CommunityNames(concern, markup, tuple(sources), frozenset(named)))
        return found


def load_collection(state: State, dataset: str, languages: Sequence[str]) -> PromptCollection:
    """A dataset with its candidates in English and in these languages.

    Raises:
        StateError: if it has no template that can be sent.
    """
    sources = state.sources(Instrument.MLA_BITE, dataset)
    communities = state.sources(Instrument.MLA_BITE, f"{dataset}.communities")
    wanted = {each.key for each in (*sources, *communities)}
    candidates = {
        (each.source_key, code): each
        for code in dict.fromkeys((SOURCE_LANGUAGE, *languages))
        for each in state.candidates(Instrument.MLA_BITE, code)
        if each.source_key in wanted
    }
    templates, blocked = [], []
    for source in sources:
        if kind_of(source) is not Kind.TEMPLATE:
            continue
        english = candidates.get((source.key, SOURCE_LANGUAGE))
        if english is not None and not FINDINGS.keys().isdisjoint(english.flags):
            blocked.append(str(source.explicit_id))
        else:
            templates.append(source)
    if not templates:
        raise StateError(
            f"The dataset {dataset} has no prompt that can be sent; add some with "
            "`stereoscope prompts import`."
        )
    communities.sort(key=lambda each: (each.attributes["concern"], each.attributes["number"]))
    return PromptCollection(tuple(templates), tuple(blocked), tuple(communities), candidates)


def text_of(candidate: Candidate) -> str:
    """The prompt, or the community's name."""
    return candidate.variants[NEUTRAL_VARIANT]
