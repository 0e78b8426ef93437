"""All agreement figures of 30 languages, 3 raters and 100 items, with 2,000 draws each.

Usage, from the root: python -m benchmarks.agreement_figures [--languages 30] [--raters 3]
[--items 100]

Beside it, in the same run and process, the same figures' intervals by resampling tables: each draw
repeats the drawn items in a table and computes the figures of that table, as one does with
libraries that take tables. Its time is measured on a few draws and multiplied. Processor time is
counted, on one core; on a shared machine the ratio means more than the seconds.
"""

from __future__ import annotations

import os

# Set before numpy is imported, which reads it once.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import time
from collections.abc import Sequence

import numpy as np

from annotation.agreement import compute_batch_agreement
from annotation.label_agreement import compute_ac1, compute_kappa, compute_nominal_alpha
from annotation.ratings_table import LABELS, RatedItem, RatingsTable, build_ratings_table
from annotation.score_agreement import (
    compute_interval_alpha,
    compute_mean_score,
    compute_pearson,
    compute_spearman,
)
from corpus.figures import Figure
from corpus.records import RaterLabel

SEED = 20251
DRAWS = 2000
BASELINE_DRAWS = 5
SHARES = (0.45, 0.25, 0.25, 0.03, 0.02)


def build_table(language: int, raters: int, items: int) -> RatingsTable:
    """Return the ratings of raters who agree about as those of the study do."""
    draw = np.random.default_rng(SEED + language)
    quality = draw.integers(30, 101, items)
    labels = draw.choice(len(LABELS), items, p=SHARES)
    return build_ratings_table(
        RatedItem(
            f"i{item:04}",
            f"r{rater}",
            float(np.clip(quality[item] + draw.integers(-20, 21), 0, 100)),
            LABELS[labels[item] if draw.random() > 0.05 else draw.integers(0, len(LABELS))],
        )
        for item in range(items)
        for rater in range(raters)
    )


def compute_all(
    tables: Sequence[RatingsTable], system: dict[str, RaterLabel]
) -> tuple[float, list[Figure]]:
    """Return the processor seconds of all figures with their intervals, and the figures."""
    started = time.process_time()
    figures = [
        figure
        for table in tables
        for figure in compute_batch_agreement(table, system, SEED, draws=DRAWS)
    ]
    return time.process_time() - started, figures


def time_resampled(tables: Sequence[RatingsTable]) -> float:
    """Return the processor seconds that 2,000 resampled tables would take, from a few."""
    draw = np.random.default_rng(SEED)
    started = time.process_time()
    for table in tables:
        for _ in range(BASELINE_DRAWS):
            compute_bootstrapped(resample(table, draw))
    return (time.process_time() - started) * DRAWS / BASELINE_DRAWS


def resample(table: RatingsTable, draw: np.random.Generator) -> RatingsTable:
    """Return the table of the items that one draw took."""
    rows = draw.integers(0, len(table.item_ids), len(table.item_ids))
    ids = tuple(f"{place}" for place in range(rows.size))
    return RatingsTable(
        ids, table.rater_ids, table.scores[rows], table.labels[rows], table.item_weights[rows]
    )


def compute_bootstrapped(table: RatingsTable) -> None:
    """Compute the figures that carry a bootstrap interval, once."""
    for pair in table.rater_pairs:
        compute_pearson(table, *pair)
        compute_spearman(table, *pair)
        compute_kappa(table, *pair)
        compute_kappa(table, *pair, three_labels=True)
    for raters in (*table.rater_pairs, None):
        compute_interval_alpha(table, raters)
        compute_nominal_alpha(table, raters)
        compute_ac1(table, raters)
    for rater in table.rater_ids:
        compute_mean_score(table, (rater,))
    compute_mean_score(table)


def main() -> None:
    """Print the seconds, what resampled tables would take, and the ratio, for each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    for option, default in (("languages", 30), ("raters", 3), ("items", 100), ("runs", 3)):
        parser.add_argument(f"--{option}", type=int, default=default)
    given = parser.parse_args()
    tables = [build_table(each, given.raters, given.items) for each in range(given.languages)]
    system = {item: LABELS[place % 3] for place, item in enumerate(tables[0].item_ids)}
    compute_all(tables[:1], system)
    for run in range(given.runs):
        seconds, figures = compute_all(tables, system)
        resampled = time_resampled(tables)
        drawn = sum(
            each.interval is not None and each.interval.draws is not None for each in figures
        )
        print(
            f"run {run + 1}: {len(figures)} figures, {drawn} with {DRAWS} draws: {seconds:.2f} s; "
            f"with resampled tables {resampled:.0f} s; {resampled / seconds:.0f} times as long"
        )


if __name__ == "__main__":
    main()
