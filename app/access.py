"""Who acts in the app and what she may do: readers look, curators decide, administrators run it.

Rights are asked for by the action itself, so that a page which forgets to hide a button gives
nothing away.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from corpus.errors import AccessError


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
