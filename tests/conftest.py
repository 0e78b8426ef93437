"""What the whole test suite shares: the data, what a test needs, and what stays closed.

A test that needs something this machine lacks says so and skips; where STEREOSCOPE_REQUIRE names
the need (as in `.ci/run`), it fails instead.
"""

from __future__ import annotations

import os

# Set before anything is imported that reads them once. Nothing is fetched and nobody is told.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["STREAMLIT_BROWSER_GATHER_USAGE_STATS"] = "false"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
# Several test processes share the cores; one thread each is faster than all at once.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest
from browser_fixtures import browser, chromium_path, find_chromium
from label_studio_fixtures import (
    find_label_studio,
    label_studio,
    label_studio_environment,
    label_studio_template,
)
from postgres_fixtures import find_postgres, postgres_server, postgres_url, url
from slurm_fixtures import find_slurm, slurm_programs

# Fixtures that live in files of their own.
__all__ = [
    "browser",
    "chromium_path",
    "label_studio",
    "label_studio_environment",
    "label_studio_template",
    "postgres_server",
    "postgres_url",
    "slurm_programs",
    "url",
]

ROOT = Path(__file__).resolve().parent.parent
FIXTURE_NEEDS = {
    "data_dir": "data",
    "chromium_path": "browser",
    "postgres_server": "postgres",
    "label_studio_environment": "label_studio",
    "comet_python": "comet",
    "slurm_programs": "slurm",
}

hypothesis.settings.register_profile("stereoscope", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("stereoscope")


def find_data() -> Path | str:
    """Return the folder of the third-party test data, or why there is none."""
    path = Path(os.environ.get("STEREOSCOPE_TEST_DATA") or ROOT.parent / "shared" / "data")
    if (path / "README.md").is_file():
        return path
    return f"the test data is not at {path} (STEREOSCOPE_TEST_DATA names another folder)"


def find_comet() -> Path | str:
    """Return the interpreter of the COMET environment, or why there is none."""
    named = os.environ.get("STEREOSCOPE_COMET_PYTHON")
    python = Path(named) if named else ROOT / ".venv-comet" / "bin" / "python"
    if python.exists():
        return python
    return "the COMET environment is not built (run `make comet`)"


NEEDS: dict[str, Callable[[], Path | str]] = {
    "data": find_data,
    "browser": find_chromium,
    "postgres": find_postgres,
    "label_studio": find_label_studio,
    "comet": find_comet,
    "slurm": find_slurm,
}


def required_needs() -> set[str]:
    """Return the needs whose lack is a failure, from STEREOSCOPE_REQUIRE.

    Raises:
        UsageError: It names a need that is unknown.
    """
    names = {name.strip() for name in os.environ.get("STEREOSCOPE_REQUIRE", "").split(",")} - {""}
    if unknown := names - set(NEEDS):
        raise pytest.UsageError(
            f"STEREOSCOPE_REQUIRE names {', '.join(sorted(unknown))}; known are {', '.join(NEEDS)}"
        )
    return names


def pytest_configure(config: pytest.Config) -> None:
    required_needs()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that uses a fixture needs what the fixture needs, whether it is marked or not."""
    for item in items:
        for fixture in getattr(item, "fixturenames", ()):
            if need := FIXTURE_NEEDS.get(fixture):
                item.add_marker(getattr(pytest.mark, need))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    for need, find in NEEDS.items():
        if item.get_closest_marker(need) is None:
            continue
        found = find()
        if isinstance(found, str):
            if need in required_needs():
                pytest.fail(f"{need} is required here: {found}", pytrace=False)
            pytest.skip(found)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the third-party test data, read-only."""
    return _found(find_data())


@pytest.fixture(scope="session")
def comet_python() -> Path:
    """Interpreter of the COMET environment."""
    return _found(find_comet())


def _found(found: Path | str) -> Path:
    if isinstance(found, str):
        pytest.skip(found)
    return found
