"""Costs of annotation: what raters are paid for, at rates that a study sets; none is assumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from corpus.settings import Settings

SECONDS_PER_HOUR = 3600


@dataclass(frozen=True, slots=True)
class CostRates:
    """What one answer costs, in one currency; what is None is not paid for."""

    currency: str = ""
    per_item: float | None = None
    """For each item a rater answers."""
    per_word: float | None = None
    """For each word of the English sentence of each item a rater answers."""
    per_hour: float | None = None
    """For each hour a rater works."""
    fee: float | None = None
    """Once for each batch."""
    fee_share: float | None = None
    """On top of all the rest, as a share of it: an agency's fee, a tax."""

    @classmethod
    def from_settings(cls, settings: Settings) -> CostRates:
        """The rates that the study sets."""
        return cls(
            settings.cost_currency,
            settings.cost_per_item,
            settings.cost_per_word,
            settings.cost_per_hour,
            settings.cost_fee,
            settings.cost_fee_share,
        )

    @classmethod
    def from_design(cls, design: Mapping[str, Any]) -> CostRates | None:
        """The rates a batch was made with; None where it was made without any."""
        stored = design.get("cost")
        return cls(**stored) if stored else None

    @property
    def are_set(self) -> bool:
        """Whether anything is paid for."""
        return any(each is not None for each in (self.per_item, self.per_word, self.per_hour))

    def as_json(self) -> dict[str, Any]:
        """The rates as a batch's design stores them: those that are set."""
        return {name: value for name, value in asdict(self).items() if value not in (None, "")}


@dataclass(frozen=True, slots=True)
class Work:
    """What raters do, or did: answers, words and time over all of them."""

    answers: int
    source_words: int
    translation_words: int
    seconds: float | None
    """None where nobody knows how long an answer takes."""

    @property
    def hours(self) -> float | None:
        """The time in hours."""
        return None if self.seconds is None else self.seconds / SECONDS_PER_HOUR


def compute_cost(work: Work, rates: CostRates, batches: int = 1) -> Decimal | None:
    """What the work costs: items, words and hours at their rates, fees, then what comes on top.

    Computed in decimals, as money is. None where no rate is set, or one for hours is and the time
    is not known.
    """
    if not rates.are_set or (rates.per_hour and work.hours is None):
        return None
    cost = _decimal(rates.per_item) * work.answers + _decimal(rates.per_word) * work.source_words
    if work.seconds is not None:
        cost += _decimal(rates.per_hour) * _decimal(work.seconds) / SECONDS_PER_HOUR
    cost += _decimal(rates.fee) * batches
    return cost * (1 + _decimal(rates.fee_share))


def count_words(text: str) -> int:
    """Words of a text: what stands between spaces and holds a letter or a digit."""
    return sum(any(map(str.isalnum, piece)) for piece in text.split())


def _decimal(value: float | None) -> Decimal:
    # By its text: 0.51 is meant as it is written.
    return Decimal(str(value)) if value is not None else Decimal(0)
