"""All agreement figures of one batch: per pair of raters, per rater and over all raters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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
    compute_interval_alpha,
    compute_mean_score,
    compute_pearson,
    compute_pearson_p,
    compute_spearman,
)
from corpus.figures import Figure
from corpus.records import GenderLabel


def compute_batch_agreement(
    table: RatingsTable,
    system_labels: Mapping[str, GenderLabel],
    seed: int,
    scope: Scope = (),
    *,
    draws: int = 2000,
    level: float = 0.95,
) -> list[Figure]:
    """Every agreement figure of a batch, undefined ones with their reason.

    Order: each pair of raters, each rater, then all raters together (scope `raters` = `all`).
    All bootstrap intervals share one set of draws over the items.

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
    figures += _compute_answer_figures(table, system_labels, None, bootstrap, scope)
    return [
        *figures,
        compute_interval_alpha(table, None, bootstrap, scope),
        compute_nominal_alpha(table, None, bootstrap, scope),
        compute_ac1(table, None, bootstrap, scope),
        compute_raw_agreement(table, None, scope, level),
    ]


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
    return [
        compute_pearson(table, first, second, bootstrap, scope),
        compute_pearson_p(table, first, second, scope),
        compute_spearman(table, first, second, bootstrap, scope),
        compute_interval_alpha(table, pair, bootstrap, scope),
        compute_kappa(table, first, second, bootstrap, scope),
        compute_kappa(table, first, second, bootstrap, scope, three_labels=True),
        compute_nominal_alpha(table, pair, bootstrap, scope),
        compute_ac1(table, pair, bootstrap, scope),
        compute_raw_agreement(table, pair, scope, bootstrap.level),
        compute_differing_labels(table, first, second, scope),
    ]


def _compute_answer_figures(
    table: RatingsTable,
    system_labels: Mapping[str, GenderLabel],
    raters: Sequence[str] | None,
    bootstrap: ItemBootstrap,
    scope: Scope,
) -> list[Figure]:
    level = bootstrap.level
    return [
        compute_mean_score(table, raters, bootstrap, scope),
        compute_label_accuracy(table, system_labels, raters, scope, level),
        compute_label_accuracy(table, system_labels, raters, scope, level, three_labels=True),
    ]
