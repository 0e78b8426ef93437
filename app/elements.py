"""Elements that several pages share: messages, tables, choices and empty states.

Text that is data (sentences, comments, names, error messages) goes to `st.text`, tables, select
boxes and charts only: everything else in Streamlit reads markup.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from app.access import Role
from app.charts import Chart
from app.study import Study, find_identity, remembered_choice
from app.views import words
from app.views.differences import CLOSING, OPENING, MarkedPair
from corpus.errors import StaleError, StereoscopeError
from corpus.records import FEMININE_VARIANT, MASCULINE_VARIANT
from corpus.workspace import find_workspace

Choice = TypeVar("Choice")
PAGE_KEY = "page"
"""Holds the title of the page that is drawn."""
_SAID_KEY = "said"
REFUSED = "This was refused."
UNDEFINED = "–"
TEXT_ON_DARK, TEXT_ON_LIGHT = "#f0f0f0", "#303030"
WHOLE_ROWS = 32
"""A table with at most as many rows (each language, each stereotype) is shown without scrolling."""
SENTENCE_HEIGHT = 66
"""Pixels of a row with a sentence in it; text is broken into lines above 64 only."""
STALE = "This has changed meanwhile, so nothing was stored."


def choose_together(titles: Mapping[str, str], what: str, key: str) -> list[str]:
    """Keys of the results that are shown beside the first one; nothing is asked if there are none.

    Args:
        titles: Key → title of each result that may be.
        what: What they have in common.
        key: Key of the choice in the session.
    """
    if not titles:
        return []
    return st.multiselect(
        f"Together with ({what})", list(titles), format_func=titles.__getitem__, key=key
    )


def show_error(error: StereoscopeError) -> None:
    """The error's own sentences, literally."""
    st.error(STALE if isinstance(error, StaleError) else REFUSED, icon=":material/error:")
    st.text(str(error))


def attempt(study: Study, needed: Role, action: Callable[[], str]) -> bool:
    """Does what a button asks for, if who acts may; the outcome is shown at the top of the page.

    For callbacks, where nothing can be drawn yet.

    Args:
        study: In which it is done.
        needed: The least role that may do it.
        action: Gives what was done, in one sentence.

    Returns:
        Whether it was done.
    """
    try:
        study.identity.require(needed)
        # Roles may have changed since the page was drawn.
        find_identity(find_workspace(study.workspace.path)).require(needed)
        st.session_state[_SAID_KEY] = action()
    except StereoscopeError as error:
        st.session_state[_SAID_KEY] = error
        return False
    return True


def show_outcome() -> None:
    """What the last button did, until a page that says it was drawn to its end."""
    said = st.session_state.get(_SAID_KEY)
    # There on every run: else the page below it would move up when it goes, be built anew and lose
    # the focus, and what is being typed into a field would be taken for keys of buttons.
    with st.container():
        if isinstance(said, StereoscopeError):
            show_error(said)
        elif said is not None:
            st.success("Done.", icon=":material/check:")
            st.text(said)


def forget_outcome() -> None:
    """Does not say again what the last button did; for the end of a page.

    A run that the next one cuts short never gets there, so that what it said is not lost.
    """
    st.session_state.pop(_SAID_KEY, None)


def show_empty(sentence: str) -> None:
    """Says that there is nothing to show, and what to do next."""
    st.info(sentence, icon=":material/arrow_forward:")


def build_table(rows: Sequence[Any]) -> pd.DataFrame:
    """Dataclass rows as a table, one column for each field, in words."""
    return pd.DataFrame([asdict(row) for row in rows]).rename(
        columns=lambda name: str(name).replace("_", " ")
    )


def show_texts(source: str, variants: Mapping[str, str], marked: MarkedPair | None) -> None:
    """A candidate's texts below the English one, literally, differing words marked."""
    shown = {"English": source, **variants}
    if marked is not None:
        shown |= {MASCULINE_VARIANT: marked.masculine, FEMININE_VARIANT: marked.feminine}
    for title, text in shown.items():
        with st.container(border=True, gap="xxsmall"):
            st.text(f"{title}:")
            st.text(text)
    if marked is not None:
        st.caption(f"{OPENING} {CLOSING} stand around the words that differ.")


