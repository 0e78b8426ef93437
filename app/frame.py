"""The frame of every page: who acts, whether this is a demo, and what went wrong in a sentence."""

from __future__ import annotations

import logging
from typing import Any

import streamlit as st

from app.access import Identity
from app.elements import PAGE_KEY, choose, forget_outcome, show_error, show_outcome
from app.study import INSTRUMENT, Study, find_identity, needs_log_in, open_study
from corpus.errors import AccessError, StereoscopeError
from corpus.workspace import find_workspace

DEMO = (
    "DEMO: this workspace holds demonstration data (scripted raters, a bundled sample). "
    "Nothing in it is a finding."
)
NO_ACCESS = "You have no access to this study."
UNEXPECTED = "Something failed that should not. The server's log says what it was."


def run_page(page: Any) -> None:
    """Draws the frame, then the page in it.

    Args:
        page: What `st.navigation` gave.
    """
    st.session_state[PAGE_KEY] = page.title
    st.title(page.title)
    try:
        if not _is_let_in():
            return
        _show_frame(open_study())
        show_outcome()
        page.run()
    except StereoscopeError as error:
        show_error(error)
    except Exception:
        # The edge of the product: the traceback is for the log, the page gets a sentence.
        logging.getLogger("stereoscope.app").exception("page %s failed", page.title)
        st.error(UNEXPECTED)
    forget_outcome()


def describe_identity(identity: Identity) -> str:
    """Who acts, and how that is known."""
    if identity.is_local:
        return f"Local mode: everybody who can open this address acts as {identity.name}"
    return f"Logged in as {identity.name}. Role: {identity.role}."


def _is_let_in() -> bool:
    """Whether the page may be shown; where it may not, says why and lets log in or out."""
    workspace = find_workspace()
    if not needs_log_in(workspace):
        return True
    if not st.user.get("is_logged_in"):
        st.text("The pages of this study are for the people whom its settings name.")
        st.button("Log in", type="primary", icon=":material/login:", on_click=st.login)
        return False
    try:
        find_identity(workspace)
    except AccessError as error:
        st.error(NO_ACCESS, icon=":material/lock:")
        st.text(str(error))
        _show_log_out()
        return False
    return True


def _show_log_out() -> None:
    st.button("Log out", icon=":material/logout:", on_click=st.logout)


def _show_frame(study: Study) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        if study.identity.is_local:
            st.badge("no log-in", icon=":material/lock_open:", color="orange")
        else:
            st.badge("logged in", icon=":material/lock:", color="green")
        st.text(describe_identity(study.identity))
        if not study.identity.is_local:
            _show_log_out()
    if study.snapshot.holds_demo:
        st.warning(DEMO, icon=":material/science:")
    with st.sidebar:
        st.caption("Study")
        st.text(study.workspace.settings.name)
        if len(study.snapshot.instruments) > 1:
            choose("Instrument", INSTRUMENT, study.snapshot.instruments)
