"""Who may log in: read from file or environment, checked, never shown with an address."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus.errors import SettingsError
from corpus.settings import Settings, load_settings, shown_settings

ADA = '[[people]]\naddress = "Ada@Uni.example"\nname = "curator-1"\nrole = "curator"\n'


def load(folder: Path, text: str) -> Settings:
    (folder / "stereoscope.toml").write_text(text, encoding="utf-8")
    return load_settings(folder)


def test_people_stand_in_the_file(tmp_path: Path) -> None:
    (ada,) = load(tmp_path, f'name = "study"\n{ADA}').people
    assert (ada.address, ada.name, ada.role) == ("ada@uni.example", "curator-1", "curator")


def test_people_may_come_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [{"address": "bo@uni.example", "name": "reader-1", "role": "reader"}]
    monkeypatch.setenv("STEREOSCOPE_PEOPLE", json.dumps(given))
    assert [each.name for each in load(tmp_path, ADA).people] == ["reader-1"]
    monkeypatch.setenv("STEREOSCOPE_PEOPLE", "bo@uni.example")
    with pytest.raises(SettingsError, match="people") as refused:
        load_settings(tmp_path)
    assert "bo@" not in str(refused.value)


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        (ADA.replace("Ada", "ADA").replace("curator-1", "curator-2"), "an address stands there"),
        (ADA.replace("Ada", "bo"), "a name stands there twice: curator-1"),
        (ADA.replace("Ada", "bo").replace("curator-1", "bo@uni.example"), r"people\.1\.name"),
        (ADA.replace("Ada", "bo").replace("curator-1", " "), r"people\.1\.name"),
        (ADA.replace("Ada@Uni.example", "bo"), r"people\.1\.address"),
        (ADA.replace('"curator"', '"owner"'), r"people\.1\.role"),
        (ADA + 'telephone = "1"\n', r"people\.1\.telephone"),
    ],
)
def test_faults_are_refused_without_an_address(tmp_path: Path, more: str, fault: str) -> None:
    with pytest.raises(SettingsError, match=fault) as refused:
        load(tmp_path, ADA + more)
    assert "uni.example" not in str(refused.value).casefold()


@pytest.mark.parametrize("name", ["oidc_client_secret", "oidc_cookie_secret"])
def test_secrets_of_the_log_in_are_refused_in_the_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match=f"STEREOSCOPE_{name.upper()}") as refused:
        load(tmp_path, f'{name} = "c0ffee"\n')
    assert "c0ffee" not in str(refused.value)


def test_settings_are_shown_without_addresses(tmp_path: Path) -> None:
    settings = load(tmp_path, ADA)
    assert shown_settings(settings)["people"] == ["curator-1 (curator)"]
    assert "uni.example" not in f"{settings!r} {shown_settings(settings)}".casefold()
