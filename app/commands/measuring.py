"""`measures`: what anybody's log ratios say, without a workspace and without a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.options import JsonOption
from app.output import describe_figure, print_figures, print_table, say
from corpus.settings import Settings
from corpus.stereotypes import DEFAULT_INVENTORY, load_inventory
from scoring.log_ratios import compute_log_ratio_measures, load_log_ratios
from scoring.protocols import BASES

NO_RATIO = (
    "Protocol gest raises e to means of logs to base 10, as the published code does: its values "
    "are no ratios of probabilities. gest-odds gives those."
)


def register(cli: typer.Typer) -> None:
    """Adds this command to the command line."""
    cli.command("measures")(show_measures)


def show_measures(
    file: Annotated[
        Path, typer.Argument(help="CSV with columns stereotype and score (log10 ratio).")
    ],
    protocol: Annotated[
        str, typer.Option("--protocol", help=f"One of {', '.join(BASES)}.")
    ] = "gest",
    inventory: Annotated[
        str, typer.Option("--inventory", help="Name or TOML file of the stereotypes.")
    ] = DEFAULT_INVENTORY,
    as_json: JsonOption = False,
) -> None:
    """Measure log ratios that another tool computed, one of each sentence.

    `score` is log10 P(masculine) - log10 P(feminine) of a sentence, `stereotype` its number.
    """
    known = load_inventory(inventory)
    ratios = load_log_ratios(file, known)
    settings = Settings()
    figures = compute_log_ratio_measures(
        ratios.scores,
        protocol,
        known,
        seed=settings.seed,
        draws=settings.draws,
        scope=(("file", file.name), ("protocol", protocol)),
    )
    if as_json:
        print_figures("measures", ratios.sha256, figures)
        return
    if ratios.columns_not_read:
        say(f"Columns not read: {', '.join(ratios.columns_not_read)}.")
    names = {str(each.id): f"{each.id} {each.name}" for each in known.stereotypes}
    rows = [
        (
            figure.name,
            names.get(dict(figure.scope).get("stereotype", ""), ""),
            describe_figure(figure),
            figure.n,
        )
        for figure in figures
    ]
    columns = ("measure", "stereotype", "value [interval]", "n")
    print_table(f"{file.name}, protocol {protocol}", columns, rows)
    missing = [str(one) for one in known.ids if not ratios.scores[one]]
    if missing:
        say(
            f"No sentence of stereotype {', '.join(missing)} in the file: there is no q_i of it, "
            "no rate of the stereotypes that it belongs to, and no g_s."
        )
    say("1 is the line of no preference for q_i and of no stereotype for g_s.")
    if protocol == "gest":
        say(NO_RATIO)
