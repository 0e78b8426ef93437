"""A figure on a page: what must be read with it, its chart, its files and its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from app.elements import show_chart, show_figure_table
from app.picture_formats import FORMATS
from app.score_figures import ScoreFigure
from app.score_files import render
from app.views.figure_table import build_figure_table

MIME = {"png": "image/png", "svg": "image/svg+xml", "pdf": "application/pdf"}


def show_drawn_figure(
    figure: ScoreFigure,
    leave_out: Sequence[str] = (),
    signatures: Sequence[str] | None = None,
) -> None:
    """The figure with everything about it.

    Args:
        figure: What is shown.
        leave_out: Parts of the scope that are the same for all numbers and stand elsewhere.
        signatures: What made each number; None leaves the column out.
    """
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
        build_figure_table(figure.figures, leave_out, signatures),
        f"The numbers of the figure: {figure.title}",
        f"{figure.name}.csv",
    )
