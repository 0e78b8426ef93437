"""Generation: what became of the sources in each language, beside published counts if given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from annotation.confusion import compute_confusion
from app.charts import confusion_chart, share_chart
from app.elements import (
    build_table,
    choose_language,
    show_chart,
    show_empty,
    show_error,
    show_table,
)
from app.funnels import format_report, funnel_of
from app.study import Study, open_study
from app.views.generation import (
    DrawnShare,
    build_confusion_cells,
    build_funnel_row,
    draw_reasons,
    draw_stages,
    draw_stereotypes,
    tell,
)
from app.views.overview import NO_CANDIDATES
from corpus.errors import InputError
from pipeline.funnel_report import ReportRow, build_report
from pipeline.published_counts import PublishedCounts, load_published_counts
from pipeline.reasons import REASONS

COUNTED = (
    "Candidates as they were generated, before any decision. Passed quality: no text is known to "
    "be below its threshold, whatever pairing made of it."
)


def show() -> None:
    """The page."""
    study = open_study()
    if not study.languages:
        show_empty(NO_CANDIDATES)
        return
    language = choose_language(study)
    published = _choose_published()
    funnels = [funnel_of(study.standing(code), study.snapshot.sources) for code in study.languages]
    rows = build_report(funnels, published)
    st.subheader("All languages")
    table = build_table([build_funnel_row(funnel, rows) for funnel in funnels])
    show_table(table, "What was kept of each language's sources")
    st.download_button(
        "Download all counts (CSV, unrounded)",
        format_report(rows),
        file_name="generation.csv",
        mime="text/csv",
        on_click="ignore",
    )
    _show_language(rows, language)
    _show_labels(study, language)


def _choose_published() -> Mapping[str, PublishedCounts]:
    """Counts of a file the person chooses; none where it has faults, which are shown."""
    with st.expander("Compare with published counts"):
        chosen = st.file_uploader(
            "CSV in the layout of EuroGEST's counts", type="csv", key="published counts"
        )
    if chosen is None:
        return {}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "published.csv"
        path.write_bytes(chosen.getvalue())
        try:
            return load_published_counts(path)
        except InputError as error:
            show_error(InputError([replace(each, file=chosen.name) for each in error.faults]))
            return {}


def _show_language(rows: Sequence[ReportRow], language: str) -> None:
    st.subheader("From sources to candidates")
    st.text(COUNTED)
    _show_bars(draw_stages(rows, language), "stage", f"Stages of {language}")
    st.subheader("Why candidates are discarded")
    reasons = draw_reasons(rows, language)
    if reasons:
        _show_bars(reasons, "reason", f"Reasons of discards in {language}")
        codes = [each.mark.replace(" ", "_") for each in reasons]
        st.text("\n".join(f"{each}: {REASONS.get(each, each)}" for each in codes))
        st.caption(
            "Browse them on page Candidates, by label and reason. `stereoscope batch create "
            "--purpose targeted --label discarded --reason CODE` lets raters judge a sample."
        )
    else:
        show_empty("No candidate of this language is discarded.")
    st.subheader("Kept of each stereotype's sources")
    stereotypes = draw_stereotypes(rows, language)
    if stereotypes:
        _show_bars(stereotypes, "stereotype", f"Coverage of each stereotype in {language}")
    else:
        show_empty("The sources of this instrument have no stereotypes.")


def _show_bars(drawn: Sequence[DrawnShare], title: str, alt_text: str) -> None:
    """Bars and the table under them."""
    show_chart(share_chart(drawn, title), f"{alt_text}: {tell(drawn)}")
    table = build_table(drawn).drop(columns="text").rename(columns={"mark": title})
    if all(each.published_count is None for each in drawn):
        table = table.drop(columns=["published count", "published share"])
    percent = st.column_config.NumberColumn(format="percent")
    show_table(table, alt_text, **{"share": percent, "published share": percent})


def _show_labels(study: Study, language: str) -> None:
    st.subheader("The system's labels against human labels")
    cells = build_confusion_cells(compute_confusion(study.standing(language)))
    if not cells:
        show_empty("No valid ratings of this language yet.")
        return
    told = "; ".join(f"{each.system} as {each.rater}: {each.count}" for each in cells if each.count)
    show_chart(
        confusion_chart(cells, "all raters"),
        f"Human labels by system label, answers of all raters: {told}",
    )
    table = build_table(cells).rename(columns={"rater": "human"})
    show_table(table, f"Human labels by system label in {language}")


show()
