"""The command that serves the app: Streamlit's options are set here and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from corpus.settings import PREFIX

LOOPBACK = "127.0.0.1"
WEB = Path(__file__).resolve().parent / "web.py"
ACTOR_VARIABLE = PREFIX + "ACTOR"
WORKSPACE_VARIABLE = PREFIX + "WORKSPACE"


def web_command(port: int, address: str = LOOPBACK) -> list[str]:
    """The command that serves the app on one port.

    Args:
        port: Where to listen; Streamlit ends if it is taken.
        address: Loopback, because nobody logs in. Another one is only for a container whose port
            is published on the host's loopback.
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
    command = [sys.executable, "-m", "streamlit", "run", str(WEB)]
    for name, value in options.items():
        command += [f"--{name}", value]
    return command


def web_environment(workspace: Path, actor: str) -> Mapping[str, str]:
    """What the served app has to find in its environment, besides the settings' own variables."""
    return {WORKSPACE_VARIABLE: str(workspace.resolve()), ACTOR_VARIABLE: actor}
