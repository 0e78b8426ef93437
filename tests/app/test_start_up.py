"""Starting a command: what takes seconds to load is loaded by the commands that need it."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("altair", "openpyxl", "pandas", "scipy", "streamlit", "torch", "transformers")


def test_command_line_starts_without_what_draws_and_computes() -> None:
    program = f"import sys, app.cli; print(*[name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
