"""What identifies an engine is known before its weights are loaded, and is what it says then."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest
from huggingface_hub import constants
from huggingface_hub.errors import GatedRepoError

from corpus.errors import EngineError
from corpus.hashing import sha256_file
from engines.checkpoints import check_weights
from engines.likelihood.opening import (
    EngineChoice,
    describe_engine,
    find_likelihood,
    identify_engine,
    open_engine,
)
from engines.likelihood.protocol import CAUSAL, PSEUDO, PSEUDO_WITHIN_WORD, Bos


def choose(folder: Path) -> EngineChoice:
    return EngineChoice(str(folder), device="cpu")


def test_an_identity_is_what_the_open_engine_says(
    gpt2_folder: Path, llama_folder: Path, masked_folders: dict[str, Path]
) -> None:
    bert = choose(next(iter(masked_folders.values())))
    for choice in (
        choose(llama_folder),
        choose(gpt2_folder),
        replace(choose(gpt2_folder), bos=Bos.ALWAYS, dtype="bfloat16"),
        bert,
        replace(bert, likelihood=PSEUDO),
    ):
        identity = identify_engine(choice)
        assert identity == describe_engine(open_engine(choice))
        assert identity.model_id == Path(choice.model).name


def test_the_architecture_says_how_a_model_is_scored(
    gpt2_folder: Path, masked_folders: dict[str, Path]
) -> None:
    assert find_likelihood(choose(gpt2_folder)) == CAUSAL
    for folder in masked_folders.values():
        assert find_likelihood(choose(folder)) == PSEUDO_WITHIN_WORD
        assert find_likelihood(replace(choose(folder), likelihood=PSEUDO)) == PSEUDO


def test_what_cannot_be_chosen_is_one_sentence(
    gpt2_folder: Path, masked_folders: dict[str, Path]
) -> None:
    gpt2, bert = choose(gpt2_folder), choose(next(iter(masked_folders.values())))
    for choice, problem in (
        (replace(gpt2, likelihood="magic"), "The likelihood magic is not one of auto, causal"),
        (replace(gpt2, dtype="int8"), "The dtype int8 is not one of float32"),
        (replace(gpt2, device_map="balanced"), "The device map balanced is not one of auto"),
        (replace(gpt2, device="cuda:99"), "The device cuda:99 cannot be used"),
        (replace(gpt2, likelihood=PSEUDO), "no masked"),
        (replace(bert, likelihood=CAUSAL), "no causal language-model head"),
        (replace(bert, bos=Bos.ALWAYS), "leave out --bos, which is for causal ones"),
        (choose(gpt2_folder / "absent"), "found neither as a folder here nor on the hub"),
    ):
        with pytest.raises(EngineError, match=problem) as caught:
            identify_engine(choice)
        assert "\n" not in str(caught.value)


def test_weights_are_read_once_and_again_when_they_change(
    gpt2_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(gpt2_folder, tmp_path / "copy")
    read: list[str] = []

    def hash_file(path: Path) -> str:
        read.append(path.name)
        return sha256_file(path)

    monkeypatch.setattr("engines.checkpoints.sha256_file", hash_file)
    found = identify_engine(choose(folder))
    assert describe_engine(open_engine(choose(folder))) == found
    assert sorted(read) == ["config.json", "model.safetensors"]
    weights = folder / "model.safetensors"
    changed = bytearray(weights.read_bytes())
    changed[-1] ^= 1
    weights.write_bytes(changed)
    assert identify_engine(choose(folder)).revision != found.revision
    assert sorted(read) == ["config.json", "model.safetensors", "model.safetensors"]


def test_a_folder_without_weights_is_refused_before_work(gpt2_folder: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(gpt2_folder, tmp_path / "bare")
    (folder / "model.safetensors").unlink()
    with pytest.raises(EngineError, match="does not hold a model that can be loaded: it has a"):
        identify_engine(choose(folder))


def test_a_gated_model_is_one_sentence_before_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, **_: object) -> object:
        response = httpx.Response(403, request=httpx.Request("GET", f"https://hub/{name}"))
        try:
            raise GatedRepoError("Access to it is restricted.", response=response)
        except GatedRepoError as error:
            raise OSError("You are trying to access a gated repo.") from error

    monkeypatch.setattr("transformers.AutoConfig.from_pretrained", refuse)
    with pytest.raises(EngineError) as caught:
        identify_engine(EngineChoice("nobody/stork", device="cpu"))
    assert str(caught.value) == (
        "The model nobody/stork is gated on the hub: accept its terms there and set HF_TOKEN, "
        "or give the path of a local copy."
    )


@dataclass
class FetchedConfig:
    _commit_hash: str = "a" * 40


def test_weights_that_were_never_downloaded_are_missed_while_the_hub_is_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    snapshot = tmp_path / "models--nobody--stork" / "snapshots" / ("a" * 40)
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(EngineError, match="weights of the model nobody/stork were not found"):
        check_weights("nobody/stork", FetchedConfig())
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    check_weights("nobody/stork", FetchedConfig())
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    (snapshot / "model.safetensors.index.json").write_text("{}", encoding="utf-8")
    check_weights("nobody/stork", FetchedConfig())
