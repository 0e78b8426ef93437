"""Doctor: what the product needs on this machine, checked; one line each with what to do."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from annotation.label_studio.client import LabelStudioServer
from corpus.errors import StereoscopeError
from corpus.settings import Settings
from corpus.version import PRODUCT
from corpus.workspace import Workspace

FREE_SPACE_GB = 1.0
ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked."""

    subject: str
    ok: bool
    message: str


def examine(workspace: Workspace | None, settings: Settings, model: str | None) -> list[Finding]:
    """All findings; a check never raises."""
    findings = [_python(), _space(workspace)]
    if workspace is None:
        findings.append(
            Finding("database", False, "no workspace; make one with `stereoscope init FOLDER`")
        )
    else:
        findings.append(_database(workspace))
    findings.append(_label_studio(settings))
    findings.append(_estimator(settings))
    findings += _models(model)
    return findings


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    missing = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
    if missing:
        return Finding(
            "environment", False, f"{' and '.join(missing)} not installed; run `make setup`"
        )
    return Finding("environment", True, f"{PRODUCT} on Python {version}")


def _space(workspace: Workspace | None) -> Finding:
    path = workspace.path if workspace else Path.cwd()
    free = shutil.disk_usage(path).free / 1e9
    if free < FREE_SPACE_GB:
        return Finding("disk", False, f"only {free:.1f} GB free at {path}; make room")
    return Finding("disk", True, f"{free:.0f} GB free")


def _database(workspace: Workspace) -> Finding:
    try:
        store = workspace.open_store()
        with store.reading() as state:
            position = state.position
        store.close()
    except StereoscopeError as error:
        return Finding("database", False, str(error))
    return Finding("database", True, f"log position {position}")


def _label_studio(settings: Settings) -> Finding:
    if not settings.label_studio_url:
        return Finding(
            "Label Studio", True, "not set; needed for batches (label_studio_url and its token)"
        )
    try:
        server = LabelStudioServer(
            settings.label_studio_url, settings.label_studio_token.get_secret_value()
        )
        version = server.check()
    except StereoscopeError as error:
        return Finding("Label Studio", False, str(error))
    return Finding("Label Studio", True, f"version {version} answers and takes the token")


def _estimator(settings: Settings) -> Finding:
    if settings.estimator == "none":
        return Finding("quality estimation", True, "off (estimator = none)")
    if settings.estimator == "imported":
        return Finding("quality estimation", True, "from files (estimator = imported)")
    from app.adapters import open_estimator

    try:
        with open_estimator(settings) as estimator:
            name, revision = estimator.model, estimator.revision
    except StereoscopeError as error:
        return Finding("quality estimation", False, str(error))
    return Finding("quality estimation", True, f"{name} at {revision} loads")


def _models(model: str | None) -> list[Finding]:
    if model is None:
        return []
    from app.adapters import open_likelihood_engine

    try:
        engine = open_likelihood_engine(model, device="cpu", dtype="float32")
    except StereoscopeError as error:
        return [Finding("model", False, str(error))]
    return [Finding("model", True, f"{engine.model_id} at {engine.revision} loads")]
