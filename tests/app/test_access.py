"""Who is let in, with which role, and what the app needs before others may reach it."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from app.access import ANYBODY, NOT_LOGGED_IN, NOT_VERIFIED, UNKNOWN, Identity, Role, identify
from app.login import check_log_in, secrets_file
from app.serve import check_address, web_command
from corpus.errors import AccessError, SettingsError
from corpus.settings import Settings

PEOPLE = [
    {"address": "ada@uni.example", "name": "curator-1", "role": "curator"},
    {"address": "bo@uni.example", "name": "reader-1", "role": "reader"},
]
VERIFIED = {"is_logged_in": True, "email": "ada@uni.example", "email_verified": True}
SECRET = 'c0f"fee \\ ü 🗝'


def make_settings(**values: Any) -> Settings:
    given = {
        "oidc_metadata_url": "https://login.example/.well-known/openid-configuration",
        "oidc_client_id": "stereoscope",
        "oidc_client_secret": SECRET,
        "people": PEOPLE,
    }
    return Settings(**{**given, **values})


def test_an_address_is_compared_without_case() -> None:
    claims = {**VERIFIED, "email": " ADA@Uni.Example"}
    assert identify(claims, make_settings()) == Identity("curator-1", Role.CURATOR, is_local=False)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"is_logged_in": False}, NOT_LOGGED_IN),
        ({"is_logged_in": "yes"}, NOT_LOGGED_IN),
        ({"email_verified": False}, NOT_VERIFIED),
        ({"email_verified": None}, NOT_VERIFIED),
        ({"email_verified": "true"}, NOT_VERIFIED),
        ({"email": None}, NOT_VERIFIED),
        ({"email": "eve@uni.example"}, UNKNOWN),
        ({"email": "ada@uni.example.evil"}, UNKNOWN),
        ({"email": ""}, UNKNOWN),
    ],
)
def test_everybody_else_is_told_why_she_has_no_access(
    changed: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(AccessError) as refused:
        identify({**VERIFIED, **changed}, make_settings())
    assert str(refused.value) == sentence
    with pytest.raises(AccessError):
        identify({}, make_settings())


def test_a_setting_lets_anybody_with_a_verified_address_read() -> None:
    settings = make_settings(anybody_reads=True)
    stranger = {**VERIFIED, "email": "eve@uni.example"}
    assert identify(stranger, settings) == Identity(ANYBODY, Role.READER, is_local=False)
    assert identify(VERIFIED, settings).role is Role.CURATOR
    with pytest.raises(AccessError):
        identify({**stranger, "email_verified": False}, settings)


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("needed", Role)
def test_a_role_may_do_what_those_before_it_may(role: Role, needed: Role) -> None:
    identity = Identity("ana", role, is_local=False)
    rank = ["reader", "curator", "administrator"]
    if rank.index(role) >= rank.index(needed):
        identity.require(needed)
    else:
        with pytest.raises(AccessError, match=f"needs the role {needed}; ana is {role}"):
            identity.require(needed)


def test_another_address_than_loopback_needs_a_log_in() -> None:
    check_address("127.0.0.1", logs_in=False)
    check_address("0.0.0.0", logs_in=True)
    check_address("0.0.0.0", logs_in=False, published_locally=True)
    for address in ("0.0.0.0", "::", "192.0.2.7", ""):
        with pytest.raises(SettingsError, match="Without log-in everybody"):
            check_address(address, logs_in=False)


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"oidc_client_id": ""}, "oidc_client_id is not set"),
        ({"oidc_client_secret": ""}, "STEREOSCOPE_OIDC_CLIENT_SECRET"),
        ({"oidc_metadata_url": "http://login.example/x"}, "oidc_metadata_url must begin"),
        ({"oidc_redirect_url": "http://app.example/oauth2callback"}, "oidc_redirect_url"),
        ({"oidc_redirect_url": "https://app.example/"}, "end with /oauth2callback"),
        ({"oidc_cookie_secret": "short"}, "at least 32 characters"),
        ({"people": ()}, "names nobody"),
    ],
)
def test_what_logging_in_lacks_is_said_at_the_start(values: dict[str, Any], fault: str) -> None:
    with pytest.raises(SettingsError, match=fault) as refused:
        check_log_in(make_settings(**values))
    assert SECRET not in str(refused.value)


def test_all_that_is_missing_is_said_at_once() -> None:
    with pytest.raises(SettingsError) as refused:
        check_log_in(make_settings(oidc_client_id="", oidc_client_secret="", people=()))
    assert len(str(refused.value).splitlines()) == 4
    check_log_in(make_settings())
    check_log_in(make_settings(people=(), anybody_reads=True))


def test_the_file_of_secrets_is_its_owners_and_gone_at_the_end() -> None:
    with secrets_file(make_settings(), 8501) as path:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        auth = tomllib.loads(path.read_text(encoding="utf-8"))["auth"]
        command = web_command(8501, secrets=path)
        assert command[command.index("--secrets.files") + 1] == str(path)
    assert not path.exists()
    assert auth["client_secret"] == SECRET
    assert auth["redirect_uri"] == "http://localhost:8501/oauth2callback"
    assert auth["client_kwargs"] == {"scope": "openid email"}
    assert len(auth["cookie_secret"]) == 64
    with secrets_file(make_settings(oidc_cookie_secret="k" * 32), 8501) as path:
        assert "k" * 32 in path.read_text(encoding="utf-8")
    assert SECRET not in " ".join(command)


def test_without_log_in_no_secrets_are_named(tmp_path: Path) -> None:
    assert "--secrets.files" not in web_command(8501)
