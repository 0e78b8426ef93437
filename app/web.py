"""The app's entry: it only chooses the page that the address names."""

from __future__ import annotations

import sys
from pathlib import Path

import streamlit as st

FOLDER = Path(__file__).resolve().parent
# File in app/screens, title and icon; the app opens with the first one.
PAGES = (
    ("overview", "Overview", ":material/dashboard:"),
    ("generation", "Generation", ":material/filter_alt:"),
    ("candidates", "Candidates", ":material/list:"),
    ("planning", "Planning", ":material/calculate:"),
    ("annotation", "Annotation", ":material/edit_note:"),
    ("agreement", "Agreement", ":material/handshake:"),
    ("disagreements", "Disagreements", ":material/rule:"),
    ("approval", "Approval", ":material/verified:"),
    ("templates", "Templates", ":material/format_quote:"),
    ("releases", "Releases", ":material/inventory_2:"),
    ("scores", "Scores", ":material/analytics:"),
    ("prompts", "Prompts", ":material/forum:"),
    ("sectors", "Sectors", ":material/work:"),
    ("audit", "Audit", ":material/history:"),
)


def main() -> None:
    """Runs the page that the address names."""
    # Streamlit puts this folder on the path, where app/adapters.py would hide the package engines.
    sys.path[:] = [entry for entry in sys.path if not entry or Path(entry).resolve() != FOLDER]
    from app.frame import run_page

    st.set_page_config(page_title="Stereoscope", layout="wide")
    first = PAGES[0][0]
    run_page(
        st.navigation(
            [
                st.Page(
                    FOLDER / "screens" / f"{name}.py", title=title, icon=icon, default=name == first
                )
                for name, title, icon in PAGES
            ],
            # All pages in sight: more than twelve would be folded behind a link.
            expanded=True,
        )
    )


if __name__ == "__main__":
    main()
