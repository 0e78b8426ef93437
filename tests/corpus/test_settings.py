from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from corpus.errors import SettingsError
from corpus.settings import Settings, load_settings, shown_settings


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("STEREOSCOPE_"):
            monkeypatch.delenv(name)


def write(folder: Path, text: str) -> Path:
    (folder / "stereoscope.toml").write_text(text, encoding="utf-8")
    return folder


def test_the_command_line_wins_over_the_environment_and_that_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path, "seed = 1\ngate_items = 3\nbatch_size = 10\n")
    monkeypatch.setenv("STEREOSCOPE_SEED", "2")
    monkeypatch.setenv("STEREOSCOPE_GATE_ITEMS", "4")
    settings = load_settings(folder, {"seed": 5, "gate_items": None})
    assert (settings.seed, settings.gate_items, settings.batch_size) == (5, 4, 10)
    assert settings.draws == Settings().draws


def test_a_changed_file_is_read_anew(tmp_path: Path) -> None:
    assert load_settings(write(tmp_path, "seed = 1\n")).seed == 1
    assert load_settings(write(tmp_path, "seed = 2\n")).seed == 2


def test_without_a_file_the_rest_still_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEREOSCOPE_GATE_ITEMS", "4")
    assert load_settings(None, {"seed": 5}).model_dump(include={"seed", "gate_items"}) == {
        "seed": 5,
        "gate_items": 4,
    }


def test_a_secret_in_the_file_is_refused_without_showing_it(tmp_path: Path) -> None:
    folder = write(tmp_path, 'label_studio_token = "c0ffee"\n')
    with pytest.raises(SettingsError, match="STEREOSCOPE_LABEL_STUDIO_TOKEN") as refused:
        load_settings(folder)
    assert "c0ffee" not in str(refused.value)


def test_a_chat_key_in_the_file_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path, 'chat_api_key = "c0ffee"\n')
    with pytest.raises(SettingsError, match="STEREOSCOPE_CHAT_API_KEY") as refused:
        load_settings(folder)
    assert "c0ffee" not in str(refused.value)


def test_secrets_and_passwords_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEREOSCOPE_LABEL_STUDIO_TOKEN", "c0ffee")
    monkeypatch.setenv("STEREOSCOPE_DATABASE_URL", "postgresql://me:s3cret@db.example.org:5/x")
    settings = load_settings()
    assert settings.label_studio_token.get_secret_value() == "c0ffee"
    shown = shown_settings(settings)
    assert shown["label_studio_token"] == "(set)"
    assert shown["database_url"] == "postgresql://***@db.example.org:5/x"
    assert "c0ffee" not in repr(settings)
    text = json.dumps(shown)
    assert "c0ffee" not in text
    assert "s3cret" not in text
    assert set(shown) == set(Settings.model_fields)
    monkeypatch.delenv("STEREOSCOPE_LABEL_STUDIO_TOKEN")
    assert shown_settings(load_settings())["label_studio_token"] == "(not set)"


def test_every_fault_is_named_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path, 'gate_items = 0\ngate_label_accuracy = 1.5\nunknown_key = "x"\n')
    monkeypatch.setenv("STEREOSCOPE_SEED", "minus one")
    with pytest.raises(SettingsError) as refused:
        load_settings(folder, {"draws": 3})
    message = str(refused.value)
    for name in ("gate_items", "gate_label_accuracy", "unknown_key", "seed", "draws"):
        assert f"\n{name}: " in message


def test_a_secret_that_does_not_work_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEREOSCOPE_LABEL_STUDIO_TOKEN", "c0ffee")
    monkeypatch.setenv("STEREOSCOPE_SEED", "x")
    with pytest.raises(SettingsError) as refused:
        load_settings()
    assert "c0ffee" not in str(refused.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"seed = \n", "not valid TOML"), (b"name = '\xff'", "cannot be read")],
)
def test_a_file_that_cannot_be_read_is_one_sentence(
    tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / "stereoscope.toml").write_bytes(content)
    with pytest.raises(SettingsError, match=message):
        load_settings(tmp_path)
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings(tmp_path / "nowhere")


def test_settings_cannot_be_changed_once_loaded() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().seed = 3  # type: ignore[misc]
