"""Publishing a release on a hub: what is there, what is missing, and only that is done.

A release becomes one commit that holds its files and no others, and a tag named by its version.
A file is the same where its hash is the same, so a publication that was interrupted anywhere is
completed by publishing again, and a tag that holds anything else is never moved.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from corpus.errors import ReleaseError, SettingsError
from corpus.hashing import sha256_bytes
from corpus.release import HUB_FILE, Release, is_version, list_files, open_release, parse_version
from exports.verify import verify_release

HUB_FILES = frozenset({HUB_FILE})
"""Files that a hub keeps in every repository for itself."""
DIFFERENCES_SHOWN = 5
_NAME = re.compile(r"[A-Za-z0-9._-]+/[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file of the release, with both hashes by which a hub may know it."""

    name: str
    """Path in the release, with forward slashes."""
    path: Path
    size_bytes: int
    git_sha1: str
    """Hash of the git blob, by which a hub knows small files."""
    sha256: str
    """By which a hub knows files in its large file storage."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a hub's repository at one commit."""

    name: str
    size_bytes: int
    git_sha1: str
    """Of the file, or of its pointer if it is in the large file storage."""
    sha256: str | None
    """None if it is not in the large file storage."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository that a hub has."""

    private: bool
    head: str | None
    """Latest commit of its main branch; None if it has none."""
    tags: Mapping[str, str]
    """Name → commit."""


class Hub(Protocol):
    """Where releases are published: repositories of files with commits and tags."""

    def read_repository(self, name: str) -> Repository | None:
        """The repository, None if there is none of that name."""

    def list_files(self, name: str, commit: str) -> list[RemoteFile]:
        """All files at a commit."""

    def create_repository(self, name: str, *, private: bool) -> None:
        """Makes a repository; one that is there already is left as it is."""

    def commit(
        self,
        name: str,
        message: str,
        files: Sequence[LocalFile],
        deleted: Sequence[str],
        parent: str | None,
    ) -> str:
        """Puts files in and takes others out as one commit on `parent`; gives its id.

        Raises:
            ReleaseError: if a file is not as it was, or the main branch is no longer at `parent`.
        """

    def tag(self, name: str, tag: str, commit: str) -> None:
        """Names a commit; fails if the name is taken."""


class Step(StrEnum):
    """Something that publishing does on the hub."""

    CREATE = "create the repository"
    COMMIT = "commit the files"
    TAG = "tag the commit"


@dataclass(frozen=True, slots=True)
class Publication:
    """A release, a repository of a hub, and what is missing there."""

    release: Release
    repository: str
    files: tuple[LocalFile, ...]
    """All files of the release, sorted."""
    steps: tuple[Step, ...]
    """In order; none if it is published already."""
    private: bool = False
    """Whether a repository that has to be made is private."""
    head: str | None = None
    deleted: tuple[str, ...] = ()
    """Files of the repository that the release does not have."""
    present: frozenset[str] = field(default_factory=frozenset)
    """Files that are on the main branch as they are in the release."""


def check_publishable(
    folder: Path, *, sums_sha256: str, demo_too: bool = False, unvalidated_too: bool = False
) -> Release:
    """The release in a folder, if it is what was built and may be shown to others.

    Args:
        folder: the release.
        sums_sha256: sha256 of its SHA256SUMS as it was recorded when it was built.
        demo_too: whether a release that rests on demo data is published.
        unvalidated_too: whether one with a language that nobody approved is published.

    Raises:
        ReleaseError: with all that is wrong with it.
    """
    problems = verify_release(folder)
    if problems:
        raise ReleaseError(
            f"{folder} is not as it was built and is not published:\n" + "\n".join(problems)
        )
    release = open_release(folder)
    if release.sums_sha256 != sums_sha256:
        raise ReleaseError(
            f"{folder} is not the release {release.version} that was recorded when it was built "
            "(its SHA256SUMS is another one), and is not published."
        )
    problems = []
    if release.provenance.get("demo") and not demo_too:
        problems.append("it rests on demo data; --demo-too publishes it all the same")
    if release.unvalidated and not unvalidated_too:
        problems.append(
            f"{', '.join(release.unvalidated)}: nobody approved the language; "
            "--unvalidated-too publishes it all the same"
        )
    if problems:
        raise ReleaseError(f"Release {release.version} is not published:\n" + "\n".join(problems))
    return release


def load_files(folder: Path) -> tuple[LocalFile, ...]:
    """All files of a folder with their sizes and hashes, sorted by name."""
    return tuple(_load_file(folder, name) for name in list_files(folder))


