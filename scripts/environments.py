"""The virtual environments of the repository: what each holds, where it lies, how big it is.

Standard library only, and readable by any Python 3.8 or newer: the check that refuses an old
Python has to run on it.
"""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CUDA_EXTRA_GB = 4.8
"""How much larger an environment with PyTorch is when its build is a CUDA one."""


@dataclass(frozen=True)
class Environment:
    """One set of packages installed into one folder."""

    name: str
    folder: str
    requirements: tuple[str, ...]
    """Requirement files whose content decides whether the environment is current."""
    purpose: str
    size_gb: float
    """Disk after installing, with a CPU build of PyTorch."""
    minutes: int
    """Minutes to install with a fast network."""
    has_torch: bool = True
    has_product: bool = True
    newest_python: tuple[int, int] | None = None

    @property
    def path(self) -> Path:
        """The environment's folder."""
        return ROOT / self.folder

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.path / "bin" / "python"

    @property
    def stamp(self) -> Path:
        """The file that holds the key of the last finished build."""
        return self.path / f".built-{self.name}"

    @property
    def unfinished(self) -> Path:
        """The file that is there while packages are being installed, or if that broke off."""
        return self.path / ".unfinished"

    def compute_key(self, python_version: str) -> str:
        """Return the key that changes when the environment has to be built again."""
        digest = hashlib.sha256(f"{python_version}\n{ROOT}\n".encode())
        files = (*self.requirements, *(("pyproject.toml",) if self.has_product else ()))
        for name in files:
            digest.update((ROOT / name).read_bytes())
        return digest.hexdigest()

    def is_current(self) -> bool:
        """Return whether the last build finished with the present requirement files."""
        if self.unfinished.exists() or not (self.stamp.is_file() and self.python.exists()):
            return False
        return self.stamp.read_text() == self.compute_key(platform.python_version())


ENVIRONMENTS = {
    environment.name: environment
    for environment in (
        Environment(
            name="product",
            folder=".venv",
            requirements=("requirements.txt",),
            purpose="the product",
            size_gb=2.4,
            minutes=2,
        ),
        Environment(
            name="test",
            folder=".venv",
            requirements=("requirements.txt", "requirements-test.txt"),
            purpose="what the tests add",
            size_gb=0.5,
            minutes=1,
            has_torch=False,
            has_product=False,
        ),
        Environment(
            name="label-studio",
            folder=".venv-label-studio",
            requirements=("requirements-label-studio.txt",),
            purpose="the Label Studio server",
            size_gb=1.0,
            minutes=1,
            has_torch=False,
            has_product=False,
        ),
        Environment(
            name="comet",
            folder=".venv-comet",
            requirements=("requirements-comet.txt",),
            purpose="the COMET worker",
            size_gb=1.4,
            minutes=2,
            has_product=False,
            newest_python=(3, 12),
        ),
    )
}
