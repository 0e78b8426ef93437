"""What the ratings of several languages say together: accuracy pooled, p-values adjusted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.agreement import adjust_p_values
from annotation.label_agreement import compute_label_accuracy
from annotation.label_schemes import GENDER, MISSING_LABEL
from annotation.ratings_table import RatingsTable
from corpus.figures import Figure
from corpus.records import RaterLabel

ALL_LANGUAGES, GENDERED_LANGUAGES = "all", "gendered"


@dataclass(frozen=True, slots=True)
class LanguageRatings:
    """What is known of one language: its counted answers and its own figures."""

    language: str
    is_gendered: bool
    """Whether a first-person sentence can show the speaker's gender."""
    table: RatingsTable
    system_labels: Mapping[str, RaterLabel]
    """By item id."""
    figures: tuple[Figure, ...]


def compute_study_figures(languages: Sequence[LanguageRatings]) -> list[Figure]:
    """Label accuracy of all languages and of gendered ones, then every Pearson's p-value adjusted.

    Accuracy pools all answers: a language counts by its items. The p-values are adjusted over all
    pairs of raters of all languages together.
    """
    gendered = [each for each in languages if each.is_gendered]
    figures = []
    for kind, chosen in ((ALL_LANGUAGES, languages), (GENDERED_LANGUAGES, gendered)):
        table, system = _pool(chosen)
        scope = (("languages", kind),)
        for three_labels in (False, True) if table.scheme.chosen else (False,):
            figures.append(
                compute_label_accuracy(table, system, None, scope, three_labels=three_labels)
            )
    tests: Iterable[Figure] = (figure for each in languages for figure in each.figures)
    return figures + adjust_p_values(tests)


def _pool(languages: Sequence[LanguageRatings]) -> tuple[RatingsTable, dict[str, RaterLabel]]:
    """The labels of all languages in one table; a column holds one rater of each language."""
    scheme = languages[0].table.scheme if languages else GENDER
    raters = max((len(each.table.rater_ids) for each in languages), default=0)
    parts = [
        np.pad(
            each.table.labels,
            ((0, 0), (0, raters - len(each.table.rater_ids))),
            constant_values=MISSING_LABEL,
        )
        for each in languages
    ]
    labels = np.vstack([np.empty((0, raters), dtype=np.int64), *parts])
    weights = np.concatenate([np.empty(0), *(each.table.item_weights for each in languages)])
    items = tuple(f"{each.language} {item}" for each in languages for item in each.table.item_ids)
    table = RatingsTable(
        items,
        tuple(str(column) for column in range(raters)),
        np.full(labels.shape, np.nan),
        labels,
        weights,
        scheme=scheme,
    )
    system = {
        f"{each.language} {item}": label
        for each in languages
        for item, label in each.system_labels.items()
        if label in scheme.labels
    }
    return table, system
