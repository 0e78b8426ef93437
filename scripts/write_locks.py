"""Resolves the top-level pins afresh and writes the four requirement files.

Usage: python write_locks.py [--torch-index URL]

To change a version: edit its line `#: name==version` at the head of a requirement file, run
`make lock`, and commit both with the reason. The product and its tests are one resolution:
they are installed together, and the product's file gets what its own top level needs of it.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import venv
from pathlib import Path

from environments import ENVIRONMENTS, ROOT

TOP_LEVEL = "#: "
# Each belongs to one platform's build of PyTorch, which brings its own.
PLATFORM_PACKAGES = re.compile(r"^(nvidia-|triton|cuda-)")
CLOSURE = """
import json, sys
from importlib.metadata import distribution, PackageNotFoundError
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
waiting, seen = [Requirement(text) for text in json.load(sys.stdin)], set()
while waiting:
    requirement = waiting.pop()
    key = (canonicalize_name(requirement.name), frozenset(requirement.extras))
    if key in seen:
        continue
    seen.add(key)
    for text in distribution(requirement.name).requires or ():
        needed = Requirement(text)
        extras = requirement.extras or {""}
        if needed.marker is None or any(needed.marker.evaluate({"extra": e}) for e in extras):
            waiting.append(needed)
print(json.dumps(sorted({name for name, _ in seen})))
"""


def load_head(path: Path) -> list[str]:
    """Return the comment lines at the head of a requirement file, top-level pins included."""
    head = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        head.append(line)
    return head


def load_top_level(path: Path) -> list[str]:
    """Return the top-level pins of a requirement file."""
    return [
        line[len(TOP_LEVEL) :].strip() for line in load_head(path) if line.startswith(TOP_LEVEL)
    ]


def canonicalize(name: str) -> str:
    """Return a package's name as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def install(folder: Path, pins: list[str], torch_index: str) -> Path:
    """Install pins into a new environment, PyTorch first, and return its interpreter."""
    venv.EnvBuilder(clear=True, with_pip=True, symlinks=True).create(str(folder))
    python = folder / "bin" / "python"
    torch = [pin for pin in pins if pin.startswith("torch==")]
    index = ["--index-url", torch_index] if torch_index else []
    for arguments in ([*index, *torch] if torch else [], pins):
        if arguments:
            subprocess.run([str(python), "-m", "pip", "install", "-q", *arguments], check=True)
    subprocess.run([str(python), "-m", "pip", "check"], check=True)
    return python


def load_versions(python: Path) -> dict[str, str]:
    """Return the line `name==version` of each installed package by its canonical name."""
    frozen = subprocess.run(
        [str(python), "-m", "pip", "freeze", "--all"], check=True, capture_output=True, text=True
    )
    lines = [re.sub(r"\+[a-z0-9.]+$", "", line) for line in frozen.stdout.splitlines()]
    pinned = {canonicalize(line.split("==")[0]): line for line in lines if "==" in line}
    return {
        name: line
        for name, line in pinned.items()
        if name != "pip" and not PLATFORM_PACKAGES.match(name)
    }


def compute_needed(python: Path, pins: list[str]) -> set[str]:
    """Return the canonical names of the packages that the pins need, themselves included."""
    result = subprocess.run(
        [str(python), "-c", CLOSURE],
        input=json.dumps(pins),
        check=True,
        capture_output=True,
        text=True,
    )
    return set(json.loads(result.stdout))


def write_lock(path: Path, lines: list[str]) -> None:
    """Replace the lock under a requirement file's head."""
    body = sorted(lines, key=str.lower)
    path.write_text("\n".join([*load_head(path), *body]) + "\n", encoding="utf-8")


def write_product_locks(python: Path) -> None:
    """Write the product's lock and what its tests add, from one environment with both."""
    product, test = ROOT / "requirements.txt", ROOT / "requirements-test.txt"
    versions = load_versions(python)
    needed = compute_needed(python, load_top_level(product))
    added = compute_needed(python, load_top_level(test)) - needed
    write_lock(product, [versions[name] for name in needed if name in versions])
    # The sign of the option sorts before every name.
    write_lock(test, ["-r requirements.txt", *(versions[name] for name in added)])


def main() -> int:
    """Resolve and write all four files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch-index", default="")
    arguments = parser.parse_args()
    cache = ROOT / ".cache" / "locks"
    pins = load_top_level(ROOT / "requirements.txt") + load_top_level(
        ROOT / "requirements-test.txt"
    )
    print("Resolving the product with its tests", flush=True)
    write_product_locks(install(cache / "test", pins, arguments.torch_index))
    for name in ("label-studio", "comet"):
        environment = ENVIRONMENTS[name]
        print(f"Resolving {environment.purpose}", flush=True)
        path = ROOT / environment.requirements[-1]
        python = install(cache / name, load_top_level(path), arguments.torch_index)
        write_lock(path, list(load_versions(python).values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
