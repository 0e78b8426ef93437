"""Releases: what was built, what each holds and whether its files are still that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.views import words
from corpus.errors import ReleaseError
from corpus.hashing import sha256_file
from corpus.human_eyes import read_eyes
from corpus.records import Instrument, ReleaseRecord
from corpus.release import SUMS_NAME, list_files, load_provenance
from corpus.release_schema import Validation
from corpus.workspace import releases_folder
from exports.contents import describe_left_out
from exports.verify import verify_release


@dataclass(frozen=True, slots=True)
class ReleasedLanguage:
    """Counts of one language in a release."""

    language: str
    validation: str
    """Whether it was approved when the release was built."""
    rows: int
    neutral: int
    pair: int
    repaired: int | None
    """Of both, those with a text that the product built; None where the release does not say."""
    seen: str
    """How many of its rows a person saw."""
    error: str
    """Estimated share of rows with a wrong label, with its interval."""
    left_out: str
    ratings: int


@dataclass(frozen=True, slots=True)
class ReleaseView:
    """A release as the store and its folder have it."""

    record: ReleaseRecord
    folder: Path
    languages: tuple[ReleasedLanguage, ...]
    demo: bool
    files: tuple[tuple[str, int], ...]
    """Path within the folder and size in bytes."""
    problem: str
    """Why its folder cannot be read; empty if it can."""
    unvalidated: tuple[str, ...] = ()
    """Codes of languages in it that were not approved."""


def load_releases(records: Iterable[ReleaseRecord], folder: Path) -> tuple[ReleaseView, ...]:
    """All releases, the newest first."""
    return tuple(
        _load(record, releases_folder(folder, record.instrument) / record.version)
        for record in reversed(list(records))
    )


def name_release(record: ReleaseRecord) -> str:
    """The version; of another instrument than EuroGEST with its name before it."""
    if record.instrument is Instrument.EUROGEST:
        return record.version
    return f"{record.instrument}/{record.version}"


def check_release(view: ReleaseView) -> tuple[str, ...]:
    """What is wrong with a release, one sentence each; empty if every byte is as it was built."""
    problems = verify_release(view.folder)
    sums = view.folder / SUMS_NAME
    if sums.is_file() and sha256_file(sums) != view.record.sums_sha256:
        problems.append(f"{SUMS_NAME}: not the one that was recorded when the release was built")
    return tuple(problems)


def _load(record: ReleaseRecord, folder: Path) -> ReleaseView:
    try:
        provenance = load_provenance(folder)
        languages = tuple(
            _language(code, described) for code, described in provenance["languages"].items()
        )
    except ReleaseError as error:
        return ReleaseView(record, folder, (), False, (), str(error))
    except (KeyError, TypeError, AttributeError) as error:
        problem = f"{folder.name}: its provenance lacks {error}; build the release again."
        return ReleaseView(record, folder, (), False, (), problem)
    files = tuple((name, (folder / name).stat().st_size) for name in list_files(folder))
    unvalidated = tuple(
        code
        for code, described in provenance["languages"].items()
        if described.get("validation") == Validation.UNVALIDATED
    )
    demo = bool(provenance.get("demo"))
    return ReleaseView(record, folder, languages, demo, files, "", unvalidated)


def _language(code: str, described: Mapping[str, Any]) -> ReleasedLanguage:
    counts = described["counts"]
    eyes = read_eyes(described)
    return ReleasedLanguage(
        language=words.describe_language(code),
        validation=described.get("validation", ""),
        rows=counts["rows"],
        neutral=counts["labels"].get("neutral", 0),
        pair=counts["labels"].get("pair", 0),
        repaired=counts.get("repaired"),
        seen=f"{eyes.seen} of {eyes.rows}" if eyes else "source",
        error=eyes.describe_error() if eyes else "",
        left_out=describe_left_out(counts["left_out"]),
        ratings=described.get("ratings", 0),
    )
