"""Accounts on a Label Studio server: its invite link is the only way in that gives a password.

A user created through the API has neither a password nor an organisation, so raters are signed
up as a person would be: with the invite link, a form and its cross-site token.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from http import HTTPStatus

import httpx

from annotation.label_studio.transport import LIMITS, Transport
from corpus.errors import StateError, UnreachableError

TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Login:
    """What a person signs in with; never shown by repr, never logged."""

    email: str = field(repr=False)
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Account:
    """A user of a Label Studio server."""

    user_id: int
    """Label Studio's own number of the user, as in `completed_by`."""
    token: str = field(repr=False)
    """Legacy API token, 40 hexadecimal digits."""


class _QueryFilter(logging.Filter):
    """Takes the query out of addresses that httpx logs: the invite link carries a token there."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(
                value.copy_with(query=None) if isinstance(value, httpx.URL) else value
                for value in record.args
            )
        return True


_QUERY_FILTER = _QueryFilter()


def open_client(base_url: str, token: str | None = None) -> httpx.Client:
    """An HTTP client for a Label Studio server, signed in by a token if one is given."""
    logging.getLogger("httpx").addFilter(_QUERY_FILTER)
    # Below this level it writes whole headers: session cookies, redirects with the invite.
    logging.getLogger("httpcore").setLevel(logging.INFO)
    headers = {"Authorization": f"Token {token}"} if token else {}
    # The environment's proxies are for the outside, the server is on this machine or named.
    return httpx.Client(
        base_url=base_url, headers=headers, timeout=TIMEOUT_S, limits=LIMITS, trust_env=False
    )


def fetch_user_id(base_url: str, token: str) -> int:
    """The user number that a token belongs to.

    Raises:
        UnreachableError: The server does not answer, or refuses the token.
    """
    try:
        with open_client(base_url, token) as client:
            response = client.get("/api/current-user/whoami")
    except httpx.HTTPError as error:
        raise explain_no_answer(base_url, error) from error
    if response.status_code != HTTPStatus.OK:
        raise UnreachableError(
            f"Label Studio at {base_url} refuses the token ({response.status_code}): copy the "
            "token of an account on that server, with legacy tokens enabled"
        )
    return int(response.json()["id"])


class LabelStudioAccounts:
    """The accounts of a Label Studio server, managed with the token of the organisation's owner."""

    def __init__(self, base_url: str, admin_token: str) -> None:
        """Prepares the connection; nothing is sent yet."""
        self._url = base_url.rstrip("/")
        self._transport = Transport(self._url, admin_token)

    def user_ids(self) -> dict[str, int]:
        """E-mail address (lower case) → user id of all users.

        Raises:
            UnreachableError: The server does not answer, or refuses the token.
        """
        users = self._send("GET", "/api/users/").json()
        return {str(user["email"]).lower(): int(user["id"]) for user in users}

    def sign_up(self, login: Login) -> None:
        """Makes an account through the invite link.

        Raises:
            StateError: The server refuses the address or the password.
            UnreachableError: The server does not answer, or refuses the token.
        """
        try:
            with open_client(self._url) as session:
                _sign_up(self._transport, session, login)
        except httpx.HTTPError as error:
            raise explain_no_answer(self._url, error) from error

    def delete_user(self, user_id: int) -> bool:
        """Deletes a user with her tokens and sessions; False if there was none.

        Her answers stay on the server without an author.

        Raises:
            StateError: The server does not let this token delete users.
            UnreachableError: The server does not answer, or refuses the token.
        """
        response = self._send("DELETE", f"/api/users/{user_id}/", allowed=(404, 403))
        if response.status_code == HTTPStatus.FORBIDDEN:
            raise StateError(
                "Label Studio lets only the owner of its organisation delete users: set the token "
                "of the account that it was first started with in STEREOSCOPE_LABEL_STUDIO_TOKEN."
            )
        return response.is_success

    def renew_invite_link(self) -> None:
        """Makes a new invite link; every one handed out before is void.

        Raises:
            UnreachableError: The server does not answer, or refuses the token.
        """
        self._send("POST", "/api/invite/reset-token")

    def _send(self, method: str, path: str, allowed: tuple[int, ...] = ()) -> httpx.Response:
        response = self._transport.send(method, path)
        if response.is_error and response.status_code not in allowed:
            raise UnreachableError(
                f"Label Studio at {self._url} refuses the request ({response.status_code}): "
                "set the token of its administrator in STEREOSCOPE_LABEL_STUDIO_TOKEN."
            )
        return response


def create_account(base_url: str, admin_token: str, login: Login) -> Account:
    """The account of a log-in, signed up through the invite link if it is new.

    Raises:
        StateError: The server refuses the address or the password.
        UnreachableError: The server does not answer, or refuses the administrator's token.
    """
    try:
        with open_client(base_url) as session:
            if not _post_form(session, "/user/login/", login):
                _sign_up(Transport(base_url, admin_token), session, login)
            token = session.get("/api/current-user/token").raise_for_status().json()["token"]
            whoami = session.get("/api/current-user/whoami").raise_for_status().json()
            return Account(user_id=int(whoami["id"]), token=str(token))
    except httpx.HTTPError as error:
        raise UnreachableError(
            f"Label Studio at {base_url} did not create the account ({type(error).__name__}): "
            "see its log file"
        ) from error


def _sign_up(admin: Transport, session: httpx.Client, login: Login) -> None:
    """Sign a new person up with the organisation's invite link."""
    response = admin.send("GET", "/api/invite")
    if response.status_code in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        raise UnreachableError(
            f"Label Studio at {admin.url} refuses the administrator's token: copy the token of the "
            "account that started it"
        )
    if response.is_error:
        raise UnreachableError(
            f"Label Studio at {admin.url} gives no invite link ({response.status_code}): see its "
            "log file"
        )
    path = f"/user/signup/?token={response.json()['token']}"
    if not _post_form(session, path, login):
        raise StateError(
            "Label Studio refuses the new account: its address is malformed or taken with another "
            "password, or the password has fewer than 8 characters"
        )


def explain_no_answer(base_url: str, error: httpx.HTTPError) -> UnreachableError:
    """The error to raise when the server does not answer."""
    return UnreachableError(
        f"Label Studio at {base_url} does not answer ({type(error).__name__}): start it, or "
        "correct its address"
    )


def _post_form(session: httpx.Client, path: str, login: Login) -> bool:
    """Fill in a form with a log-in and return whether it was accepted (answered elsewhere)."""
    session.get(path).raise_for_status()
    form = {
        "csrfmiddlewaretoken": session.cookies.get("csrftoken") or "",
        "email": login.email,
        "password": login.password,
    }
    response = session.post(path, data=form, headers={"Referer": str(session.base_url)})
    if response.is_error:
        response.raise_for_status()
    return response.is_redirect
