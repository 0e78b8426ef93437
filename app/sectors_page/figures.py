"""Figures of sector results and the numbers behind them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.elements import choose, show_table
from app.figure_elements import show_drawn_figure
from app.sector_figures import build_sector_figures
from app.sector_report import build_sector_report
from app.sector_tables import build_sector_table
from app.views.sector_results import ShownSectors
from app.views.sector_tables import list_biases, list_sectors

COLUMNS = 1
"""Panels side by side on the page, which may be narrow."""


def show_sector_measures(shown: ShownSectors, variant: str) -> None:
    """SB, RB and what stands beside them; then each sector by itself."""
    st.subheader("All sectors")
    st.text("RB = SB − mean(W) exactly. 0 is no difference, not an ideal; below 0 favours men.")
    biases = pd.DataFrame(list_biases(shown, variant))
    show_table(biases, "SB, RB and other measures over all sectors, with intervals and n")
    st.subheader("Each sector")
    sectors = pd.DataFrame(list_sectors(shown))
    show_table(sectors, "Inner disparity and workforce of each sector, with intervals and n")
    st.caption(
        "p: Wilcoxon's signed-rank test over the means of person pairs. Sentence pairs share "
        "templates, words and terms; the test over them is in the download, and too small."
    )
    st.download_button(
        "Download all figures with their signatures (CSV, unrounded)",
        lambda: build_sector_table(shown).to_csv(index=False).encode("utf-8"),
        file_name="sectors.csv",
        mime="text/csv",
        on_click="ignore",
    )


def show_sector_figures(shown: ShownSectors, variant: str) -> None:
    """The figures, one at a time."""
    figures = build_sector_figures(shown, variant, COLUMNS)
    by_name = {each.name: each for each in reversed(figures)}
    name = choose("Figure", "figure", list(by_name), lambda key: by_name[key].title)
    show_drawn_figure(by_name[name], ("context", "lengths"))
    st.download_button(
        "Download a report on these results (one HTML file)",
        # Written when it is asked for.
        lambda: build_sector_report(shown, figures, variant).encode("utf-8"),
        file_name="sectors.html",
        mime="text/html",
        on_click="ignore",
    )
