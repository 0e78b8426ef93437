"""A small workspace made from the bundled sample by the commands themselves."""

from __future__ import annotations

from pathlib import Path

from corpus.samples import sentences_path, translation_paths
from tests.command_line import run_here

LANGUAGES = "en,es,sk,sv"
VERSION = "0.1.0"


def translation_options(*codes: str) -> list[str | Path]:
    """Options that name the sample's recorded translations; all of them by default."""
    options: list[str | Path] = []
    for code, path in translation_paths().items():
        if not codes or code in codes:
            options += ["--translations", path]
    return options


def run_all(workspace: Path, *commands: list[str | Path]) -> None:
    for command in commands:
        ended = run_here(*command, "--workspace", workspace)
        assert ended.code == 0, ended.text


def make_sample_workspace(folder: Path) -> Path:
    """A workspace with the sample's candidates in four languages, two raters and one release."""
    assert run_here("init", folder, "--name", "Sample").code == 0
    run_all(
        folder,
        ["source", "add", sentences_path(), "--dataset", "sample"],
        ["generate", "--languages", LANGUAGES, *translation_options()],
        ["raters", "add", "rater-1", "--address", "first.rater@example.org"],
        ["raters", "add", "rater-2", "--address", "second.rater@example.org"],
        ["release", "build", VERSION, "--languages", "en"],
    )
    return folder
