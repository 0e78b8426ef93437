"""Tokens of Label Studio: a legacy token is sent as it is, a personal one is exchanged first.

A personal access token is a JWT that is exchanged for an access token of a few minutes. It is
renewed before it expires, and at once when the server refuses it in the middle of a long run.
"""

from __future__ import annotations

import base64
import binascii
import json
import time
from collections.abc import Callable, Mapping
from typing import Any

RENEW_BEFORE_S = 30.0
"""An access token that expires sooner is not used any more."""


class TokenHeader:
    """The `Authorization` header of one token, renewed when it must be."""

    def __init__(self, token: str, exchange: Callable[[str], str]) -> None:
        """A header for the token.

        Args:
            token: Legacy or personal access token.
            exchange: Gives an access token for a personal one; asks the server.
        """
        self._token = token
        self._exchange = exchange
        self._is_personal = _claims(token) is not None
        self._access = ""
        self._expires_at = 0.0

    def value(self, *, renewed: bool = False) -> str:
        """The header's value, of a new access token if asked for or if the old one expires."""
        if not self._is_personal:
            return f"Token {self._token}"
        if renewed or time.time() > self._expires_at - RENEW_BEFORE_S:
            self._access = self._exchange(self._token)
            # Without a time of expiry it is renewed once the server refuses it.
            expiry = (_claims(self._access) or {}).get("exp")
            self._expires_at = float(expiry) if isinstance(expiry, int | float) else float("inf")
        return f"Bearer {self._access}"

    @property
    def can_renew(self) -> bool:
        """Whether a refused token may be an expired one."""
        return self._is_personal


def _claims(token: str) -> Mapping[str, Any] | None:
    """What a JWT says of itself, None if the token is none; nothing is verified."""
    parts = token.split(".")
    if len(parts) != 3:
        return None
    try:
        padded = parts[1] + "=" * (-len(parts[1]) % 4)
        claims = json.loads(base64.urlsafe_b64decode(padded))
    except (binascii.Error, ValueError):
        return None
    return claims if isinstance(claims, dict) else None
