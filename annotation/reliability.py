"""Rater reliability: figures about each rater, and what about her is worth a look.

A mark says `look at this`; it excludes nobody and changes no figure. Whether a rater is left out is
a curator's decision with a written reason, made after looking at her answers. p-values are adjusted
over the raters they are shown for (Benjamini-Hochberg), because with many raters some fail any test
by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.answering_measures import (
    DISTINCT_SCORES,
    FAST_ANSWERS,
    LEAST_ANSWERS_OF_A_HABIT,
    LONGEST_RUN_P,
    compute_run_figures,
    compute_scale_figures,
    compute_speed_figures,
)
from annotation.control_measures import (
    DEGRADED_P,
    REPEAT_DIFFERENCE,
    REPEAT_LABELS,
    compute_degraded_figures,
    compute_repeat_figures,
)
from annotation.item_bootstrap import Measure
from annotation.rater_answers import RaterAnswers, gather_rater_answers
from annotation.rater_figures import RaterFigures
from annotation.rater_shift import (
    LARGE_SHIFT,
    MEAN_SHIFT,
    build_score_table,
    compute_shift_figures,
)
from corpus.figures import Figure
from corpus.intervals import benjamini_hochberg
from corpus.standing import Standing

DRAWS = 2000
SIGNIFICANT = 0.05
LABELS_ALIKE = 0.9
LARGE_DIFFERENCE = 33.0
"""One band between anchors."""
FAST_SHARE = 0.1
MARKS = {
    "inconsistent_labels": (
        f"labels exact repeats differently: less than {LABELS_ALIKE:.0%} alike even at the upper "
        "end of the interval"
    ),
    "inconsistent_scores": (
        f"scores exact repeats more than {LARGE_DIFFERENCE:.0f} points apart on average"
    ),
    "degraded_not_lower": (
        "does not reliably score degraded translations lower than their originals: adjusted p "
        f"above {SIGNIFICANT}"
    ),
    "fast": (
        f"answers faster than the texts can be read, in more than {FAST_SHARE:.0%} of her timed "
        "answers even at the lower end of the interval"
    ),
    "one_score": "gave one and the same DA score throughout",
    "long_runs": (
        "gives equal answers in a row more than chance does in her own answers: adjusted p at most "
        f"{SIGNIFICANT}"
    ),
    "shifted": "scores further above or below the others than the setting outlier_shift allows",
}
"""Codes of what is worth a look, in words."""
ADJUSTED = "_adjusted"
ADJUSTED_DEFINITION = " Adjusted over the raters shown together, Benjamini-Hochberg."


@dataclass(frozen=True, slots=True)
class RaterReliability:
    """What a rater's answers say about her, over a batch or a language."""

    rater_id: str
    answers: int
    """Valid answers, control items too."""
    excluded_from: tuple[str, ...]
    """Batches that leave her out."""
    figures: tuple[Figure, ...]
    marks: tuple[str, ...]
    """Keys of `MARKS`: what is worth a look; never a verdict."""

    def find(self, name: str) -> Figure:
        """The figure of that name.

        Raises:
            KeyError: if there is none.
        """
        return {figure.name: figure for figure in self.figures}[name]


def compute_reliability(
    standing: Standing,
    seed: int,
    batch_id: str | None = None,
    draws: int = DRAWS,
    largest_shift: float = LARGE_SHIFT,
) -> tuple[RaterReliability, ...]:
    """The reliability of each rater with valid answers, by rater id.

    Args:
        standing: The language.
        seed: Of intervals and permutations.
        batch_id: Only answers of this batch; None for all of the language.
        draws: Bootstrap draws of an interval.
        largest_shift: A mean shift above this is worth a look, in standard deviations.
    """
    scope = (("language", standing.language), *([("batch", batch_id)] if batch_id else []))
    answers = gather_rater_answers(standing, batch_id)
    return assess_raters(answers, scope, seed, draws, largest_shift)


