"""Pairing strategies by name: each decides what two wrapped translations are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from corpus.errors import SettingsError
from pipeline.extended.strategy import ExtendedStrategy
from pipeline.pairing_result import PairingResult
from pipeline.reference import ReferenceStrategy
from pipeline.strict import StrictStrategy


class PairingStrategy(Protocol):
    """A rule that labels a source sentence from its two wrapped translations."""

    @property
    def name(self) -> str:
        """Name as in settings: `extended`, `strict` or `reference`."""

    @property
    def version(self) -> str:
        """Changes whenever the same input may give another result."""

    def prepare(
        self,
        language: str,
        pairs: Iterable[tuple[str | None, str | None]],
        *,
        wrapped: bool = True,
    ) -> PairingStrategy:
        """The strategy ready for a language, from all its pairs of translations.

        The order of the pairs makes no difference. A strategy that learns nothing returns itself.

        Args:
            language: code of the language.
            pairs: masculine and feminine translation of each source.
            wrapped: whether the translations have their wrappers around them.
        """

    def pair(
        self, language: str, masculine_wrapped: str | None, feminine_wrapped: str | None
    ) -> PairingResult:
        """The label with its reason; None stands for a missing translation.

        Pure: the same input gives the same result, and no translation raises.
        """

    def compare(self, language: str, masculine: str, feminine: str) -> PairingResult:
        """The label of two sentences without wrappers, neither of them empty."""


_STRATEGIES: Mapping[str, PairingStrategy] = {
    strategy.name: strategy
    for strategy in (ExtendedStrategy(), StrictStrategy(), ReferenceStrategy())
}


def pairing_strategy(name: str, *, repairs: bool = False) -> PairingStrategy:
    """The strategy of that name.

    Args:
        name: `extended`, `strict` or `reference`.
        repairs: whether it builds a missing variant from the other one; `extended` only.

    Raises:
        SettingsError: if there is none, naming those there are, or if it cannot repair.
    """
    if name not in _STRATEGIES:
        known = ", ".join(sorted(_STRATEGIES))
        raise SettingsError(f"Unknown pairing strategy {name!r}; use one of {known}.")
    if not repairs:
        return _STRATEGIES[name]
    if name != ExtendedStrategy.name:
        raise SettingsError(f"The pairing strategy {name!r} cannot repair; use extended.")
    return ExtendedStrategy(repairs=True)
