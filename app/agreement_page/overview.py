"""All languages: accuracy together, each rater's means, and each pair's agreement."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotation.assessment import AssessmentSettings
from annotation.gates import LABEL_ACCURACY
from annotation.study_agreement import (
    ALL_LANGUAGES,
    GENDERED_LANGUAGES,
    LanguageRatings,
    compute_study_figures,
)
from app.agreement_page.figures import show_figure
from app.charts_of_agreement import series_chart
from app.elements import choose, show_empty, show_figure_table, show_table
from app.study import Study
from app.views import words
from app.views.agreement import find_system_labels
from app.views.agreement_overview import (
    BY_NAME,
    MEASURES,
    build_language_points,
    build_number_table,
    build_pair_rows,
    build_rater_rows,
    find_pair_figures,
    find_raters_figures,
    sort_languages,
)
from app.views.figure_table import build_figure_table
from corpus.figures import Figure
from corpus.languages import load_languages
from corpus.records import Instrument
from corpus.review import LanguageState

SHOWN = {"all": "all languages", GENDERED_LANGUAGES: "languages that can show the speaker's gender"}
ADJUSTED = (
    "p-values are adjusted over all pairs of raters of all languages of this study together "
    "(Benjamini-Hochberg)."
)


def show_overview(study: Study) -> None:
    """The part of the page about all languages."""
    languages = _gather(study)
    if not languages:
        show_empty(
            "No valid ratings yet. Send a batch and pull its ratings on page Annotation; "
            "languages with ratings are then compared here."
        )
        return
    together = _study_figures(
        study.workspace.database_url,
        str(study.instrument),
        tuple((each.language, study.standing(each.language).position) for each in languages),
        study.assessment_settings,
        languages,
    )
    labelled = study.instrument is Instrument.EUROGEST
    _show_accuracy(together, languages, labelled=labelled)
    # Only EuroGEST asks for the speaker's gender, which some languages cannot show.
    kinds = tuple(SHOWN) if labelled else ("all",)

    def name(measure: str) -> str:
        return _name_measure(measure, languages)

    with st.container(horizontal=True):
        measure = choose("Figure", "figure", MEASURES, name)
        by = choose("Sorted by", "sort", (*MEASURES, BY_NAME), name)
        kind = choose("Languages shown", "shown", kinds, SHOWN.__getitem__)
    shown = [each for each in languages if kind == "all" or each.is_gendered]
    if not shown:
        show_empty("No language of this kind has ratings. Show all languages.")
        return
    ordered = sort_languages(shown, by)
    _show_raters(ordered, measure)
    _show_pairs(ordered, together)


def _gather(study: Study) -> tuple[LanguageRatings, ...]:
    """Languages with counted ratings."""
    known = load_languages()
    found = []
    for code in study.languages:
        standing = study.standing(code)
        if standing.review.state is LanguageState.SOURCE:
            continue
        assessment = study.assessment(code)
        if assessment.table.rater_ids:
            found.append(
                LanguageRatings(
                    code,
                    study.instrument is Instrument.EUROGEST and known[code].gendered_first_person,
                    assessment.table,
                    find_system_labels(standing),
                    assessment.figures,
                )
            )
    return tuple(found)


@st.cache_resource(show_spinner=False, max_entries=16)
def _study_figures(
    database_url: str,
    instrument: str,
    positions: tuple[tuple[str, int], ...],
    settings: AssessmentSettings,
    _languages: Sequence[LanguageRatings],
) -> list[Figure]:
    return compute_study_figures(_languages)


def _name_measure(measure: str, languages: Sequence[LanguageRatings]) -> str:
    """The measure in the words of what raters were asked."""
    if measure == LABEL_ACCURACY:
        return languages[0].table.scheme.accuracy_name
    return words.describe_measure(measure)


def _show_accuracy(
    together: Sequence[Figure], languages: Sequence[LanguageRatings], *, labelled: bool
) -> None:
    accuracy = [each for each in together if dict(each.scope).get("languages")]
    if not labelled:
        title = _name_measure(LABEL_ACCURACY, languages)
        st.subheader(title[0].upper() + title[1:])
        st.text(f"Languages with ratings: {len(languages)}.")
        show_figure_table(
            build_figure_table(
                [each for each in accuracy if dict(each.scope)["languages"] == ALL_LANGUAGES],
                leave_out=("raters",),
            ),
            f"{title} over all languages",
            "accuracy-of-languages.csv",
        )
        return
    st.subheader("Accuracy of the system's labels")
    gendered = sum(each.is_gendered for each in languages)
    st.text(
        f"Languages with ratings: {len(languages)}; of these {gendered} can show the speaker's "
        "gender in the first person. Where a language cannot, every label is neutral, which is "
        "easy; the second pair of rows leaves those languages out."
    )
    show_figure_table(
        build_figure_table(accuracy, leave_out=("raters",)),
        "Accuracy of the system's labels over all languages and over gendered languages alone",
        "accuracy-of-languages.csv",
    )


def _show_raters(languages: Sequence[LanguageRatings], measure: str) -> None:
    title = _name_measure(measure, languages)
    st.subheader("Raters of each language")
    points = build_language_points(languages, measure)
    if points:
        ends = f"{points[0].mark} {points[0].value:.3f} to {points[-1].mark} {points[-1].value:.3f}"
        show_figure(
            series_chart(points, title, "language", "rater, numbered in the order of the ids"),
            build_figure_table(find_raters_figures(languages, measure)),
            f"{title} of each rater of {len(languages)} languages with its interval, from {ends}",
            f"raters-{measure}",
        )
    else:
        show_empty("No rater's figure is defined; the table says why.")
    table = build_number_table(build_rater_rows(languages))
    show_table(
        table,
        f"Mean DA and {_name_measure(LABEL_ACCURACY, languages)} of each rater with intervals",
        **_number_columns(list(table.columns), "%.3f", **{"mean DA": "%.1f"}),
    )


def _show_pairs(languages: Sequence[LanguageRatings], together: Sequence[Figure]) -> None:
    st.subheader("Agreement of each two raters")
    rows = build_pair_rows(languages, together)
    if not rows:
        show_empty("No language has two raters; a comparison needs two.")
        return
    st.text(ADJUSTED)
    table = build_number_table(rows)
    show_table(
        table,
        "Pearson's correlation, kappa, AC1 and raw agreement of each two raters",
        **_number_columns(list(table.columns), "%.3f", **{"p adjusted": "%.4f", "differing": "%d"}),
    )
    with st.expander("All figures of pairs with intervals and definitions"):
        show_figure_table(
            build_figure_table(find_pair_figures(languages, together)),
            "Agreement figures of each two raters of each language",
            "agreement-of-pairs.csv",
        )


def _number_columns(names: Sequence[str], usual: str, **own: str) -> dict[str, object]:
    texts = {"language", "gendered", "rater", "raters", "items", "undefined"}
    found: dict[str, object] = {
        name: st.column_config.NumberColumn(format=own.get(name, usual))
        for name in names
        if name not in texts
    }
    return found
