"""`release`: a versioned dataset from what was approved, and its verification."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annotation.assessment import AssessmentSettings, assess_language
from app.options import (
    ActorOption,
    InstrumentOption,
    LanguagesOption,
    WorkspaceOption,
    choose_languages,
)
from app.output import print_table, say
from app.progress import watched_run
from app.session import Session, open_session
from corpus.records import Instrument
from corpus.review import LanguageState
from exports.build import BuiltRelease, build_release
from exports.verify import verify_release

release = typer.Typer(help="Versioned datasets of approved languages.", no_args_is_help=True)


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line."""
    cli.add_typer(release, name="release")


@release.command("build")
def build(
    version: Annotated[str, typer.Argument(help="MAJOR.MINOR.PATCH, higher than the last one.")],
    languages: LanguagesOption,
    licence: Annotated[
        str | None, typer.Option("--licence", help="Licence of the data, as an SPDX name.")
    ] = None,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Build a release; the same version with the same content again is left as it is."""
    codes = [each.code for each in choose_languages(languages)]
    with open_session(workspace, actor) as session:
        built = run_build(session, version, codes, instrument, licence)
    rows = [(code, built.rows[code]) for code in built.languages]
    print_table(f"Release {built.version}: {built.outcome}", ("language", "rows"), rows)
    say(f"{built.path} (SHA256SUMS {built.sums_sha256})")


def run_build(
    session: Session,
    version: str,
    codes: list[str],
    instrument: Instrument,
    licence: str | None = None,
) -> BuiltRelease:
    """Builds a release of the languages; candidates with an open disagreement are left out."""
    with watched_run(session.store, "release build"):
        return build_release(
            session.store,
            version,
            codes,
            session.workspace.releases,
            instrument,
            open_subjects=_open_subjects(session, instrument, codes),
            title=session.settings.name,
            licence=licence,
            by=session.actor,
        )


def _open_subjects(session: Session, instrument: Instrument, codes: list[str]) -> set[str]:
    settings = AssessmentSettings.from_settings(session.settings)
    found: set[str] = set()
    for code in codes:
        standing = session.standing(instrument, code)
        if standing.batches and standing.review.state is not LanguageState.SOURCE:
            found |= assess_language(standing, settings).open_subjects
    return found


@release.command("verify")
def verify(folder: Annotated[Path, typer.Argument(help="Folder of the release.")]) -> None:
    """Check every checksum, schema and count of a release."""
    problems = verify_release(folder)
    for problem in problems:
        say(problem)
    if problems:
        say(f"{folder} is not what it claims to be: {len(problems)} problems.")
        raise typer.Exit(1)
    say(f"{folder} is verified.")


@release.command("list")
def list_releases(workspace: WorkspaceOption = None, actor: ActorOption = None) -> None:
    """List the releases that were built."""
    with open_session(workspace, actor) as session, session.store.reading() as state:
        found = state.releases()
    rows = [
        (each.version, each.instrument, " ".join(each.languages), each.sums_sha256)
        for each in found
    ]
    print_table("Releases", ("version", "instrument", "languages", "SHA256SUMS"), rows)
