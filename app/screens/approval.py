"""Approval: a language's gates, explaining invalid ratings, approving, and what changed since."""

from __future__ import annotations

import streamlit as st

from annotation.approval_changes import find_changes_since
from app.approval_forms import show_approval_forms, show_explanation_form
from app.elements import build_table, choose_language, show_empty, show_sentences, show_table
from app.study import Study, open_study
from app.views.approval import (
    NO_LANGUAGE,
    NOTHING_STORED_CHANGED,
    SOURCE_NEEDS_NO_APPROVAL,
    build_change_rows,
    propose_third_rater,
)
from app.views.gates import build_gate_numbers, build_gate_reasons, count_in_words
from app.views.invalid_ratings import build_invalid_rating_rows
from app.views.overview import describe_approval
from corpus.review import LanguageState


def show() -> None:
    """The page."""
    study = open_study()
    if not study.languages:
        show_empty(NO_LANGUAGE)
        return
    language = choose_language(study)
    standing = study.standing(language)
    # English is a source where nothing of it is rated: no paraphrase and nothing put together.
    if standing.review.state is LanguageState.SOURCE:
        alone = len(study.languages) == 1
        show_empty(NO_LANGUAGE if alone else SOURCE_NEEDS_NO_APPROVAL)
        return
    assessment = study.assessment(language)
    st.text(f"State: {standing.review.state}. Approval: {describe_approval(standing)}.")
    if standing.review.stale:
        _show_changes(study, language)
    st.subheader("Gates")
    gates = assessment.gates
    st.text(f"{count_in_words(gates)}.")
    show_table(
        build_table(build_gate_numbers(gates, study.instrument)),
        f"Gates of {language}: state, value with interval and what is needed",
    )
    proposal = propose_third_rater(standing, gates)
    if proposal:
        st.text(proposal)
    st.caption("Intervals are 95 % intervals. The settings `gate_…` change what is needed.")
    medium, wide = (st.column_config.TextColumn(width=each) for each in ("medium", "large"))
    show_sentences(
        build_table(build_gate_reasons(gates, study.instrument)),
        f"Gates of {language}: what was judged, and why each default is what it is",
        **{"condition": medium, "about": medium, "why this default": wide},
    )
    _show_invalid(study, language)
    show_approval_forms(study, language)


def _show_invalid(study: Study, language: str) -> None:
    invalid = study.standing(language).invalid
    if not invalid:
        return
    st.subheader("Invalid ratings")
    st.text(
        "They are kept and never count. Somebody must look at each before the language is approved "
        "and write down what she found; a rater who was excluded has her reason already."
    )
    medium = st.column_config.TextColumn(width="medium")
    show_sentences(
        build_table(build_invalid_rating_rows(invalid)),
        f"Invalid ratings of {language}, why they are invalid and what was found",
        **{"why invalid": medium, "answers": medium, "explanation": medium},
    )
    show_explanation_form(study, language)


def _show_changes(study: Study, language: str) -> None:
    standing = study.standing(language)
    if standing.review.approval is None:
        return
    st.subheader("What has changed since the approval")
    changes = find_changes_since(study.store, standing, standing.review.approval)
    if not changes:
        st.text(NOTHING_STORED_CHANGED)
        return
    show_table(
        build_table(build_change_rows(changes)),
        f"What has changed in {language} since its approval",
        which=st.column_config.TextColumn(width="large"),
    )


show()
