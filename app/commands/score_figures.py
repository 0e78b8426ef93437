"""`scores figures` and `scores report`: results as pictures, and as one file that needs nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.commands.scores_group import scores
from app.compared_results import find_folders
from app.options import WorkspaceOption, split_list
from app.output import say
from app.picture_formats import FORMATS, choose_formats
from app.progress import shown_steps
from app.score_averages import add_averages, compute_averages
from app.views.score_models import ShownResults, show_together
from app.views.scores import find_version_faults, load_result
from corpus.drafts import replacing
from corpus.errors import InputError, StereoscopeError
from corpus.stereotypes import Inventory, load_inventory
from scoring.comparability import find_inventory_faults
from scoring.protocols import POOLED

ResultsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="RESULT", help="Folders of results, or their names in the workspace's results."
    ),
]
ProtocolOption = Annotated[str, typer.Option("--protocol", help="Protocol whose figures to draw.")]
ConditionOption = Annotated[str, typer.Option("--condition", help="pooled, pair, noun or pronoun.")]
LanguagesOption = Annotated[
    str | None, typer.Option("--languages", "-l", help="Language codes with commas; else all.")
]
InventoryOption = Annotated[
    str | None,
    typer.Option(
        "--inventory", help="Name or TOML file of the stereotypes; else those scored with."
    ),
]
FILE_COLUMNS = 2
"""Panels side by side in a file."""


def register(_cli: typer.Typer) -> None:
    """Adds these commands to the group `scores`, which the command line has already."""
    scores.command("figures")(figures)
    scores.command("report")(report)


def figures(
    results: ResultsArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the files.")],
    formats: Annotated[
        str, typer.Option("--format", help=f"With commas: {', '.join(FORMATS)}.")
    ] = "png",
    protocol: ProtocolOption = "paper",
    condition: ConditionOption = POOLED,
    languages: LanguagesOption = None,
    inventory: InventoryOption = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Draw the study's figures of one or more results, with all that must be read with them."""
    # Loading what draws takes a second, which no other command should cost.
    from app.score_figures import build_figures
    from app.score_files import write_figures

    wanted = choose_formats(formats)
    shown, stereotypes = _choose(results, protocol, condition, languages, inventory, workspace)
    built = build_figures(shown, stereotypes, FILE_COLUMNS)
    for figure in built:
        if figure.chart is None:
            say(f"{figure.name}: no value is defined, so that there is nothing to draw.")
    with shown_steps("drawing figures") as progress:
        progress.plan(len(built) * len(wanted))
        written = write_figures(built, output, wanted, progress.advance)
    for path in written:
        typer.echo(path)


def report(
    results: ResultsArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML file.")],
    protocol: ProtocolOption = "paper",
    condition: ConditionOption = POOLED,
    languages: LanguagesOption = None,
    inventory: InventoryOption = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Write one HTML file with figures, numbers and limits, which needs no network to be read."""
    from app.score_figures import build_figures
    from app.score_report import build_report

    shown, stereotypes = _choose(results, protocol, condition, languages, inventory, workspace)
    # A place that cannot be written is refused before anything is drawn.
    output.parent.mkdir(parents=True, exist_ok=True)
    built = build_figures(shown, stereotypes, FILE_COLUMNS)
    with shown_steps("drawing figures") as progress:
        progress.plan(len(built))
        text = build_report(shown, built, stereotypes, progress.advance)
    with replacing(output) as stream:
        stream.write(text.encode("utf-8"))
    typer.echo(output)


def _choose(
    named: list[str],
    protocol: str,
    condition: str,
    languages: str | None,
    inventory: str | None,
    workspace: Path | None,
) -> tuple[ShownResults, Inventory]:
    codes = split_list(languages) if languages else []
    results = [load_result(folder) for folder in find_folders(named, workspace)]
    if faults := list(find_version_faults(results)):
        raise InputError(faults)
    stereotypes = load_inventory(inventory) if inventory else results[0].inventory
    if faults := list(find_inventory_faults(results, stereotypes)):
        raise InputError(faults)
    shown = show_together(results, protocol, condition, codes)
    try:
        with shown_steps("averages over languages") as progress:
            averages = compute_averages(shown, stereotypes, progress)
        return add_averages(shown, averages), stereotypes
    except StereoscopeError as error:
        say(f"Without averages over languages, which need the results' shards: {error}")
        return shown, stereotypes
