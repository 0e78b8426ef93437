"""Raters: invited under a pseudonym, described in counts only, and forgotten on request.

A rater signs in with a pseudonymous address, so that the labelling server knows no person either.
Her real address, if it is kept at all, is a contact in the one table that can be erased.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from annotation.label_studio.accounts import Login
from corpus.errors import StateError
from corpus.hashing import sha256_json
from corpus.people import RATER, Person
from corpus.records import Assignment, AssignmentState, AuditEntry, Origin
from corpus.store import Store
from corpus.store.state import State

ERASE_ACTION = "raters erase"
"""Action of the audit entry that says that a person was erased."""
LOCAL_PART = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")
# Without letters and digits that look alike: the password is read off a message.
PASSWORD_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
PASSWORD_GROUPS, PASSWORD_GROUP_LENGTH = 4, 5


class AccountServer(Protocol):
    """Where raters' accounts are; Label Studio, or a stand-in for it."""

    def user_ids(self) -> Mapping[str, int]:
        """Address (lower case) → user id of all users."""
        ...

    def sign_up(self, login: Login) -> None:
        """Makes an account."""
        ...

    def delete_user(self, user_id: int) -> bool:
        """Deletes a user; False if there was none."""
        ...

    def renew_invite_link(self) -> None:
        """Makes every invite link handed out before void."""
        ...


@dataclass(frozen=True, slots=True)
class Invitation:
    """A rater's log-in and where she finds her work."""

    rater_id: str
    study: str
    log_in: str = field(repr=False)
    password: str | None = field(repr=False)
    """None if she had a log-in already; it is shown once and kept nowhere."""
    links: tuple[str, ...]
    """Her projects, oldest first; none before a batch was pushed."""
    home: str
    """Where she signs in."""

    @property
    def message(self) -> str:
        """The one message to pass on to her."""
        if self.links:
            links = "\n".join(self.links)
            work = f"Your sentences (sign in on the same page):\n{links}"
        else:
            work = (
                f"Sign in at {self.home}\n"
                f"Your sentences will be there as soon as they are sent: open the project with "
                f"{self.rater_id} in its name."
            )
        return (
            f"You are invited to rate sentences for the study {self.study}.\n\n{work}\n\n"
            f"Log-in:   {self.log_in}\nPassword: {self.password}\n\n"
            f"You are {self.rater_id} in all data; your name is not part of it. Keep this message: "
            "the password cannot be looked up. If it is lost, ask for a new log-in.\n"
        )


def find_rater(state: State, rater_id: str) -> Person:
    """The rater with this pseudonym.

    Raises:
        StateError: if there is none, or she was erased.
    """
    known = {person.id: person for person in state.people() if person.kind == RATER}
    if rater_id not in known:
        raise StateError(
            f"There is no rater {rater_id}; add her with `stereoscope raters add {rater_id}`. "
            f"Known: {', '.join(sorted(known)) or 'none yet'}."
        )
    if rater_id in find_erased(state):
        raise StateError(
            f"{rater_id} was erased. If she takes part again, add her under another pseudonym: "
            "under this one her earlier ratings would be hers again."
        )
    return known[rater_id]


def find_erased(state: State) -> frozenset[str]:
    """Pseudonyms of the people who were erased."""
    return frozenset(each.subject for each in state.audit_entries() if each.action == ERASE_ACTION)


def invite_rater(
    store: Store,
    accounts: AccountServer,
    rater_id: str,
    actor: str,
    *,
    study: str,
    home: str,
    link: Callable[[str], str],
    domain: str,
    renew: bool = False,
) -> Invitation:
    """Gives a rater a log-in on the labelling server, and what to tell her.

    The address is stored before the account is made, so that an invitation cut short is completed
    by the next one. A renewed log-in is a second account: the server can set no new password, and
    a deleted user would leave her answers without an author. Both accounts stay hers.

    Args:
        store: Where her address is kept.
        accounts: The server's accounts.
        rater_id: Her pseudonym.
        actor: Who invites.
        study: Name of the study.
        home: Where she signs in.
        link: Address of a project by its id.
        domain: Domain of a pseudonymous address.
        renew: Whether she gets another log-in although she has one.

    Raises:
        StateError: if there is no such rater or she was erased, or the server refuses the address.
        UnreachableError: if the server does not answer or refuses the token.
    """
    with store.claiming("raters invite"):
        taken = accounts.user_ids()
        with store.writing(Origin.HUMAN) as writer:
            person = find_rater(writer, rater_id)
            used = frozenset().union(*writer.log_in_addresses().values()) | set(taken)
            links = tuple(link(project) for project in _find_projects(writer, rater_id))
            has_account = bool(person.address) and str(person.address).lower() in taken
            if has_account and not renew:
                return Invitation(rater_id, study, str(person.address), None, links, home)
            address = person.address
            if address is None or has_account:
                address = _choose_address(rater_id, domain, used)
                writer.append([replace(person, address=address, stamp=None)])
        login = Login(address, make_password())
        accounts.sign_up(login)
        with store.writing(Origin.HUMAN) as writer:
            writer.append_audit(
                AuditEntry(actor, "raters invite", rater_id, after={"renewed": has_account})
            )
    return Invitation(rater_id, study, login.email, login.password, links, home)


def make_password() -> str:
    """A random password of about 99 bits, easy to copy by eye."""
    groups = (
        "".join(secrets.choice(PASSWORD_LETTERS) for _ in range(PASSWORD_GROUP_LENGTH))
        for _ in range(PASSWORD_GROUPS)
    )
    return "-".join(groups)


def find_assignments(state: State, rater_id: str) -> list[Assignment]:
    """What a rater was asked to rate, by batch."""
    batches = [batch.id for batch in state.batches()]
    return [each for each in state.assignments(batches) if each.rater_id == rater_id]


def _find_projects(state: State, rater_id: str) -> list[str]:
    mine = [
        each
        for each in find_assignments(state, rater_id)
        if each.external_id is not None and each.state is AssignmentState.ACTIVE
    ]
    mine.sort(key=lambda each: each.stamp.position if each.stamp else 0)
    return [str(each.external_id) for each in mine]


def _choose_address(rater_id: str, domain: str, used: frozenset[str]) -> str:
    """The first free address made of the pseudonym; another study may have the same one."""
    name = rater_id.lower()
    if not set(name) <= LOCAL_PART or name.strip(".") != name or ".." in name or len(name) > 50:
        name = f"rater-{sha256_json(rater_id)[:12]}"
    number = 1
    while True:
        address = f"{name}{f'.{number}' if number > 1 else ''}@{domain}"
        if address not in used:
            return address
        number += 1
