"""The study's figures of one or several results, and the results side by side in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from app.elements import choose, show_chart, show_figure_table, show_table
from app.score_figures import ScoreFigure, build_figures
from app.score_files import FORMATS, render
from app.score_report import build_report
from app.scores_page.comparison import offer_comparison
from app.views.figure_table import build_figure_table
from app.views.score_models import ShownResults, show_together
from app.views.score_table import build_comparison
from app.views.scores import Result
from corpus.stereotypes import load_inventory

COLUMNS = 1
"""Panels side by side on the page, which may be narrow."""
MIME = {"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf"}
NOT_READ_OFF = (
    "Whether two models differ cannot be read off their intervals: the table of differences below "
    "draws both from the same sentences and gives each difference its own interval."
)


def show_figures(results: Sequence[Result], scope: dict[str, str]) -> None:
    """The part of the page that draws results together."""
    shown = show_together(results, scope["protocol"], scope["condition"])
    inventory = load_inventory()
    _show_side_by_side(shown)
    shown = offer_comparison(shown, inventory)
    figures = build_figures(shown, inventory, COLUMNS)
    titles = {each.name: f"{each.title} (figure {each.number} of the study)" for each in figures}
    name = choose("Figure", "figure", list(titles), titles.__getitem__)
    _show_figure(next(each for each in figures if each.name == name))
    st.download_button(
        "Download a report on these results (one HTML file)",
        # Written when it is asked for.
        lambda: build_report(shown, figures).encode("utf-8"),
        file_name=f"scores-{shown.release}-{shown.protocol}.html",
        mime="text/html",
        on_click="ignore",
    )


def _show_figure(figure: ScoreFigure) -> None:
    st.subheader(figure.title)
    st.text("\n".join(figure.statements))
    if figure.chart is None:
        st.text("No value of it is defined; the table says why.")
    else:
        show_chart(figure.chart, figure.alt)
        with st.container(horizontal=True):
            for format_name in FORMATS:
                st.download_button(
                    f"Download as {format_name.upper()}",
                    # Drawn when it is asked for.
                    partial(render, figure, format_name),
                    file_name=f"{figure.name}.{format_name}",
                    mime=MIME[format_name],
                    on_click="ignore",
                )
    show_figure_table(
        build_figure_table(figure.figures, ("protocol",)),
        f"The numbers of the figure: {figure.title}",
        f"{figure.name}.csv",
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
