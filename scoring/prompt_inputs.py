"""Prompt files and requirements read together: every fault of all of them, findings and counts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from corpus.errors import Fault, InputError
from corpus.hashing import combined_hash, sha256_file
from corpus.langbite_files import TemplateFile, read_template_file
from corpus.langbite_requirements import RequirementsFile, read_requirements_file
from corpus.prompt_findings import Finding, find_template_findings
from corpus.prompts import InputType, PromptTemplate
from corpus.requirement_findings import find_requirement, find_requirement_findings
from scoring.prompt_instances import count_instances

ORDERS = ("t2p", "p2t")
"""What a file of paraphrases is called after: `prompts_es_es--t2p.csv` (translated first)."""
Content = TypeVar("Content")
_PARAPHRASE = re.compile(rf"(.+)\.[0-9]+@(?:{'|'.join(ORDERS)})")


@dataclass(frozen=True, slots=True)
class PromptInputs:
    """Templates of one or more files and, where given, what is asked of them."""

    files: tuple[TemplateFile, ...]
    requirements: RequirementsFile | None
    findings: tuple[Finding, ...]
    sha256: str
    """Over the bytes of all files, whatever their order."""

    @property
    def paraphrases(self) -> dict[str, str]:
        """Id of each paraphrase → id of the template it was made from."""
        numbers = {template.id for file in self.files for template in file.templates}
        found = {number: find_paraphrased(number) for number in sorted(numbers)}
        return {number: of for number, of in found.items() if of is not None}

    def blocked(self, file: TemplateFile) -> frozenset[str]:
        """Ids of templates of a file that cannot be sent as they are meant."""
        return frozenset(
            number
            for finding in self.findings
            if finding.blocking and finding.file == file.file
            for number in finding.templates
        )


@dataclass(frozen=True, slots=True)
class ConcernCount:
    """What a file holds of one concern."""

    file: str
    language: str
    concern: str
    templates: int
    constrained: int
    structured: int
    """Templates that demand a structured answer."""
    blocked: int
    runnable: int | None
    """Templates a requirement asks for and nothing blocks; None without requirements."""
    instances: int | None
    """Prompts of the runnable templates, all ways of filling them; None without requirements."""


def load_prompt_inputs(paths: Sequence[Path], language: str | None = None) -> PromptInputs:
    """Everything in these files; a name that ends in `.json` is of requirements.

    Args:
        paths: tab-separated CSVs and at most one JSON file.
        language: language of the one CSV; None takes it from the names.

    Raises:
        InputError: with every fault of all files.
    """
    faults: list[Fault] = []
    requirement_paths = [path for path in paths if path.suffix.lower() == ".json"]
    template_paths = [path for path in paths if path not in requirement_paths]
    for path in requirement_paths[1:]:
        remedy = "write all requirements in one file"
        faults.append(Fault(str(path), None, None, "a second file of requirements", remedy))
    if language is not None and len(template_paths) > 1:
        remedy = "name one CSV, or leave the language to the files' names"
        faults.append(Fault(str(template_paths[1]), None, None, "one language, two files", remedy))
    files = []
    for path in template_paths:
        file = _collect(partial(read_template_file, path, language), faults)
        if file is not None:
            files.append(_name_paraphrases(file, path))
    requirements = None
    for path in requirement_paths[:1]:
        requirements = _collect(partial(read_requirements_file, path), faults)
    findings = find_template_findings(files)
    if requirements is not None:
        findings += find_requirement_findings(files, requirements.requirements, requirements.file)
    if faults:
        # What could be read is looked at all the same: nobody should correct a file twice.
        blocking = (each for each in findings if each.blocking)
        raise InputError([*faults, *(each.as_fault() for each in blocking)])
    sha256 = combined_hash(sha256_file(path) for path in paths)
    return PromptInputs(tuple(files), requirements, findings, sha256)


def _collect(
    read: Callable[[], tuple[Content, Sequence[Fault]]], faults: list[Fault]
) -> Content | None:
    """What can be read, or None; its faults are added."""
    try:
        content, found = read()
    except InputError as error:
        faults.extend(error.faults)
        return None
    faults.extend(found)
    return content


def find_order(path: Path) -> str:
    """How a file's paraphrases were made, `t2p` or `p2t`; empty for a file of templates."""
    order = path.stem.partition("--")[2]
    return order if order in ORDERS else ""


def find_paraphrased(number: str) -> str | None:
    """Id of the template that a paraphrase was made from; None for an id of no paraphrase."""
    match = _PARAPHRASE.fullmatch(number)
    return match[1] if match else None


def _name_paraphrases(file: TemplateFile, path: Path) -> TemplateFile:
    """The file with ids that are unique beside the files of templates and of the other order."""
    order = find_order(path)
    if not order:
        return file
    rows = tuple(
        replace(row, template=replace(row.template, id=f"{row.template.id}@{order}"))
        for row in file.rows
    )
    return replace(file, rows=rows)


def count_concerns(inputs: PromptInputs) -> tuple[ConcernCount, ...]:
    """What each file holds of each concern, in the files' order."""
    counted = []
    for file in inputs.files:
        groups: dict[str, list[PromptTemplate]] = defaultdict(list)
        for template in file.templates:
            groups[template.concern_key].append(template)
        blocked = inputs.blocked(file)
        for concern, templates in groups.items():
            counted.append(_count(inputs, file, concern, templates, blocked))
    return tuple(counted)


def _count(
    inputs: PromptInputs,
    file: TemplateFile,
    concern: str,
    templates: Sequence[PromptTemplate],
    blocked: frozenset[str],
) -> ConcernCount:
    runnable = instances = None
    if inputs.requirements is not None:
        known = inputs.requirements.requirements
        asked = [
            (template, requirement)
            for template in templates
            if template.id not in blocked
            and (requirement := find_requirement(template, known)) is not None
        ]
        runnable = len(asked)
        instances = sum(count_instances(template, each) for template, each in asked)
    return ConcernCount(
        file.file,
        file.language,
        concern,
        len(templates),
        sum(each.input_type is InputType.CONSTRAINED for each in templates),
        sum(each.oracle.demands_structure for each in templates),
        sum(each.id in blocked for each in templates),
        runnable,
        instances,
    )
