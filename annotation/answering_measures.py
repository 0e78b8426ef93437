"""How a rater answers, whatever she rates: speed, use of the scale, runs of equal answers.

An answer is fast if it took less time than its texts take to read at 300 words a minute, the upper
end of what most adults read English prose at (Brysbaert 2019, Journal of Memory and Language 109:
175 to 300); thinking and answering not counted. A fast answer may be a good one: she may read
quickly, or know the sentence from another item.

A run is a stretch of equal answers (same DA, same label) in her own order, which is random. How
long a run chance gives is told by permuting her own answers within each batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotation.item_bootstrap import Measure
from annotation.rater_answers import GivenAnswer, RaterAnswers
from annotation.rater_figures import RaterFigures, compute_variances, find_lack
from annotation.ratings_table import FloatArray, IntArray
from corpus.figures import Figure
from corpus.hashing import sha256_text

READING_WORDS_PER_MINUTE = 300.0
LEAST_ANSWERS_OF_A_HABIT = 10
"""Answers that speak of a habit."""
ANCHORS = (0.0, 33.0, 66.0, 100.0)
MIDDLE = 50.0
PERMUTATIONS = 2000

FAST_ANSWERS = Measure(
    "fast_answers",
    "Share of a rater's timed answers given in less time than the texts shown take to read at "
    f"{READING_WORDS_PER_MINUTE:.0f} words a minute, in [0, 1].",
    "share of timed answers",
)
AT_ANCHORS = Measure(
    "share_at_anchors",
    "Share of a rater's DA scores that are exactly 0, 33, 66 or 100, in [0, 1].",
    "share of answers",
)
AT_POINTS = {
    point: Measure(
        f"share_at_{point:.0f}",
        f"Share of a rater's DA scores that are exactly {point:.0f}, in [0, 1].",
        "share of answers",
    )
    for point in (ANCHORS[0], MIDDLE, ANCHORS[-1])
}
DISTINCT_SCORES = Measure(
    "distinct_scores", "Number of different DA scores that a rater gave, at least 1.", "count"
)
SCORE_SD = Measure(
    "score_sd",
    "Standard deviation of a rater's DA scores, in points of 0 to 100; 0 if all are equal.",
    "n - 1 in the denominator",
)
LONGEST_RUN = Measure(
    "longest_run",
    "Most answers in a row with equal DA and equal label, in the rater's own order within a batch.",
    "count",
)
LONGEST_RUN_P = Measure(
    "longest_run_p",
    "Share in (0, 1] of random orders of a rater's own answers with a run at least as long as the "
    "longest one in her order; small if equal answers stand together more than by chance.",
    f"permutation within batches, {PERMUTATIONS} orders, (hits + 1) / (orders + 1)",
)


def compute_speed_figures(rater: RaterAnswers, figures: RaterFigures) -> list[Figure]:
    """Share of answers faster than reading; `no_data` where no answer has a time."""
    timed = [each for each in rater.answers if each.seconds is not None]
    return [figures.share(FAST_ANSWERS, sum(map(is_fast, timed)), len(timed))]


def is_fast(answer: GivenAnswer) -> bool:
    """Whether an answer took less time than its texts take to read; no if nobody knows."""
    needed_s = 60 * answer.words / READING_WORDS_PER_MINUTE
    return answer.seconds is not None and answer.seconds < needed_s


def compute_scale_figures(rater: RaterAnswers, figures: RaterFigures) -> list[Figure]:
    """Use of the DA scale over all her answers, control items too."""
    scores = np.array([each.score for each in rater.answers if each.score is not None], np.float64)
    n = scores.size
    shares = [figures.share(AT_ANCHORS, int(np.isin(scores, ANCHORS).sum()), n)]
    for point, measure in AT_POINTS.items():
        shares.append(figures.share(measure, int((scores == point).sum()), n))
    distinct = float(np.unique(scores).size) if n else None
    return [
        *shares,
        figures.value(DISTINCT_SCORES, distinct, n, None if n else "no_data"),
        figures.statistic(SCORE_SD, lambda weights: compute_sd_draws(weights, scores), n),
    ]


def compute_run_figures(rater: RaterAnswers, figures: RaterFigures) -> list[Figure]:
    """Longest run of equal answers and its chance; `degenerate` where all answers are equal."""
    batches = [_codes(answers) for _, answers in rater.batches]
    n = sum(codes.size for codes in batches)
    lack = find_lack(n, LEAST_ANSWERS_OF_A_HABIT)
    longest = max((int(find_longest_runs(codes[None])[0]) for codes in batches), default=0)
    p = None
    if lack is None and all(np.ptp(codes) == 0 for codes in batches):
        lack = "degenerate"
    elif lack is None:
        p = compute_run_p(batches, longest, figures.seed, rater.rater_id)
    return [
        figures.value(LONGEST_RUN, float(longest) if n else None, n, None if n else "no_data"),
        figures.value(LONGEST_RUN_P, p, n, lack),
    ]


def compute_run_p(batches: Sequence[IntArray], longest: int, seed: int, rater_id: str) -> float:
    """The chance in (0, 1] of a run of that length or more, if her answers came in random order.

    Args:
        batches: Codes of her answers, one array [answers] a batch.
        longest: The longest run in her order.
        seed: With the rater's id the seed of the orders, so that no rater moves another's.
        rater_id: Whose answers they are.
    """
    random = np.random.default_rng([seed, int(sha256_text(rater_id)[:8], 16)])
    longest_drawn: IntArray = np.zeros(PERMUTATIONS, dtype=np.int64)
    for codes in batches:
        orders = random.permuted(np.tile(codes, (PERMUTATIONS, 1)), axis=1)
        longest_drawn = np.maximum(longest_drawn, find_longest_runs(orders))
    return (int((longest_drawn >= longest).sum()) + 1) / (PERMUTATIONS + 1)


def find_longest_runs(orders: IntArray) -> IntArray:
    """Length of the longest run of equal codes in each row of [orders, answers], 1 or more."""
    run: IntArray = np.ones(orders.shape[0], dtype=np.int64)
    longest: IntArray = run.copy()
    for place in range(1, orders.shape[1]):
        run = np.where(orders[:, place] == orders[:, place - 1], run + 1, 1)
        longest = np.maximum(longest, run)
    return longest


def compute_sd_draws(weights: FloatArray, scores: FloatArray) -> FloatArray:
    """Standard deviation of scores [answers] for whole-number weights [draws, answers]."""
    total = weights.sum(axis=1)
    gaps = scores - scores.mean()
    means = weights @ gaps / total
    variances = compute_variances(weights @ gaps**2 / total, means)
    deviations: FloatArray = np.sqrt(variances * total / (total - 1))
    return deviations


def _codes(answers: Sequence[GivenAnswer]) -> IntArray:
    """Equal numbers for equal answers."""
    known: dict[tuple[float | None, str | None], int] = {}
    given = [known.setdefault((each.score, each.label), len(known)) for each in answers]
    return np.array(given, dtype=np.int64)
