"""Who acts in the app and what she may do: readers look, curators decide, administrators run it.

Rights are asked for by the action itself, so that a page which forgets to hide a button gives
nothing away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from corpus.errors import AccessError
from corpus.members import fold_address
from corpus.settings import Settings

ANYBODY = "a reader"
"""Name of whoever reads without standing in the settings."""
NOT_LOGGED_IN = "Log in first."
NOT_VERIFIED = (
    "The log-in gave no verified e-mail address, so nobody can tell who you are. Verify your "
    "address with the service you log in with, log out here and log in again."
)
UNKNOWN = (
    "You are logged in, but your address stands for nobody in this study. Ask its administrator "
    "to add it to the settings (people)."
)


class Role(StrEnum):
    """What a person may do; each role may do all that the ones before it may."""

    READER = "reader"
    """Looks and downloads."""
    CURATOR = "curator"
    """Decides, excludes raters, chooses templates, approves, sends batches and pulls."""
    ADMINISTRATOR = "administrator"
    """Generates, which may cost money, and whatever else changes the study as a whole."""

    def covers(self, needed: Role) -> bool:
        """Whether it may do what the other may."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who acts, and with which role."""

    name: str
    """Stands in the audit trail."""
    role: Role
    is_local: bool
    """Whether nobody logged in: everybody who reaches this address is the same person."""

    def require(self, needed: Role) -> None:
        """Makes sure that the role is enough.

        Raises:
            AccessError: if it is not.
        """
        if not self.role.covers(needed):
            raise AccessError(
                f"This needs the role {needed}; {self.name} is {self.role}. An administrator "
                "gives roles in the settings."
            )


def identify(claims: Mapping[str, Any], settings: Settings) -> Identity:
    """Who the person is for whom an identity provider vouches.

    Args:
        claims: What it says of her; `is_logged_in` is added by Streamlit.
        settings: Which name the people.

    Raises:
        AccessError: if nobody is logged in, the address is not verified or stands for nobody. The
            message holds no address.
    """
    if claims.get("is_logged_in") is not True:
        raise AccessError(NOT_LOGGED_IN)
    address = claims.get("email")
    if claims.get("email_verified") is not True or not isinstance(address, str):
        raise AccessError(NOT_VERIFIED)
    folded = fold_address(address)
    for member in settings.people:
        if member.address == folded:
            return Identity(member.name, Role(member.role), is_local=False)
    if settings.anybody_reads:
        return Identity(ANYBODY, Role.READER, is_local=False)
    raise AccessError(UNKNOWN)
