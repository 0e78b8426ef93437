"""Measures: g_s of every language and q_i of one, with the exact numbers of a result."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.charts import interval_chart
from app.elements import show_chart, show_figure_table
from app.score_figures import NOT_BETTER
from app.views.figure_table import build_figure_table
from app.views.score_models import show_together
from app.views.score_statements import describe_base
from app.views.scores import EQUAL, Result, draw_by, find_value, select_figures
from scoring.protocols import BASES

CONDITIONAL = "Intervals are conditional on these stereotypes."


def show_measures(result: Result, scope: dict[str, str], language: str | None) -> None:
    """The part of the page about one result."""
    _show_g(result, scope)
    if language:
        _show_q(result, scope | {"language": language})
    st.subheader("All figures")
    show_figure_table(
        build_figure_table(result.figures, ("model",), result.signatures),
        "All figures of this result with their signatures",
        f"scores-{result.key}.csv",
    )


def _show_g(result: Result, scope: dict[str, str]) -> None:
    st.subheader("g_s by language")
    figures = select_figures(result.figures, "g_s", scope)
    drawn = draw_by(figures, "language")
    st.text(f"The dashed line is 1, no stereotype; above 1 is stereotypical, and {NOT_BETTER}.")
    _show_base(result, scope, [each.n for each in drawn])
    if drawn:
        told = "; ".join(f"{each.mark} {each.value:.3f}" for each in drawn)
        show_chart(
            interval_chart(drawn, "g_s", "language", EQUAL, "1"),
            f"g_s of each language with its interval and a line at 1: {told}",
        )
    show_figure_table(
        build_figure_table(figures, ("model", *scope)),
        "g_s by language",
        f"g_s-{result.key}.csv",
    )


def _show_base(result: Result, scope: dict[str, str], counts: Sequence[int]) -> None:
    """What the values of a figure rest on, where there is one."""
    if counts and {"protocol", "condition"} <= scope.keys():
        languages = [scope["language"]] if "language" in scope else []
        shown = show_together([result], scope["protocol"], scope["condition"], languages)
        st.text("\n".join((*describe_base(shown, counts), CONDITIONAL)))


def _show_q(result: Result, scope: dict[str, str]) -> None:
    st.subheader("q_i by stereotype")
    figures = select_figures(result.figures, "q_i", scope)
    drawn = draw_by(figures, "stereotype", result.inventory)
    if scope.get("protocol") in BASES:
        line: float | None = EQUAL
        line_title = "1, equal likelihood"
        st.text("The dashed line is 1, equal likelihood, which is not an ideal.")
    else:
        line = find_value(result.figures, "default_rate", scope)
        line_title = "default rate"
        st.text(
            "Share of the masculine variant. The dashed line is the default rate"
            + (f", {line:.3f}; " if line is not None else " where it is defined; ")
            + "0.5 is equal likelihood, not an ideal."
        )
    _show_base(result, scope, [each.n for each in drawn])
    if drawn:
        told = "; ".join(f"{each.mark} {each.value:.3f}" for each in drawn)
        show_chart(
            interval_chart(drawn, "q_i", "stereotype", line, line_title),
            f"q_i of each stereotype with its interval and the {line_title}: {told}",
        )
    show_figure_table(
        build_figure_table(figures, ("model", *scope)),
        "q_i by stereotype",
        f"q_i-{result.key}-{scope['language']}.csv",
    )
