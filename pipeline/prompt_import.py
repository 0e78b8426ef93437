"""Import of prompt files: templates, human translations, communities and requirements as records.

English is what everything else is a translation of. What an earlier import brought stays as it is:
a file that says something else of the same test is refused as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from corpus.errors import Fault, InputError, StateError
from corpus.langbite_files import TemplateFile
from corpus.langbite_requirements import RequirementsFile
from corpus.prompt_languages import code_of_tag
from corpus.prompt_sources import (
    PromptFrame,
    build_community_sources,
    build_prompt_candidate,
    build_requirement_source,
    build_template_source,
    name_in,
)
from corpus.prompts import PromptTemplate
from corpus.records import AuditEntry, Candidate, Instrument, Origin, Source
from corpus.standing import SOURCE_LANGUAGE
from corpus.store import Store
from pipeline import reasons
from pipeline.candidates import SOURCE_STRATEGY

IMPORT_STRATEGY = "import/1"
"""Strategy of a translation that a person made and a file brought."""
DATASET = "prompts"
"""Name of a dataset of prompts unless another one is given."""
_OTHER_NAME = "import it under another --dataset"


@dataclass(frozen=True, slots=True)
class PromptImport:
    """What is to be imported."""

    files: tuple[TemplateFile, ...]
    requirements: RequirementsFile | None
    dataset: str
    sha256: str
    blocking: Mapping[tuple[str, str], tuple[str, ...]]
    """File and id of a template → kinds of findings that block it; they become flags."""


@dataclass(frozen=True, slots=True)
class PromptImportReport:
    """What an import brought for one language."""

    language: str
    templates: int
    communities: int
    added: int
    """Candidates that are new or other than before."""


def import_prompts(
    store: Store, wanted: PromptImport, by: str, origin: Origin = Origin.IMPORT
) -> list[PromptImportReport]:
    """Adds what is not there yet; one report a language, English first.

    Args:
        store: Where it is added.
        wanted: What is added.
        by: Who imports it.
        origin: Where the rows come from; the demo's say so.

    Raises:
        InputError: with every fault of all files together; nothing was written then.
    """
    with store.reading() as state:
        known = {each.key: each for each in state.sources(Instrument.MLA_BITE)}
    faults: list[Fault] = []
    codes = _read_codes(wanted.files, faults)
    faults.extend(_find_wrong_ids(wanted.files, codes))
    templates = _template_sources(wanted, codes, known)
    communities = _communities(wanted)
    faults.extend(_find_untranslatable(wanted, codes, templates))
    faults.extend(_find_unnamed(wanted))
    sources = [source for source, _ in templates.values()]
    sources += [source for source, _ in communities]
    if wanted.requirements is not None:
        sources += [
            build_requirement_source(each, wanted.dataset, row)
            for row, each in enumerate(wanted.requirements.requirements, start=1)
        ]
    faults.extend(_find_conflicts(sources, known, wanted))
    if faults:
        raise InputError(faults)
    candidates = [
        *_template_candidates(wanted, codes, templates),
        *_community_candidates(communities),
    ]
    with store.writing(origin) as writer:
        writer.append_sources(sources)
        added = writer.append_candidates(candidates)
        if added:
            after = {"sha256": wanted.sha256, "candidates": len(added)}
            writer.append_audit(AuditEntry(by, "prompts import", wanted.dataset, after=after))
    return _report(candidates, added, communities)


def prompt_datasets(sources: Sequence[Source]) -> list[str]:
    """Names of the datasets of templates among these sources, in the order they were added."""
    names = (each.dataset for each in sources if "of" not in each.attributes)
    return list(dict.fromkeys(name for name in names if not name.endswith(_PARTS)))


_PARTS = (".communities", ".requirements")


def choose_dataset(sources: Sequence[Source], wanted: str | None) -> str:
    """The dataset of prompts that is meant.

    Raises:
        StateError: if there is none of this name, or none is named and there is not just one.
    """
    known = prompt_datasets(sources)
    if wanted is None and len(known) == 1:
        return known[0]
    if wanted in known:
        return str(wanted)
    if not known:
        raise StateError("There are no prompts; add some with `stereoscope prompts import`.")
    raise StateError(f"Name a dataset of prompts with --dataset: {', '.join(known)}.")


def _read_codes(files: Sequence[TemplateFile], faults: list[Fault]) -> dict[str, str]:
    """Name of a file → code of its language."""
    codes = {}
    for file in files:
        try:
            codes[file.file] = code_of_tag(file.language, file.file)
        except InputError as error:
            faults.extend(error.faults)
    return codes


def _template_sources(
    wanted: PromptImport, codes: Mapping[str, str], known: Mapping[str, Source]
) -> dict[str, tuple[Source, TemplateFile | None]]:
    """Id → source of each English template, of the files or of the store, and its file."""
    found: dict[str, tuple[Source, TemplateFile | None]] = {
        str(each.explicit_id): (each, None)
        for each in known.values()
        if each.dataset == wanted.dataset
    }
    for file in wanted.files:
        if codes.get(file.file) == SOURCE_LANGUAGE:
            for row in file.rows:
                source = build_template_source(row.template, wanted.dataset, row.row or 0)
                found[row.template.id] = (source, file)
    return found


def _find_wrong_ids(files: Sequence[TemplateFile], codes: Mapping[str, str]) -> Iterator[Fault]:
    """Ids that are no part of a key, or stand in two files of one language."""
    first: dict[tuple[str | None, str], str] = {}
    for file in files:
        for row in file.rows:
            number = row.template.id
            if "/" in number:
                remedy = "keys are dataset/id: use another mark"
                yield Fault(file.file, row.row, "prompt_id", "id with a slash", remedy)
            other = first.setdefault((codes.get(file.file), number), file.file)
            if other != file.file:
                problem = f"{number} is an id of {other} too"
                remedy = "give each template of a language its own id"
                yield Fault(file.file, row.row, "prompt_id", problem, remedy)


def _find_untranslatable(
    wanted: PromptImport,
    codes: Mapping[str, str],
    templates: Mapping[str, tuple[Source, TemplateFile | None]],
) -> Iterator[Fault]:
    """Translations without an English template."""
    for file in wanted.files:
        for row in file.rows:
            if codes.get(file.file) != SOURCE_LANGUAGE and row.template.id not in templates:
                problem = f"there is no English template {row.template.id}"
                remedy = "name the file with the English templates too"
                yield Fault(file.file, row.row, "prompt_id", problem, remedy)


def _find_unnamed(wanted: PromptImport) -> Iterator[Fault]:
    """Concerns whose communities have no English name, or a language nobody knows."""
    if wanted.requirements is None:
        return
    file = wanted.requirements.file
    for each in wanted.requirements.requirements:
        field = f"communities of {each.concern.name}"
        if any(name_in(one, SOURCE_LANGUAGE) is None for one in each.concern.communities):
            remedy = "name them in English too, under en_us"
            yield Fault(file, None, field, "no English names", remedy)
        tags = {tag for one in each.concern.communities for tag in one.names}
        for tag in sorted(tags | set(each.languages)):
            try:
                code_of_tag(tag, file)
            except InputError as error:
                yield from error.faults


def _find_conflicts(
    sources: Sequence[Source], known: Mapping[str, Source], wanted: PromptImport
) -> Iterator[Fault]:
    """Sources that an earlier import brought with another content."""
    for source in sources:
        there = known.get(source.key)
        if there is None:
            continue
        old, new = ({"text": each.text, **each.attributes} for each in (there, source))
        fields = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
        if fields:
            problem = f"{source.key} is already there with another {', '.join(fields)}"
            yield Fault(wanted.dataset, source.row, None, problem, _OTHER_NAME)


def _template_candidates(
    wanted: PromptImport,
    codes: Mapping[str, str],
    templates: Mapping[str, tuple[Source, TemplateFile | None]],
) -> Iterator[Candidate]:
    for file in wanted.files:
        for row in file.rows:
            source, _ = templates[row.template.id]
            flags = wanted.blocking.get((file.file, row.template.id), ())
            yield _candidate(source, codes[file.file], row.template, flags)


def _candidate(
    source: Source, language: str, template: PromptTemplate, flags: Sequence[str]
) -> Candidate:
    english = language == SOURCE_LANGUAGE
    return build_prompt_candidate(
        source,
        language,
        template.prompt,
        PromptFrame.of(template),
        strategy=SOURCE_STRATEGY if english else IMPORT_STRATEGY,
        reason=reasons.SOURCE if english else reasons.IMPORTED,
        flags=flags,
    )


def _communities(wanted: PromptImport) -> list[tuple[Source, Mapping[str, str]]]:
    """The source of each community with its names by the code of the language."""
    if wanted.requirements is None:
        return []
    return [
        (source, {tag.partition("_")[0]: name for tag, name in community.names.items()})
        for row, each in enumerate(wanted.requirements.requirements, start=1)
        for source, community in build_community_sources(each, wanted.dataset, row)
    ]


def _community_candidates(
    communities: Sequence[tuple[Source, Mapping[str, str]]],
) -> Iterator[Candidate]:
    for source, names in communities:
        for language, name in names.items():
            english = language == SOURCE_LANGUAGE
            yield build_prompt_candidate(
                source,
                language,
                name,
                None,
                strategy=SOURCE_STRATEGY if english else IMPORT_STRATEGY,
                reason=reasons.SOURCE if english else reasons.IMPORTED,
            )


def _report(
    candidates: Sequence[Candidate],
    added: Sequence[Candidate],
    communities: Sequence[tuple[Source, Mapping[str, str]]],
) -> list[PromptImportReport]:
    named = {source.key for source, _ in communities}
    languages = list(dict.fromkeys(each.language for each in candidates))
    languages.sort(key=lambda code: code != SOURCE_LANGUAGE)
    return [
        PromptImportReport(
            code,
            sum(each.language == code and each.source_key not in named for each in candidates),
            sum(each.language == code and each.source_key in named for each in candidates),
            sum(each.language == code for each in added),
        )
        for code in languages
    ]
