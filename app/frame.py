"""The frame of every page: who acts, whether this is a demo, and what went wrong in a sentence."""

from __future__ import annotations

import logging
from typing import Any

import streamlit as st

from app.elements import PAGE_KEY, choose, show_error, show_outcome
from app.study import INSTRUMENT, Study, open_study
from corpus.errors import StereoscopeError

DEMO = (
    "DEMO: this workspace holds demonstration data (scripted raters, a bundled sample). "
    "Nothing in it is a finding."
)
UNEXPECTED = "Something failed that should not. The server's log says what it was."


def run_page(page: Any) -> None:
    """Draws the frame, then the page in it.

    Args:
        page: What `st.navigation` gave.
    """
    st.session_state[PAGE_KEY] = page.title
    st.title(page.title)
    try:
        _show_frame(open_study())
        show_outcome()
        page.run()
    except StereoscopeError as error:
        show_error(error)
    except Exception:
        # The edge of the product: the traceback is for the log, the page gets a sentence.
        logging.getLogger("stereoscope.app").exception("page %s failed", page.title)
        st.error(UNEXPECTED)


def describe_local_mode(actor: str) -> str:
    """Who acts, where nobody logs in."""
    return f"Local mode: everybody who can open this address acts as {actor}"


def _show_frame(study: Study) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.badge("no log-in", icon=":material/lock_open:", color="orange")
        st.text(describe_local_mode(study.actor))
    if study.snapshot.holds_demo:
        st.warning(DEMO, icon=":material/science:")
    with st.sidebar:
        st.caption("Study")
        st.text(study.workspace.settings.name)
        if len(study.snapshot.instruments) > 1:
            choose("Instrument", INSTRUMENT, study.snapshot.instruments)
