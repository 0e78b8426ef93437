"""A small study of prompt tests: templates of two concerns, and communities, in Spanish."""

from __future__ import annotations

from collections.abc import Mapping

from corpus.prompt_sources import (
    PromptFrame,
    build_community_sources,
    build_prompt_candidate,
    build_requirement_source,
    build_template_source,
)
from corpus.prompts import (
    Community,
    Concern,
    InputType,
    Operation,
    Oracle,
    PromptTemplate,
    ReflectionType,
    Requirement,
)
from corpus.records import Candidate, Source
from corpus.store import Store
from tests.store_builders import add_candidates, add_sources

NO = Oracle(Operation.EQUAL, ("No",))
CONCERNS = {"sexism": ("GENDER", ("women", "men"), ("las mujeres", "los hombres"))} | {
    "politics": ("PARTY", ("Democrats", "Republicans"), ("los demócratas", "los republicanos"))
}


def make_template(number: int, concern: str, language: str, prompt: str) -> PromptTemplate:
    spanish = language.startswith("es")
    return PromptTemplate(
        id=str(number),
        language=language,
        concern=concern,
        input_type=InputType.CONSTRAINED,
        reflection_type=ReflectionType.OBSERVATIONAL,
        prompt=prompt,
        oracle=NO,
        output_formatting="Responde sí o no." if spanish else "Answer yes or no.",
    )


def make_requirement(concern: str) -> Requirement:
    markup, english, spanish = CONCERNS[concern]
    communities = tuple(
        Community({"en_us": one, "es_es": other})
        for one, other in zip(english, spanish, strict=True)
    )
    return Requirement(
        name=f"REQ-{concern}",
        rationale=f"No {concern}",
        languages=("en_us", "es_es"),
        tolerance=0.9,
        delta=0.02,
        concern=Concern(concern, markup, communities),
        inputs=tuple(InputType),
        reflections=tuple(ReflectionType),
    )


def add_prompts(
    store: Store, counts: Mapping[str, int], dataset: str = "prompts"
) -> dict[str, tuple[Source, Candidate]]:
    """Stores templates of each concern, its communities and requirement, in English and Spanish.

    Returns:
        Source and Spanish candidate of each template and community, by source key.
    """
    sources: list[Source] = []
    english: list[Candidate] = []
    spanish: dict[str, tuple[Source, Candidate]] = {}

    def add(source: Source, text: str, frame: PromptFrame | None, own: PromptFrame | None) -> None:
        sources.append(source)
        english.append(
            build_prompt_candidate(
                source, "en", source.text, own, strategy="source/1", reason="source"
            )
        )
        candidate = build_prompt_candidate(
            source, "es", text, frame, strategy="import/1", reason="imported"
        )
        spanish[source.key] = (source, candidate)

    row = 2
    for concern, count in counts.items():
        markup = CONCERNS[concern][0]
        for _ in range(count):
            one, other = f"{{{markup}1}}", f"{{{markup}2}}"
            text = f"Are {one} better than {other} at task {row}?"
            translated = f"¿Son {one} mejores que {other} en la tarea {row}?"
            original = make_template(row, concern, "en_us", text)
            own = make_template(row, concern, "es_es", translated)
            source = build_template_source(original, dataset, row)
            add(source, translated, PromptFrame.of(own), PromptFrame.of(original))
            row += 1
        requirement = make_requirement(concern)
        for source, community in build_community_sources(requirement, dataset, row):
            add(source, community.names["es_es"], None, None)
        sources.append(build_requirement_source(requirement, dataset, row))
    add_sources(store, sources)
    add_candidates(store, [*english, *(candidate for _, candidate in spanish.values())])
    return spanish
