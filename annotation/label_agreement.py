"""Agreement on labels: between raters, and of the system's label with raters.

What the labels are, a table's scheme says; `{answers}` in a definition stands for its words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from annotation.item_bootstrap import (
    ItemBootstrap,
    Measure,
    Scope,
    build_figure,
    compute_effective_n,
    compute_figure,
)
from annotation.label_schemes import GENDER, MISSING_LABEL
from annotation.labels import is_unsure
from annotation.measures_of_agreement import (
    compute_ac1_draws,
    compute_kappa_draws,
    compute_mean_draws,
    compute_nominal_alpha_draws,
)
from annotation.ratings_table import (
    BoolArray,
    FloatArray,
    IntArray,
    RatingsTable,
)
from annotation.score_agreement import find_overlap_fault
from corpus.figures import Figure, Interval
from corpus.intervals import wilson_interval
from corpus.records import RaterLabel

KAPPA = Measure(
    "kappa",
    "Cohen's kappa of two raters' {answers} on the items both labelled, at most "
    "1; 0 is agreement by chance. Misleads where one label dominates.",
    "Cohen 1960, unweighted",
)
KAPPA_THREE_LABELS = Measure(
    "kappa_three_labels",
    "Cohen's kappa of two raters' gender labels on the items both labelled neutral, masculine or "
    "feminine, at most 1; 0 is agreement by chance.",
    "Cohen 1960, unweighted",
)
AC1 = Measure(
    "ac1",
    "Gwet's AC1 of raters' {answers} on items with two labels or more, at most "
    "1; 0 is agreement by chance.",
    "Gwet 2008, {categories} categories",
)
NOMINAL_ALPHA = Measure(
    "alpha_nominal",
    "Krippendorff's alpha of {answers} at nominal level on items with two labels or more, at most "
    "1; 0 is agreement by chance.",
    "Krippendorff 2018, nominal level",
)
RAW_AGREEMENT = Measure(
    "raw_agreement",
    "Share in [0, 1] of the items with two labels or more to which all raters gave the same label.",
    "proportion of items",
)
DIFFERING_LABELS = Measure(
    "differing_labels",
    "Number of items to which two raters gave different labels, of n both labelled: {answers}.",
    "count",
)
LARGEST_SHARE = Measure(
    "largest_label_share",
    "Share in (0, 1] of two raters' labels on the items both labelled that are the commonest one.",
    "proportion of labels",
)
LABEL_ACCURACY = Measure(
    "label_accuracy",
    GENDER.accuracy,
    "proportion of answers; interval on the number of items, as raters of one item are not "
    "independent",
)
LABEL_ACCURACY_THREE_LABELS = Measure(
    "label_accuracy_three_labels",
    "Share in [0, 1] of the raters' neutral, masculine or feminine labels equal to the system's.",
    LABEL_ACCURACY.method,
)


def compute_kappa(
    table: RatingsTable,
    first: str,
    second: str,
    bootstrap: ItemBootstrap | None = None,
    scope: Scope = (),
    *,
    three_labels: bool = False,
) -> Figure:
    """Cohen's kappa of two raters; null with `no_overlap`, `too_few` or `no_variation`.

    Where one rater gave one label throughout the value is marked `rater_constant`.
    """
    items, first_codes, second_codes = _select_labelled_pair(table, first, second, three_labels)
    constant = any(np.unique(codes).size == 1 for codes in (first_codes, second_codes))
    return compute_figure(
        _word(KAPPA_THREE_LABELS if three_labels else KAPPA, table),
        lambda weights: compute_kappa_draws(
            weights, first_codes, second_codes, len(table.scheme.labels)
        ),
        table,
        items,
        scope=scope,
        raters=(first, second),
        bootstrap=bootstrap,
        reason=find_overlap_fault(int(items.sum()), 2),
        notes=("rater_constant",) if constant else (),
    )


def compute_ac1(
    table: RatingsTable,
    raters: Sequence[str] | None = None,
    bootstrap: ItemBootstrap | None = None,
    scope: Scope = (),
) -> Figure:
    """Gwet's AC1 of two raters or more; null with `no_overlap` or `too_few`."""
    return _compute_from_counts(AC1, compute_ac1_draws, table, raters, bootstrap, scope)


def compute_nominal_alpha(
    table: RatingsTable,
    raters: Sequence[str] | None = None,
    bootstrap: ItemBootstrap | None = None,
    scope: Scope = (),
) -> Figure:
    """Krippendorff's alpha of labels; null with `no_overlap`, `too_few` or `no_variation`."""
    draws = compute_nominal_alpha_draws
    return _compute_from_counts(NOMINAL_ALPHA, draws, table, raters, bootstrap, scope)


def compute_raw_agreement(
    table: RatingsTable,
    raters: Sequence[str] | None = None,
    scope: Scope = (),
    level: float = 0.95,
) -> Figure:
    """Share of items all their raters labelled alike, with Wilson interval; or `no_overlap`."""
    items, counts = _select_overlap(table, raters)
    if not items.any():
        return build_figure(RAW_AGREEMENT, None, 0, scope, raters, "no_overlap")
    alike = (counts.max(axis=1) == counts.sum(axis=1)).astype(np.float64)
    weights = table.item_weights[items]
    share, interval = _compute_share(weights, alike, np.ones_like(alike), level)
    return build_figure(RAW_AGREEMENT, share, alike.size, scope, raters, None, interval)


