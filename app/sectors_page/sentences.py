"""The sentences behind sector results: text, gender, sector, and who has judged them."""

from __future__ import annotations

import streamlit as st

from app.elements import build_table, choose, show_empty, show_sentences
from app.views import words
from app.views.sector_tables import list_sentences
from corpus.sector_files import load_sector_languages
from corpus.sectors import UNREVIEWED, Sector
from scoring.sector_contrasts import Context

ALL = "all sectors"


def show_sentence_table(context: Context) -> None:
    """The sentences of the product's files in one context."""
    languages = {each.code: each for each in load_sector_languages()}
    of_language, of_sector = st.columns(2)
    with of_language:
        code = choose("Language", "language", list(languages), words.describe_language)
    with of_sector:
        sector = choose("Sector", "sector", [ALL, *map(str, Sector)])
    language = languages[code]
    rows = list_sentences(language, context, None if sector == ALL else sector)
    st.text(f"{language.title}: {language.status}; {language.source}.")
    if language.status == UNREVIEWED:
        st.text(f"0 of {sum(1 for _ in language.build_sentences())} sentences seen by a human.")
    if not rows:
        show_empty("This language has no template in which another word shows the gender.")
        return
    st.text(f"{len(rows)} sentences.")
    table = build_table(rows)
    show_sentences(table, f"Sector sentences of {language.title} with gender, sector and status")
    st.download_button(
        "Download these sentences (CSV)",
        lambda: table.to_csv(index=False).encode("utf-8"),
        file_name=f"sector-sentences-{code}-{context}.csv",
        mime="text/csv",
        on_click="ignore",
    )
