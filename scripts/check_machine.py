"""Says in one sentence each what keeps this machine from building the environments.

Usage: python check_machine.py [--torch-index URL] ENVIRONMENT...

Exits 0 with the expected size and time on standard output, or 1 with every obstacle on
standard error.
"""

from __future__ import annotations

import argparse
import importlib.util
import platform
import shutil
import sys

from environments import CUDA_EXTRA_GB, ENVIRONMENTS, ROOT, Environment

OLDEST_PYTHON = (3, 11)
SPARE_GB = 0.5


def find_obstacles(
    environments: list[Environment], python: tuple[int, int], free_gb: float, has_venv: bool
) -> list[str]:
    """Return one sentence for each thing that has to change before anything is installed."""
    version = ".".join(map(str, python))
    obstacles = []
    if python < OLDEST_PYTHON:
        obstacles.append(
            f"Python {version} is too old: 3.11 or newer is needed; "
            "name one with `make PYTHON=python3.11 …`."
        )
    for environment in environments:
        newest = environment.newest_python
        if newest is not None and python > newest:
            obstacles.append(
                f"Python {version} is too new for {environment.purpose}, which needs "
                f"{newest[0]}.{newest[1]} or older: name one with "
                "`make COMET_PYTHON=python3.12 …`, or leave it out with `make COMET=0 …`."
            )
    if not has_venv:
        obstacles.append(
            "This Python has no venv module (or no ensurepip): install it, on Debian and Ubuntu "
            "with `apt-get install python3-venv`."
        )
    needed_gb = sum(environment.size_gb for environment in environments) + SPARE_GB
    if environments and free_gb < needed_gb:
        obstacles.append(
            f"Only {free_gb:.1f} GB are free on the disk of {ROOT.name}, at least "
            f"{needed_gb:.1f} GB are needed: free some space and run the same command again."
        )
    return obstacles


def describe_work(environments: list[Environment], torch_index: str, free_gb: float) -> list[str]:
    """Return the lines that tell what will be installed, how large it is and how long it takes."""
    size_gb = sum(environment.size_gb for environment in environments)
    minutes = sum(environment.minutes for environment in environments)
    names = ", ".join(
        f"{environment.purpose} ({environment.folder}, {environment.size_gb:.1f} GB)"
        for environment in environments
    )
    lines = [
        f"To be installed: {names}.",
        f"Expected: about {size_gb:.1f} GB and {minutes} min with a fast network and a CPU build "
        "of PyTorch.",
    ]
    cuda_by_default = platform.system() == "Linux" and platform.machine() == "x86_64"
    extra_gb = sum(CUDA_EXTRA_GB for environment in environments if environment.has_torch)
    if extra_gb and cuda_by_default and not torch_index:
        lines.append(
            "On Linux the default PyTorch is a CUDA build, "
            f"up to {size_gb + extra_gb:.1f} GB in all; `make TORCH_INDEX=URL …` takes it "
            "from another index, for instance PyTorch's CPU one."
        )
        if free_gb < size_gb + extra_gb + SPARE_GB:
            lines.append(f"With {free_gb:.1f} GB free a CUDA build would not fit.")
    return lines


def main() -> int:
    """Check this machine for the environments named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("environments", nargs="+", choices=tuple(ENVIRONMENTS))
    parser.add_argument("--torch-index", default="")
    arguments = parser.parse_args()
    missing = [
        ENVIRONMENTS[name]
        for name in dict.fromkeys(arguments.environments)
        if not ENVIRONMENTS[name].is_current()
    ]
    free_gb = shutil.disk_usage(ROOT).free / 1e9
    has_venv = all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))
    obstacles = find_obstacles(missing, sys.version_info[:2], free_gb, has_venv)
    for obstacle in obstacles:
        print(obstacle, file=sys.stderr)
    if obstacles:
        return 1
    if missing:
        print("\n".join(describe_work(missing, arguments.torch_index, free_gb)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
