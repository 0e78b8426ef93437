"""Prompts: rates of chat models in prompt tests, with every answer behind them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.elements import choose, choose_together, show_empty
from app.prompts_page.answers import show_test, show_unread
from app.prompts_page.figures import show_figures
from app.prompts_page.judges import show_judges
from app.prompts_page.quality import show_quality
from app.prompts_page.rates import show_rates
from app.study import Study, open_study
from app.views.prompt_points import name_language
from app.views.prompt_results import ShownPrompts, load_runs, show_kept
from app.views.prompt_statements import (
    DEMONSTRATION,
    NOT_MEASURED,
    US_CENTRED,
    describe_seen,
)
from corpus.records import Instrument
from scoring.prompt_results import PromptRun

NO_RESULT = (
    "No prompt tests yet. Run `stereoscope prompts run FILES --models FILE` with templates, "
    "requirements and a file that names chat models."
)
RATES, FIGURES, TEST, UNREAD = "rates", "figures", "test", "unread"
QUALITY, JUDGES = "quality", "judges"
PARTS = {
    RATES: "Rates by concern, language and model",
    FIGURES: "Figures",
    TEST: "One test with its answers",
    UNREAD: "Refusals, unreadable answers and errors",
    QUALITY: "Quality of translations and paraphrases",
    JUDGES: "Second opinions of judging models",
}
MADE_OF = ("release", "inputs_sha256", "limit", "seed", "repeats", "key", "version")


def show() -> None:
    """The page."""
    study = open_study()
    runs, problems = load_runs(study.workspace.results)
    for problem in problems:
        st.error("A result cannot be read.", icon=":material/error:")
        st.text(problem)
    if not runs:
        show_empty(NO_RESULT)
        if Instrument.MLA_BITE in study.snapshot.instruments:
            show_quality(study)
        return
    part = choose("Show", "view", list(PARTS), PARTS.__getitem__)
    if part == QUALITY:
        show_quality(study)
        return
    shown = _choose_runs(study, runs)
    _show_marks(shown)
    if part != FIGURES:
        # Each figure says them itself.
        _show_limits(shown)
    shows = {RATES: show_rates, FIGURES: show_figures, TEST: show_test, JUDGES: show_judges}
    shows.get(part, show_unread)(shown)
    _show_made_of(shown)


def _choose_runs(study: Study, runs: Sequence[PromptRun]) -> ShownPrompts:
    """One run, and on demand others of the same templates."""
    by_key = {run.folder.name: run for run in runs}
    first = by_key[choose("Result", "run", list(by_key), lambda key: _title(by_key[key]))]
    titles = {
        key: _title(run)
        for key, run in by_key.items()
        if run is not first
        and run.manifest["inputs_sha256"] == first.manifest["inputs_sha256"]
        and not set(run.models) & set(first.models)
    }
    together = choose_together(
        titles, "results of other models on the same templates", "prompts together"
    )
    chosen = [first, *(by_key[key] for key in together)]
    settings = study.workspace.settings
    return show_kept(chosen, seed=settings.seed, draws=settings.draws)


def _title(run: PromptRun) -> str:
    of = f"release {run.manifest['release']}" if run.manifest.get("release") else "files"
    return f"{', '.join(run.models)} · {of} · {run.folder.name}"


def _show_marks(shown: ShownPrompts) -> None:
    if shown.demonstration:
        st.warning(DEMONSTRATION, icon=":material/science:")
    if shown.same_family:
        st.warning(
            "SAME FAMILY as an augmenting or judging model: not comparable with other models.",
            icon=":material/warning:",
        )
        st.text("\n".join(shown.same_family))
    if shown.unvalidated:
        st.warning("NOT VALIDATED: nobody approved some languages.", icon=":material/warning:")
        st.text(", ".join(map(name_language, shown.unvalidated)))


def _show_limits(shown: ShownPrompts) -> None:
    told = [describe_seen(shown), *shown.helpers, NOT_MEASURED]
    if shown.us_centred:
        told.insert(0, US_CENTRED)
    st.text("\n".join(told))


def _show_made_of(shown: ShownPrompts) -> None:
    with st.expander("What made these numbers"):
        for run in shown.runs:
            lines = [f"{name}: {run.manifest.get(name)}" for name in MADE_OF]
            for model in run.manifest["models"]:
                settings = ", ".join(f"{name} {each}" for name, each in model["identity"].items())
                lines.append(f"model {model['name']}: {settings}")
            st.text("\n".join(lines))


show()
