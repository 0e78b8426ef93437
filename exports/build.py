"""Building a release: from one position of the log to a folder under its final name, or nothing.

The folder is built beside its final place, verified, and renamed as the last step before the store
learns of it. Nothing in it depends on when or where it is built: the position it is frozen at is
that of the latest row it rests on, times are those rows' own. A build killed at any moment can be
run again; a finished folder that the store does not know of is taken over if it is the same.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from corpus.errors import ReleaseError
from corpus.hashing import sha256_file
from corpus.languages import languages as find_languages
from corpus.prompt_languages import prompt_languages
from corpus.prompt_sources import Kind
from corpus.publication import Publication
from corpus.records import AuditEntry, Instrument, Origin, ReleaseRecord
from corpus.release import (
    SUMS_NAME,
    check_sums,
    parse_version,
)
from corpus.review import LanguageState
from corpus.standing import Standing, language_standing
from corpus.stereotypes import Inventory, load_inventory
from corpus.store import Store
from corpus.store.state import State
from exports.comments import Comment, ReviewedComments, check_reviewed, find_comments
from exports.contents import Contents, LeftOut, build_contents
from exports.files import sync_folder, sync_folders
from exports.folder import write_release
from exports.history import read_history
from exports.provenance import Draft, translation_keys
from exports.raters import Raters, read_raters
from exports.verify import verify_release

_RELEASABLE = (LanguageState.APPROVED, LanguageState.RELEASED, LanguageState.SOURCE)


class Outcome(StrEnum):
    """What a build came to."""

    BUILT = "built"
    ADOPTED = "adopted"
    """The finished folder of an interrupted build was there and has been recorded."""
    ALREADY_BUILT = "already built"


@dataclass(frozen=True, slots=True)
class BuiltRelease:
    """A release under its final name, recorded in the store."""

    path: Path
    version: str
    instrument: Instrument
    languages: tuple[str, ...]
    rows: Mapping[str, int]
    """Number of rows by language."""
    left_out: Mapping[str, LeftOut]
    """Candidates that are not in it, by language and why."""
    without_text: Mapping[str, tuple[str, ...]]
    """Keys of the prompt templates that have no candidate in a language, by language."""
    frozen_position: int
    sums_sha256: str
    is_demo: bool
    unvalidated: tuple[str, ...]
    """Codes of languages in it that are not approved."""
    outcome: Outcome


def build_release(
    store: Store,
    version: str,
    languages: Iterable[str],
    folder: Path,
    instrument: Instrument = Instrument.EUROGEST,
    *,
    open_subjects: Collection[str] = (),
    title: str = "Stereoscope release",
    licence: str | None = None,
    publication: Publication | None = None,
    inventory: Inventory | None = None,
    comments: ReviewedComments | None = None,
    by: str = "system",
    include_unvalidated: bool = False,
    take_back: bool = False,
) -> BuiltRelease:
    """The release of that version, built into `folder/version` unless it is there already.

    Args:
        store: Where everything comes from and the release is recorded.
        version: Three numbers, as much higher than the latest release of the instrument as
            `exports.versions` asks for.
        languages: Codes; each must be approved on its present data, English apart.
        folder: The workspace's folder of releases.
        instrument: Whose data are released.
        open_subjects: Ids of candidates with an open disagreement; left out and counted.
        title: Name of the study, for the card.
        licence: Licence of the data, None for the one that the authors give.
        publication: What the authors say of it; nothing if None.
        inventory: Stereotypes of the instrument EuroGEST, those of GEST if None.
        comments: Raters' comments that a curator has read; none are published if None.
        by: Who builds, for the audit trail.
        include_unvalidated: Whether languages may be in it that are not approved; marked as such.
        take_back: Whether items may be in it that an earlier release removed, with another content.

    Raises:
        InputError: if a language code is unknown, or with every comment that nobody wrote.
        ReleaseError: if the version is malformed, used with other content or not high enough, a
            language is not approved or its approval stale, a removed item is back with another
            content, an earlier release is missing, or the folder cannot be written.
    """
    parse_version(version)
    find = prompt_languages if instrument is Instrument.MLA_BITE else find_languages
    codes = sorted({each.code for each in find(languages, "release languages")})
    if not codes:
        raise ReleaseError("A release needs at least one language.")
    with store.reading() as state:
        recorded = state.releases(instrument)
        _check_version(version, recorded)
        standings = [language_standing(state, instrument, code) for code in codes]
        if not include_unvalidated:
            _check_approved(standings, open_subjects)
        said = publication or Publication()
        described = (title, said, licence or said.licence or None)
        draft = _read_draft(state, version, instrument, standings, open_subjects, described)
    if instrument is Instrument.EUROGEST:
        draft = replace(draft, inventory=inventory or load_inventory())
    if comments is not None:
        check_reviewed(comments, _find_all_comments(draft))
        draft = replace(draft, comments=comments)
    known = next((each for each in recorded if each.version == version), None)
    try:
        with _building(folder, version) as partial:
            history = read_history(folder, draft, recorded)
            if known is None:
                history.check_version(take_back=take_back)
            write_release(partial, draft, history)
            sums_sha256, outcome = _place(draft, partial, folder / version, known)
    except OSError as error:
        raise ReleaseError(
            f"Release {version} could not be written to {folder}: {error.strerror or error}. "
            "Nothing was left under its name; make room or change the folder and build again."
        ) from error
    if known is None:
        _record(store, draft, codes, sums_sha256, by)
    return BuiltRelease(
        path=folder / version,
        version=version,
        instrument=instrument,
        languages=tuple(codes),
        rows={each.language: len(each.rows) for each in draft.contents},
        left_out={each.language: each.left_out for each in draft.contents},
        without_text={each.language: _find_without_text(draft, each) for each in draft.contents},
        frozen_position=draft.frozen_position,
        sums_sha256=sums_sha256,
        is_demo=draft.is_demo,
        unvalidated=draft.unvalidated,
        outcome=outcome,
    )


def _find_all_comments(draft: Draft) -> list[Comment]:
    return [
        comment
        for each in draft.contents
        for comment in find_comments(each.standing, draft.forms, draft.raters.published)
    ]


def _check_version(version: str, recorded: Iterable[ReleaseRecord]) -> None:
    versions = [each.version for each in recorded]
    if version in versions or not versions:
        return
    highest = max(versions, key=parse_version)
    if parse_version(version) < parse_version(highest):
        raise ReleaseError(
            f"Version {version} is lower than the latest release {highest}; choose a higher one."
        )


def _find_without_text(draft: Draft, contents: Contents) -> tuple[str, ...]:
    there = {each.candidate.source_key for each in contents.standing.candidates}
    return tuple(
        key
        for key, source in draft.sources.items()
        if key not in there and source.attributes.get("kind") == Kind.TEMPLATE
    )


def _read_draft(
    state: State,
    version: str,
    instrument: Instrument,
    standings: list[Standing],
    open_subjects: Collection[str],
    described: tuple[str, Publication, str | None],
) -> Draft:
    sources = {source.key: source for source in state.sources(instrument)}
    raters = read_raters(state, standings)
    contents = tuple(
        build_contents(each, sources, open_subjects, raters.published) for each in standings
    )
    empty = [each.language for each in contents if not each.rows]
    if empty:
        raise ReleaseError(f"Nothing is left to release of {', '.join(empty)}.")
    keys = {
        key
        for one in contents
        for each in one.candidates
        for key in translation_keys(each.generated)
    }
    names = {batch.form for each in standings for batch in each.batches}
    position, at = _frozen(standings, raters)
    return Draft(
        version=version,
        instrument=instrument,
        contents=contents,
        sources=sources,
        translations=state.translations(sorted(keys)),
        forms={name: state.form(name) for name in sorted(names)},
        raters=raters,
        title=described[0],
        publication=described[1],
        licence=described[2],
        frozen_position=position,
        frozen_at=at,
    )


def _check_approved(standings: Iterable[Standing], open_subjects: Collection[str]) -> None:
    missing = [
        f"{each.language}: {_what_is_missing(each, open_subjects)}"
        for each in standings
        if each.review.state not in _RELEASABLE
    ]
    if missing:
        raise ReleaseError(
            "These languages cannot be released yet:\n"
            + "\n".join(missing)
            + "\n`stereoscope approve LANGUAGE` shows the gates of one and approves it; "
            "`--include-unvalidated` releases it as it is, marked."
        )


def _what_is_missing(standing: Standing, open_subjects: Collection[str]) -> str:
    if standing.review.stale:
        return "its data changed after the approval; look at it and approve it again"
    match standing.review.state:
        case LanguageState.EMPTY:
            return "nothing is generated yet"
        case LanguageState.GENERATED:
            return "no batch was sent to raters, and it is not approved"
        case LanguageState.IN_ANNOTATION:
            return f"{standing.answers_missing} answers are missing, and it is not approved"
        case _:
            still_open = sum(each.candidate.id in open_subjects for each in standing.candidates)
            decide = f"{still_open} disagreements are open, and " if still_open else ""
            return f"{decide}it is not approved"


def _frozen(standings: Iterable[Standing], raters: Raters) -> tuple[int, datetime]:
    stamps = [(each.position, each.changed_at) for each in standings if each.changed_at]
    return max(stamps + [(each.position, each.at) for each in raters.stamps])


@contextmanager
def _building(folder: Path, version: str) -> Iterator[Path]:
    """An empty folder beside the final one; only one build at a time, gone afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f".{version}.partial"
    with (folder / ".lock").open("w") as lock:
        try:
            # The system lets go of it however the process ends.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ReleaseError(
                f"Another release is being built in {folder}; wait until it is done."
            ) from None
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        try:
            yield partial
        finally:
            shutil.rmtree(partial, ignore_errors=True)


