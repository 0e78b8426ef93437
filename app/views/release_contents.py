"""What a release holds, for its page: agreement, coverage, differences, checksums, an archive."""

from __future__ import annotations

import io
import json
import zipfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus.figures import Figure
from corpus.hashing import sha256_file
from corpus.records import Label
from corpus.release import Release, list_files
from corpus.release_schema import Validation
from corpus.stereotypes import load_inventory
from exports.changelog import describe_counts
from exports.diff import LanguageDiff

ARCHIVE_TIME = (1980, 1, 1, 0, 0, 0)
"""Of every file in an archive, so that the same release gives the same bytes."""


FileStamps = tuple[tuple[str, int, int, int], ...]
"""Of every file: name, size in bytes, and when its content and its entry changed, in ns."""


@dataclass(frozen=True, slots=True)
class StereotypeRow:
    """How many rows of a stereotype a language has in a release."""

    stereotype: str
    neutral: int
    pairs: int
    all: int


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One value that differs between two releases."""

    language: str
    change: str
    item: str
    column: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class DiffSummary:
    """How one language differs between two releases."""

    language: str
    added: int
    changed: int
    removed: int
    counts: str
    templates: str
    stereotypes: str
    forms: str


@dataclass(frozen=True, slots=True)
class ChecksumRow:
    """A file of a release."""

    file: str
    bytes: int
    sha256: str


def stamp_files(folder: Path) -> FileStamps:
    """What tells, without reading them, whether files were written since they were last read."""
    found = []
    for name in list_files(folder):
        status = (folder / name).lstat()
        found.append((name, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
    return tuple(found)


def read_agreement(folder: Path, code: str) -> tuple[Validation, tuple[Figure, ...]]:
    """Whether a language was approved, and the figures it was on; none for source sentences."""
    document = json.loads((folder / "agreement" / f"{code}.json").read_text(encoding="utf-8"))
    figures = tuple(Figure.from_json(each) for each in document["figures"])
    return Validation(document["validation"]), figures


def build_stereotype_rows(release: Release, code: str) -> list[StereotypeRow]:
    """Rows of a language by stereotype, those that it lacks with 0; none without stereotypes."""
    rows = [row for row in release.rows(code) if row.stereotype_id is not None]
    if not rows:
        return []
    found = Counter((row.stereotype_id, row.label) for row in rows)
    return [
        StereotypeRow(
            f"{each.id} {each.name}",
            found[each.id, Label.NEUTRAL],
            found[each.id, Label.PAIR],
            found[each.id, Label.NEUTRAL] + found[each.id, Label.PAIR],
        )
        for each in (release.inventory or load_inventory()).stereotypes
    ]


def build_diff_summaries(diffs: Sequence[LanguageDiff]) -> list[DiffSummary]:
    """One row for each language of either release."""
    return [
        DiffSummary(
            each.language,
            len(each.added),
            len(each.changed),
            len(each.removed),
            describe_counts(each.before, each.after),
            "changed" if each.templates_changed else "",
            "changed" if each.inventory_changed else "",
            ", ".join(each.guidelines_changed),
        )
        for each in diffs
    ]


def build_diff_rows(diffs: Sequence[LanguageDiff]) -> list[DiffRow]:
    """Every value that differs; of added and removed items their texts."""
    rows: list[DiffRow] = []
    for diff in diffs:
        for row in diff.added:
            rows += [
                DiffRow(diff.language, "added", row.id, name, "", text)
                for name, text in row.variants.items()
            ]
        for change in diff.changed:
            kind = "changed" if change.changes_score else "said otherwise"
            rows += [
                DiffRow(
                    diff.language, kind, change.id, name, _say(change.before[name]), _say(after)
                )
                for name, after in change.after.items()
            ]
        for row in diff.removed:
            rows += [
                DiffRow(diff.language, "removed", row.id, name, text, "")
                for name, text in row.variants.items()
            ]
    return rows


def build_checksum_rows(folder: Path) -> list[ChecksumRow]:
    """Every file with its size and its checksum as it is now."""
    return [
        ChecksumRow(name, (folder / name).stat().st_size, sha256_file(folder / name))
        for name in list_files(folder)
    ]


def build_archive(folder: Path) -> bytes:
    """All files of a release as one zip file, the same bytes for the same release."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in list_files(folder):
            info = zipfile.ZipInfo(f"{folder.name}/{name}", ARCHIVE_TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, (folder / name).read_bytes())
    return stream.getvalue()


def _say(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
