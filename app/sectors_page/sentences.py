"""The sentences behind sector results: text, gender, sector, and who has judged them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from app.elements import build_table, choose, show_empty, show_sentences
from app.views import words
from app.views.scores import Result
from app.views.sector_names import describe_result
from app.views.sector_results import describe_status, load_sentences
from app.views.sector_tables import SentenceRow, list_sentences
from corpus.errors import InputError
from corpus.sector_files import load_sector_languages
from corpus.sectors import UNREVIEWED, Sector, SectorSentence
from corpus.spreadsheet_cells import make_inert
from scoring.sector_contrasts import Context

ALL = "all sectors"
FILES = "files"
"""In place of a result: the sentences of the product's files, whether scored or not."""


def show_sentence_table(context: Context, results: Sequence[Result]) -> None:
    """The sentences that a result was scored on, or those of the product's files."""
    by_key = {result.key: result for result in results}
    origin = FILES
    if by_key:
        # What was scored first: it may be of a release, whose texts and status are others.
        origin = choose(
            "Sentences",
            "sentences",
            [*by_key, FILES],
            lambda key: describe_origin(by_key.get(key)),
        )
    if origin == FILES:
        _show_files(context)
    else:
        _show_scored(by_key[origin], context)


def describe_origin(result: Result | None) -> str:
    """Where sentences are from: a result, or the files."""
    return f"scored: {describe_result(result)}" if result else "the product's files"


def _show_files(context: Context) -> None:
    languages = {each.code: each for each in load_sector_languages()}
    code, sector = _choose_part(list(languages))
    language = languages[code]
    sentences = tuple(language.build_sentences())
    st.text(f"{language.title}: {language.status}; {language.source}.")
    if language.status == UNREVIEWED:
        st.text(f"0 of {len(sentences)} sentences seen by a human.")
    _show_table(sentences, context, code, sector)


def _show_scored(result: Result, context: Context) -> None:
    code, sector = _choose_part(list(result.manifest["languages"]))
    st.text(f"{describe_status(result, code)}.")
    try:
        sentences = load_sentences(result, code)
    except InputError as error:
        show_empty("There is nothing to show.")
        st.text(str(error))
        return
    _show_table(sentences, context, code, sector)


def build_csv(rows: Sequence[SentenceRow]) -> str:
    """The table, as `sectors templates --to` writes its own: no text runs as a formula."""
    text: str = build_table(rows).map(make_inert).to_csv(index=False)
    return text


def _choose_part(codes: Sequence[str]) -> tuple[str, str | None]:
    """Language and sector; None is all of them."""
    of_language, of_sector = st.columns(2)
    with of_language:
        code = choose("Language", "language", codes, words.describe_language)
    with of_sector:
        sector = choose("Sector", "sector", [ALL, *map(str, Sector)])
    return code, None if sector == ALL else sector


def _show_table(
    sentences: Iterable[SectorSentence], context: Context, code: str, sector: str | None
) -> None:
    rows = list_sentences(sentences, context, sector)
    if not rows:
        told = "in which another word shows" if context is Context.SHOWN else "whose rest hides"
        show_empty(f"This language has no sentence {told} the gender.")
        return
    st.text(f"{len(rows)} sentences.")
    language = words.describe_language(code)
    show_sentences(
        build_table(rows), f"Sector sentences of {language} with gender, sector and status"
    )
    st.download_button(
        "Download these sentences (CSV)",
        lambda: build_csv(rows).encode("utf-8"),
        file_name=f"sector-sentences-{code}-{context}.csv",
        mime="text/csv",
        on_click="ignore",
    )
