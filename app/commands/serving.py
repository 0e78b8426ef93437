"""`app` and `demo`: what stays open in a browser."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from annotation.label_studio.server import find_free_port
from app.login import SECRET_VARIABLES, check_log_in, secrets_file
from app.options import ActorOption, WorkspaceOption
from app.output import say
from app.serve import LOOPBACK, check_address, web_command, web_environment
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
        str, typer.Option("--address", help="Where to listen; another one needs a log-in.")
    ] = LOOPBACK,
    published_locally: Annotated[
        bool,
        typer.Option(
            "--published-locally",
            help="Only in a container whose port is published on the host's loopback.",
        ),
    ] = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Serve the curators' app; stop it with Ctrl-C."""
    with open_session(workspace, actor) as session:
        path, settings = session.workspace.path, session.settings
    logs_in = bool(settings.oidc_metadata_url)
    check_address(address, logs_in, published_locally)
    if logs_in:
        check_log_in(settings)
    is_free_chosen = address == LOOPBACK and not settings.oidc_redirect_url
    free = find_free_port(port) if is_free_chosen else port
    # Stopped from outside it ends the server and removes the file of secrets, as with Ctrl-C.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with ExitStack() as stack:
        secrets = stack.enter_context(secrets_file(settings, free)) if logs_in else None
        say(describe_server(address, free, logs_in))
        kept = {name: value for name, value in os.environ.items() if name not in SECRET_VARIABLES}
        environment = {**kept, **web_environment(path, name_actor(actor), logs_in)}
        code = subprocess.call(web_command(free, address, secrets), env=environment)
    raise typer.Exit(code)


def _fill_at_scale(folder: Path) -> None:
    from app.demo.scale import build_scale

    made, counts = build_scale(folder, advance=lambda code: say(f"{code} is complete."))
    say(
        f"Made up: {counts.languages} languages, {counts.candidates:,} candidates, "
        f"{counts.ratings:,} ratings; approved: {counts.approved}. Look at them: "
        f"stereoscope app -w {made.path}"
    )


def describe_server(address: str, port: int, logs_in: bool) -> str:
    """Where the app is and who may reach it."""
    reach = "this machine only" if address == LOOPBACK else f"listens on {address}"
    host = "localhost" if logs_in else LOOPBACK
    who = "people log in" if logs_in else "no log-in"
    return f"The app is at http://{host}:{port} ({reach}, {who}). Stop: Ctrl-C"


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
    scale: Annotated[
        bool,
        typer.Option(
            "--scale",
            help="Only fill a workspace of a whole study's size with made-up ratings; serve the "
            "app on it with `stereoscope app`.",
        ),
    ] = False,
) -> None:
    """Run the whole loop on the bundled sample, without account, key or download."""
    if scale:
        _fill_at_scale(workspace)
        return
    from app.demo.run import run_demo

    run_demo(workspace, model, serve)