def plan_publication(
    hub: Hub | None, release: Release, repository: str, *, private: bool = False
) -> Publication:
    """What publishing would do; nothing is changed.

    Args:
        hub: where to look; None plans for a hub that has nothing of that name.
        release: what is published.
        repository: `owner/name`.
        private: whether a repository that has to be made is private.

    Raises:
        SettingsError: if the repository's name is none.
        ReleaseError: if the version is there with other content, a higher one is there, or the
            repository is public and a private one is wanted.
    """
    _check_name(repository)
    files = load_files(release.path)
    found = hub.read_repository(repository) if hub is not None else None
    if hub is None or found is None:
        return Publication(release, repository, files, tuple(Step), private)
    if private and not found.private:
        raise ReleaseError(
            f"{repository} is there and public; make it private on the hub or publish elsewhere."
        )
    tagged = found.tags.get(release.version)
    if tagged is not None:
        _check_tag(release.version, repository, files, hub.list_files(repository, tagged))
        return Publication(release, repository, files, (), found.private, found.head)
    _check_order(release.version, repository, found.tags)
    remote = hub.list_files(repository, found.head) if found.head is not None else []
    changed = find_differences(files, remote)
    names = {each.name for each in files}
    steps = (Step.COMMIT, Step.TAG) if changed else (Step.TAG,)
    deleted = tuple(name for name in changed if name not in names)
    present = frozenset(names - set(changed))
    return Publication(
        release, repository, files, steps, found.private, found.head, deleted, present
    )


def publish(hub: Hub, publication: Publication) -> str | None:
    """Does what is missing and gives the tagged commit; None if nothing was.

    What is on the hub after the commit is compared with the release before it is tagged.

    Raises:
        ReleaseError: if the hub did not take all of it as it is; it has no tag then.
    """
    name, version = publication.repository, publication.release.version
    head, deleted = publication.head, publication.deleted
    if not publication.steps:
        return None
    if Step.CREATE in publication.steps:
        hub.create_repository(name, private=publication.private)
        made = hub.read_repository(name)
        head = made.head if made is not None else None
    if Step.COMMIT in publication.steps:
        message = f"Release {version}"
        head = hub.commit(name, message, publication.files, deleted, head)
    if head is None:
        raise ReleaseError(f"{name} has no commit to tag; publish {version} again.")
    different = find_differences(publication.files, hub.list_files(name, head))
    if different:
        raise ReleaseError(
            f"The hub has other content in {name} than release {version} and it was not tagged: "
            f"{_name_some(different)}. Look at the repository's history and publish again."
        )
    hub.tag(name, version, head)
    return head


def find_differences(files: Iterable[LocalFile], remote: Iterable[RemoteFile]) -> list[str]:
    """Names of the files that only one side has or that differ, sorted; the hub's own left out."""
    here = {each.name: each for each in files}
    there = {each.name: each for each in remote if each.name not in HUB_FILES}
    return sorted(
        name
        for name in here.keys() | there.keys()
        if name not in here or name not in there or not _is_same(here[name], there[name])
    )


def _check_name(repository: str) -> None:
    if _NAME.fullmatch(repository) is None:
        raise SettingsError(
            f"{repository!r} is no name of a repository; write owner/name, of letters, digits, "
            "-, _ and dots."
        )


def _load_file(folder: Path, name: str) -> LocalFile:
    content = (folder / name).read_bytes()
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False)
    return LocalFile(name, folder / name, len(content), blob.hexdigest(), sha256_bytes(content))


def _is_same(here: LocalFile, there: RemoteFile) -> bool:
    if there.sha256 is not None:
        return here.sha256 == there.sha256
    return here.git_sha1 == there.git_sha1


def _check_tag(
    version: str, repository: str, files: Iterable[LocalFile], tagged: Iterable[RemoteFile]
) -> None:
    different = find_differences(files, tagged)
    if different:
        raise ReleaseError(
            f"{repository} has a tag {version} with other content ({_name_some(different)}); "
            "published releases never change. Build a higher version."
        )


def _check_order(version: str, repository: str, tags: Iterable[str]) -> None:
    published = [tag for tag in tags if is_version(tag)]
    highest = max(published, key=parse_version, default=version)
    if parse_version(highest) > parse_version(version):
        raise ReleaseError(
            f"{repository} has the higher release {highest}; publishing {version} now would put "
            "older files on its main branch."
        )


def _name_some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:DIFFERENCES_SHOWN])
    more = len(names) - DIFFERENCES_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown
