"""The command that serves the app: Streamlit's options are set here and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from corpus.errors import SettingsError
from corpus.settings import PREFIX

LOOPBACK = "127.0.0.1"
WEB = Path(__file__).resolve().parent / "web.py"
ACTOR_VARIABLE = PREFIX + "ACTOR"
WORKSPACE_VARIABLE = PREFIX + "WORKSPACE"
LOG_IN_VARIABLE = PREFIX + "LOG_IN"
"""`1` where people have to log in: fixed at the start, so that no later setting opens the app."""


def web_command(port: int, address: str = LOOPBACK, secrets: Path | None = None) -> list[str]:
    """The command that serves the app on one port.

    Args:
        port: Where to listen; Streamlit ends if it is taken.
        address: Where others reach the app, people have to log in (`check_address`).
        secrets: File with what logging in needs; None: nobody logs in.
    """
    options = {
        "server.address": address,
        "server.port": str(port),
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "client.toolbarMode": "minimal",
        # A bare expression in a page is no output.
        "runner.magicEnabled": "false",
        # A traceback belongs in the server's log, not on a page.
        "client.showErrorDetails": "none",
    }
    if secrets is not None:
        options["secrets.files"] = str(secrets)
    command = [sys.executable, "-m", "app.served"]
    for name, value in options.items():
        command += [f"--{name}", value]
    return command


def web_environment(workspace: Path, actor: str, logs_in: bool = False) -> Mapping[str, str]:
    """What the served app has to find in its environment, besides the settings' own variables."""
    return {
        WORKSPACE_VARIABLE: str(workspace.resolve()),
        ACTOR_VARIABLE: actor,
        LOG_IN_VARIABLE: "1" if logs_in else "0",
        # A figure's products of matrices are small: several threads that wait for one another make
        # an assessment several times as slow as soon as the machine has other work too.
        "OPENBLAS_NUM_THREADS": "1",
    }


def check_address(address: str, logs_in: bool, published_locally: bool = False) -> None:
    """Makes sure that strangers reach the app only where people have to log in.

    Args:
        address: Where the app is to listen.
        logs_in: Whether people have to log in.
        published_locally: Whether it runs in a container whose port is published on the host's
            loopback only, which cannot be seen from inside.

    Raises:
        SettingsError: if they would.
    """
    if address == LOOPBACK or logs_in or published_locally:
        return
    raise SettingsError(
        f"Without log-in everybody who reaches {address} could decide and approve. Set "
        "oidc_metadata_url and people (docs/how-to/run-for-a-team.md), or leave --address out. "
        "Only for a container whose port is published on the host's loopback: "
        "--published-locally."
    )
