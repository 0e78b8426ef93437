"""`release`: a versioned dataset from what was approved, and its verification."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from annotation.assessment import AssessmentSettings, assess_language
from app.options import (
    ActorOption,
    ByteOrderMarkOption,
    FormulaSafeOption,
    ForSpreadsheetOption,
    InstrumentOption,
    JsonOption,
    LanguagesOption,
    WorkspaceOption,
    choose_codes,
)
from app.output import print_json, print_table, say
from app.progress import watched_run
from app.session import Session, open_session
from corpus.errors import ReleaseError, StateError
from corpus.records import Instrument
from corpus.release import Release, is_version, open_release
from corpus.review import LanguageState
from corpus.standing import language_standing
from corpus.workspace import find_workspace
from exports.build import BuiltRelease, build_release
from exports.changelog import describe_counts, describe_rows
from exports.comments import COLUMNS, ReviewedComments, find_comments, load_reviewed
from exports.contents import describe_left_out
from exports.diff import describe_diff, diff_releases, read_content
from exports.files import write_csv, write_rows_csv
from exports.raters import read_raters
from exports.verify import verify_release
from exports.versions import find_step

SHOWN_KEYS = 10
"""Keys of templates that are named; the count is of all."""

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
    include_unvalidated: Annotated[
        bool,
        typer.Option("--include-unvalidated", help="Also languages that are not approved, marked."),
    ] = False,
    take_back: Annotated[
        bool,
        typer.Option("--take-back", help="Let removed items be back with another text or label."),
    ] = False,
    comments: Annotated[
        Path | None,
        typer.Option("--comments", help="Comments to publish: a file of `release comments`, read."),
    ] = None,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Build a release; the same version with the same content again is left as it is.

    A version is refused that is too low for what changed: MAJOR for an item of a known language,
    MINOR for a language, PATCH for what is only said about the data.
    """
    codes = choose_codes(languages, instrument)
    reviewed = load_reviewed(comments) if comments else None
    with open_session(workspace, actor) as session:
        built = run_build(
            session,
            version,
            codes,
            instrument,
            licence,
            comments=reviewed,
            include_unvalidated=include_unvalidated,
            take_back=take_back,
        )
    rows = [
        (code, built.rows[code], describe_left_out(asdict(built.left_out[code])))
        for code in built.languages
    ]
    columns = ("language", "rows", "candidates left out, by why")
    print_table(f"Release {built.version}: {built.outcome}", columns, rows)
    for code, keys in built.without_text.items():
        if keys:
            named = ", ".join(keys[:SHOWN_KEYS]) + (", …" if len(keys) > SHOWN_KEYS else "")
            say(f"{code}: prompt templates without a text in this language: {len(keys)} ({named}).")
    if built.unvalidated:
        say(f"NOT VALIDATED, and marked so in every file: {', '.join(built.unvalidated)}.")
    say(f"{built.path} (SHA256SUMS {built.sums_sha256})")


def run_build(
    session: Session,
    version: str,
    codes: list[str],
    instrument: Instrument,
    licence: str | None = None,
    *,
    comments: ReviewedComments | None = None,
    include_unvalidated: bool = False,
    take_back: bool = False,
) -> BuiltRelease:
    """Builds a release of the languages; candidates with an open disagreement are left out."""
    with watched_run(session.store, "release build") as progress:
        progress.plan(len(codes))
        built = build_release(
            session.store,
            version,
            codes,
            session.workspace.releases_of(instrument),
            instrument,
            open_subjects=_open_subjects(session, instrument, codes),
            title=session.settings.name,
            licence=licence,
            publication=session.settings.publication,
            inventory=session.workspace.load_inventory(),
            comments=comments,
            by=session.actor,
            include_unvalidated=include_unvalidated,
            take_back=take_back,
        )
        progress.advance(len(codes))
    return built


def _open_subjects(session: Session, instrument: Instrument, codes: list[str]) -> set[str]:
    settings = AssessmentSettings.from_settings(session.settings)
    found: set[str] = set()
    for code in codes:
        standing = session.standing(instrument, code)
        if standing.batches and standing.review.state is not LanguageState.SOURCE:
            found |= assess_language(standing, settings).open_subjects
    return found


