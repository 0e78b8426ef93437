"""The study's figures of one or several results, and the results side by side in numbers."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.elements import choose, show_table
from app.figure_elements import show_drawn_figure
from app.score_figures import build_figures
from app.score_report import build_report
from app.scores_page.comparison import offer_comparison
from app.views.score_models import ShownResults, show_together
from app.views.score_table import build_comparison
from app.views.scores import Result

COLUMNS = 1
"""Panels side by side on the page, which may be narrow."""
NOT_READ_OFF = (
    "Whether two models differ cannot be read off their intervals: the table of differences below "
    "draws both from the same sentences and gives each difference its own interval."
)


def show_figures(results: Sequence[Result], scope: dict[str, str]) -> None:
    """The part of the page that draws results together."""
    shown = show_together(results, scope["protocol"], scope["condition"])
    inventory = results[0].inventory
    _show_side_by_side(shown)
    shown = offer_comparison(shown, inventory)
    figures = build_figures(shown, inventory, COLUMNS)
    titles = {each.name: f"{each.title} (figure {each.number} of the study)" for each in figures}
    name = choose("Figure", "figure", list(titles), titles.__getitem__)
    show_drawn_figure(next(each for each in figures if each.name == name), ("protocol",))
    st.download_button(
        "Download a report on these results (one HTML file)",
        # Written when it is asked for.
        lambda: build_report(shown, figures, inventory).encode("utf-8"),
        file_name=f"scores-{shown.release}-{shown.protocol}.html",
        mime="text/html",
        on_click="ignore",
    )


def _show_side_by_side(shown: ShownResults) -> None:
    st.subheader("g_s side by side")
    table = build_comparison(shown)
    show_table(table, "g_s of each model in each language, with its interval and n")
    st.caption(NOT_READ_OFF)
    st.download_button(
        "Download this table (CSV)",
        lambda: table.to_csv(index=False).encode("utf-8"),
        file_name=f"g_s-{shown.release}-{shown.protocol}-{shown.condition}.csv",
        mime="text/csv",
        on_click="ignore",
    )
