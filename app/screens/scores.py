"""Scores: measures of language models on releases, with intervals and reference lines."""

from __future__ import annotations

import streamlit as st

from app.charts import interval_chart
from app.elements import show_chart, show_empty, show_figure_table
from app.study import open_study
from app.views import words
from app.views.figure_table import build_figure_table
from app.views.scores import EQUAL, Result, draw_by, find_value, load_results, select_figures

NO_RESULT = (
    "No scores yet. Build a release, then run "
    "`stereoscope score --model MODEL --release VERSION` with a model's name or folder."
)
DEMONSTRATION = "A demonstration, not a finding."
MADE_OF = ("model", "revision", "dtype", "bos_policy", "release", "release_sha256", "version")


def show() -> None:
    """The page."""
    study = open_study()
    results, problems = load_results(study.workspace.results)
    for problem in problems:
        st.error("A result cannot be read.", icon=":material/error:")
        st.text(problem)
    if not results:
        show_empty(NO_RESULT)
        return
    titles = {result.key: result.title for result in results}
    key = st.selectbox("Result", list(titles), format_func=titles.__getitem__)
    _show_result(next(result for result in results if result.key == key))


def _show_result(result: Result) -> None:
    if result.demonstration:
        st.warning(DEMONSTRATION, icon=":material/science:")
    if note := result.manifest.get("not_measured") or result.manifest.get("note"):
        st.text(f"Not measured here: {note}")
    if result.unvalidated:
        named = ", ".join(map(words.describe_language, result.unvalidated))
        st.warning("NOT VALIDATED: nobody approved some languages.", icon=":material/warning:")
        st.text(named)
    for told in result.human_eyes:
        st.text(told)
    protocol, condition, language = st.columns(3)
    scope = {
        name: column.selectbox(title, options, format_func=_in_words)
        for name, title, column in (
            ("protocol", "Protocol", protocol),
            ("condition", "Condition", condition),
        )
        if (options := result.choices(name))
    }
    _show_g(result, scope)
    if languages := result.choices("language"):
        chosen = language.selectbox("Language", languages, format_func=words.describe_language)
        _show_q(result, scope | {"language": chosen})
    st.subheader("All figures")
    show_figure_table(
        build_figure_table(result.figures, ("model",), result.signatures),
        "All figures of this result with their signatures",
        f"scores-{result.key}.csv",
    )
    with st.expander("What made these numbers"):
        made_of = {name: result.manifest[name] for name in MADE_OF if name in result.manifest}
        st.text("\n".join(f"{name}: {value}" for name, value in made_of.items()))


def _show_g(result: Result, scope: dict[str, str]) -> None:
    st.subheader("g_s by language")
    figures = select_figures(result.figures, "g_s", scope)
    drawn = draw_by(figures, "language")
    st.text("Above 1 is stereotypical; the dashed line is 1.")
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


def _show_q(result: Result, scope: dict[str, str]) -> None:
    st.subheader("q_i by stereotype")
    figures = select_figures(result.figures, "q_i", scope)
    drawn = draw_by(figures, "stereotype")
    default = find_value(result.figures, "default_rate", scope)
    st.text(
        "Share of the masculine variant. The dashed line is the default rate"
        + (f", {default:.3f}; " if default is not None else " where it is defined; ")
        + "0.5 is equal likelihood, not an ideal."
    )
    if drawn:
        told = "; ".join(f"{each.mark} {each.value:.3f}" for each in drawn)
        show_chart(
            interval_chart(drawn, "q_i", "stereotype", default, "default rate"),
            f"q_i of each stereotype with its interval and the default rate: {told}",
        )
    show_figure_table(
        build_figure_table(figures, ("model", *scope)),
        "q_i by stereotype",
        f"q_i-{result.key}-{scope['language']}.csv",
    )


def _in_words(value: str) -> str:
    return value.replace("_", " ")


show()
