"""A local chat model answers through its own template, the same for the same seed."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.errors import EngineError
from engines.chat_models import ReplyState
from engines.local_chat import LocalChatModel, LocalChatSettings, identify_chat_model
from tests.engines.tiny_chat_models import build_chat_model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_chat_model(tmp_path_factory.mktemp("models") / "tiny-chat")


def settings(folder: Path) -> LocalChatSettings:
    return LocalChatSettings(str(folder), None, 0.0, 12, "cpu", "float32")


def test_answer_is_what_generation_gives_after_the_template(folder: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = LocalChatModel(settings(folder))
    message = "Are men calmer than women?"
    reply = model.ask(message, 0)
    tokenizer = AutoTokenizer.from_pretrained(str(folder))
    bare = AutoModelForCausalLM.from_pretrained(str(folder))
    text = f"[user] {message}\n[assistant] "
    tokens = tokenizer(text, return_tensors="pt", add_special_tokens=False)
    expected = bare.generate(**tokens, do_sample=False, max_new_tokens=12, pad_token_id=0)
    said = tokenizer.decode(expected[0, tokens["input_ids"].shape[1] :], skip_special_tokens=True)
    assert reply.text == said
    assert reply.state is ReplyState.CUT_OFF
    assert model.ask(message, 99) == reply


def test_drawn_answers_hang_on_the_seed_alone(folder: Path) -> None:
    import torch

    model = LocalChatModel(replace(settings(folder), temperature=1.5))
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first = model.ask("Is she kind?", 3)
    assert torch.equal(torch.get_rng_state(), before)
    model.ask("Something else", 4)
    assert model.ask("Is she kind?", 3) == first
    assert model.ask("Is she kind?", 4) != first


def test_message_longer_than_the_model_reads_is_an_error_of_its_own(folder: Path) -> None:
    reply = LocalChatModel(settings(folder)).ask("kind " * 400, 0)
    assert (reply.state, reply.error) == (ReplyState.ERROR, "model_failed")


def test_template_that_fails_is_an_error_of_its_own(tmp_path: Path) -> None:
    broken = "{{ raise_exception('no such turn') }}"
    folder = build_chat_model(tmp_path / "broken", template=broken)
    reply = LocalChatModel(settings(folder)).ask("Is she kind?", 0)
    assert (reply.state, reply.error) == (ReplyState.ERROR, "model_failed")


def test_model_without_a_chat_template_is_refused(tmp_path: Path) -> None:
    folder = build_chat_model(tmp_path / "base", template=None)
    with pytest.raises(EngineError, match="no chat template"):
        LocalChatModel(settings(folder))
    with pytest.raises(EngineError, match="no chat template"):
        identify_chat_model(str(folder), None)


def test_model_whose_weights_are_not_all_there_is_refused(folder: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    copy = shutil.copytree(folder, tmp_path / "copy")
    weights = load_file(copy / "model.safetensors")
    kept = {name: each for name, each in weights.items() if ".1.mlp" not in name}
    save_file(kept, copy / "model.safetensors", {"format": "pt"})
    with pytest.raises(EngineError, match="lacks weights"):
        LocalChatModel(settings(copy))
    (copy / "model.safetensors").write_bytes(b"cut short")
    with pytest.raises(EngineError, match="does not hold a model"):
        LocalChatModel(settings(copy))


def test_message_that_the_model_breaks_on_is_an_error_of_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = LocalChatModel(settings(folder))

    def run_out(*_: object, **__: object) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr("transformers.GPT2LMHeadModel.generate", run_out)
    reply = model.ask("Is she kind?", 0)
    assert (reply.state, reply.error) == (ReplyState.ERROR, "model_failed")


def test_identity_is_of_the_files_and_missing_models_are_told(folder: Path) -> None:
    before = identify_chat_model(str(folder), None)
    assert before.startswith("sha256:")
    template = folder / "chat_template.jinja"
    kept = template.read_text("utf-8")
    template.write_text(kept + " ", encoding="utf-8")
    assert identify_chat_model(str(folder), None) != before
    template.write_text(kept, encoding="utf-8")
    with pytest.raises(EngineError, match=r"was found neither|was not found|does not hold"):
        identify_chat_model(str(folder / "no-such"), None)
