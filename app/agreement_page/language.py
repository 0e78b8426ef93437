"""One language: its raters beside one another, two raters' scores, labels, and all figures."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from annotation.assessment import Assessment, gather_ratings
from annotation.exclusion_effect import count_rater
from annotation.outliers import OutlierReport, find_outliers
from annotation.reliability import (
    RaterReliability,
    build_reliability_figures,
    compute_reliability,
)
from app.agreement_page.exclusion import show_exclusion
from app.agreement_page.figures import show_figure
from app.charts import confusion_chart, interval_chart
from app.charts_of_agreement import score_chart
from app.elements import (
    build_table,
    choose,
    show_empty,
    show_figure_table,
    show_sentences,
    show_table,
)
from app.study import Study
from app.views import words
from app.views.agreement import (
    ConfusionCell,
    build_confusion,
    build_score_pairs,
    figures_per_rater,
    find_rater_labels,
    find_system_labels,
)
from app.views.agreement_exclusion import find_raters, order_raters
from app.views.agreement_raters import build_panel_rows, describe_outliers, describe_rule
from app.views.figure_table import build_figure_table
from app.views.reliability import EXPLANATION, build_control_rows, build_mark_rows
from app.views.scores import draw_by
from corpus.standing import Standing

PER_RATER = ("mean_da", "label_accuracy")
NO_RATINGS = (
    "No valid ratings of this language yet. Send a batch and pull its ratings on page Annotation."
)


def show_language(study: Study, language: str) -> None:
    """The part of the page about one language with candidates that are rated."""
    standing, assessment = study.standing(language), study.assessment(language)
    if not find_raters(standing):
        show_empty(NO_RATINGS)
        return
    st.text(
        f"Open disagreements: {len(assessment.open_disagreements)}. Decide them on page "
        "Disagreements."
    )
    if assessment.table.rater_ids:
        _show_means(assessment, language)
    else:
        show_empty("All raters of this language are left out; no figure counts anybody.")
    reliability = _find_reliability(study, standing)
    report = _find_outliers(study, standing, assessment)
    _show_panel(study, assessment, reliability, report)
    rater = choose("Rater", "rater", order_raters(standing, report.outliers))
    show_exclusion(study, standing, rater)
    _show_system_labels(standing, rater)
    _show_pair(assessment, rater)
    st.subheader("All figures")
    show_figure_table(
        build_figure_table([*assessment.figures, *report.figures], leave_out=("language",)),
        f"All agreement figures of {language}",
        f"agreement-{language}.csv",
    )


def _show_means(assessment: Assessment, language: str) -> None:
    st.subheader("Mean DA and accuracy")
    for name in PER_RATER:
        figures = figures_per_rater(assessment.figures, name)
        title = words.describe_measure_of(figures[0]) if figures else words.describe_measure(name)
        table = build_figure_table(figures, leave_out=("language",))
        drawn = draw_by(figures, "rater")
        if drawn:
            told = "; ".join(f"{each.mark} {each.value:.3f} (n {each.n})" for each in drawn)
            show_figure(
                interval_chart(drawn, title, "rater"),
                table,
                f"{title} of each rater with its interval: {told}",
                f"{name}-{language}",
            )
        else:
            show_figure_table(table, f"{title} of each rater", f"{name}-{language}.csv")


def _show_panel(
    study: Study,
    assessment: Assessment,
    reliability: tuple[RaterReliability, ...],
    report: OutlierReport,
) -> None:
    settings = study.workspace.settings
    st.subheader("Raters beside one another")
    st.text("\n".join(describe_outliers(report)))
    show_table(
        build_table(build_panel_rows(reliability, report, assessment.figures)),
        "Each rater's level, spread and correlation with the others",
    )
    st.text(describe_rule(settings.outlier_shift, settings.camp_gap))
    show_table(
        build_table(build_control_rows(reliability)),
        "How consistent each rater is on repeats, and how she answers control items",
    )
    st.text(EXPLANATION)
    if marks := build_mark_rows(reliability):
        show_sentences(build_table(marks), "What about the raters is worth a look")
    with st.expander("All figures of raters with intervals and definitions"):
        show_figure_table(
            build_figure_table(build_reliability_figures(reliability), leave_out=("language",)),
            "All reliability figures of the raters",
            "raters.csv",
        )


def _show_system_labels(standing: Standing, rater: str) -> None:
    st.subheader("Labels of a rater beside the system's")
    table, _ = gather_ratings(count_rater(standing, rater))
    if rater not in table.rater_ids:
        show_empty("This rater answered no item that counts.")
        return
    cells = build_confusion(
        find_system_labels(standing), find_rater_labels(table, rater), table.scheme.labels
    )
    _show_cells(cells, rater, "system label", f"labels-{rater}-system")


def _show_pair(assessment: Assessment, rater: str) -> None:
    st.subheader("Two raters")
    table = assessment.table
    if not table.rater_pairs:
        show_empty("Only one rater counts; a comparison needs two.")
        return
    hers_first = sorted(table.rater_pairs, key=lambda pair: rater not in pair)
    pairs = {" and ".join(pair): pair for pair in hers_first}
    first, second = pairs[choose("Pair of raters", "pair", tuple(pairs))]
    name = f"{first}-{second}"
    scores = build_score_pairs(table, first, second)
    if scores:
        show_figure(
            score_chart(scores, first, second),
            build_table(scores).rename(columns={"first": first, "second": second}),
            f"DA scores of {first} and {second} on {len(scores)} common items; the dashed line is "
            "where both scores are equal; bars count each rater's scores by steps of 5",
            f"scores-{name}",
        )
    else:
        show_empty("These two raters scored no item in common.")
    cells = build_confusion(
        find_rater_labels(table, first), find_rater_labels(table, second), table.scheme.labels
    )
    _show_cells(cells, second, f"label of {first}", f"labels-{name}")


def _show_cells(
    cells: tuple[ConfusionCell, ...], rater: str, row_title: str, file_name: str
) -> None:
    if not cells:
        show_empty("There is no item with both labels.")
        return
    told = "; ".join(f"{each.system} as {each.rater}: {each.count}" for each in cells if each.count)
    show_figure(
        confusion_chart(cells, rater, row_title),
        _build_confusion_matrix(cells, row_title),
        f"Counts of {rater}'s labels by {row_title}: {told}",
        file_name,
    )


def _build_confusion_matrix(cells: Sequence[ConfusionCell], row_title: str) -> pd.DataFrame:
    """The counts, one row for each label of the rows."""
    table = pd.DataFrame(
        [{row_title: each.system, "label": each.rater, "count": each.count} for each in cells]
    ).pivot_table(index=row_title, columns="label", values="count", sort=False)
    return table.astype("int64").reset_index().rename_axis(columns=None)


def _find_outliers(study: Study, standing: Standing, assessment: Assessment) -> OutlierReport:
    settings = study.assessment_settings
    return _outliers(
        study.workspace.database_url,
        standing.position,
        (str(study.instrument), standing.language),
        (settings.seed, settings.draws),
        (study.workspace.settings.outlier_shift, study.workspace.settings.camp_gap),
        assessment,
    )


@st.cache_resource(show_spinner=False, max_entries=64)
def _outliers(
    database_url: str,
    position: int,
    about: tuple[str, str],
    drawing: tuple[int, int],
    limits: tuple[float, float],
    _assessment: Assessment,
) -> OutlierReport:
    seed, draws = drawing
    largest_shift, least_gap = limits
    return find_outliers(
        _assessment.table,
        seed,
        (("language", about[1]),),
        draws=draws,
        largest_shift=largest_shift,
        least_gap=least_gap,
    )


def _find_reliability(study: Study, standing: Standing) -> tuple[RaterReliability, ...]:
    return _reliability(
        study.workspace.database_url,
        standing.position,
        (str(study.instrument), standing.language),
        study.workspace.settings.seed,
        study.workspace.settings.outlier_shift,
        standing,
    )


@st.cache_resource(show_spinner=False, max_entries=64)
def _reliability(
    database_url: str,
    position: int,
    about: tuple[str, str],
    seed: int,
    largest_shift: float,
    _standing: Standing,
) -> tuple[RaterReliability, ...]:
    return compute_reliability(_standing, seed, largest_shift=largest_shift)