def compute_differing_labels(
    table: RatingsTable, first: str, second: str, scope: Scope = ()
) -> Figure:
    """Number of items two raters labelled differently; null with `no_overlap`."""
    items, first_codes, second_codes = _select_labelled_pair(table, first, second, False)
    n = int(items.sum())
    differing = float((first_codes != second_codes).sum()) if n else None
    reason = None if n else "no_overlap"
    return build_figure(
        _word(DIFFERING_LABELS, table), differing, n, scope, (first, second), reason
    )


def compute_largest_share(
    table: RatingsTable, first: str, second: str, scope: Scope = ()
) -> Figure:
    """Share of the commonest of all labels that two raters gave; null with `no_overlap`.

    Where it is near 1 kappa says little: chance agreement is near 1 then.
    """
    items, *codes = _select_labelled_pair(table, first, second, False)
    n = int(items.sum())
    if not n:
        return build_figure(LARGEST_SHARE, None, 0, scope, (first, second), "no_overlap")
    weights = np.tile(table.item_weights[items], 2)
    of_label = np.bincount(np.concatenate(codes), weights)
    share = min(1.0, float(of_label.max() / weights.sum()))
    return build_figure(LARGEST_SHARE, share, n, scope, (first, second))


def compute_label_accuracy(
    table: RatingsTable,
    system_labels: Mapping[str, RaterLabel],
    raters: Sequence[str] | None = None,
    scope: Scope = (),
    level: float = 0.95,
    *,
    three_labels: bool = False,
) -> Figure:
    """Share of labels of one rater, some or all (None) equal to the system's; or `no_data`.

    Args:
        table: The raters' labels.
        system_labels: By item id, the variant the item shows; items without one are left out.
        raters: Whose labels; None pools those of all raters.
        scope: What the table is about.
        level: Coverage of the Wilson interval.
        three_labels: Leave out answers other than neutral, masculine and feminine.
    """
    measure = LABEL_ACCURACY_THREE_LABELS if three_labels else _word(LABEL_ACCURACY, table)
    scheme = table.scheme
    system = np.array(
        [scheme.find_code(system_labels.get(item)) for item in table.item_ids], dtype=np.int64
    )[:, None]
    given = table.labels[:, table.find_columns(raters)]
    counted = (system != MISSING_LABEL) & (given != MISSING_LABEL)
    if three_labels:
        counted &= np.isin(given, [scheme.find_code(label) for label in scheme.chosen])
    items: BoolArray = counted.any(axis=1)
    if not items.any():
        return build_figure(measure, None, 0, scope, raters, "no_data")
    unsure = [code for code, label in enumerate(scheme.labels) if is_unsure(label)]
    hits = counted & (given == system) & ~np.isin(given, unsure)
    share, interval = _compute_share(
        table.item_weights[items],
        hits.sum(axis=1)[items].astype(np.float64),
        counted.sum(axis=1)[items].astype(np.float64),
        level,
    )
    return build_figure(measure, share, int(items.sum()), scope, raters, None, interval)


def _compute_share(
    weights: FloatArray, hits: FloatArray, answers: FloatArray, level: float
) -> tuple[float, Interval]:
    share = min(1.0, float(compute_mean_draws(weights[None, :], hits, answers)[0]))
    effective_n = compute_effective_n(weights)
    return share, wilson_interval(share * effective_n, effective_n, level)


def _compute_from_counts(
    measure: Measure,
    compute_draws: Callable[[FloatArray, FloatArray], FloatArray],
    table: RatingsTable,
    raters: Sequence[str] | None,
    bootstrap: ItemBootstrap | None,
    scope: Scope,
) -> Figure:
    """A measure of the label counts of the items with two labels or more."""
    items, counts = _select_overlap(table, raters)
    return compute_figure(
        _word(measure, table),
        lambda weights: compute_draws(weights, counts),
        table,
        items,
        scope=scope,
        raters=raters,
        bootstrap=bootstrap,
        reason=find_overlap_fault(int(items.sum()), 2),
    )


def _select_overlap(
    table: RatingsTable, raters: Sequence[str] | None
) -> tuple[BoolArray, FloatArray]:
    counts = table.count_labels(raters)
    items: BoolArray = counts.sum(axis=1) >= 2
    return items, counts[items]


def _select_labelled_pair(
    table: RatingsTable, first: str, second: str, three_labels: bool
) -> tuple[BoolArray, IntArray, IntArray]:
    pair = table.labels[:, table.find_columns((first, second))]
    scheme = table.scheme
    usable = [scheme.find_code(each) for each in (scheme.chosen if three_labels else scheme.labels)]
    items: BoolArray = np.isin(pair, usable).sum(axis=1) == 2
    return items, pair[items, 0], pair[items, 1]


def _word(measure: Measure, table: RatingsTable) -> Measure:
    """The measure in the words of the table's labels."""
    scheme = table.scheme
    if measure is LABEL_ACCURACY:
        return replace(measure, definition=scheme.accuracy)
    count = {3: "three", 5: "five"}.get(len(scheme.labels), str(len(scheme.labels)))
    return replace(
        measure,
        definition=measure.definition.replace("{answers}", scheme.answers),
        method=measure.method.replace("{categories}", count),
    )
