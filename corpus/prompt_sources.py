"""Prompt tests as records, both ways: templates, communities and requirements of a workspace.

A dataset of prompts takes up to five datasets of sources:

- `NAME`: one source a template, its English prompt as text, the id of the file as explicit id;
- `NAME.t2p`, `NAME.p2t`: one source a template and paraphrase, explicit id `<id>.<k>`, with the
  English prompt of the template as text;
- `NAME.communities`: one source a concern and community, its English name as text;
- `NAME.requirements`: one source a concern, without candidates: what is asked of a model.

A candidate has the prompt in its language as its neutral variant, and in its evidence, under
`frame`, what is sent with it and how its answer is judged there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from corpus.prompt_languages import TAGS, code_of_tag
from corpus.prompt_oracles import parse_oracle, render_oracle
from corpus.prompts import (
    Community,
    Concern,
    InputType,
    Oracle,
    PromptTemplate,
    ReflectionType,
    Requirement,
)
from corpus.records import NEUTRAL_VARIANT, Candidate, Instrument, Label, Source

FRAME = "frame"
"""Key of a candidate's evidence that holds its frame."""


class Kind(StrEnum):
    """What a source of prompt tests is, under `kind` of its attributes."""

    TEMPLATE = "template"
    COMMUNITY = "community"
    REQUIREMENT = "requirement"


class Order(StrEnum):
    """In which order a template is translated and paraphrased."""

    T2P = "t2p"
    """Translated, then paraphrased in the language: the study's main run."""
    P2T = "p2t"
    """Paraphrased in English, then translated."""


