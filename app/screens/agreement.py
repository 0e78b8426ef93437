"""Agreement: every figure of a language with interval and definition, and the charts of it."""

from __future__ import annotations

import streamlit as st

from annotation.assessment import Assessment
from app.charts import confusion_chart, interval_chart, score_chart
from app.elements import (
    build_table,
    choose_language,
    show_chart,
    show_empty,
    show_figure_table,
    show_table,
)
from app.study import Study, open_study
from app.views.agreement import build_confusion, build_score_pairs, figures_per_rater
from app.views.figure_table import build_figure_table
from app.views.overview import NO_CANDIDATES, NOT_RATED, build_gate_rows
from app.views.scores import draw_by
from corpus.review import LanguageState

PER_RATER = (("mean_da", "mean DA"), ("label_accuracy", "accuracy of the system's label"))


def show() -> None:
    """The page."""
    study = open_study()
    if not study.languages:
        show_empty(NO_CANDIDATES)
        return
    language = choose_language(study)
    standing, assessment = study.standing(language), study.assessment(language)
    if standing.review.state is LanguageState.SOURCE:
        show_empty(NOT_RATED)
        return
    if not assessment.table.rater_ids:
        show_empty(
            "No valid ratings of this language yet. Send a batch and pull its ratings on page "
            "Annotation."
        )
        return
    _show_gates(assessment, language)
    _show_raters(assessment, language)
    _show_scores(assessment)
    _show_confusion(study, language)
    st.subheader("All figures")
    show_figure_table(
        build_figure_table(assessment.figures, leave_out=("language",)),
        f"All agreement figures of {language}",
        f"agreement-{language}.csv",
    )


def _show_gates(assessment: Assessment, language: str) -> None:
    st.subheader("Gates")
    show_table(build_table(build_gate_rows(assessment.gates)), f"Gates of {language}")
    st.text(
        f"Open disagreements: {len(assessment.open_disagreements)}. "
        "Decide them on page Disagreements; approve on page Overview."
    )


def _show_raters(assessment: Assessment, language: str) -> None:
    st.subheader("Raters")
    columns = st.columns(len(PER_RATER))
    for column, (name, title) in zip(columns, PER_RATER, strict=True):
        figures = figures_per_rater(assessment.figures, name)
        drawn = draw_by(figures, "rater")
        with column:
            if drawn:
                told = "; ".join(f"{each.mark} {each.value:.3f} (n {each.n})" for each in drawn)
                show_chart(
                    interval_chart(drawn, title, "rater"),
                    f"{title} of each rater with its interval: {told}",
                )
            show_figure_table(
                build_figure_table(figures, leave_out=("language",)),
                f"{title} of each rater",
                f"{name}-{language}.csv",
            )


def _show_scores(assessment: Assessment) -> None:
    st.subheader("DA of two raters")
    pairs = assessment.table.rater_pairs
    if not pairs:
        show_empty("Only one rater answered; a comparison needs two.")
        return
    first, second = st.selectbox("Pair of raters", pairs, format_func=" and ".join)
    scores = build_score_pairs(assessment.table, first, second)
    if not scores:
        show_empty("These two raters scored no item in common.")
        return
    show_chart(
        score_chart(scores, first, second),
        f"DA scores of {first} and {second} on {len(scores)} common items; the dashed line is "
        "where both scores are equal",
    )
    with st.expander("Scores as a table"):
        table = build_table(scores).rename(columns={"first": first, "second": second})
        show_table(table, f"DA of {first} and {second} by item")


def _show_confusion(study: Study, language: str) -> None:
    st.subheader("Labels of a rater against the system's")
    assessment = study.assessment(language)
    rater = st.selectbox("Rater", assessment.table.rater_ids)
    cells = build_confusion(study.standing(language), assessment, rater)
    if not cells:
        show_empty("This rater gave no labels.")
        return
    told = "; ".join(f"{each.system} as {each.rater}: {each.count}" for each in cells if each.count)
    show_chart(confusion_chart(cells, rater), f"Counts of {rater}'s labels by system label: {told}")
    table = build_table(cells).pivot_table(
        index="system", columns="rater", values="count", sort=False
    )
    show_table(table.reset_index(), f"Counts of {rater}'s labels by system label")


show()
