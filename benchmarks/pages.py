"""How long each page of the app takes to answer on a workspace of a whole study's size.

Usage: python -m benchmarks.pages WORKSPACE [--language sk]

WORKSPACE is what `stereoscope demo --scale` makes. Each page is run by Streamlit's own test runner,
without a browser: first with nothing kept, then after the server has prepared the study (as a few
seconds after its start), then with everything kept, then after somebody decided a candidate of one
language. Counted is the processor time of the
page's own run, which is what the server does; that of the test runner, about as long as a quick
page, is left out, and so is what the browser needs to draw.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

# As the served app has it; read once, at the first import of numpy.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.testing.v1 import AppTest

from annotation.decisions import Verdict, decide
from app.frame import run_page as run_page_of_app
from app.study import prepare_study
from app.web import FOLDER, PAGES
from corpus.records import DecisionAction, Instrument
from corpus.workspace import find_workspace

FIRST = "audit"
"""Opened once before anything is timed."""
TIMEOUT_S = 600
INSTRUMENT = Instrument.EUROGEST


def open_page(name: str, language: str) -> AppTest:
    """Return a browser's session that shows the page for a language, or for all where empty."""
    app = AppTest.from_file(str(FOLDER / "web.py"), default_timeout=TIMEOUT_S)
    app.query_params["language"] = language
    if name != PAGES[0][0]:
        app.switch_page(f"screens/{name}.py")
    return app


def time_page(name: str, language: str) -> float:
    """Return how many seconds of processor time the page's run takes.

    Raises:
        SystemExit: if it shows an error instead.
    """
    app = open_page(name, language)
    taken: list[float] = []

    def run_page(page: StreamlitPage) -> None:
        started = time.thread_time()
        try:
            run_page_of_app(page)
        finally:
            taken.append(time.thread_time() - started)

    with patch("app.frame.run_page", run_page):
        app.run()
    if app.exception or app.error:
        raise SystemExit(f"Page {name} failed: {[each.value for each in app.error]}")
    return sum(taken)


def forget() -> None:
    """Drop all that pages keep."""
    st.cache_resource.clear()
    st.cache_data.clear()


def decide_another(workspace: Path, language: str) -> None:
    """Accept a candidate of the language that nobody has decided yet."""
    store = find_workspace(workspace).open_store()
    with store.reading() as state:
        decided = {each.subject_id for each in state.decisions(INSTRUMENT, language)}
        candidates = state.candidates(INSTRUMENT, language)
    free = next(each for each in candidates if each.id not in decided)
    verdict = Verdict(free.id, free.content_hash, DecisionAction.ACCEPT, "benchmark")
    decide(store, verdict, "benchmark")
    store.close()


def main() -> None:
    """Time every page three ways and print the seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--language", default="sk")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copied = shutil.copytree(given.workspace, Path(folder) / "copy")
        os.environ["STEREOSCOPE_WORKSPACE"] = str(copied)
        os.environ["STEREOSCOPE_ACTOR"] = "benchmark"
        # The first page of a process also loads what all pages need.
        time_page(FIRST, given.language)
        times: dict[str, tuple[float, ...]] = {}
        pages = [(name, given.language) for name, _, _ in PAGES]
        for name, language in [*pages, ("agreement", "")]:
            forget()
            cold = time_page(name, language)
            forget()
            prepare_study()
            prepared, warm = time_page(name, language), time_page(name, language)
            decide_another(copied, given.language)
            label = name if language else f"{name} of all languages"
            times[label] = (cold, prepared, warm, time_page(name, language))
    print("page: seconds with nothing kept, once prepared, with all kept, after a change")
    for name, measured in times.items():
        print(f"{name}: {', '.join(f'{seconds:.2f}' for seconds in measured)}")


if __name__ == "__main__":
    main()
