"""Raters' accounts on a server in memory and on the real one: signing up, signing in, deleting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import httpx
from servers import MemoryDesk, RealDesk, ServerDesk

from annotation.label_studio.accounts import LabelStudioAccounts, Login, open_client
from annotation.label_studio.protocol import AnnotationServer, RaterSession
from annotation.label_studio.rater_session import HttpRaterSession
from annotation.label_studio.server import LabelStudioServer
from annotation.raters import AccountServer
from corpus.errors import StateError


class AccountDesk(Protocol):
    """A server's accounts, and what a person can do with a log-in."""

    desk: ServerDesk
    accounts: AccountServer

    def sign_in(self, address: str, password: str) -> RaterSession | None: ...


class MemoryAccounts:
    """Accounts as Label Studio was measured to keep them: a deleted user's answers lose her."""

    def __init__(self, desk: MemoryDesk) -> None:
        self._memory = desk._memory
        self.passwords: dict[str, str] = {}
        self.invite_links = 1

    def user_ids(self) -> Mapping[str, int]:
        return self._memory.user_ids()

    def sign_up(self, login: Login) -> None:
        self._memory.answer_call()
        if login.email.lower() in self.user_ids():
            raise StateError("the address is taken")
        self._memory.add_user(login.email)
        self.passwords[login.email] = login.password

    def delete_user(self, user_id: int) -> bool:
        self._memory.answer_call()
        users = self._memory._users
        found = [address for address, each in users.items() if each == user_id]
        for address in found:
            del users[address]
            self.passwords.pop(address, None)
            # A number is never given twice.
            users[f"deleted {user_id}"] = user_id
        for project in self._memory.find_projects():
            for task in self._memory.fetch_tasks(project.id):
                for answer in task.answers:
                    self._forget(answer.id, answer.completed_by, answer.updated_by, user_id)
        return bool(found)

    def renew_invite_link(self) -> None:
        self._memory.answer_call()
        self.invite_links += 1

    def _forget(self, answer_id: str, author: int | None, writer: int | None, gone: int) -> None:
        if gone in {author, writer}:
            self._memory.replace_answer(
                answer_id,
                completed_by=None if author == gone else author,
                updated_by=None if writer == gone else writer,
            )


class MemoryAccountDesk:
    def __init__(self, desk: MemoryDesk) -> None:
        self.desk = desk
        self.accounts = MemoryAccounts(desk)

    def sign_in(self, address: str, password: str) -> RaterSession | None:
        if self.accounts.passwords.get(address) != password:
            return None
        return self.desk._memory.open_session(self.accounts.user_ids()[address.lower()])


class RealAccountDesk:
    def __init__(self, desk: RealDesk) -> None:
        self.desk = desk
        process: LabelStudioServer = desk._process
        self.url = process.base_url
        self.accounts = LabelStudioAccounts(self.url, process.administrator.token)

    def sign_in(self, address: str, password: str) -> RaterSession | None:
        """As her browser does: the log-in page's form."""
        with open_client(self.url) as session:
            session.get("/user/login/").raise_for_status()
            form = {
                "csrfmiddlewaretoken": session.cookies["csrftoken"],
                "email": address,
                "password": password,
            }
            answer = session.post("/user/login/", data=form, headers={"Referer": self.url})
            if answer.status_code != httpx.codes.FOUND:
                return None
            token = session.get("/api/current-user/token").raise_for_status().json()["token"]
        return HttpRaterSession(self.url, token)

    def invite_token(self) -> str:
        with open_client(self.url, self.desk._process.administrator.token) as admin:
            return str(admin.get("/api/invite").raise_for_status().json()["token"])

    def sign_up_with(self, invite_token: str, address: str) -> int:
        """HTTP status of signing up with an invite link, as anybody who has it can."""
        path = f"/user/signup/?token={invite_token}"
        with open_client(self.url) as session:
            session.get(path).raise_for_status()
            form = {
                "csrfmiddlewaretoken": session.cookies["csrftoken"],
                "email": address,
                "password": "a-long-password-7",
            }
            return session.post(path, data=form, headers={"Referer": self.url}).status_code


def server_of(desk: AccountDesk) -> AnnotationServer:
    return desk.desk.server
