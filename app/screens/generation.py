"""Generation: what became of the sources in each language, beside published counts if given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import streamlit as st

from annotation.confusion import ConfusionCount, compute_confusion
from app.charts import confusion_chart, share_chart
from app.elements import (
    build_table,
    choose_language,
    show_chart,
    show_empty,
    show_error,
    show_table,
)
from app.funnels import build_label_rows, format_report, funnel_of
from app.study import Study, open_study
from app.views import words
from app.views.agreement import ConfusionCell
from app.views.generation import (
    DrawnShare,
    build_confusion_cells,
    build_confusion_table,
    build_funnel_row,
    describe_reasons,
    describe_stages,
    draw_reasons,
    draw_stages,
    draw_stereotypes,
    tell,
    tell_cells,
)
from app.views.overview import NO_CANDIDATES
from corpus.errors import InputError
from corpus.records import Label
from corpus.stereotypes import Inventory
from pipeline.funnel import Funnel
from pipeline.funnel_report import ReportRow, build_report
from pipeline.published_counts import PublishedCounts, load_published_counts

COUNTED = "Candidates as they were generated, before any decision."
LANGUAGES_KEPT = 128
CANDIDATES_PAGE = Path(__file__).with_name("candidates.py")


def show() -> None:
    """The page."""
    study = open_study()
    if not study.languages:
        show_empty(NO_CANDIDATES)
        return
    language = choose_language(study)
    published = _choose_published()
    funnels = [_funnel(*_key(study, code), study) for code in study.languages]
    rows = build_report(funnels, published)
    st.subheader("All languages")
    table = build_table([build_funnel_row(funnel, rows) for funnel in funnels])
    if not published:
        table = table.drop(columns="published coverage")
    show_table(table, "What was kept of each language's sources")
    _offer_csv("Download all counts (CSV, unrounded)", rows, "generation.csv")
    _show_stages(rows, language)
    _show_reasons(rows, language)
    _show_stereotypes(rows, language, study.inventory)
    _show_labels(_confusion(*_key(study, language), study), language)


def _key(study: Study, language: str) -> tuple[str, int, str, str]:
    """What a language's counts depend on."""
    position = study.standing(language).position
    return study.workspace.database_url, position, str(study.instrument), language


@st.cache_resource(show_spinner=False, max_entries=LANGUAGES_KEPT)
def _funnel(
    database_url: str, position: int, instrument: str, language: str, _study: Study
) -> Funnel:
    return funnel_of(_study.standing(language), _study.snapshot.sources)


@st.cache_resource(show_spinner=False, max_entries=LANGUAGES_KEPT)
def _confusion(
    database_url: str, position: int, instrument: str, language: str, _study: Study
) -> tuple[ConfusionCount, ...]:
    return compute_confusion(_study.standing(language))


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


def _offer_csv(label: str, rows: Sequence[Any], file_name: str) -> None:
    st.download_button(
        label,
        # Written when it is asked for.
        lambda: format_report(rows),
        file_name=file_name,
        mime="text/csv",
        key=f"download {file_name}",
        on_click="ignore",
    )


def _show_stages(rows: Sequence[ReportRow], language: str) -> None:
    st.subheader("From sources to candidates")
    st.text(COUNTED)
    stages = draw_stages(rows, language)
    _show_bars(stages, "stage", f"Stages of {language}")
    with st.expander("What each stage counts"):
        st.text(describe_stages(stages))


def _show_reasons(rows: Sequence[ReportRow], language: str) -> None:
    st.subheader("Why candidates are discarded")
    reasons = draw_reasons(rows, language)
    if not reasons:
        show_empty("No candidate of this language is discarded.")
        return
    _show_bars(reasons, "reason", f"Reasons of discards in {language}")
    st.text(describe_reasons(reasons))
    st.page_link(
        CANDIDATES_PAGE,
        label="Browse them, and let raters judge a sample",
        icon=":material/list:",
        query_params={"language": language, "label": str(Label.DISCARDED)},
    )


def _show_stereotypes(rows: Sequence[ReportRow], language: str, inventory: Inventory) -> None:
    st.subheader("Kept of each stereotype's sources")
    stereotypes = draw_stereotypes(rows, language, inventory)
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


def _show_labels(counts: Sequence[ConfusionCount], language: str) -> None:
    st.subheader("The system's labels against human labels")
    if not counts:
        show_empty("No valid ratings of this language yet.")
        return
    named = words.describe_language(language)
    if kept := build_confusion_cells(counts):
        st.text("Texts of kept candidates. The system's label is that of the variant shown.")
        _show_cells(kept, "system label", f"Human labels by system label in {named}")
    if discarded := build_confusion_cells(counts, discarded=True):
        st.text(
            "Texts of discarded candidates, from targeted batches: the reason of discarding, and "
            "the gender that the text was translated for."
        )
        title = "reason: text shown"
        _show_cells(discarded, title, f"Human labels of discarded texts by reason in {named}")
    rows = build_label_rows(language, counts)
    _offer_csv("Download these labels (CSV)", rows, f"labels-{language}.csv")


def _show_cells(cells: Sequence[ConfusionCell], title: str, alt_text: str) -> None:
    show_chart(
        confusion_chart(cells, "all raters", title), f"{alt_text}, all raters: {tell_cells(cells)}"
    )
    show_table(build_confusion_table(cells, title), alt_text)


show()