@release.command("verify")
def verify(
    named: Annotated[str, typer.Argument(metavar="RELEASE", help="Version or folder.")],
    workspace: WorkspaceOption = None,
) -> None:
    """Check every checksum, schema and count of a release."""
    folder = find_folder(named, workspace)
    problems = verify_release(folder)
    for problem in problems:
        say(problem)
    if problems:
        counted = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        say(f"{folder} is not what it claims to be: {counted}.")
        raise typer.Exit(1)
    say(f"{folder} is verified.")


@release.command("comments")
def comments(
    languages: LanguagesOption,
    output: Annotated[Path, typer.Option("--output", "-o", help="The CSV file to write.")],
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Write the comments that may be published for a curator to read, before they are.

    Only those of raters who agreed. Delete rows and change texts that name somebody; then give the
    file to `release build --comments`.
    """
    if output.exists():
        raise StateError(f"{output} is there already and may hold a review; name another file.")
    codes = choose_codes(languages, instrument)
    with open_session(workspace, actor) as session, session.store.reading() as state:
        standings = [language_standing(state, instrument, code) for code in codes]
        forms = {batch.form: state.form(batch.form) for each in standings for batch in each.batches}
        published = read_raters(state, standings).published
        found = [one for each in standings for one in find_comments(each, forms, published)]
    try:
        write_csv(output, COLUMNS, ((*one.place, one.text) for one in found))
    except OSError as error:
        raise StateError(f"{output} cannot be written: {error.strerror}.") from error
    say(f"{output}: {len(found)} comments to read.")


@release.command("diff")
def diff(
    before: Annotated[str, typer.Argument(help="Version or folder of the older release.")],
    after: Annotated[str, typer.Argument(help="Version or folder of the newer release.")],
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Show which rows two releases differ in, with before and after, and the effect on counts."""
    old, new = (find_built(each, workspace) for each in (before, after))
    diffs = diff_releases(read_content(old), read_content(new))
    if as_json:
        print_json(describe_diff(old, new, diffs))
        return
    step, reasons = find_step(diffs)
    rows = [
        (
            each.language,
            len(each.added),
            len(each.changed),
            len(each.removed),
            describe_counts(each.before, each.after),
        )
        for each in diffs
    ]
    columns = ("language", "added", "changed", "removed", "counts")
    print_table(f"Release {old.version} -> {new.version}", columns, rows)
    for line in (entry for each in diffs for entry in describe_rows(each)):
        say(line)
    say(f"A {step.name} step{': ' + '; '.join(reasons) if reasons else '.'}")


@release.command("table")
def table(
    named: Annotated[str, typer.Argument(metavar="RELEASE", help="Version or folder.")],
    language: Annotated[str, typer.Option("--language", "-l", help="Language code.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The CSV file to write.")],
    formula_safe: FormulaSafeOption = False,
    byte_order_mark: ByteOrderMarkOption = False,
    for_spreadsheet: ForSpreadsheetOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Write the rows of one language as CSV, on request so that a spreadsheet opens it safely."""
    found = find_built(named, workspace)
    rows = found.rows(language)
    try:
        write_rows_csv(
            output,
            rows,
            formula_safe=formula_safe or for_spreadsheet,
            byte_order_mark=byte_order_mark or for_spreadsheet,
        )
    except OSError as error:
        raise StateError(f"{output} cannot be written: {error.strerror}.") from error
    say(f"{output}: {len(rows)} rows of {language}, release {found.version}.")


def find_built(named: str, workspace: Path | None) -> Release:
    """The release in a folder, or of that version in the workspace, its checksums found right.

    Raises:
        ReleaseError: if there is none, or a file is not as it was built.
    """
    return open_release(find_folder(named, workspace))


def find_folder(named: str, workspace: Path | None) -> Path:
    """The folder named, or that of this version in the workspace; nothing in it is looked at.

    `mla-bite/1.0.0` names the instrument; of a version alone the first instrument's that has it.

    Raises:
        ReleaseError: if there is none.
    """
    if Path(named).is_dir():
        return Path(named)
    owner, _, version = named.rpartition("/")
    if not is_version(version) or owner not in ("", *Instrument):
        raise ReleaseError(
            f"{named!r} is neither a folder nor a release version such as 1.0.0 or mla-bite/1.0.0."
        )
    wanted = [Instrument(owner)] if owner else list(Instrument)
    inside = find_workspace(workspace)
    found = [inside.releases_of(each) / version for each in wanted]
    folders = [each for each in found if each.is_dir()]
    if not folders:
        raise ReleaseError(f"There is no release {named} in {inside.releases}.")
    # EuroGEST's first: a version alone was always its.
    return folders[0]


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
