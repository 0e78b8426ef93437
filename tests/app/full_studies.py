"""A made-up study of full size, as `stereoscope demo --scale` makes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.command_line import Outcome, run_here


@dataclass(frozen=True, slots=True)
class FullStudy:
    """Where it is, and what the command said."""

    path: Path
    made: Outcome


def make_full_study(path: Path) -> FullStudy:
    """The study in a folder that is not there yet."""
    return FullStudy(path, run_here("demo", "--scale", "-w", path))
