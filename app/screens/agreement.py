"""Agreement: all languages beside one another, or one language with its raters."""

from __future__ import annotations

from app.agreement_page.language import show_language
from app.agreement_page.overview import show_overview
from app.elements import choose, show_empty
from app.study import open_study
from app.views import words
from app.views.overview import NO_CANDIDATES, NOT_RATED
from corpus.review import LanguageState

ALL = "all"


def show() -> None:
    """The page."""
    study = open_study()
    if not study.languages:
        show_empty(NO_CANDIDATES)
        return
    language = choose("Language", "language", (ALL, *study.languages), _describe)
    if language == ALL:
        show_overview(study)
    elif study.standing(language).review.state is LanguageState.SOURCE:
        show_empty(NOT_RATED)
    else:
        show_language(study, language)


def _describe(choice: str) -> str:
    return "all languages" if choice == ALL else words.describe_language(choice)


show()
