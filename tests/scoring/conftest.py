"""Local model folders and a closed network for the scoring tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from masked_models import FAMILIES, save_masked
from scoring_models import build_gpt2, build_llama, build_tokenizer, save


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session")
def gpt2_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny GPT-2 without a begin-of-sequence token."""
    folder = tmp_path_factory.mktemp("models") / "tiny-gpt2"
    return save(build_gpt2(), build_tokenizer(with_bos=False), folder)


@pytest.fixture(scope="session")
def llama_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny Llama whose tokenizer adds a begin-of-sequence token."""
    folder = tmp_path_factory.mktemp("models") / "tiny-llama"
    return save(build_llama(), build_tokenizer(with_bos=True), folder)


@pytest.fixture(scope="session")
def masked_folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A tiny masked model of each family."""
    root = tmp_path_factory.mktemp("masked")
    return {family: save_masked(family, root / f"tiny-{family}") for family in FAMILIES}
