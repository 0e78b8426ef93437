"""How long answers take: times as the browser measures them, pauses with the page open left out.

The browser's clock runs while a rater is at lunch. A time above her cut-off therefore holds a pause
of unknown length: it says nothing about the item, and no figure here counts it. The cut-off is her
own, because a slow careful rater is no idle one: Tukey's outer fence Q3 + 3 (Q3 - Q1) of her timed
answers, not below twice her upper quartile Q3 (so that very even times cut nothing ordinary off)
and not above 300 seconds, which is also the cut-off while she has fewer than ten timed answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

from annotation.rounds import LEAST_FOR_PACE, LONGEST_ANSWER_S
from corpus.figures import Interval
from corpus.records import RatingRevision, RatingState

FENCE_IQRS = 3.0
LEAST_FENCE_QUARTILES = 2.0
LEVEL = 0.95
MEDIAN_METHOD = "order statistics, exact binomial"
CUT_OFF_IN_WORDS = (
    "a time above a rater's cut-off, the upper quartile of her times plus three times their "
    "interquartile range (at least twice that quartile, at most 300 s; 300 s under ten timed "
    "answers), holds a pause and is left out"
)


@dataclass(frozen=True, slots=True)
class AnswerTimes:
    """How long valid answers took, in seconds."""

    kept: tuple[float, ...] = ()
    """Times without a pause, sorted."""
    pauses: int = 0
    """Timed answers left out, because they were interrupted."""

    @property
    def median_s(self) -> float | None:
        """The median time; None without any."""
        return float(median(self.kept)) if self.kept else None


def compute_cut_off_s(times: Sequence[float]) -> float:
    """The time in seconds above which an answer of this rater's was interrupted.

    Source:
        Tukey (1977), Exploratory Data Analysis, section 2C, outer fence; the bounds are ours.
    """
    if len(times) < LEAST_FOR_PACE:
        return LONGEST_ANSWER_S
    lower, _, upper = quantiles(times, n=4, method="inclusive")
    fence = max(upper + FENCE_IQRS * (upper - lower), LEAST_FENCE_QUARTILES * upper)
    return min(LONGEST_ANSWER_S, fence)


def compute_answer_times(
    ratings: Iterable[RatingRevision], cut_off_s: float = LONGEST_ANSWER_S
) -> AnswerTimes:
    """Times of the valid answers, those above the cut-off apart."""
    times = list_times(ratings)
    kept = sorted(time for time in times if time <= cut_off_s)
    return AnswerTimes(tuple(kept), len(times) - len(kept))


def join_times(times: Iterable[AnswerTimes]) -> AnswerTimes:
    """The times of several raters together, each cut off at her own cut-off before."""
    every = list(times)
    kept = sorted(time for each in every for time in each.kept)
    return AnswerTimes(tuple(kept), sum(each.pauses for each in every))


def list_times(ratings: Iterable[RatingRevision]) -> list[float]:
    """The times in seconds of the valid answers whose time is known."""
    return [
        each.lead_time_s
        for each in ratings
        if each.state is RatingState.VALID and each.lead_time_s is not None
    ]


def median_interval(times: Sequence[float], level: float = LEVEL) -> Interval:
    """An interval of the median from order statistics; null with `too_few` where there is none.

    Covers at least `level`, whatever the distribution; six times are the fewest that have one of
    95 %.

    Args:
        times: Sorted.
        level: Coverage aimed at, in (0, 1).

    Source:
        Conover (1999), Practical Nonparametric Statistics, section 3.2.
    """
    # Here, because it takes longer to import than most commands take to run.
    from scipy.special import bdtr

    n = len(times)
    below = [k for k in range(n) if bdtr(k, n, 0.5) <= (1 - level) / 2]
    if not below:
        return Interval(None, None, level, MEDIAN_METHOD, reason="too_few")
    # The median lies below times[rank] only if at most `rank` of n times lie below the median.
    rank = below[-1]
    return Interval(times[rank], times[n - 1 - rank], level, MEDIAN_METHOD)
