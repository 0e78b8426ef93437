"""The limit on what a workspace spends: what would pass it is never sent."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.errors import SettingsError, StateError
from corpus.store.state import State
from engines.translation import CostEstimate, TranslationEngine, TranslationRequest


@dataclass(frozen=True, slots=True)
class Spent:
    """Characters billed so far for the translations that are in the store."""

    characters: int
    """Of all engines."""
    characters_of_engine: int
    """Of the engine in use, which has the price."""


@dataclass(frozen=True, slots=True)
class SpendingLimit:
    """How much a workspace may spend in all, on every run and engine together."""

    characters: int | None = None
    usd: float | None = None

    def affordable(
        self, engine: TranslationEngine, requests: Sequence[TranslationRequest], spent: Spent
    ) -> Sequence[TranslationRequest]:
        """The longest beginning of the requests that stays within both limits.

        Raises:
            StateError: if not even the first request does; nothing may be sent then.
            SettingsError: if there is a limit in money and the engine has no price.
        """
        if not requests or (self.characters is None and self.usd is None):
            return requests
        if self.usd is not None and engine.estimate_cost(requests).amount is None:
            raise SettingsError(
                f"The engine {engine.name} has no price, so spend_limit_usd cannot be kept; set "
                "spend_limit_characters instead."
            )
        total = engine.estimate_cost(requests)
        if not total.characters:
            return requests

        def passes(count: int) -> bool:
            return self._is_passed(engine.estimate_cost(requests[:count]), total, spent)

        fitting = bisect_right(range(1, len(requests) + 1), False, key=passes)
        if not fitting:
            raise self._failure(len(requests), spent, "Nothing was sent")
        return requests[:fitting]

    def check_all_sent(self, affordable: int, wanted: int, spent: Spent) -> None:
        """Returns if everything wanted was affordable.

        Raises:
            StateError: if the limit left some of it unsent.
        """
        if affordable < wanted:
            raise self._failure(wanted - affordable, spent, "What was translated is kept")

    def _is_passed(self, cost: CostEstimate, total: CostEstimate, spent: Spent) -> bool:
        if self.characters is not None and spent.characters + cost.characters > self.characters:
            return True
        if self.usd is None or cost.amount is None or total.amount is None:
            return False
        price = total.amount / total.characters
        return spent.characters_of_engine * price + cost.amount > self.usd

    def _failure(self, left: int, spent: Spent, kept: str) -> StateError:
        limits = [f"{self.characters} characters"] if self.characters is not None else []
        limits += [f"{self.usd:g} USD"] if self.usd is not None else []
        return StateError(
            f"The spending limit of this workspace ({' or '.join(limits)}) leaves {left} texts "
            f"untranslated; {spent.characters} characters are billed so far. {kept}; raise "
            "spend_limit_characters or spend_limit_usd and run the command again."
        )


def read_spent(state: State, engine: str) -> Spent:
    """What the store says has been billed, in all and by one engine."""
    return Spent(state.characters_billed(), state.characters_billed(engine))
