"""Rates by concern, language and model, with outcomes and requirements; and by type of test."""

from __future__ import annotations

import streamlit as st

from app.elements import build_table, choose, show_table
from app.prompt_report import build_prompt_csv
from app.views.prompt_points import name_language
from app.views.prompt_results import ShownPrompts
from app.views.prompt_statements import RATES
from app.views.prompt_table import list_rates

ALL = "all"
READ = (
    "In brackets: 95 % intervals. read: tests that langbite rests on; asked: tests that all rests "
    "on. A rate on few tests (under 10, marked) says little; whether two models differ cannot be "
    "read off here. Marked are also models of the family of one that helped, or where nobody says "
    "its family, and oracles for one answer where communities give several, a defect of the source."
)


def show_rates(shown: ShownPrompts) -> None:
    """The part of the page with numbers."""
    options = [ALL, *shown.languages]
    chosen = choose("Language", "tested", options, _name)
    language = None if chosen == ALL else chosen
    st.text(RATES)
    st.subheader("By concern")
    rows = list_rates(shown, language, types=False)
    show_table(build_table(rows), "Both rates of each concern, with intervals and outcomes")
    st.caption(READ)
    st.subheader("By type of input and reflection")
    rows = list_rates(shown, language, types=True)
    table = build_table(rows).drop(columns=["required"])
    show_table(table, "Both rates by type of input and of reflection, with intervals and outcomes")
    st.download_button(
        "Download all figures with what made them (CSV, unrounded)",
        # Written when it is asked for.
        lambda: build_prompt_csv(shown).encode("utf-8"),
        file_name="prompts.csv",
        mime="text/csv",
        on_click="ignore",
    )


def _name(code: str) -> str:
    return "all" if code == ALL else name_language(code)
