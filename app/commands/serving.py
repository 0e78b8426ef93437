"""`app` and `demo`: what stays open in a browser."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Annotated

import typer

from annotation.label_studio.server import find_free_port
from app.options import ActorOption, WorkspaceOption
from app.output import say
from app.serve import LOOPBACK, web_command, web_environment
from app.session import name_actor, open_session

APP_PORT = 8501


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line."""
    cli.command("app")(serve_app)
    cli.command("demo")(demo)


def serve_app(
    port: Annotated[int, typer.Option("--port", help="Port; the next free one is taken.")] = (
        APP_PORT
    ),
    address: Annotated[
        str, typer.Option("--address", help="Only for containers: where to listen.")
    ] = LOOPBACK,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Serve the curators' app on this machine; stop it with Ctrl-C."""
    with open_session(workspace, actor) as session:
        path = session.workspace.path
    free = find_free_port(port) if address == LOOPBACK else port
    say(f"The app is at http://{LOOPBACK}:{free} (this machine only, no log-in). Stop: Ctrl-C")
    environment = {**os.environ, **web_environment(path, name_actor(actor))}
    raise typer.Exit(subprocess.call(web_command(free, address), env=environment))


def demo(
    workspace: Annotated[
        Path, typer.Option("--workspace", "-w", help="Folder of the demonstration.")
    ] = Path("demo-workspace"),
    model: Annotated[
        str | None,
        typer.Option("--model", help="Score this model instead of the tiny one made here."),
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve/--no-serve", help="Serve app and Label Studio at the end.")
    ] = True,
) -> None:
    """Run the whole loop on the bundled sample, without account, key or download."""
    from app.demo.run import run_demo

    run_demo(workspace, model, serve)