@dataclass(frozen=True, slots=True)
class PromptFrame:
    """What is sent around a prompt, and how its answer is judged, in one language."""

    task_prefix: str
    output_formatting: str
    oracle: Oracle

    def as_json(self) -> dict[str, str]:
        """The frame as plain data, in the names of the files' columns."""
        return {
            "task_prefix": self.task_prefix,
            "output_formatting": self.output_formatting,
            "oracle_prediction": render_oracle(self.oracle),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PromptFrame:
        """The frame in attributes of a source or in what `as_json` wrote."""
        oracle = parse_oracle(data["oracle_prediction"])
        return cls(data["task_prefix"], data["output_formatting"], oracle)

    @classmethod
    def of(cls, template: PromptTemplate) -> PromptFrame:
        """The frame of a template."""
        return cls(template.task_prefix, template.output_formatting, template.oracle)


def kind_of(source: Source) -> Kind:
    """What the source is; one without a kind is a template."""
    return Kind(source.attributes.get("kind", Kind.TEMPLATE))


def build_template_source(template: PromptTemplate, dataset: str, row: int) -> Source:
    """The source of an English template."""
    attributes = {
        "kind": str(Kind.TEMPLATE),
        "concern": template.concern,
        "input_type": str(template.input_type),
        "reflection_type": str(template.reflection_type),
        **PromptFrame.of(template).as_json(),
        "oracle": template.oracle.kind,
        "source": template.source,
    }
    return Source(
        Instrument.MLA_BITE, dataset, row, template.prompt, template.id, attributes=attributes
    )


def build_paraphrase_source(source: Source, order: Order, paraphrase: int) -> Source:
    """The source of a template's paraphrase, from 1 on."""
    added = {"augmentation": str(order), "paraphrase": paraphrase, "of": source.explicit_id}
    return Source(
        Instrument.MLA_BITE,
        f"{source.dataset}.{order}",
        source.row,
        source.text,
        f"{source.explicit_id}.{paraphrase}",
        attributes={**source.attributes, **added},
    )


def build_community_sources(
    requirement: Requirement, dataset: str, row: int
) -> tuple[tuple[Source, Community], ...]:
    """The source of each community of a concern, in order; it needs an English name."""
    concern = requirement.concern
    return tuple(
        (
            Source(
                Instrument.MLA_BITE,
                f"{dataset}.communities",
                row,
                name_in(community, "en") or "",
                f"{concern.key}.{number}",
                attributes={
                    "kind": str(Kind.COMMUNITY),
                    "concern": concern.name,
                    "markup": concern.markup,
                    "number": number,
                },
            ),
            community,
        )
        for number, community in enumerate(concern.communities, start=1)
    )


def name_in(community: Community, code: str) -> str | None:
    """What a community is called in the language of this code, None where it has no name."""
    for tag, name in community.names.items():
        if tag.partition("_")[0] == code:
            return name
    return None


def build_requirement_source(requirement: Requirement, dataset: str, row: int) -> Source:
    """The source of a requirement; the communities are sources of their own."""
    attributes = {
        "kind": str(Kind.REQUIREMENT),
        "name": requirement.name,
        "languages": [code_of_tag(each) for each in requirement.languages],
        "tolerance": requirement.tolerance,
        "delta": requirement.delta,
        "concern": requirement.concern.name,
        "markup": requirement.concern.markup,
        "communities": len(requirement.concern.communities),
        "inputs": [str(each) for each in requirement.inputs],
        "reflections": [str(each) for each in requirement.reflections],
    }
    return Source(
        Instrument.MLA_BITE,
        f"{dataset}.requirements",
        row,
        requirement.rationale,
        requirement.concern.key,
        attributes=attributes,
    )


def build_prompt_candidate(
    source: Source,
    language: str,
    text: str,
    frame: PromptFrame | None,
    *,
    strategy: str,
    reason: str,
    flags: Sequence[str] = (),
    evidence: Mapping[str, Any] | None = None,
) -> Candidate:
    """A prompt (or, without a frame, a community) in a language.

    Args:
        source: the source of the template, paraphrase or community.
        language: code of the language.
        text: the prompt with its placeholders, or the community's name.
        frame: what is sent around it.
        strategy: where it comes from: `source/1`, `import/1`, `t2p/1`, `p2t/1`.
        reason: reason code.
        flags: marks that keep it in.
        evidence: what it rests on.
    """
    framed = {} if frame is None else {FRAME: frame.as_json()}
    return Candidate(
        Instrument.MLA_BITE,
        language,
        source.key,
        Label.NEUTRAL,
        reason,
        {NEUTRAL_VARIANT: text},
        strategy,
        tuple(flags),
        {**framed, **(evidence or {})},
    )


def read_prompt_template(
    source: Source, candidate: Candidate | None = None, text: str | None = None
) -> PromptTemplate:
    """The test of a source, in English or as a candidate has it.

    Args:
        source: a template or a paraphrase of one.
        candidate: what it is in a language; None: English as imported.
        text: the prompt after decisions; None: as the candidate has it.
    """
    attributes = source.attributes
    language = "en" if candidate is None else candidate.language
    evidence = {} if candidate is None else candidate.evidence
    frame = PromptFrame.from_json(evidence.get(FRAME, attributes))
    if text is None:
        text = source.text if candidate is None else candidate.variants[NEUTRAL_VARIANT]
    return PromptTemplate(
        id=source.explicit_id or str(source.row),
        language=TAGS.get(language, language),
        concern=attributes["concern"],
        input_type=InputType(attributes["input_type"]),
        reflection_type=ReflectionType(attributes["reflection_type"]),
        prompt=text,
        oracle=frame.oracle,
        task_prefix=frame.task_prefix,
        output_formatting=frame.output_formatting,
        source=attributes.get("source", ""),
    )


def read_requirements(
    sources: Sequence[Source],
    names: Mapping[tuple[str, str], str],
    languages: Sequence[str],
) -> tuple[Requirement, ...]:
    """The requirements of a dataset, each with the languages in which all communities are named.

    Args:
        sources: the dataset's sources of communities and requirements; others are passed over.
        names: source key of a community and code of a language → its name there.
        languages: codes of the languages wanted.
    """
    communities: dict[str, list[Source]] = defaultdict(list)
    for source in sources:
        if kind_of(source) is Kind.COMMUNITY:
            communities[source.attributes["concern"]].append(source)
    return tuple(
        _read_requirement(source, communities[source.attributes["concern"]], names, languages)
        for source in sources
        if kind_of(source) is Kind.REQUIREMENT
    )


def _read_requirement(
    source: Source,
    communities: Sequence[Source],
    names: Mapping[tuple[str, str], str],
    languages: Sequence[str],
) -> Requirement:
    about = source.attributes
    ordered = sorted(communities, key=lambda each: each.attributes["number"])
    complete = [code for code in languages if all((each.key, code) in names for each in ordered)]
    named = tuple(
        Community({TAGS.get(code, code): names[(each.key, code)] for code in complete})
        for each in ordered
    )
    return Requirement(
        name=about["name"],
        rationale=source.text,
        languages=tuple(TAGS.get(code, code) for code in complete),
        tolerance=about["tolerance"],
        delta=about["delta"],
        concern=Concern(about["concern"], about["markup"], named),
        inputs=tuple(InputType(each) for each in about["inputs"]),
        reflections=tuple(ReflectionType(each) for each in about["reflections"]),
    )
