"""`init`, `config`, `runs` and `doctor`: the workspace and what it stands on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.doctor import examine
from app.options import ActorOption, JsonOption, WorkspaceOption
from app.output import literal, print_json, print_table, say
from app.session import open_session
from corpus.errors import StereoscopeError
from corpus.settings import load_settings, shown_settings
from corpus.version import PRODUCT
from corpus.workspace import find_workspace, init_workspace

config = typer.Typer(help="Settings of the study.", no_args_is_help=True)


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line."""
    cli.command("init")(init)
    cli.command("runs")(list_runs)
    cli.command("doctor")(doctor)
    cli.add_typer(config, name="config")


def init(
    folder: Annotated[Path, typer.Argument(help="Folder to make a workspace.")] = Path(),
    name: Annotated[str | None, typer.Option("--name", help="Name of the study.")] = None,
) -> None:
    """Make a folder a workspace; repeated, it upgrades the database."""
    workspace = init_workspace(folder, name)
    say(f"Workspace {workspace.path} is ready. Next: stereoscope source add FILE")


@config.command("show")
def show_config(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """Show all settings with their present values; secrets are masked."""
    settings = find_workspace(workspace).settings
    shown = shown_settings(settings)
    if as_json:
        print_json({"command": "config show", "version": PRODUCT, "settings": shown})
    else:
        print_table("Settings", ("setting", "value"), shown.items())


def list_runs(
    workspace: WorkspaceOption = None, as_json: JsonOption = False, actor: ActorOption = None
) -> None:
    """List the latest executions of long commands."""
    with open_session(workspace, actor) as session:
        found = session.store.runs.latest()
    rows = [
        (run.id, run.command, run.state, f"{run.done}/{run.total}", run.started_at, run.message)
        for run in found
    ]
    columns = ("id", "command", "state", "done", "started", "message")
    if as_json:
        as_data = [dict(zip(columns, map(str, row), strict=True)) for row in rows]
        print_json({"command": "runs", "version": PRODUCT, "runs": as_data})
    else:
        print_table("Runs", columns, rows)


def doctor(
    workspace: WorkspaceOption = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Also check that this model can be loaded.")
    ] = None,
) -> None:
    """Check environment, database, Label Studio and models: one line each, with what to do."""
    try:
        found = find_workspace(workspace)
    except StereoscopeError as error:
        say(f"workspace: {error}")
        findings = examine(None, load_settings(), model)
    else:
        findings = examine(found, found.settings, model)
    for finding in findings:
        mark = "ok" if finding.ok else "WRONG"
        typer.echo(literal(f"{mark:5} {finding.subject}: {finding.message}"))
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)
