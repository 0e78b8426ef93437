"""Sentence embeddings of a tiny model: unit vectors, its pooling, the languages it declares."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from corpus.errors import EngineError
from engines.embeddings import open_embedder
from tests.engines.tiny_embedders import build_tiny_embedder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_tiny_embedder(tmp_path_factory.mktemp("embedder"), ["en", "es", "multilingual"])


def test_vectors_have_length_one_and_the_texts_order(folder: Path) -> None:
    embedder = open_embedder(str(folder), "cpu")
    assert embedder.model == "embedder"
    assert embedder.revision.startswith("sha256:")
    assert embedder.languages == {"en", "es"}
    vectors = embedder.embed(["is it so?", "why", "is it so?"])
    assert vectors.shape == (3, 16)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert np.array_equal(vectors[0], vectors[2])
    assert vectors[0] @ vectors[1] < 1 - 1e-6
    assert embedder.embed([]).shape == (0, 0)


def test_pooling_is_the_models_own(folder: Path) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    vector = open_embedder(str(folder), "cpu").embed(["is it so?"])[0]
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder)
    model.eval()
    with torch.no_grad():
        hidden = model(**tokenizer(["is it so?"], return_tensors="pt")).last_hidden_state[0]
    mean = hidden.mean(dim=0).double().numpy()
    assert np.allclose(vector, mean / np.linalg.norm(mean), atol=1e-6)


def test_the_user_may_say_what_a_model_knows(folder: Path) -> None:
    assert open_embedder(str(folder), "cpu", frozenset({"lb"})).languages == {"lb"}


def test_a_model_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="There is no folder"):
        open_embedder(str(tmp_path / "none"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(EngineError, match="does not hold a model"):
        open_embedder(str(tmp_path / "empty"))


def test_a_model_that_was_not_made_for_embedding_is_refused(folder: Path) -> None:
    with pytest.raises(EngineError, match=r"no modules\.json"):
        open_embedder(str(folder.parent / "bare"), "cpu")


def _cut(name: str) -> Callable[[Path], object]:
    return lambda model: (model / name).write_bytes((model / name).read_bytes()[:200])


def _lose(name: str) -> Callable[[Path], object]:
    return lambda model: (model / name).unlink()


def _write(name: str, text: str) -> Callable[[Path], object]:
    return lambda model: (model / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (_lose("model.safetensors"), "valid config.json and weights"),
        (_cut("model.safetensors"), "valid config.json and weights"),
        (_lose("config.json"), "valid config.json and weights"),
        (_write("config.json", "{"), "valid config.json and weights"),
        (_write("modules.json", "["), "valid config.json and weights"),
        (_write("modules.json", '{"0": 1}'), "valid config.json and weights"),
        (_lose("1_Pooling/config.json"), "valid config.json and weights"),
        (_lose("tokenizer.json"), "tokenizer without words"),
    ],
    ids=[
        "no weights",
        "cut weights",
        "no config",
        "torn config",
        "torn modules",
        "odd modules",
        "no pooling",
        "no tokenizer",
    ],
)
def test_a_damaged_folder_is_one_sentence(
    folder: Path, tmp_path: Path, damage: Callable[[Path], object], told: str
) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(folder, damaged)
    damage(damaged)
    with pytest.raises(EngineError, match=told) as refused:
        open_embedder(str(damaged), "cpu")
    assert "\n" not in str(refused.value)
