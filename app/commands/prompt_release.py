"""`prompts export`: LangBiTe's files out of a release, for `prompts check` and `prompts run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.prompts import prompts
from app.commands.releases import find_built
from app.options import WorkspaceOption
from app.output import print_table, say
from corpus.errors import StateError
from corpus.prompt_languages import load_prompt_languages
from exports.prompt_files import ExportedLanguage, describe_export, export_prompts


def register(cli: typer.Typer) -> None:
    """Adds the command to the command line; it is a verb of `prompts`."""


@prompts.command("export")
def export_files(
    named: Annotated[
        str, typer.Argument(metavar="RELEASE", help="Version such as mla-bite/1.0.0, or folder.")
    ],
    to: Annotated[Path, typer.Option("--to", help="Folder for the files.")],
    workspace: WorkspaceOption = None,
) -> None:
    """Write the prompts of a release as LangBiTe's CSVs and requirements.

    The release's checksums are checked first. A file that is there with another content is never
    overwritten.
    """
    found = find_built(named, workspace)
    try:
        files = export_prompts(found, to)
    except OSError as error:
        raise StateError(f"{to} cannot be written: {error.strerror}.") from error
    described = describe_export(found)
    names = load_prompt_languages()
    rows = [
        (
            names[each.language].name,
            each.templates,
            each.communities,
            _describe_seen(each),
            "yes" if each.is_validated else "NOT VALIDATED",
        )
        for each in described
    ]
    columns = ("language", "templates", "communities", "seen by a human", "approved")
    print_table(f"Release {found.version}", columns, rows)
    for path in files:
        say(str(path))


def _describe_seen(each: ExportedLanguage) -> str:
    return f"{each.seen} of {each.translated}" if each.translated else "source"
