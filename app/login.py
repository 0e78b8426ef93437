"""What Streamlit's log-in needs: a file of secrets that lives as long as the server does."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from corpus.errors import SettingsError
from corpus.settings import PREFIX, Settings

CALLBACK = "/oauth2callback"
SHORTEST_COOKIE_SECRET = 32
LOOPBACK_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})
SECRET_VARIABLES = frozenset({PREFIX + "OIDC_CLIENT_SECRET", PREFIX + "OIDC_COOKIE_SECRET"})
"""Not for the served app, which has their file."""
SCOPES = "openid email"
"""Nothing but the address is asked for."""


def check_log_in(settings: Settings) -> None:
    """Makes sure that the settings are enough for people to log in.

    Raises:
        SettingsError: with everything that is missing or does not work.
    """
    faults = []
    for name in ("oidc_client_id", "oidc_client_secret"):
        value = getattr(settings, name)
        if not (value if isinstance(value, str) else value.get_secret_value()):
            faults.append(f"{name} is not set ({PREFIX}{name.upper()})")
    if not _is_safe(settings.oidc_metadata_url):
        faults.append("oidc_metadata_url must begin with https:// (http:// on this machine only)")
    redirect = settings.oidc_redirect_url
    if redirect and not (_is_safe(redirect) and urlsplit(redirect).path.endswith(CALLBACK)):
        faults.append(
            f"oidc_redirect_url must begin with https:// (http:// on this machine only) and end "
            f"with {CALLBACK}"
        )
    if 0 < len(settings.oidc_cookie_secret.get_secret_value()) < SHORTEST_COOKIE_SECRET:
        faults.append(f"oidc_cookie_secret needs at least {SHORTEST_COOKIE_SECRET} characters")
    if not settings.people and not settings.anybody_reads:
        faults.append("people names nobody, so nobody could use the app")
    if faults:
        raise SettingsError("Nobody can log in:\n" + "\n".join(faults))


def _is_safe(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK_HOSTS)


def build_secrets(settings: Settings, port: int) -> str:
    """The file that Streamlit reads, as TOML."""
    values = {
        "redirect_uri": settings.oidc_redirect_url or f"http://localhost:{port}{CALLBACK}",
        "cookie_secret": settings.oidc_cookie_secret.get_secret_value() or secrets.token_hex(32),
        "client_id": settings.oidc_client_id,
        "client_secret": settings.oidc_client_secret.get_secret_value(),
        "server_metadata_url": settings.oidc_metadata_url,
    }
    # A JSON string is a TOML string too.
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
    return "\n".join(["[auth]", *lines, f'client_kwargs = {{ scope = "{SCOPES}" }}', ""])


@contextmanager
def secrets_file(settings: Settings, port: int) -> Iterator[Path]:
    """A file for `--secrets.files` that only its owner can read, gone at the end."""
    with TemporaryDirectory(prefix="stereoscope-") as folder:
        path = Path(folder) / "secrets.toml"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(build_secrets(settings, port))
        yield path
