"""Pairing strategies by name: each decides what two wrapped translations are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from corpus.errors import SettingsError
from pipeline.pairing_result import PairingResult
from pipeline.reference import ReferenceStrategy
from pipeline.strict import StrictStrategy


class PairingStrategy(Protocol):
    """A rule that labels a source sentence from its two wrapped translations."""

    @property
    def name(self) -> str:
        """Name as in settings: `strict` or `reference`."""

    @property
    def version(self) -> str:
        """Changes whenever the same input may give another result."""

    def pair(
        self, language: str, masculine_wrapped: str | None, feminine_wrapped: str | None
    ) -> PairingResult:
        """The label with its reason; None stands for a missing translation.

        Pure: the same input gives the same result, and no translation raises.
        """


_STRATEGIES: Mapping[str, PairingStrategy] = {
    strategy.name: strategy for strategy in (StrictStrategy(), ReferenceStrategy())
}


def pairing_strategy(name: str) -> PairingStrategy:
    """The strategy of that name.

    Raises:
        SettingsError: if there is none, naming those there are.
    """
    try:
        return _STRATEGIES[name]
    except KeyError:
        known = ", ".join(sorted(_STRATEGIES))
        raise SettingsError(f"Unknown pairing strategy {name!r}; use one of {known}.") from None
