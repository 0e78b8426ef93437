"""The repository itself: what must not be in it, and what its configuration must name."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CONFIGURATION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TOOLS = CONFIGURATION["tool"]
PACKAGES = ["app", "pipeline", "annotation", "exports", "scoring", "engines", "corpus"]
LOCKS = sorted(path.name for path in ROOT.glob("requirements*.txt"))
LONGEST_FILE_LINES = 450
# Put together so that this file does not hold what it looks for.
MACHINE_PATHS = re.compile(
    r"(?<![\w.~-])/(?:ro" r"ot|wo" r"rk|Use" r"rs/\w+|ho" r"me/\w+|tmp/lo" r"ck)/|fi" r"le://"
)
REGISTRY_HOSTS = re.compile(
    r"py" r"pi\.org|pythonho" r"sted\.org|npm" r"js\.(?:org|com)|deb\.deb" r"ian\.org"
)


def load_tracked_files() -> list[Path]:
    """Return the files that git tracks, without those deleted in the work tree."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("this is not a git work tree")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def canonicalize(pin: str) -> str:
    name, _, version = pin.partition("==")
    return re.sub(r"[-_.]+", "-", name).lower() + "==" + version


def load_pins(name: str) -> set[str]:
    """Return the pins of a lock, names as the index compares them."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return {canonicalize(line) for line in lines if "==" in line and not line.startswith("#")}


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = []
    for path in load_tracked_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            if MACHINE_PATHS.search(line) or REGISTRY_HOSTS.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}")
    assert found == []


def test_python_files_stay_short() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in load_tracked_files()
        if path.suffix == ".py" and "versions" not in path.parts
    }
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE_LINES} == {}


def test_every_package_is_installed_typed_and_layered() -> None:
    present = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert present == set(PACKAGES)
    assert TOOLS["setuptools"]["packages"]["find"]["include"] == [f"{name}*" for name in PACKAGES]
    assert TOOLS["mypy"]["packages"] == [*PACKAGES, "benchmarks"]
    assert TOOLS["importlinter"]["root_packages"] == PACKAGES


def test_every_folder_with_code_is_a_package_and_every_data_file_is_installed() -> None:
    data = TOOLS["setuptools"]["package-data"]
    installed = {
        path for name, globs in data.items() for glob in globs for path in (ROOT / name).glob(glob)
    }
    missing = []
    for path in load_tracked_files():
        relative = path.relative_to(ROOT)
        if relative.parts[0] not in PACKAGES or path in installed:
            continue
        if path.suffix != ".py" or not (path.parent / "__init__.py").exists():
            missing.append(str(relative))
    assert missing == []


def test_imports_go_one_way() -> None:
    # In a process of its own: after tests of pages it broke what pytest captures with.
    command = (
        "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    )
    done = subprocess.run(
        [sys.executable, "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_pins_everything_and_names_no_place(name: str) -> None:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    lock = [line for line in lines if not line.startswith("#")]
    if name == "requirements-test.txt":
        assert lock.pop(0) == "-r requirements.txt"
    pin = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9.!]+")
    assert [line for line in lock if not pin.fullmatch(line)] == []
    pinned = load_pins(name)
    assert len(pinned) == len(lock)
    if name == "requirements-test.txt":
        pinned |= load_pins("requirements.txt")
    top_level = [line.removeprefix("#: ") for line in lines if line.startswith("#: ")]
    assert top_level
    assert {canonicalize(re.sub(r"\[.*?\]", "", line)) for line in top_level} <= pinned


def test_the_tests_only_add_to_the_products_lock() -> None:
    product, test = (
        {pin.split("==")[0] for pin in load_pins(name)}
        for name in ("requirements.txt", "requirements-test.txt")
    )
    assert product & test == set()


def test_the_products_dependencies_are_its_lock() -> None:
    assert CONFIGURATION["project"]["dynamic"] == ["dependencies"]
    assert TOOLS["setuptools"]["dynamic"]["dependencies"] == {"file": ["requirements.txt"]}
