"""All agreement figures of one batch: per pair of raters, per rater and over all raters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from annotation.item_bootstrap import (
    ItemBootstrap,
    Scope,
    build_item_bootstrap,
    describe_raters,
)
from annotation.label_agreement import (
    compute_ac1,
    compute_differing_labels,
    compute_kappa,
    compute_label_accuracy,
    compute_nominal_alpha,
    compute_raw_agreement,
)
from annotation.ratings_table import RatingsTable
from annotation.score_agreement import (
    PEARSON_P,
    compute_interval_alpha,
    compute_mean_score,
    compute_pearson,
    compute_pearson_p,
    compute_spearman,
)
from corpus.figures import Figure
from corpus.intervals import benjamini_hochberg
from corpus.records import RaterLabel

ADJUSTED_P = "pearson_p_adjusted"
ADJUSTED_DEFINITION = (
    "Two-sided p-value in [0, 1] of Pearson's correlation of two raters' DA scores, adjusted over "
    "all that are shown together (Benjamini-Hochberg)."
)


def compute_batch_agreement(
    table: RatingsTable,
    system_labels: Mapping[str, RaterLabel],
    seed: int,
    scope: Scope = (),
    *,
    draws: int = 2000,
    level: float = 0.95,
) -> list[Figure]:
    """Every agreement figure of a batch, undefined ones with their reason.

    Order: each pair of raters, each rater, adjusted p-values where there are several pairs, then
    all raters together (scope `raters` = `all`). All bootstrap intervals share one set of draws
    over the items.

    Args:
        table: The batch's counted answers to its sample items.
        system_labels: By item id, the label of the variant the item shows.
        seed: Seed of the bootstrap.
        scope: What the batch is, e.g. (("language", "sk"), ("batch", "sk-1")).
        draws: Bootstrap draws, 1,000 or more.
        level: Coverage of the intervals, in (0, 1).

    Raises:
        SettingsError: for fewer than 1,000 draws.
    """
    bootstrap = build_item_bootstrap(table, seed, draws, level)
    figures: list[Figure] = []
    for first, second in table.rater_pairs:
        figures += _compute_pair_figures(table, first, second, bootstrap, scope)
    for rater in table.rater_ids:
        figures += _compute_answer_figures(table, system_labels, (rater,), bootstrap, scope)
    if len(table.rater_pairs) > 1:
        figures += adjust_p_values(figures)
    figures += _compute_answer_figures(table, system_labels, None, bootstrap, scope)
    return [
        *figures,
        compute_interval_alpha(table, None, bootstrap, scope),
        compute_nominal_alpha(table, None, bootstrap, scope),
        compute_ac1(table, None, bootstrap, scope),
        compute_raw_agreement(table, None, scope, level),
    ]


def adjust_p_values(figures: Iterable[Figure]) -> list[Figure]:
    """Pearson's p-values adjusted over all given, in their order; undefined ones stay so.

    Whoever shows several languages, batches or stereotypes together gives the figures of all.
    """
    tests = [each for each in figures if each.name == PEARSON_P.name]
    adjusted = benjamini_hochberg([each.value for each in tests])
    return [
        replace(test, name=ADJUSTED_P, value=value, definition=ADJUSTED_DEFINITION)
        for test, value in zip(tests, adjusted, strict=True)
    ]


def compute_group_agreement(
    table: RatingsTable,
    system_labels: Mapping[str, RaterLabel],
    group_of: Mapping[str, str],
    kind: str,
    seed: int,
    scope: Scope = (),
    *,
    draws: int = 2000,
) -> list[Figure]:
    """Every agreement figure of each group of items, p-values adjusted over all groups.

    Args:
        table: The counted answers.
        system_labels: By item id, the label of the variant the item shows.
        group_of: By item id, e.g. the stereotype; items without one are left out.
        kind: What groups are, e.g. `stereotype`; joins the scope with the group's name.
        seed: Seed of the bootstrap.
        scope: What the table is.
        draws: Bootstrap draws, 1,000 or more.
    """
    items_of: dict[str, list[str]] = {}
    for item in table.item_ids:
        if item in group_of:
            items_of.setdefault(group_of[item], []).append(item)
    figures: list[Figure] = []
    for group in sorted(items_of, key=lambda name: (len(name), name)):
        part = table.select_items(items_of[group])
        figures += compute_batch_agreement(
            part, system_labels, seed, (*scope, (kind, group)), draws=draws
        )
    figures = [each for each in figures if each.name != ADJUSTED_P]
    return figures + adjust_p_values(figures)


def find_figure(
    figures: Iterable[Figure], name: str, raters: Sequence[str] | None = None
) -> Figure | None:
    """The first figure of that name about exactly these raters (None: all), None if absent."""
    about = describe_raters(raters)
    return next((one for one in figures if one.name == name and about in one.scope), None)


def _compute_pair_figures(
    table: RatingsTable, first: str, second: str, bootstrap: ItemBootstrap, scope: Scope
) -> list[Figure]:
    pair = (first, second)
    chosen = (
        [compute_kappa(table, first, second, bootstrap, scope, three_labels=True)]
        if table.scheme.chosen
        else []
    )
    return [
        compute_pearson(table, first, second, bootstrap, scope),
        compute_pearson_p(table, first, second, scope),
        compute_spearman(table, first, second, bootstrap, scope),
        compute_interval_alpha(table, pair, bootstrap, scope),
        compute_kappa(table, first, second, bootstrap, scope),
        *chosen,
        compute_nominal_alpha(table, pair, bootstrap, scope),
        compute_ac1(table, pair, bootstrap, scope),
        compute_raw_agreement(table, pair, scope, bootstrap.level),
        compute_differing_labels(table, first, second, scope),
    ]


def _compute_answer_figures(
    table: RatingsTable,
    system_labels: Mapping[str, RaterLabel],
    raters: Sequence[str] | None,
    bootstrap: ItemBootstrap,
    scope: Scope,
) -> list[Figure]:
    level = bootstrap.level
    return [
        compute_mean_score(table, raters, bootstrap, scope),
        *(
            compute_label_accuracy(
                table, system_labels, raters, scope, level, three_labels=three_labels
            )
            for three_labels in ((False, True) if table.scheme.chosen else (False,))
        ),
    ]
