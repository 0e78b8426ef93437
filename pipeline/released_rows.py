"""Rows of a release of this product, to be imported into another workspace.

Sources keep their keys, so that every item keeps its id.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from corpus.errors import Fault, InputError
from corpus.languages import languages as find_languages
from corpus.records import Instrument, Label, Origin, Source, TemplateChoice, subject_id
from corpus.release import Release, open_release
from corpus.release_schema import ReleaseRow
from corpus.templates import chosen_id
from pipeline.imported import ImportedData, ImportedRow

LOWEST = "lowest"
"""What a release says of quality: the lowest score of a row's texts."""


def load_released(folder: Path, languages: Collection[str] | None = None) -> ImportedData:
    """The rows of a release.

    Args:
        folder: the release; its checksums are looked at first.
        languages: codes of the languages wanted; None takes all.

    Raises:
        ReleaseError: if it is not as it was built, or is without one of the languages.
        InputError: with every language that nobody knows, or every row whose item id is none.
    """
    release = open_release(folder)
    find_languages(release.languages, str(folder))
    faults: list[Fault] = []
    rows: list[ImportedRow] = []
    for language in sorted(languages) if languages is not None else release.languages:
        file = str(folder / "data" / f"{language}.parquet")
        for number, row in enumerate(release.rows(language), start=1):
            found = list(_check_id(row, file, number))
            faults += found
            if not found:
                rows.append(_build_row(release, row, file, number))
    if faults:
        raise InputError(faults)
    instrument = Instrument(release.provenance.get("instrument", Instrument.EUROGEST))
    return ImportedData(
        f"release {release.version}",
        release.sums_sha256,
        instrument,
        tuple(rows),
        templates=tuple(_find_templates(release, sorted({row.language for row in rows}))),
    )


def _find_templates(release: Release, languages: Iterable[str]) -> Iterator[TemplateChoice]:
    """The wordings that were chosen for the release, which its neutral rows are scored in."""
    for language in languages:
        validation = release.provenance["languages"][language]["validation"]
        for name, frames in sorted(release.templates(language).items()):
            kind = name.split("/")[1]
            if name == chosen_id(language, kind):
                masculine, feminine = ((before, after) for before, after in frames)
                reason = f"chosen in release {release.version}, language {validation}"
                yield TemplateChoice(language, kind, masculine, feminine, reason, "release")


def _check_id(row: ReleaseRow, file: str, number: int) -> Iterator[Fault]:
    key = _key_of(row)
    dataset, _, local = key.rpartition("/")
    if not dataset or not local or subject_id(row.instrument, row.language, key) != row.id:
        problem = f"{row.id!r} is not instrument/language/dataset/number"
        yield Fault(file, number, "item_id", problem, "take the release from where it was built")


def _key_of(row: ReleaseRow) -> str:
    return row.id.removeprefix(subject_id(row.instrument, row.language, ""))


def _build_row(release: Release, row: ReleaseRow, file: str, number: int) -> ImportedRow:
    return ImportedRow(
        file=file,
        row=number,
        language=row.language,
        source=_build_source(row),
        label=row.label,
        variants=row.variants,
        flags=row.flags,
        evidence=_build_evidence(release, row, number),
        is_demo=row.origin is Origin.DEMO,
    )


def _build_source(row: ReleaseRow) -> Source:
    """The source with the key it had; a number is an id of its own only where it counts as one."""
    dataset, _, local = _key_of(row).rpartition("/")
    is_number = local.isascii() and local.isdigit()
    is_explicit = not is_number or (row.gest_id is not None and row.gest_id != int(local) - 2)
    numbered = int(local) if is_number else 0
    line = numbered if not is_explicit else (numbered if row.gest_id is None else row.gest_id) + 2
    return Source(
        instrument=row.instrument,
        dataset=dataset,
        row=line,
        text=row.source,
        explicit_id=local if is_explicit else None,
        stereotype_id=row.stereotype_id,
        attributes=dict(row.attributes),
    )


def _build_evidence(release: Release, row: ReleaseRow, number: int) -> dict[str, Any]:
    imported = {
        "release": release.version,
        "sha256": release.sums_sha256,
        "row": number,
        "reason": row.reason,
        "strategy": row.strategy,
        "human_seen": str(row.human_seen),
        "decision": str(row.decision) if row.decision else None,
        "validation": str(row.validation),
        "raters": row.raters,
        "mean_quality": row.mean_quality,
    }
    evidence: dict[str, Any] = {"imported": imported}
    if row.quality_score is not None:
        scores = {LOWEST: row.quality_score}
        evidence["quality"] = {"model": row.quality_model, "threshold": None, "scores": scores}
    if row.repaired and row.label is Label.PAIR:
        evidence["repair"] = {"base": next(iter(set(row.variants) - set(row.repaired)), None)}
    return evidence
