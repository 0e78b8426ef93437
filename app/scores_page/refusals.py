"""Refusals on page Scores: what is wrong with which result, without the server's folders."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

from corpus.errors import StereoscopeError


def show_refusal(title: str, error: StereoscopeError, results: Path, remedy: str = "") -> None:
    """The error under a title.

    Args:
        title: What is not shown, in a sentence.
        error: Why not.
        results: Folder of the results that it may be about.
        remedy: What can be done on the page.
    """
    st.error(title, icon=":material/error:")
    st.text("\n".join(filter(None, (describe_refusal(error, results), remedy))))


def describe_refusal(error: StereoscopeError, results: Path) -> str:
    """The error's sentences; results are named as in their folder, not by whole paths."""
    told = str(error)
    for folder in (results.resolve(), results):
        told = told.replace(f"{folder}{os.sep}", "")
    return told
