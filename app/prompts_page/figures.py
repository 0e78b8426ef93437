"""Figures of prompt tests, one at a time, and the report on all."""

from __future__ import annotations

import streamlit as st

from app.elements import choose, show_empty
from app.figure_elements import show_drawn_figure
from app.prompt_figures import build_prompt_figures
from app.prompt_report import build_prompt_report, list_signatures
from app.views.prompt_results import ShownPrompts

COLUMNS = 1
"""Panels side by side on the page, which may be narrow."""


def show_figures(shown: ShownPrompts) -> None:
    """The part of the page with charts."""
    figures = build_prompt_figures(shown, COLUMNS)
    if not figures:
        show_empty("No test of these results gave a verdict.")
        return
    by_name = {each.name: each for each in figures}
    titles = {
        name: each.title + (f" (figure {each.number} of the study)" if each.number else "")
        for name, each in by_name.items()
    }
    chosen = by_name[choose("Figure", "figure", list(by_name), titles.__getitem__)]
    show_drawn_figure(chosen, signatures=list_signatures(shown, chosen.figures))
    st.download_button(
        "Download a report on these results (one HTML file)",
        # Written when it is asked for.
        lambda: build_prompt_report(shown, figures).encode("utf-8"),
        file_name="prompts.html",
        mime="text/html",
        on_click="ignore",
    )
