"""Control items: exact repeats and degraded translations, which measure the rater.

Each is made from one sample item and goes to the raters of that item, so that everybody is compared
with herself. No item is the origin of two. The control items are spread evenly over the raters, and
nobody gets more than one for every two of her sample items, so that they can be kept far apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from annotation.degradation import (
    DegradationKind,
    Degraded,
    WordExchange,
    break_agreement,
    drop_words,
    insert_foreign_words,
)
from corpus.errors import StateError
from corpus.records import Purpose

REPEAT = "repeat"
MOST_CONTROLS = 0.5
"""Control items for each sample item, at most: more cannot be kept a third of the list apart."""
CONTROL_PURPOSES = frozenset({Purpose.REPEAT, Purpose.DEGRADED})
LEAST_SHARE_OF_A_KIND = 0.25


@dataclass(frozen=True, slots=True)
class ControlShares:
    """How many control items there are for each sample item, 0 to 0.5 together."""

    repeat: float = 0.0
    degraded: float = 0.0

    def check(self) -> None:
        """Raises StateError where the shares do not work."""
        if min(self.repeat, self.degraded) < 0 or self.repeat + self.degraded > MOST_CONTROLS:
            raise StateError(
                "Repeats and degraded translations are shares of the sample from 0 on, together "
                f"at most {MOST_CONTROLS}: {self.repeat} and {self.degraded} are not."
            )

    def as_json(self) -> dict[str, float]:
        """The shares as a batch's design stores them."""
        return {"repeat": self.repeat, "degraded": self.degraded}


@dataclass(frozen=True, slots=True)
class Original:
    """A sample item that a control item can be made from."""

    text: str
    """The translation as shown."""
    variants: tuple[str, ...]
    """All texts of its candidate."""
    raters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MadeControl:
    """A control item before it has an id."""

    of: int
    """Place of its original among the sample items."""
    purpose: Purpose
    text: str
    making: Mapping[str, Any]
    """How it was made, but for the id of its original."""


@dataclass(slots=True)
class _Picker:
    """Picks originals so that control items are spread evenly over raters."""

    originals: Sequence[Original]
    random: Random
    load: Counter[str] = field(default_factory=Counter)
    used: set[int] = field(default_factory=set)
    _most: dict[str, int] = field(init=False)
    _order: list[int] = field(init=False)

    def __post_init__(self) -> None:
        assigned = Counter(rater for each in self.originals for rater in each.raters)
        self._most = {rater: int(count * MOST_CONTROLS) for rater, count in assigned.items()}
        self._order = self.random.sample(range(len(self.originals)), len(self.originals))

    def pick(self, eligible: Collection[int]) -> int | None:
        """A free original of raters with the fewest control items; None where there is none."""
        least = min((self.load[rater] for rater in self._most), default=0)
        chosen: int | None = None
        fewest = 0
        for number in self._order:
            if number in self.used or number not in eligible:
                continue
            raters = self.originals[number].raters
            if any(self.load[each] >= self._most[each] for each in raters):
                continue
            loaded = max((self.load[each] for each in raters), default=0)
            if chosen is None or loaded < fewest:
                chosen, fewest = number, loaded
            if fewest == least:
                break
        if chosen is not None:
            self.used.add(chosen)
            self.load.update(self.originals[chosen].raters)
        return chosen

    def give_back(self, number: int) -> None:
        """Undoes a pick."""
        self.load.subtract(self.originals[number].raters)


def make_controls(
    originals: Sequence[Original], shares: ControlShares, exchange: WordExchange, seed: int
) -> list[MadeControl]:
    """The control items of a sample: repeats, then degraded translations.

    Degraded translations are divided evenly over the kinds, each at least a quarter. There are at
    least three, and never five, which cannot be divided so. A kind that the language's texts do not
    allow (wrong agreement where no pair attests an exchange) leaves its part to the others; a batch
    says what was made.

    Args:
        originals: The sample items, in the order of their numbers.
        shares: How many to make.
        exchange: The other gender's form of a word.
        seed: Seed of the batch.

    Raises:
        StateError: if the shares do not work.
    """
    shares.check()
    random = Random(f"{seed}/controls")
    picker = _Picker(originals, random)
    everything = range(len(originals))
    made: list[MadeControl] = []
    # Degraded first: wrong agreement can be made of few originals only.
    degraded = _make_degraded(picker, count_degraded(len(originals), shares.degraded), exchange)
    for _ in range(round(shares.repeat * len(originals))):
        chosen = picker.pick(everything)
        if chosen is not None:
            text = originals[chosen].text
            made.append(MadeControl(chosen, Purpose.REPEAT, text, {"kind": REPEAT}))
    return made + degraded


def count_degraded(sample: int, share: float) -> int:
    """How many translations are degraded: a number of which three kinds are a quarter each."""
    if share <= 0:
        return 0
    count = max(3, round(share * sample))
    return 6 if count == 5 else count


def count_kinds(controls: Sequence[MadeControl]) -> dict[str, int]:
    """How many control items of each kind there are."""
    counts = Counter(str(each.making["kind"]) for each in controls)
    kinds = [*([REPEAT] if counts[REPEAT] else []), *map(str, DegradationKind)]
    degraded = any(counts[kind] for kind in DegradationKind)
    return {kind: counts[kind] for kind in kinds if kind == REPEAT or degraded}


def find_short_kinds(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Kinds of degradation that are less than a quarter of the degraded translations."""
    degraded = {kind: count for kind, count in counts.items() if kind != REPEAT}
    total = sum(degraded.values())
    return tuple(kind for kind, count in degraded.items() if count < LEAST_SHARE_OF_A_KIND * total)


def _make_degraded(picker: _Picker, count: int, exchange: WordExchange) -> list[MadeControl]:
    originals, random = picker.originals, picker.random
    texts = [each.text for each in originals]

    def break_one(number: int, _: int) -> Degraded | None:
        return break_agreement(originals[number].text, originals[number].variants, exchange, random)

    def insert(number: int, strength: int) -> Degraded | None:
        own = originals[number].variants
        return insert_foreign_words(texts[number], texts, strength, random, own)

    def drop(number: int, strength: int) -> Degraded | None:
        return drop_words(texts[number], strength, random)

    # Each kind takes an even part of what is left, so that what one lacks the others make up for.
    made: list[MadeControl] = []
    for left, degrade in ((3, break_one), (2, insert), (1, drop)):
        made += _make_kind(picker, (count - len(made)) // left, degrade)
    if len(made) < count:
        made += _make_kind(picker, count - len(made), insert)
    return made


def _make_kind(
    picker: _Picker, count: int, degrade: Callable[[int, int], Degraded | None]
) -> list[MadeControl]:
    eligible = {
        number
        for number in range(len(picker.originals))
        if number not in picker.used and degrade(number, 1) is not None
    }
    made: list[MadeControl] = []
    while len(made) < count and (chosen := picker.pick(eligible)) is not None:
        # The strengths take turns; a short text takes the strongest one it allows.
        strength = 1 + len(made) % 3
        tried = [degrade(chosen, each) for each in range(strength, 0, -1)]
        found = next((each for each in tried if each is not None), None)
        text = found.text if found else None
        if found is None or text in picker.originals[chosen].variants:
            picker.give_back(chosen)
            continue
        making = {
            "kind": str(found.kind),
            "strength": found.strength,
            "changes": [dict(change) for change in found.changes],
        }
        made.append(MadeControl(chosen, Purpose.DEGRADED, found.text, making))
    return made
