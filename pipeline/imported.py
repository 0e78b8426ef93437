"""Imported candidates: an existing data set becomes sources and candidates of a workspace.

What is imported keeps its texts, label and flags, whatever this product would have made of its
source, so that raters and curators can validate or correct it as they do with generated candidates.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from corpus.errors import Fault, InputError
from corpus.records import (
    AuditEntry,
    Candidate,
    Instrument,
    Label,
    Origin,
    Source,
    TemplateChoice,
    subject_id,
)
from corpus.store import Store
from corpus.store.runs import RunProgress
from pipeline import reasons

IMPORTED_STRATEGY = "imported/1"
"""Strategy of a candidate that was not made here."""
CHUNK = 500
"""Candidates a transaction."""
_NEW_WORKSPACE = "import into a new workspace"


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """One row of a data set: a source and what it is in one language."""

    file: str
    row: int
    """Line of a CSV, number of the row from 1 on in a Parquet file."""
    language: str
    source: Source
    label: Label
    variants: Mapping[str, str]
    flags: tuple[str, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)
    is_demo: bool = False

    @property
    def candidate(self) -> Candidate:
        """The row as a candidate."""
        return Candidate(
            instrument=self.source.instrument,
            language=self.language,
            source_key=self.source.key,
            label=self.label,
            reason=reasons.IMPORTED,
            variants=dict(self.variants),
            strategy=IMPORTED_STRATEGY,
            flags=self.flags,
            evidence=dict(self.evidence),
        )


@dataclass(frozen=True, slots=True)
class ImportedData:
    """A data set that can be imported."""

    name: str
    """What it is, for people: a release or names of files."""
    sha256: str
    """Stands for all that was read."""
    instrument: Instrument
    rows: tuple[ImportedRow, ...]
    warnings: tuple[Fault, ...] = ()
    templates: tuple[TemplateChoice, ...] = ()
    """Wordings that were chosen for its languages."""

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of its languages, sorted."""
        return tuple(sorted({row.language for row in self.rows}))


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did for one language."""

    language: str
    neutral: int
    pairs: int
    added: int
    """Candidates that were not there before."""
    templates: int = 0
    """Wordings of templates that were not there before."""


def import_data(
    store: Store, data: ImportedData, progress: RunProgress, by: str = "system"
) -> list[ImportReport]:
    """Adds sources and candidates that are not there yet; one report a language.

    Raises:
        InputError: if the data contradict themselves or what is stored; nothing was written then.
    """
    sources = _merge_sources(data)
    with store.reading() as state:
        known = {each.key: each for each in state.sources(data.instrument) if each.key in sources}
        stored = {each: state.candidates(data.instrument, each) for each in data.languages}
    faults = [*_find_repeated(data), *_find_conflicts(data, known, stored)]
    if faults:
        raise InputError(faults)
    progress.plan(len(data.rows))
    present = {each.id for mine in stored.values() for each in mine}
    missing = [row for row in data.rows if row.candidate.id not in present]
    progress.advance(len(data.rows) - len(missing))
    with store.writing(Origin.IMPORT) as writer:
        added = writer.append_sources(list(sources.values()))
        if added or missing:
            after = {
                "sha256": data.sha256,
                "sources": len(added),
                "candidates": len(missing),
                "languages": list(data.languages),
            }
            writer.append_audit(AuditEntry(by, "source import-release", data.name, after=after))
    # Rows of demo data stay demo data.
    for is_demo, origin in ((False, Origin.IMPORT), (True, Origin.DEMO)):
        mine = [row for row in missing if row.is_demo is is_demo]
        for start in range(0, len(mine), CHUNK):
            chunk = [row.candidate for row in mine[start : start + CHUNK]]
            with store.writing(origin) as writer:
                writer.append_candidates(chunk)
            progress.advance(len(chunk))
    chosen = _choose_templates(store, data, by)
    return [_report(data, language, missing, chosen) for language in data.languages]


def _choose_templates(store: Store, data: ImportedData, by: str) -> list[TemplateChoice]:
    """Chooses the data's wordings where this workspace has chosen none."""
    added: list[TemplateChoice] = []
    for origin in (Origin.IMPORT, Origin.DEMO):
        demo = {row.language for row in data.rows if row.is_demo}
        mine = [
            each for each in data.templates if (each.language in demo) == (origin is Origin.DEMO)
        ]
        if not mine:
            continue
        with store.writing(origin) as writer:
            for choice in mine:
                if choice.kind in {each.kind for each in writer.template_choices(choice.language)}:
                    continue
                choice = replace(choice, by=by)
                writer.append([choice])
                subject = subject_id(data.instrument, choice.language, f"template/{choice.kind}")
                after = {
                    "masculine": list(choice.masculine),
                    "feminine": list(choice.feminine),
                    "reason": choice.reason,
                }
                writer.append_audit(AuditEntry(by, "choose template", subject, after=after))
                added.append(choice)
    return added


