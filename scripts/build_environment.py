"""Builds virtual environments of the repository, and does nothing where they are current.

Usage: python build_environment.py [--torch-index URL] ENVIRONMENT...

An environment is current when a build with the same requirement files, Python and folder has
finished. A build that was interrupted starts afresh: pip cannot tell a half-written package
from a whole one.
"""

from __future__ import annotations

import argparse
import fcntl
import platform
import subprocess
import sys
import time
import venv

from environments import ENVIRONMENTS, ROOT, Environment


def say(text: str) -> None:
    """Print one line about the work at once."""
    print(text, flush=True)


def load_torch_pin(environment: Environment) -> str:
    """Return the requirement that pins PyTorch, as the environment's lock has it."""
    for name in environment.requirements:
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
            if line.startswith("torch=="):
                return line.split()[0]
    raise SystemExit(f"{environment.requirements[0]} pins no torch")


def run_pip(environment: Environment, *arguments: str) -> None:
    """Run pip in the environment, with its progress where somebody watches."""
    quiet = [] if sys.stdout.isatty() else ["-qq"]
    command = [str(environment.python), "-m", "pip", arguments[0], "--no-input", *quiet]
    subprocess.run(
        [*command, "--disable-pip-version-check", *arguments[1:]], check=True, cwd=str(ROOT)
    )


def build_folder(environment: Environment) -> None:
    """Make the virtual environment's folder, anew where it is of no use."""
    path = environment.path
    made_for = path / ".made-for"
    identity = f"{platform.python_version()}\n{ROOT}\n"
    usable = (
        environment.python.exists()
        and made_for.is_file()
        and made_for.read_text() == identity
        and not environment.unfinished.exists()
    )
    if not usable:
        again = " again from the start" if path.exists() else ""
        say(f"  making {environment.folder}{again}")
        venv.EnvBuilder(clear=True, with_pip=True, symlinks=True).create(str(path))
    environment.unfinished.touch()
    made_for.write_text(identity)


def build_environment(environment: Environment, torch_index: str) -> None:
    """Install the environment's packages and mark it as built."""
    start = time.monotonic()
    say(f"Building {environment.purpose} in {environment.folder}")
    build_folder(environment)
    if environment.has_torch:
        pin = load_torch_pin(environment)
        say(f"  installing {pin}" + (f" from {torch_index}" if torch_index else ""))
        run_pip(environment, "install", *(["--index-url", torch_index] if torch_index else []), pin)
    lock = environment.requirements[-1]
    say(f"  installing the packages of {lock}")
    run_pip(environment, "install", "-r", lock)
    if environment.has_product:
        say("  installing the product itself, editable")
        run_pip(environment, "install", "--no-deps", "-e", ".")
    run_pip(environment, "check")
    environment.stamp.write_text(environment.compute_key(platform.python_version()))
    environment.unfinished.unlink()
    say(f"  done in {time.monotonic() - start:.0f} s")


def main() -> int:
    """Build what is not current of the environments named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("environments", nargs="+", choices=tuple(ENVIRONMENTS))
    parser.add_argument("--torch-index", default="")
    arguments = parser.parse_args()
    cache = ROOT / ".cache"
    cache.mkdir(exist_ok=True)
    with (cache / "build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for name in arguments.environments:
            environment = ENVIRONMENTS[name]
            if environment.is_current():
                continue
            try:
                build_environment(environment, arguments.torch_index)
            except subprocess.CalledProcessError:
                say(
                    f"Installing {environment.purpose} failed: pip's own words stand above. "
                    "Run the same command again when the cause is gone."
                )
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
