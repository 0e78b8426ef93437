"""A chart with everything that is to be had of it: description, exact table, and downloads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st
import vl_convert

from app.charts import Chart
from app.elements import show_chart, show_table

DOTS_PER_UNIT = 2
"""So that a downloaded picture can be printed."""


def show_figure(
    chart: Chart, table: pd.DataFrame, alt_text: str, file_name: str, *, is_open: bool = False
) -> None:
    """The chart, the exact table behind it, and both as files.

    Args:
        chart: What is drawn.
        table: The numbers it is drawn from, unrounded.
        alt_text: What a screen reader says.
        file_name: Of the downloads, without an ending.
        is_open: Whether the table is shown at once.
    """
    show_chart(chart, alt_text)
    with st.expander("The exact table behind this figure, and downloads", expanded=is_open):
        show_table(table, f"Table behind: {alt_text}")
        with st.container(horizontal=True):
            _offer("Table (CSV)", lambda: build_csv(table), f"{file_name}.csv", "text/csv")
            _offer("Figure (SVG)", lambda: build_svg(chart), f"{file_name}.svg", "image/svg+xml")
            _offer("Figure (PNG)", lambda: build_png(chart), f"{file_name}.png", "image/png")


def build_csv(table: pd.DataFrame) -> bytes:
    """The table as a CSV file, unrounded."""
    return table.to_csv(index=False).encode("utf-8")


def build_svg(chart: Chart) -> bytes:
    """The chart as an SVG file on white."""
    return str(vl_convert.vegalite_to_svg(_on_white(chart))).encode("utf-8")


def build_png(chart: Chart) -> bytes:
    """The chart as a PNG file on white."""
    return bytes(vl_convert.vegalite_to_png(_on_white(chart), scale=DOTS_PER_UNIT))


def _on_white(chart: Chart) -> dict[str, Any]:
    return {**chart, "background": "white"}


def _offer(label: str, build: Callable[[], bytes], file_name: str, mime: str) -> None:
    # Built when it is asked for: drawing takes longer than the rest of the page.
    st.download_button(
        label, build, file_name, mime, key=f"download {file_name}", on_click="ignore"
    )
