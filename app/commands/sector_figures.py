"""`sectors figures`: results of sectors as pictures, tables and one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.sectors import LanguagesOption, sectors
from app.options import WorkspaceOption, split_list
from app.output import say
from app.picture_formats import FORMATS, choose_formats
from app.views.scores import Result
from app.views.sector_results import (
    ShownSectors,
    load_sector_results,
    open_sector_result,
    show_sectors,
)
from corpus.drafts import replacing
from corpus.errors import SettingsError, StateError
from corpus.workspace import find_workspace
from engines.checkpoints import name_checkpoint
from scoring.models_file import load_models_file
from scoring.sector_contrasts import Context, Lengths
from scoring.sector_measures import VARIANTS
from scoring.sector_scores import SECTORS_NAME

if TYPE_CHECKING:
    from app.score_figures import ScoreFigure

TABLES = ("csv", "latex", "html")


def register(_cli: typer.Typer) -> None:
    """Adds the command to the group `sectors`, which the command line has already."""
    sectors.command("figures")(figures)


def figures(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the files.")],
    results: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RESULT]...",
            help="Folders of results, or their names in results/sectors; else the latest.",
        ),
    ] = None,
    formats: Annotated[
        str, typer.Option("--format", help=f"With commas: {', '.join((*FORMATS, *TABLES))}.")
    ] = "png",
    languages: LanguagesOption = None,
    context: Annotated[
        Context, typer.Option("--context", help="Whether another word shows the gender.")
    ] = Context.OPEN,
    lengths: Annotated[
        Lengths, typer.Option("--lengths", help="All pairs, or those of equal length.")
    ] = Lengths.ALL,
    variant: Annotated[
        str, typer.Option("--variant", help=f"Weights of sectors: {', '.join(VARIANTS)}.")
    ] = "equal",
    models: Annotated[
        Path | None,
        typer.Option("--models", help="TOML file that says size_name and casing of models."),
    ] = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Draw distributions of A and SB against RB, with all that must be read with them."""
    # Loading what draws takes a second, which no other command should cost.
    from app.score_files import write_figures
    from app.sector_figures import build_sector_figures

    wanted = choose_formats(formats, (*FORMATS, *TABLES))
    if variant not in VARIANTS:
        raise SettingsError(f"--variant takes {', '.join(VARIANTS)}, not {variant}.")
    found = _find_results(results or [], workspace)
    if models is not None:
        found = [_add_facts(each, models) for each in found]
    shown = show_sectors(found, split_list(languages or ""), context, lengths)
    built = build_sector_figures(shown, variant)
    for figure in built:
        if figure.chart is None:
            say(f"{figure.name}: no value is defined, so that there is nothing to draw.")
    pictures = [each for each in wanted if each in FORMATS]
    for path in write_figures(built, output, pictures):
        typer.echo(path)
    for path, text in _write_tables(shown, built, variant, wanted, output):
        with replacing(path) as stream:
            stream.write(text.encode("utf-8"))
        typer.echo(path)
    for statement in built[-1].statements:
        say(statement)


def _write_tables(
    shown: ShownSectors,
    built: Sequence[ScoreFigure],
    variant: str,
    wanted: Sequence[str],
    output: Path,
) -> list[tuple[Path, str]]:
    from app.sector_report import build_sector_report
    from app.sector_tables import build_sector_latex, build_sector_table

    files = []
    if "csv" in wanted:
        text = build_sector_table(shown).to_csv(index=False)
        files.append((output / "sectors.csv", text))
    if "latex" in wanted:
        text = build_sector_latex(shown, variant, built[-1].statements)
        files.append((output / "sectors.tex", text))
    if "html" in wanted:
        files.append((output / "sectors.html", build_sector_report(shown, built, variant)))
    return files


def _find_results(named: Sequence[str], workspace: Path | None) -> list[Result]:
    if named and all(Path(name).is_dir() for name in named):
        return [open_sector_result(Path(name).resolve()) for name in named]
    place = find_workspace(workspace).results
    if not named:
        found, problems = load_sector_results(place)
        for problem in problems:
            say(problem)
        if not found:
            raise StateError("There is no result yet; run `stereoscope sectors score`.")
        if len(found) > 1:
            say(
                f"Drawn: {found[0].key}, the latest of {len(found)} results; name those that "
                f"belong together: {', '.join(each.key for each in found)}."
            )
        return list(found[:1])
    folders = [
        Path(name).resolve() if Path(name).is_dir() else place / SECTORS_NAME / name
        for name in named
    ]
    return [open_sector_result(folder) for folder in dict.fromkeys(folders)]


def _add_facts(result: Result, file: Path) -> Result:
    """The result with what the models file says of its model, if it has the model."""
    for entry in load_models_file(file):
        if name_checkpoint(entry.name) == result.manifest["model"]:
            facts = entry.metadata.as_json()
            return replace(result, manifest={**result.manifest, "metadata": facts})
    say(f"The models file says nothing of {result.manifest['model']}.")
    return result
