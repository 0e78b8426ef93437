"""Counterparts: the same form in the other gender, as a language's own accepted pairs attest it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT
from pipeline.extended.form_index import FormIndex

_SURE = 0.9
"""Least share of a form's (or an ending's) attested uses that one counterpart must have."""
_ENOUGH_FORMS = 10
"""Different forms on which an exchange of endings must stand."""


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A form in the other gender and how often that was seen."""

    form: str
    seen: int
    """Pairs in which the two forms stand for each other; for an exchange of endings, forms."""
    by: str
    """`form` or `ending`."""


@dataclass(frozen=True, slots=True)
class CounterpartIndex:
    """What stands for a form in the other gender; nothing where the language shows two."""

    forms: Mapping[tuple[str, str], Mapping[str, int]]
    """Gender and form → counterpart → pairs."""
    exchanges: Mapping[tuple[str, str, str], int]
    """Gender, ending and other ending → different forms that turn so."""
    endings: Mapping[tuple[str, str], int]
    """Gender and ending → different forms with it."""
    index: FormIndex

    def find(self, form: str, gender: str) -> Counterpart | None:
        """The counterpart of a form that shows `gender`, None if it is unknown or not certain."""
        known = self.forms.get((gender, form))
        if known is None:
            return self._find_by_ending(form, gender)
        best = max(sorted(known), key=known.__getitem__)
        if known[best] < _SURE * sum(known.values()):
            return None
        return Counterpart(best, known[best], "form")

    def _find_by_ending(self, form: str, gender: str) -> Counterpart | None:
        for reading in self.index.read(form):
            if reading.gender != gender or reading.whole_word:
                continue
            seen = self.exchanges.get((gender, reading.ending, reading.other), 0)
            if seen < _ENOUGH_FORMS or seen < _SURE * self.endings[gender, reading.ending]:
                return None
            return Counterpart(reading.counterpart, seen, "ending")
        return None


def build_counterparts(
    changed: Mapping[tuple[str, str], int], index: FormIndex
) -> CounterpartIndex:
    """The counterparts that accepted pairs attest, in both directions."""
    forms: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    exchanges: Counter[tuple[str, str, str]] = Counter()
    endings: Counter[tuple[str, str]] = Counter()
    for (masculine, feminine), seen in changed.items():
        sides = (
            (MASCULINE_VARIANT, masculine, feminine),
            (FEMININE_VARIANT, feminine, masculine),
        )
        for gender, form, counterpart in sides:
            forms[gender, form][counterpart] += seen
            readings = [each for each in index.read(form) if each.gender == gender]
            for reading in readings:
                if reading.counterpart == counterpart:
                    exchanges[gender, reading.ending, reading.other] += 1
            endings.update({(gender, reading.ending) for reading in readings})
    return CounterpartIndex(forms, exchanges, endings, index)
