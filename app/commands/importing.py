"""`source import-release`: an existing data set as sources and candidates of a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from app.commands.generation import source
from app.options import ActorOption, WorkspaceOption
from app.output import print_table, say
from app.progress import watched_run
from app.session import Session, open_session
from corpus.errors import Fault, InputError, ReleaseError, SettingsError
from corpus.languages import languages as find_languages
from corpus.release import load_released_inventory
from exports.verify import verify_release
from pipeline.imported import ImportedData, import_data
from pipeline.published_tables import DATASET, load_published
from pipeline.released_rows import load_released


def register(cli: typer.Typer) -> None:
    """Adds this command to the command line; it is a verb of `source`."""


@source.command("import-release")
def import_release(
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="Folder of a release; or CSV or Parquet files in the published EuroGEST layout, "
            "one a language."
        ),
    ],
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            "-l",
            help="Of a release only this language; of files their language, else their names say.",
        ),
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option("--dataset", help=f"Name of the files' sources.  [default: {DATASET}]"),
    ] = None,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Import a data set to validate or correct it; importing it again changes nothing."""
    if language is not None:
        find_languages([language], "--language")
    data = load_import(paths, language, dataset)
    for warning in data.warnings:
        say(f"Warning: {warning}")
    with (
        open_session(workspace, actor) as session,
        watched_run(session.store, "source import-release") as progress,
    ):
        reports = import_data(session.store, data, progress, session.actor)
        _warn_of_inventory(session, paths)
    rows = [
        (each.language, each.neutral, each.pairs, each.added, each.templates) for each in reports
    ]
    columns = ("language", "neutral", "pair", "new", "chosen templates new")
    print_table(f"Imported: {data.name}", columns, rows)
    if not any(each.added or each.templates for each in reports):
        say("All of it was there already; nothing was added.")


def _warn_of_inventory(session: Session, paths: Sequence[Path]) -> None:
    """Says so where a release's stereotypes are not those of the workspace."""
    inventory = load_released_inventory(paths[0]) if paths[0].is_dir() else None
    mine = session.workspace.load_inventory()
    if inventory is not None and inventory.content_hash != mine.content_hash:
        say(
            f"Warning: the release's stereotypes are those of {inventory.name}, this workspace's "
            f"are {mine.name}'s. Set `inventory` to a file with the content of the release's "
            "inventory.json, as TOML."
        )


def load_import(paths: Sequence[Path], language: str | None, dataset: str | None) -> ImportedData:
    """What the paths hold.

    Raises:
        SettingsError: if folders and files are mixed, or a dataset is named for a release.
        ReleaseError: if a folder is not as it was built.
        InputError: with every fault of every file.
    """
    folders = [path for path in paths if path.is_dir()]
    if not folders:
        return load_published(paths, language, DATASET if dataset is None else dataset)
    if len(paths) > 1:
        raise SettingsError("Import one release at a time, and files by themselves.")
    if dataset is not None:
        raise SettingsError("A release names its sources itself; leave --dataset out.")
    [folder] = folders
    if not (folder / "SHA256SUMS").is_file():
        problem, remedy = "this folder is no release", "name the files in it, one a language"
        raise InputError([Fault(str(folder), None, None, problem, remedy)])
    problems = verify_release(folder)
    if problems:
        raise ReleaseError(f"{folder} is not imported:\n" + "\n".join(problems))
    return load_released(folder, None if language is None else [language])