def assess_raters(
    raters: Sequence[RaterAnswers],
    scope: tuple[tuple[str, str], ...],
    seed: int,
    draws: int = DRAWS,
    largest_shift: float = LARGE_SHIFT,
) -> tuple[RaterReliability, ...]:
    """The reliability of these raters, whom p-values are adjusted over, by rater id."""
    ordered = sorted(raters, key=lambda each: each.rater_id)
    builders = {each.rater_id: RaterFigures(each.rater_id, scope, seed, draws) for each in ordered}
    shifts = compute_shift_figures(build_score_table(ordered), builders)
    found = {
        each.rater_id: [
            *compute_repeat_figures(each, builders[each.rater_id]),
            *compute_degraded_figures(each, builders[each.rater_id]),
            *compute_speed_figures(each, builders[each.rater_id]),
            *compute_scale_figures(each, builders[each.rater_id]),
            *compute_run_figures(each, builders[each.rater_id]),
            *shifts[each.rater_id],
        ]
        for each in ordered
    }
    for measure in (DEGRADED_P, LONGEST_RUN_P):
        _add_adjusted(found, measure)
    return tuple(
        RaterReliability(
            each.rater_id,
            len(each.answers),
            each.excluded_from,
            tuple(found[each.rater_id]),
            find_marks(found[each.rater_id], largest_shift),
        )
        for each in ordered
    )


def find_marks(figures: Sequence[Figure], largest_shift: float = LARGE_SHIFT) -> tuple[str, ...]:
    """What of one rater's figures is worth a look, in the order of `MARKS`."""
    by_name = {figure.name: figure for figure in figures}
    rules = _RULES | {"shifted": (MEAN_SHIFT.name, _above(largest_shift))}
    return tuple(mark for mark, (name, holds) in rules.items() if holds(by_name[name]))


def build_reliability_figures(found: Sequence[RaterReliability]) -> list[Figure]:
    """All figures, and for each rater how many marks she has; the notes name them."""
    figures: list[Figure] = []
    for each in found:
        figures += each.figures
        scope = each.figures[0].scope
        figures.append(
            Figure(
                name="look_at",
                value=float(len(each.marks)),
                n=each.answers,
                definition=(
                    "number of marks that are worth a look; no verdict, and nobody is excluded by "
                    "it"
                ),
                method="count",
                scope=scope,
                notes=each.marks,
            )
        )
    return figures


def _add_adjusted(found: Mapping[str, list[Figure]], measure: Measure) -> None:
    """Appends the adjusted p-value of each rater's test."""
    tests = {
        rater: next(figure for figure in figures if figure.name == measure.name)
        for rater, figures in found.items()
    }
    adjusted = benjamini_hochberg([each.value for each in tests.values()])
    for (rater, test), value in zip(tests.items(), adjusted, strict=True):
        found[rater].append(
            replace(
                test,
                name=measure.name + ADJUSTED,
                value=value,
                definition=measure.definition + ADJUSTED_DEFINITION,
            )
        )


def _is_inconsistent(labels: Figure) -> bool:
    interval = labels.interval
    return interval is not None and interval.high is not None and interval.high < LABELS_ALIKE


def _is_fast(fast: Figure) -> bool:
    interval = fast.interval
    return interval is not None and interval.low is not None and interval.low > FAST_SHARE


def _has_one_score(distinct: Figure) -> bool:
    return distinct.value == 1 and distinct.n >= LEAST_ANSWERS_OF_A_HABIT


def _above(limit: float) -> Callable[[Figure], bool]:
    return lambda figure: figure.value is not None and abs(figure.value) > limit


_RULES: dict[str, tuple[str, Callable[[Figure], bool]]] = {
    "inconsistent_labels": (REPEAT_LABELS.name, _is_inconsistent),
    "inconsistent_scores": (REPEAT_DIFFERENCE.name, _above(LARGE_DIFFERENCE)),
    "degraded_not_lower": (DEGRADED_P.name + ADJUSTED, _above(SIGNIFICANT)),
    "fast": (FAST_ANSWERS.name, _is_fast),
    "one_score": (DISTINCT_SCORES.name, _has_one_score),
    "long_runs": (
        LONGEST_RUN_P.name + ADJUSTED,
        lambda p: p.value is not None and p.value <= SIGNIFICANT,
    ),
}
