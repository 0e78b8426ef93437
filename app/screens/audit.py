"""Audit: who did what, when, with before and after."""

from __future__ import annotations

import streamlit as st

from app.elements import build_table, show_empty, show_table
from app.study import open_study
from app.views.audit import ANY, build_audit_rows


def show() -> None:
    """The page."""
    entries = open_study().snapshot.audit
    if not entries:
        show_empty(
            "Nothing has been done in this workspace yet. Batches, pulls, decisions, approvals and "
            "releases will stand here."
        )
        return
    who, what, subject = st.columns(3)
    rows = build_audit_rows(
        entries,
        who=who.selectbox("Who", [ANY, *sorted({each.actor for each in entries})]),
        what=what.selectbox("What", [ANY, *sorted({each.action for each in entries})]),
        subject=subject.text_input(
            "Subject contains", key="subject", bind="query-params", help="For example `sk/`."
        ),
    )
    st.text(f"{len(rows)} of {len(entries)} entries, the newest first, times in UTC")
    if not rows:
        show_empty("No entry fits these filters.")
        return
    table = build_table(rows)
    content = st.column_config.TextColumn(width=190)
    show_table(table, "The audit trail, the newest first", before=content, after=content)
    st.download_button(
        "Download this table (CSV)",
        table.to_csv(index=False).encode("utf-8"),
        file_name="audit.csv",
        mime="text/csv",
        on_click="ignore",
    )


show()
