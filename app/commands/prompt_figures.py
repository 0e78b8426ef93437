"""`prompts figures`: results of prompt tests as pictures, a table and one HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from app.commands.prompts import prompts
from app.options import WorkspaceOption
from app.output import say
from app.picture_formats import FORMATS, choose_formats
from app.views.prompt_results import load_run, show_together
from corpus.drafts import replacing
from corpus.errors import StateError
from corpus.workspace import find_workspace
from scoring.prompt_results import find_prompt_runs, prompts_folder
from scoring.results import MANIFEST_NAME

TABLES = ("csv", "html")
FILE_COLUMNS = 2
"""Panels side by side in a file."""


def register(_cli: typer.Typer) -> None:
    """Adds the command to the group `prompts`, which the command line has already."""
    prompts.command("figures")(figures)


def figures(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the files.")],
    results: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RESULT]...",
            help="Folders of results, or their names in results/prompts; else the latest.",
        ),
    ] = None,
    formats: Annotated[
        str, typer.Option("--format", help=f"With commas: {', '.join((*FORMATS, *TABLES))}.")
    ] = "png",
    workspace: WorkspaceOption = None,
) -> None:
    """Draw results of prompt tests: rates, radars, means, correlations between languages, types.

    Several results are drawn together if they are of the same templates.
    """
    # Loading what draws takes a second, which no other command should cost.
    from app.prompt_figures import build_prompt_figures
    from app.prompt_report import build_prompt_csv, build_prompt_report
    from app.score_files import write_figures

    wanted = choose_formats(formats, (*FORMATS, *TABLES))
    folder = find_workspace(workspace)
    runs = [load_run(each) for each in _find_folders(results or [], folder.results)]
    shown = show_together(runs, seed=folder.settings.seed, draws=folder.settings.draws)
    built = build_prompt_figures(shown, FILE_COLUMNS)
    pictures = [name for name in wanted if name in FORMATS]
    written = list(write_figures(built, output, pictures))
    if "csv" in wanted:
        written.append(_write(output / "figures.csv", build_prompt_csv(shown)))
    if "html" in wanted:
        written.append(_write(output / "report.html", build_prompt_report(shown, built)))
    for figure in built:
        if figure.chart is None:
            say(f"{figure.name}: no value is defined, so that there is nothing to draw.")
    for path in written:
        typer.echo(path)


def _find_folders(named: Sequence[str], results: Path) -> list[Path]:
    """The folders named, each once; the latest finished one where none is named."""
    if named:
        known = prompts_folder(results)
        found = [Path(name) if Path(name).is_dir() else known / name for name in named]
        return list({each.resolve(): each for each in found}.values())
    runs = find_prompt_runs(results)
    if not runs:
        raise StateError("There is no result of prompt tests yet; run `stereoscope prompts run`.")
    return [max(runs, key=lambda each: (each / MANIFEST_NAME).stat().st_mtime)]


def _write(path: Path, text: str) -> Path:
    with replacing(path) as stream:
        stream.write(text.encode("utf-8"))
    return path
