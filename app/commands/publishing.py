"""`release publish`: a release on a hub, as one commit and a tag named by its version."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated

import typer

from app.commands.releases import release
from app.options import ActorOption, InstrumentOption, WorkspaceOption
from app.output import print_table, say
from app.progress import watched_run
from app.session import Session, open_session
from corpus.errors import ReleaseError, SettingsError
from corpus.records import AuditEntry, Instrument, Origin
from corpus.release import Release, parse_version
from exports.hub import TOKEN_VARIABLE, HuggingFaceHub
from exports.publication import (
    Publication,
    Step,
    check_publishable,
    plan_publication,
    publish,
)


class Destination(StrEnum):
    """Where a release can be published."""

    HUB = "hub"


def register(cli: typer.Typer) -> None:
    """Adds this command to the command line; it is a verb of `release`."""


@release.command("publish")
def publish_release(
    version: Annotated[str, typer.Argument(help="Version of the release, e.g. 1.0.0.")],
    repository: Annotated[str, typer.Argument(help="Data set repository as owner/name.")],
    to: Annotated[
        Destination, typer.Option("--to", help="Where: a hub of the Hugging Face protocol.")
    ],
    confirmed: Annotated[
        bool, typer.Option("--yes", help="Publish; without it nothing is sent but questions.")
    ] = False,
    private: Annotated[
        bool, typer.Option("--private", help="Make the repository private if it has to be made.")
    ] = False,
    endpoint: Annotated[
        str | None,
        typer.Option("--endpoint", help="Address of the hub; else HF_ENDPOINT, else the public."),
    ] = None,
    demo_too: Annotated[
        bool, typer.Option("--demo-too", help="Publish a release that rests on demo data.")
    ] = False,
    unvalidated_too: Annotated[
        bool,
        typer.Option("--unvalidated-too", help="Publish languages that nobody approved."),
    ] = False,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Show what publishing would do on a hub, and do it with --yes; repeated, it completes it."""
    parse_version(version)
    with open_session(workspace, actor) as session:
        checked = check_publishable(
            session.workspace.releases_of(instrument) / version,
            sums_sha256=_recorded_sums(session, version, instrument),
            demo_too=demo_too,
            unvalidated_too=unvalidated_too,
        )
        hub = _open_hub(endpoint, needed=confirmed)
        publication = plan_publication(hub, checked, repository, private=private)
        if not publication.steps:
            say(f"{repository} has release {version}: already published, nothing was sent.")
            return
        if not confirmed:
            _print_plan(publication, hub)
            return
        if hub is None:
            raise SettingsError(f"{TOKEN_VARIABLE} is not set.")
        commit = _publish(session, hub, publication)
    done = "tagged" if publication.steps == (Step.TAG,) else "published"
    say(f"Release {version} {done}: {hub.endpoint}/datasets/{repository}, commit {commit}.")


def _recorded_sums(session: Session, version: str, instrument: Instrument) -> str:
    with session.store.reading() as state:
        built = state.releases(instrument)
    sums = [each.sums_sha256 for each in built if each.version == version]
    if not sums:
        raise ReleaseError(f"There is no release {version}; `stereoscope release list` shows all.")
    return sums[-1]


def _open_hub(endpoint: str | None, *, needed: bool) -> HuggingFaceHub | None:
    """The hub; None without a token, where only a plan is wanted."""
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if token:
        return HuggingFaceHub(token, endpoint)
    if needed:
        raise SettingsError(
            f"{TOKEN_VARIABLE} is not set; put an access token with the right to write there."
        )
    return None


def _publish(session: Session, hub: HuggingFaceHub, publication: Publication) -> str | None:
    checked = publication.release
    with watched_run(session.store, "release publish"):
        commit = publish(hub, publication)
    after = {
        "repository": publication.repository,
        "endpoint": hub.endpoint,
        "commit": commit,
        "sums_sha256": checked.sums_sha256,
    }
    entry = AuditEntry(session.actor, "publish release", checked.version, after=after)
    origin = Origin.DEMO if checked.provenance.get("demo") else Origin.MACHINE
    with session.store.writing(origin) as writer:
        writer.append_audit(entry)
    return commit


def _print_plan(publication: Publication, hub: HuggingFaceHub | None) -> None:
    rows: list[tuple[str, int | str, str]] = [
        (each.name, each.size_bytes, "there already" if each.name in publication.present else "new")
        for each in publication.files
    ]
    rows += [(name, "", "deleted from the main branch") for name in publication.deleted]
    title = f"Release {publication.release.version} to {publication.repository}"
    print_table(title, ("file", "bytes", "on the hub"), rows)
    for note in _describe_plan(publication, hub):
        say(note)


def _describe_plan(publication: Publication, hub: HuggingFaceHub | None) -> list[str]:
    size = sum(each.size_bytes for each in publication.files)
    steps = ", ".join(str(step) for step in publication.steps)
    notes = [
        f"Dry run: {len(publication.files)} files, {size} bytes, are verified. "
        f"With --yes: {steps}. Nothing was sent."
    ]
    if Step.CREATE in publication.steps:
        kind = "private" if publication.private else "public"
        notes.append(f"A repository that has to be made is {kind}.")
    if hub is None:
        notes.append(
            f"{TOKEN_VARIABLE} is not set, so the hub was not asked what it has; --yes needs it."
        )
    return notes + _describe_warnings(publication.release)


def _describe_warnings(checked: Release) -> list[str]:
    notes = []
    if checked.provenance.get("demo"):
        notes.append("The release rests on demo data.")
    if checked.unvalidated:
        notes.append(f"Nobody approved {', '.join(checked.unvalidated)}.")
    return notes
