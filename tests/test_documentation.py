"""The documents: every link leads somewhere, and every command in them can be typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from app.cli import cli

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("app", "pipeline", "annotation", "exports", "scoring", "engines", "corpus")
DOCUMENTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    path for path in (ROOT / "docs").rglob("*.md") if path.name != "commands.md"
)
"""Without what is written from the commands themselves."""
SOURCES = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
OPTION = re.compile(r"--?[a-z][a-z-]*")
INLINE = re.compile(r"`([^`\n]+)`")
FILE = re.compile(rf"`((?:{'|'.join(PACKAGES)}|benchmarks|docs|scripts|tests)/[\w/.-]+)`")


def name_document(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def load_commands() -> Any:
    return typer.main.get_command(cli)


def find_fault(line: str) -> str | None:
    """What cannot be typed in a command; `create|push` are alternatives, COMMAND any."""
    command, words = load_commands(), line.split()
    while words and isinstance(getattr(command, "commands", None), Mapping):
        names = words[0].split("|")
        if names[0].isupper() or OPTION.fullmatch(words[0]):
            return None
        unknown = [name for name in names if name not in command.commands]
        if unknown:
            return f"no command {unknown[0]} in: {line}"
        command = command.commands[names[0]]
        words = words[1:]
    known = {"--help", *(name for each in command.params for name in each.opts)}
    known |= {name for each in command.params for name in each.secondary_opts}
    for word in (part.strip("[]().,;:") for each in words for part in each.split("|")):
        option = word.partition("=")[0]
        if OPTION.fullmatch(option) and option not in known:
            return f"no option {option} in: {line}"
    return None


def find_commands(text: str) -> Iterator[str]:
    """Commands in the text, with the product's name in front or, in code, without it."""
    groups = {
        name
        for name, command in load_commands().commands.items()
        if isinstance(getattr(command, "commands", None), Mapping)
    }
    joined = re.sub(r"\\\n\s*", " ", text)
    for line in joined.splitlines():
        if line.strip().startswith("stereoscope "):
            yield line.partition(" #")[0].strip().removeprefix("stereoscope ")
    for code in INLINE.findall(joined):
        first, _, rest = code.partition(" ")
        if first == "stereoscope":
            yield rest
        elif first in groups and re.match(r"[a-z][a-z|-]*(\s|$)", rest):
            yield code


def make_anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_document)
def test_links_lead_to_files_and_headings(document: Path) -> None:
    broken = []
    for name, anchor in LINK.findall(document.read_text(encoding="utf-8")):
        target = document.parent / name if name else document
        headings = HEADING.findall(target.read_text(encoding="utf-8")) if anchor else []
        if not target.exists() or (anchor and anchor not in map(make_anchor, headings)):
            broken.append(f"{name}#{anchor}")
    assert broken == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_document)
def test_files_that_are_named_exist(document: Path) -> None:
    named = FILE.findall(document.read_text(encoding="utf-8"))
    assert [name for name in named if not list(ROOT.glob(name))] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_document)
def test_commands_exist_with_their_options(document: Path) -> None:
    given = find_commands(document.read_text(encoding="utf-8"))
    assert [fault for fault in map(find_fault, given) if fault] == []


def test_messages_name_commands_that_exist() -> None:
    faults = []
    for path in SOURCES:
        # A message in several pieces is one text; what a program fills in may be anything.
        text = re.sub(r'"\s*\n\s*f?"', "", path.read_text(encoding="utf-8"))
        text = re.sub(r"\{[^{}]*\}", "VALUE", text)
        for command in re.findall(r"`stereoscope ([a-z][^`]*)`", text):
            if fault := find_fault(command):
                faults.append(f"{name_document(path)}: {fault}")
    assert faults == []


def test_decisions_are_listed_in_their_order_under_their_titles() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"^- \[(.*)\]\((.*)\)$", (folder / "README.md").read_text("utf-8"), re.M)
    written = []
    for path in sorted(folder.glob("[0-9]*.md")):
        title = HEADING.findall(path.read_text(encoding="utf-8"))[0].replace(". ", " ", 1)
        written.append((title, path.name))
    assert listed == written


def test_readme_leads_to_every_how_to() -> None:
    linked = {name for name, _ in LINK.findall((ROOT / "README.md").read_text(encoding="utf-8"))}
    pages = {f"docs/how-to/{path.name}" for path in (ROOT / "docs" / "how-to").glob("*.md")}
    assert pages - linked == set()


def test_a_command_that_cannot_be_typed_is_found() -> None:
    assert find_fault("release build 0.1.0 --languages en,es") is None
    assert find_fault("batch create|push|pull|status") is None
    assert find_fault("batch creat") == "no command creat in: batch creat"
    assert find_fault("score --modell x") == "no option --modell in: score --modell x"
