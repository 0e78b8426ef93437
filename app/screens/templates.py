"""Templates: ratings and suggestions of a language's templated sentences, and the final choice."""

from __future__ import annotations

import streamlit as st

from annotation.template_choices import (
    TemplateOption,
    choose_template,
    is_wording,
    read_frame,
    write_frame,
)
from annotation.templates import (
    TemplateRating,
    compute_template_figures,
    gather_template_ratings,
)
from app.access import Role
from app.elements import (
    attempt,
    build_table,
    choose,
    show_empty,
    show_figure_table,
    show_sentences,
    show_table,
)
from app.study import Study, open_study
from app.views import words
from app.views.figure_table import build_figure_table
from app.views.overview import NO_CANDIDATES
from app.views.templates import (
    build_settled_rows,
    build_template_rating_rows,
    describe_choice,
    describe_option,
    find_choice,
    find_kinds,
    list_options_of,
)
from corpus.languages import TemplateKind
from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT, Instrument, TemplateChoice
from corpus.standing import SOURCE_LANGUAGE, Standing

GENDERS = (MASCULINE_VARIANT, FEMININE_VARIANT)
NO_TEMPLATES = "Templates carry the gender of EuroGEST's neutral sentences. Choose that instrument."


def show() -> None:
    """The page."""
    study = open_study()
    codes = [code for code in study.languages if code != SOURCE_LANGUAGE]
    if study.instrument is not Instrument.EUROGEST:
        show_empty(NO_TEMPLATES)
        return
    if not codes:
        show_empty(NO_CANDIDATES)
        return
    rows = build_settled_rows(study.standing(code) for code in codes)
    table = build_table(rows).rename(columns={"mean da": "mean DA"})
    mean = {"mean DA": st.column_config.NumberColumn(format="%.1f")}
    show_table(table, "One row per language: whether its templates are settled", **mean)
    st.subheader("One language")
    language = choose("Language", "language", codes, words.describe_language)
    standing = study.standing(language)
    ratings = gather_template_ratings(standing)
    _show_ratings(language, ratings)
    for kind in find_kinds(language):
        _show_choice(study, standing, kind, ratings)


def _show_ratings(language: str, ratings: list[TemplateRating]) -> None:
    if not ratings:
        show_empty(
            "No translator has rated these templates yet: `stereoscope templates create "
            f"--language {language} --raters …` makes the four sentences a batch."
        )
        return
    table = build_table(build_template_rating_rows(ratings)).rename(columns={"da": "DA"})
    wide = st.column_config.TextColumn(width="large")
    show_sentences(table, f"Ratings of the templated sentences of {language}", suggestion=wide)
    show_figure_table(
        build_figure_table(compute_template_figures(ratings, language), leave_out=("language",)),
        f"Mean DA of the templated sentences of {language}",
        f"templates-{language}.csv",
    )


def _show_choice(
    study: Study, standing: Standing, kind: TemplateKind, ratings: list[TemplateRating]
) -> None:
    st.subheader(f"The {kind} template")
    chosen = find_choice(standing, kind)
    st.text(describe_choice(chosen))
    options = list_options_of(standing, kind, ratings)
    current = next(
        (at for at, each in enumerate(options) if chosen is not None and is_wording(chosen, each)),
        0,
    )
    key = f"{standing.language} {kind}"
    option = st.selectbox(
        f"Wording of the {kind} template; {{}} is the sentence",
        options,
        index=current,
        format_func=describe_option,
        key=f"option {key}",
    )
    # Fields carry the option: another one brings its own texts.
    mark = f"{key} {describe_option(option)}"
    with st.form(f"choose {key}"):
        for gender, frame in zip(GENDERS, _frames(option), strict=True):
            st.text_input(f"{gender}, {kind}", value=frame, key=f"{gender} {mark}")
        st.text_area(f"Reason for the {kind} template", key=f"reason {key}")
        st.form_submit_button(
            f"Choose this {kind} template",
            on_click=_choose,
            args=(study, standing.language, kind, key, mark),
        )


def _frames(option: TemplateOption) -> tuple[str, str]:
    return (write_frame(option.masculine), write_frame(option.feminine))


def _choose(study: Study, language: str, kind: TemplateKind, key: str, mark: str) -> None:
    given = st.session_state

    def store() -> str:
        frames = [read_frame(given[f"{gender} {mark}"]) for gender in GENDERS]
        choice = TemplateChoice(
            language, kind, frames[0], frames[1], given[f"reason {key}"], study.actor
        )
        choose_template(study.store, choice)
        return f"The {kind} template of {words.describe_language(language)} is settled."

    attempt(study, Role.CURATOR, store)


show()