def show_facts(facts: Sequence[str], repair: Sequence[str]) -> None:
    """Facts about a candidate, a line each, and what repair built of it, which stands out."""
    st.text("\n".join(facts))
    if repair:
        with st.container(border=True, gap="xxsmall"):
            st.badge("repaired", icon=":material/build:", color="orange")
            st.text("\n".join(repair))


def show_table(table: pd.DataFrame, alt_text: str, **columns: Any) -> None:
    """A table whose cells are shown literally; `columns` as in `st.dataframe`'s column_config."""
    _show_dataframe(table, alt_text, columns)


def show_sentences(table: pd.DataFrame, alt_text: str, **columns: Any) -> None:
    """As `show_table`, with rows high enough for a sentence."""
    _show_dataframe(table, alt_text, columns, row_height=SENTENCE_HEIGHT)


def _show_dataframe(
    table: pd.DataFrame,
    alt_text: str,
    columns: Mapping[str, Any],
    row_height: int | None = None,
) -> None:
    st.dataframe(
        table,
        height="content" if len(table) <= WHOLE_ROWS else "auto",
        hide_index=True,
        alt=alt_text,
        column_config=columns or None,
        row_height=row_height,
        placeholder=UNDEFINED,
    )


def show_figure_table(table: pd.DataFrame, alt_text: str, file_name: str) -> None:
    """The exact table behind a figure, and its download."""
    number = st.column_config.NumberColumn(format="%.3f")
    # What no figure has takes no room.
    empty = [name for name in ("why undefined", "notes", "interval") if not table[name].any()]
    texts = {"why undefined": st.column_config.TextColumn(width="medium")}
    columns = {**texts, **dict.fromkeys(empty)}
    show_table(table, alt_text, value=number, low=number, high=number, **columns)
    st.download_button(
        "Download this table (CSV, unrounded)",
        # Written when it is asked for.
        lambda: table.to_csv(index=False).encode("utf-8"),
        file_name=file_name,
        mime="text/csv",
        key=f"download {file_name}",
        on_click="ignore",
    )


def show_chart(chart: Chart, alt_text: str) -> None:
    """A chart with its description for screen readers; text in it has the page's own colour."""
    colour = TEXT_ON_DARK if st.context.theme.type == "dark" else TEXT_ON_LIGHT
    config = {
        "text": {"color": colour},
        "axis": {"labelColor": colour, "titleColor": colour},
        "header": {"labelColor": colour, "titleColor": colour},
        "title": {"color": colour},
    }
    st.vega_lite_chart(spec={**chart, "config": config}, alt=alt_text)


def choose(
    label: str, name: str, options: Sequence[Choice], describe: Callable[[Choice], str] = str
) -> Choice:
    """One of the options, kept in the address under `name` and remembered from page to page.

    Args:
        label: What the person reads.
        name: Name in the address, where the option stands as `str` gives it.
        options: At least one; the first is the default.
        describe: What the person reads for an option, literally.
    """
    key = choice_key(name)
    if st.session_state.get(key) not in options:
        by_text = {str(each): each for each in options}
        given = st.query_params.get(name) or remembered_choice(name)
        st.session_state[key] = by_text.get(given, options[0])
    chosen = st.selectbox(label, options, format_func=describe, key=key)
    st.session_state[f"remembered {name}"] = str(chosen)
    if chosen != options[0]:
        st.query_params[name] = str(chosen)
    elif name in st.query_params:
        del st.query_params[name]
    return chosen


def choice_key(name: str) -> str:
    """Key of a choice's value in the session's state, for who sets it from a callback."""
    # Each page has its own: Streamlit drops the value of a key that another page's element had.
    return f"choice {name} {st.session_state.get(PAGE_KEY, '')}"


def choose_language(study: Study) -> str:
    """The language chosen, kept in the address."""
    return choose("Language", "language", study.languages, words.describe_language)
