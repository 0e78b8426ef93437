"""Audit: who did what, when, with before and after; filtered in the address, given out as files."""

from __future__ import annotations

import streamlit as st

from app.elements import build_table, choose, show_empty, show_table
from app.study import open_study
from app.views.audit import (
    ANY,
    build_audit_rows,
    filter_audit,
    format_audit_csv,
    format_audit_json,
)


def show() -> None:
    """The page."""
    entries = open_study().snapshot.audit
    if not entries:
        show_empty(
            "Nothing has been done in this workspace yet. Batches, pulls, decisions, approvals and "
            "releases will stand here."
        )
        return
    first, second, third = st.columns(3)
    with first:
        who = choose("Who", "who", [ANY, *sorted({each.actor for each in entries} - {ANY})])
    with second:
        what = choose("What", "what", [ANY, *sorted({each.action for each in entries} - {ANY})])
    subject = third.text_input(
        "Subject contains", key="subject", bind="query-params", help="For example `sk/`."
    )
    found = filter_audit(entries, who, what, subject)
    rows = build_audit_rows(entries, who, what, subject)
    st.text(f"{len(rows)} of {len(entries)} entries, the newest first, times in UTC")
    if not rows:
        show_empty("No entry fits these filters.")
        return
    content = st.column_config.TextColumn(width=190)
    show_table(
        build_table(rows), "The audit trail, the newest first", before=content, after=content
    )
    with st.container(horizontal=True):
        st.download_button(
            "Download these entries (CSV)",
            lambda: format_audit_csv(rows),
            file_name="audit.csv",
            mime="text/csv",
            on_click="ignore",
        )
        st.download_button(
            "Download these entries (JSON)",
            lambda: format_audit_json(found),
            file_name="audit.json",
            mime="application/json",
            on_click="ignore",
        )


show()