def _merge_sources(data: ImportedData) -> dict[str, Source]:
    """The sources by key in the order of their file, each from the first row that has it."""
    found: dict[str, Source] = {}
    for row in data.rows:
        found.setdefault(row.source.key, row.source)
    ordered = sorted(found.values(), key=lambda each: (each.dataset, each.row, each.key))
    return {each.key: each for each in ordered}


def _find_repeated(data: ImportedData) -> Iterator[Fault]:
    """Faults of rows that say otherwise than an earlier row of the same source or candidate."""
    first: dict[str, ImportedRow] = {}
    candidates: dict[str, ImportedRow] = {}
    for row in data.rows:
        earlier = first.setdefault(row.source.key, row)
        yield from _compare_sources(row, earlier.source, f"{earlier.file}:{earlier.row}")
        known = candidates.setdefault(row.candidate.id, row)
        if known is not row:
            problem = f"{row.source.key} is in {known.file}:{known.row} already"
            yield Fault(row.file, row.row, "GEST_ID", problem, "keep one of the two rows")


def _compare_sources(row: ImportedRow, other: Source, where: str) -> Iterator[Fault]:
    remedy = "the same id must be the same source; correct one of them, or its id"
    if row.source.text != other.text:
        problem = f"{row.source.key} has another text in {where}"
        yield Fault(row.file, row.row, "Source", problem, remedy)
    if row.source.stereotype_id != other.stereotype_id:
        problem = f"{row.source.key} has stereotype {other.stereotype_id} in {where}"
        yield Fault(row.file, row.row, "Stereotype_ID", problem, remedy)
    if dict(row.source.attributes) != dict(other.attributes):
        problem = f"{row.source.key} has other attributes in {where}"
        yield Fault(row.file, row.row, "attributes", problem, remedy)


def _find_conflicts(
    data: ImportedData,
    known: Mapping[str, Source],
    stored: Mapping[str, Sequence[Candidate]],
) -> Iterator[Fault]:
    """Faults of rows that contradict the stored sources by key and candidates by language."""
    rows: defaultdict[str, dict[str, ImportedRow]] = defaultdict(dict)
    for row in data.rows:
        rows[row.language].setdefault(row.candidate.id, row)
        if row.source.key in known:
            yield from _compare_sources(row, known[row.source.key], "this workspace")
    for language, mine in sorted(rows.items()):
        yield from _compare_candidates(data, language, mine, stored[language])


def _compare_candidates(
    data: ImportedData,
    language: str,
    rows: Mapping[str, ImportedRow],
    stored: Sequence[Candidate],
) -> Iterator[Fault]:
    generated = sum(each.strategy != IMPORTED_STRATEGY for each in stored)
    if generated:
        problem = f"{generated} candidates of {language} were generated here"
        yield Fault(data.name, None, language, problem, _NEW_WORKSPACE)
        return
    others = sum(each.id not in rows for each in stored)
    if others:
        problem = f"{others} candidates of {language} come from another import"
        remedy = f"name all files of a language together, or {_NEW_WORKSPACE}"
        yield Fault(data.name, None, language, problem, remedy)
    for each in stored:
        row = rows.get(each.id)
        if row is not None and row.candidate.content_hash != each.content_hash:
            problem = f"{each.id} was imported before with another label or text"
            yield Fault(row.file, row.row, None, problem, _NEW_WORKSPACE)


def _report(
    data: ImportedData,
    language: str,
    missing: Iterable[ImportedRow],
    chosen: Iterable[TemplateChoice],
) -> ImportReport:
    labels = Counter(row.label for row in data.rows if row.language == language)
    added = sum(row.language == language for row in missing)
    templates = sum(each.language == language for each in chosen)
    return ImportReport(language, labels[Label.NEUTRAL], labels[Label.PAIR], added, templates)
