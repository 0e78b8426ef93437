"""Commands that must be refused, and what they are refused in."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import Outcome, run_here, snapshot_of

HEADER = b"sentence,stereotype\n"
MODEL_NAME = "nobody/no-such-model"


def refuse(workspace: Path, *arguments: str | Path, env: dict[str, str] | None = None) -> Outcome:
    """Runs a command that must be refused and must change nothing."""
    before = snapshot_of(workspace)
    ended = run_here(*arguments, "--workspace", workspace, env=env)
    assert ended.code == 1, ended.text
    assert ended.out == ""
    assert "Traceback" not in ended.err
    assert snapshot_of(workspace) == before
    return ended


def write(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path
