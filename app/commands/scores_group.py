"""`scores`: what is done with results once models were scored; files beside this one add to it."""

from __future__ import annotations

import typer

scores = typer.Typer(
    help="Results of scoring: figures, reports and comparisons.", no_args_is_help=True
)


def register(cli: typer.Typer) -> None:
    """Adds the group to the command line."""
    cli.add_typer(scores, name="scores")
