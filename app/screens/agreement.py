"""Agreement: all languages beside one another, or one language with its raters."""

from __future__ import annotations

import streamlit as st

from app.agreement_page.language import show_language
from app.agreement_page.overview import show_overview
from app.elements import choice_key, choose, show_empty
from app.study import Study, open_study, remembered_choice
from app.views import words
from app.views.overview import NO_CANDIDATES, NOT_RATED
from corpus.review import LanguageState

ALL = "all"
LANGUAGE = "language"
"""Name of the choice in the address, as on other pages."""


def show() -> None:
    """The page."""
    study = open_study()
    if not study.languages:
        show_empty(NO_CANDIDATES)
        return
    language = _choose_language(study)
    if language == ALL:
        show_overview(study)
    elif study.standing(language).review.state is LanguageState.SOURCE:
        show_empty(NOT_RATED)
    else:
        show_language(study, language)


def _choose_language(study: Study) -> str:
    """All languages, unless the address names one; other pages keep the language they had."""
    if choice_key(LANGUAGE) not in st.session_state and LANGUAGE not in st.query_params:
        st.session_state[choice_key(LANGUAGE)] = ALL
    remembered = remembered_choice(LANGUAGE)
    language = choose("Language", LANGUAGE, (ALL, *study.languages), _describe)
    if language == ALL:
        st.session_state[f"remembered {LANGUAGE}"] = remembered
    return language


def _describe(choice: str) -> str:
    return "all languages" if choice == ALL else words.describe_language(choice)


show()
