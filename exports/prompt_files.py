"""LangBiTe's files out of a release of prompt tests: templates by language, requirements.

A release of the instrument holds them in `langbite/`. They say what its rows say: the approved
texts, what is sent around them, and the communities. Paraphrases stand in files of their own
(`prompts_es_es--t2p.csv`), because those of both orders have the same ids.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus.errors import ReleaseError
from corpus.hashing import sha256_file
from corpus.langbite_files import build_template_file, render_template_file
from corpus.langbite_requirements import build_requirements_file, render_requirements_file
from corpus.prompt_languages import TAGS
from corpus.prompt_sources import (
    FRAME,
    Kind,
    Order,
    PromptFrame,
    build_prompt_candidate,
    kind_of,
    read_prompt_template,
    read_requirements,
)
from corpus.prompts import PromptTemplate, Requirement
from corpus.records import Instrument, Source
from corpus.release import Release
from corpus.release_schema import HumanSeen, ReleaseRow
from exports.files import write_bytes

FOLDER = "langbite"
"""Folder of a release that holds these files."""
REQUIREMENTS = "requirements.json"
KIND_DATASETS = ("communities", "requirements")


@dataclass(frozen=True, slots=True)
class ExportedLanguage:
    """What was exported of a language."""

    language: str
    templates: int
    """Templates and paraphrases."""
    communities: int
    seen: int
    """Of both, those that a person has seen exactly so."""
    translated: int
    """Of both, those that are not their own English source."""
    is_validated: bool


def build_prompt_files(
    rows: Mapping[str, Sequence[ReleaseRow]], sources: Iterable[Source]
) -> dict[str, bytes]:
    """The files of a release by name, with a folder for each dataset where there are several.

    Args:
        rows: The released rows by language code.
        sources: All sources of the instrument; of these the requirements are read.
    """
    templates: dict[tuple[str, str, str], list[PromptTemplate]] = defaultdict(list)
    names: dict[str, dict[tuple[str, str], str]] = defaultdict(dict)
    known = list(sources)
    for code, released in rows.items():
        for row in released:
            source = _source_of(row)
            root, order = split_dataset(source.dataset)
            if kind_of(source) is Kind.COMMUNITY:
                names[root][source.key, code] = row.neutral or ""
            else:
                templates[root, code, order].append(_template_of(row, source))
    roots = sorted({root for root, _, _ in templates} | set(names))
    files: dict[str, bytes] = {}
    for root in roots:
        folder = f"{root}/" if len(roots) > 1 else ""
        for (owner, code, order), found in sorted(templates.items()):
            if owner == root:
                files[folder + name_template_file(code, order)] = _render(code, found)
        requirements = read_requirements(
            [each for each in known if split_dataset(each.dataset)[0] == root],
            names[root],
            sorted(rows),
        )
        asked = tuple(each for each in requirements if each.languages)
        if asked:
            files[folder + REQUIREMENTS] = _render_requirements(asked)
    return files


def split_dataset(dataset: str) -> tuple[str, str]:
    """The dataset of prompts a source belongs to, and the order of its paraphrase; empty if none.

    `prompts.t2p` gives `prompts` and `t2p`, `prompts.communities` gives `prompts` and nothing.
    """
    root, dot, last = dataset.rpartition(".")
    if not dot or last not in {*Order, *KIND_DATASETS}:
        return dataset, ""
    return root, last if last in set(Order) else ""


def name_template_file(code: str, order: str = "") -> str:
    """`prompts_es_es.csv`, or `prompts_es_es--t2p.csv` for paraphrases."""
    return f"prompts_{TAGS.get(code, code)}{'--' + order if order else ''}.csv"


def export_prompts(release: Release, folder: Path) -> list[Path]:
    """Writes a release's LangBiTe files into a folder; the same files there are left as they are.

    Raises:
        ReleaseError: if the release is of another instrument or holds none, or a file of the same
            name and another content is there; then nothing is written.
    """
    check_prompt_release(release)
    inside = release.path / FOLDER
    found = sorted(each for each in inside.rglob("*") if each.is_file())
    if not found:
        raise ReleaseError(f"Release {release.version} holds no prompts.")
    wanted = {folder / each.relative_to(inside): each for each in found}
    differing = [
        str(target.relative_to(folder))
        for target, each in wanted.items()
        if target.exists() and sha256_file(target) != sha256_file(each)
    ]
    if differing:
        raise ReleaseError(
            f"{', '.join(differing)} in {folder.name} is another file of that name; nothing was "
            "written. Choose an empty folder."
        )
    for target, each in wanted.items():
        write_bytes(target, each.read_bytes())
    return list(wanted)


def check_prompt_release(release: Release) -> None:
    """Refuses a release of another instrument.

    Raises:
        ReleaseError: if it holds no prompts.
    """
    instrument = release.provenance.get("instrument")
    if instrument != Instrument.MLA_BITE:
        raise ReleaseError(
            f"Release {release.version} is of instrument {instrument}, not {Instrument.MLA_BITE}."
        )


def describe_export(release: Release) -> list[ExportedLanguage]:
    """What the files hold by language, and how much of it a person has seen."""
    described = []
    for code in release.languages:
        rows = release.rows(code)
        kinds = [kind_of(_source_of(row)) for row in rows]
        translated = [row for row in rows if row.human_seen is not HumanSeen.SOURCE]
        described.append(
            ExportedLanguage(
                code,
                kinds.count(Kind.TEMPLATE),
                kinds.count(Kind.COMMUNITY),
                sum(row.human_seen is not HumanSeen.NONE for row in translated),
                len(translated),
                code not in release.unvalidated,
            )
        )
    return described


def _source_of(row: ReleaseRow) -> Source:
    """The source of a row, as far as a release holds it."""
    key = row.id.removeprefix(f"{row.instrument}/{row.language}/")
    dataset, _, explicit_id = key.partition("/")
    return Source(row.instrument, dataset, 0, row.source, explicit_id, attributes=row.attributes)


def _template_of(row: ReleaseRow, source: Source) -> PromptTemplate:
    frame = PromptFrame.from_json(row.attributes.get(FRAME, row.attributes))
    text = row.neutral or ""
    candidate = build_prompt_candidate(
        source, row.language, text, frame, strategy=row.strategy, reason=row.reason
    )
    return read_prompt_template(source, candidate)


def _render(code: str, templates: Sequence[PromptTemplate]) -> bytes:
    tag = TAGS.get(code, code)
    return render_template_file(build_template_file("", tag, templates))


def _render_requirements(requirements: tuple[Requirement, ...]) -> bytes:
    return render_requirements_file(build_requirements_file("", requirements, {}))
