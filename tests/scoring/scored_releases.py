"""A small release, and what scoring it needs."""

from __future__ import annotations

from pathlib import Path

from corpus.release import Release, open_release
from corpus.stereotypes import load_inventory
from engines.likelihood.opening import EngineChoice, identify_engine
from exports.build import build_release
from scoring.models_file import ModelMetadata
from scoring.plan import ScoreRequest
from scoring.protocols import protocol_named
from scoring.scores import ModelToScore
from tests.exports.release_builders import make_approved_store


def build_small_release(folder: Path) -> Release:
    """A release of English and Slovak rows."""
    store = make_approved_store(folder / "store")
    path = build_release(store, "1.0.0", ["en", "sk"], folder / "releases").path
    store.close()
    return open_release(path)


def ask_for(release: Release, *protocols: str) -> ScoreRequest:
    """A request for all its languages."""
    named = tuple(protocol_named(name) for name in protocols or ("paper",))
    return ScoreRequest(release, release.languages, named, load_inventory(), 1, 20)


def model_at(folder: Path, metadata: ModelMetadata | None = None) -> ModelToScore:
    """The model in a folder, on the CPU."""
    choice = EngineChoice(str(folder), device="cpu")
    return ModelToScore(choice, identify_engine(choice), metadata or ModelMetadata())
