"""Writes docs/commands.md and docs/settings.md from the command line and the settings themselves.

Usage: python write_reference.py [--check]

With --check nothing is written, and the exit code is 1 if a file is not what would be written.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import typer
from typer.cli import get_docs_for_click

from app.cli import cli
from corpus.settings import FILE_NAME, PREFIX, Settings

DOCS = Path(__file__).resolve().parents[1] / "docs"


def build_commands() -> str:
    """Return every command with its options, as `--help` has them."""
    command: Any = typer.main.get_command(cli)
    context = typer.Context(command, info_name="stereoscope")
    text = get_docs_for_click(obj=command, ctx=context, name="stereoscope", title="Commands")
    note = "\nWritten by `make docs` from the commands themselves.\n"
    head, newline, rest = text.partition("\n")
    return f"{head}{newline}{note}{rest}".rstrip() + "\n"


def build_settings() -> str:
    """Return a table of all settings with their defaults."""
    lines = [
        "# Settings",
        "",
        "Written by `make docs` from `corpus/settings.py`. The command line comes before the",
        f"environment (`{PREFIX}` and the name in capitals), which comes before `{FILE_NAME}`.",
        "Secrets are read from the environment only. A setting without a default is not set.",
        "",
        "| setting | default | meaning |",
        "|---|---|---|",
    ]
    for name, field in Settings.model_fields.items():
        shown = _shown_default(field.default)
        meaning = " ".join((field.description or "").split())
        lines.append(f"| `{name}` | {shown} | {meaning} |")
    return "\n".join(lines) + "\n"


def _shown_default(default: Any) -> str:
    """Return a default as the settings file writes it; empty where nothing or a table is meant."""
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{default}`" if isinstance(default, (str, int, float)) and default != "" else ""


def main() -> int:
    """Write the two files, or compare them."""
    check = "--check" in sys.argv[1:]
    differing = []
    for name, text in (("commands.md", build_commands()), ("settings.md", build_settings())):
        file = DOCS / name
        if check:
            if not file.exists() or file.read_text(encoding="utf-8") != text:
                differing.append(name)
        else:
            file.write_text(text, encoding="utf-8")
    if differing:
        print(f"Not up to date: {', '.join(differing)}. Run `make docs`.", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