def _place(
    draft: Draft, partial: Path, final: Path, known: ReleaseRecord | None
) -> tuple[str, Outcome]:
    """Puts what was written in its place, or finds that the same is there."""
    problems = verify_release(partial)
    if problems:
        raise ReleaseError(
            f"Release {draft.version} would not pass its own checks:\n" + "\n".join(problems)
        )
    sums_sha256 = sha256_file(partial / SUMS_NAME)
    if known is not None and known.sums_sha256 != sums_sha256:
        raise _other_content(draft.version)
    if final.exists():
        _check_same(final, draft.version, sums_sha256)
        return sums_sha256, Outcome.ADOPTED if known is None else Outcome.ALREADY_BUILT
    sync_folders(partial)
    partial.rename(final)
    sync_folder(final.parent)
    return sums_sha256, Outcome.BUILT if known is None else Outcome.ALREADY_BUILT


def _check_same(final: Path, version: str, sums_sha256: str) -> None:
    problems = check_sums(final)
    if problems:
        raise ReleaseError(
            f"{final} is there, but not as it was built:\n"
            + "\n".join(problems)
            + "\nMove it away and build again."
        )
    if sha256_file(final / SUMS_NAME) != sums_sha256:
        raise _other_content(version)


def _other_content(version: str) -> ReleaseError:
    return ReleaseError(
        f"Version {version} is already used with other content; releases never change. "
        "Choose a higher version."
    )


def _record(store: Store, draft: Draft, codes: list[str], sums_sha256: str, by: str) -> None:
    origin = Origin.DEMO if draft.is_demo else Origin.MACHINE
    record = ReleaseRecord(
        draft.version, draft.frozen_position, tuple(codes), sums_sha256, draft.instrument
    )
    with store.writing(origin) as writer:
        if any(each.version == draft.version for each in writer.releases(draft.instrument)):
            return
        writer.append([record])
        writer.append_audit(
            AuditEntry(
                actor=by,
                action="build release",
                subject=draft.version,
                after={
                    "instrument": str(draft.instrument),
                    "languages": codes,
                    "frozen_position": draft.frozen_position,
                    "sums_sha256": sums_sha256,
                    "comments_sha256": draft.comments.sha256 if draft.comments else None,
                },
            )
        )
