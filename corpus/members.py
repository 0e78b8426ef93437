"""Who may log in to the app, and under which name she acts there.

The address is only compared with the one that the identity provider verified; the name stands in
the audit trail, in decisions and in approvals, so that no address ever gets there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

LONGEST_NAME = 100


def fold_address(address: str) -> str:
    """The address as it is compared: without the case of its letters."""
    return address.strip().casefold()


def _check_address(address: str) -> str:
    if "@" not in address:
        raise ValueError("an e-mail address is needed")
    return fold_address(address)


def _check_name(name: str) -> str:
    if not name.strip() or not name.isprintable():
        raise ValueError("a name of printable characters is needed")
    if "@" in name:
        raise ValueError("it stands in the audit trail and in exports, so it must be no address")
    return name.strip()


class Member(BaseModel):
    """A person who may log in."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    address: Annotated[str, AfterValidator(_check_address)] = Field(repr=False, max_length=320)
    name: Annotated[str, AfterValidator(_check_name)] = Field(max_length=LONGEST_NAME)
    role: Literal["reader", "curator", "administrator"]


def _check_members(members: tuple[Member, ...]) -> tuple[Member, ...]:
    if _repeated([each.address for each in members]):
        raise ValueError("an address stands there twice (case does not matter)")
    if names := _repeated([each.name for each in members]):
        raise ValueError(f"a name stands there twice: {', '.join(names)}")
    return members


def _repeated(values: Sequence[str]) -> list[str]:
    return [value for value, count in Counter(values).items() if count > 1]


Members = Annotated[tuple[Member, ...], AfterValidator(_check_members)]
"""Members, no address and no name of whom stands there twice."""
