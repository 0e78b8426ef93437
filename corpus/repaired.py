"""Repaired candidates: a variant of them was built by the product, and people must judge enough.

Until at least 100 built variants of a language were judged by people, with a lower bound of the
share found right of at least 90 %, repaired candidates stay out of its releases. That at least 95 %
are right is claimed from 200 on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from corpus.figures import Interval
from corpus.intervals import wilson_interval
from corpus.records import (
    FEMININE_VARIANT,
    MASCULINE_VARIANT,
    NEUTRAL_VARIANT,
    Candidate,
    Item,
    Label,
    Origin,
)
from corpus.review import ReviewedCandidate
from corpus.standing import DATA_PURPOSES, Standing

REPAIRED_FLAG = "repaired"
"""Flag of a candidate with a variant that was built, not translated."""
LEAST_JUDGED = 100
"""Built variants that people must have judged, by language."""
LEAST_RIGHT = 0.9
"""Least lower bound of the share of them found right."""
BARS = ((200, 0.95), (LEAST_JUDGED, LEAST_RIGHT))
"""Built variants judged and the lower bound that may be claimed on them, the best first."""

_RIGHT_ANSWERS: Mapping[str, Mapping[str, str]] = {
    NEUTRAL_VARIANT: {"gender_marked": "no"},
    MASCULINE_VARIANT: {"gender_marked": "yes", "speaker_gender": "man"},
    FEMININE_VARIANT: {"gender_marked": "yes", "speaker_gender": "woman"},
}
"""Variant → the answers of a rater to whom it shows what it is to show."""


@dataclass(frozen=True, slots=True)
class RepairedVerdict:
    """What people said of the built variants of a language."""

    judged: int
    """Built variants with at least one counted rating by a person."""
    right: int
    """Those that every one of these ratings found to show what they are to show."""
    interval: Interval
    """Of the share that is right, 95 %."""

    @property
    def assured(self) -> float | None:
        """The share that is right at least, 0.95 or 0.9; None if too few were judged or right."""
        low = self.interval.low
        if low is None:
            return None
        met = (bar for judged, bar in BARS if self.judged >= judged and low >= bar)
        return next(met, None)

    @property
    def releasable(self) -> bool:
        """Whether repaired candidates of the language may be released."""
        return self.assured is not None


def is_repaired(reviewed: ReviewedCandidate) -> bool:
    """Whether a candidate still holds the built text: no curator has written it anew."""
    generated = reviewed.generated
    built = generated.variants.get(find_built_variant(generated))
    return REPAIRED_FLAG in generated.flags and built in reviewed.candidate.variants.values()


def compute_repaired_verdict(standing: Standing) -> RepairedVerdict:
    """What people said of a language's built variants; demo raters are no people."""
    repaired = {
        each.candidate.id: each.candidate for each in standing.candidates if is_repaired(each)
    }
    items = {item.id: item for item in standing.items if _shows_built(item, repaired)}
    verdicts: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    for rating in standing.counted:
        item = items.get(rating.item_id)
        is_demo = rating.stamp is not None and rating.stamp.origin is Origin.DEMO
        if item is None or is_demo:
            continue
        expected = _RIGHT_ANSWERS[item.variant]
        right = all(rating.answers.get(name) == value for name, value in expected.items())
        verdicts[item.subject_id, item.variant].append(right)
    count = sum(map(all, verdicts.values()))
    return RepairedVerdict(len(verdicts), count, wilson_interval(count, len(verdicts)))


def find_built_variant(candidate: Candidate) -> str:
    """The variant of a repaired candidate that was built, by its evidence."""
    if candidate.label is Label.NEUTRAL:
        return NEUTRAL_VARIANT
    base = candidate.evidence.get("repair", {}).get("base")
    return FEMININE_VARIANT if base == MASCULINE_VARIANT else MASCULINE_VARIANT


def _shows_built(item: Item, repaired: Mapping[str, Candidate]) -> bool:
    """Whether an item shows a built variant as it is now."""
    candidate = repaired.get(item.subject_id)
    if candidate is None or item.purpose not in DATA_PURPOSES:
        return False
    text = candidate.variants.get(item.variant)
    return item.variant == find_built_variant(candidate) and text in item.shown.values()
