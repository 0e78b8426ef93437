"""Results compared as `scores compare` does it: means over languages and differences of models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd
import streamlit as st

from app.compared_results import Question, build_statements
from app.comparison_rows import (
    AVERAGE_COLUMNS,
    CSV_COLUMNS,
    DIFFERENCE_COLUMNS,
    Choice,
    average_rows,
    csv_rows,
    difference_rows,
)
from app.elements import show_table
from app.score_averages import add_averages, compare_shown
from app.scores_page.refusals import show_refusal
from app.views.score_models import ShownResults
from corpus.errors import StereoscopeError
from corpus.stereotypes import Inventory
from scoring.compared_columns import ALL
from scoring.comparison import Comparison
from scoring.protocols import protocol_named

OFFER = "Means over languages and differences (computed from the shards; takes a while)"

WITHOUT = "The figures below are drawn without means. Choose other results above, or score again."


def offer_comparison(shown: ShownResults, inventory: Inventory) -> ShownResults:
    """The tables of a comparison where they are asked for; the results, then with their means."""
    if not st.toggle(OFFER, key="scores compared"):
        return shown
    try:
        comparison = compare_shown(shown, inventory)
    except StereoscopeError as error:
        results = shown.results[0].folder.parent
        show_refusal("These results cannot be compared.", error, results, WITHOUT)
        return shown
    _show_comparison(comparison, shown, inventory)
    return add_averages(shown, comparison)


def _show_comparison(comparison: Comparison, shown: ShownResults, inventory: Inventory) -> None:
    choice = Choice(ALL)
    _show_rows("Means over languages", AVERAGE_COLUMNS, average_rows(comparison, choice))
    _show_rows("Differences", DIFFERENCE_COLUMNS, difference_rows(comparison, choice))
    question = Question((protocol_named(shown.protocol),), inventory, (shown.condition,))
    with st.expander("What these tables say and do not say"):
        st.text("\n".join(build_statements(comparison, question)))
    st.download_button(
        "Download the comparison (CSV, formula-safe)",
        # Written when it is asked for.
        lambda: _write_csv(comparison),
        file_name=f"comparison-{shown.release}-{shown.protocol}-{shown.condition}.csv",
        mime="text/csv",
        on_click="ignore",
    )


def _show_rows(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    found = list(rows)
    if found:
        st.subheader(title)
        show_table(pd.DataFrame(found, columns=_apart(columns)), title)


def _apart(columns: Sequence[str]) -> list[str]:
    """The names, one that stands there twice with the name before it."""
    return [
        f"{name} of {columns[place - 1].split(' [')[0]}" if columns.count(name) > 1 else name
        for place, name in enumerate(columns)
    ]


def _write_csv(comparison: Comparison) -> bytes:
    table = pd.DataFrame(
        list(csv_rows(comparison.figures, formula_safe=True)), columns=list(CSV_COLUMNS)
    )
    return table.to_csv(index=False).encode("utf-8")
