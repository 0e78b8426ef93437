"""Scores: measures of language models on releases, with intervals and reference lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from app.elements import choose, choose_together, show_empty
from app.scores_page.figures import show_figures
from app.scores_page.measures import show_measures
from app.scores_page.sentence import show_sentence
from app.study import Study, open_study
from app.views import words
from app.views.score_statements import NOT_MEASURED
from app.views.scores import Result, load_results
from scoring.comparability import data_of
from scoring.run_states import COMPLETE, INTERRUPTED, RUNNING, RunView, read_runs

NO_RESULT = (
    "No scores yet. Build a release, then run "
    "`stereoscope score --model MODEL --release VERSION` with a model's name or folder."
)
DEMONSTRATION = "A demonstration, not a finding."
MADE_OF = (
    "model",
    "revision",
    "dtype",
    "bos_policy",
    "likelihood",
    "release",
    "release_sha256",
    "version",
)
MEASURES, FIGURES, SENTENCE = "measures", "figures", "sentence"
PARTS = {
    MEASURES: "Measures of one result",
    FIGURES: "The study's figures, of one or more results",
    SENTENCE: "One sentence, token by token",
}


def show() -> None:
    """The page."""
    study = open_study()
    results, problems = load_results(study.workspace.results)
    if problems:
        st.error(f"Results that are not shown: {len(problems)}.", icon=":material/error:")
        st.text("\n".join(problems))
    _show_unfinished(study.workspace.results)
    if not results:
        show_empty(NO_RESULT)
        return
    by_key = {result.key: result for result in results}
    result = by_key[choose("Result", "result", list(by_key), lambda key: by_key[key].title)]
    part = choose("Show", "part", list(PARTS), PARTS.__getitem__)
    shown = (result, *(_choose_others(result, results) if part == FIGURES else ()))
    _show_marks(shown)
    _show_part(study, part, shown)
    with st.expander("What made these numbers"):
        for each in shown:
            made_of = {name: each.manifest[name] for name in MADE_OF if name in each.manifest}
            st.text("\n".join(f"{name}: {value}" for name, value in made_of.items()))


def _show_unfinished(results: Path) -> None:
    """Runs that have no result yet, or could not score every language."""
    runs, problems = read_runs(results)
    told = [*map(_describe_run, (run for run in runs if run.state != COMPLETE)), *problems]
    if told:
        with st.expander(f"Runs that are not complete: {len(told)}"):
            st.text("\n".join(told))


def _describe_run(run: RunView) -> str:
    done = f"{run.shards_done} of {run.shards_total} languages"
    told = f"{run.model} on release {run.release}: {run.state}, {done}"
    if run.state == INTERRUPTED:
        return f"{told}; the same score command goes on with it."
    if run.state == RUNNING:
        return f"{told}; on {run.host}, last written {run.updated_at}."
    gaps = "; ".join(f"{code}: {reason}" for code, reason in run.gaps.items())
    return f"{told}. {gaps}"


def _choose_others(result: Result, results: Sequence[Result]) -> list[Result]:
    """Results on the same data, with the same stereotypes, that are drawn with this one."""
    others = {
        each.key: each
        for each in results
        if each is not result and _describe_base(each) == _describe_base(result)
    }
    titles = {key: each.title for key, each in others.items()}
    return [
        others[key]
        for key in choose_together(titles, "results of the same release", "scores together")
    ]


def _describe_base(result: Result) -> tuple[object, ...]:
    """What results in one figure have in common."""
    return (*data_of(result), result.manifest.get("inventory"))


def _show_marks(shown: Sequence[Result]) -> None:
    if any(each.demonstration for each in shown):
        st.warning(DEMONSTRATION, icon=":material/science:")
    st.text(NOT_MEASURED)
    unvalidated = dict.fromkeys(code for each in shown for code in each.unvalidated)
    if unvalidated:
        st.warning("NOT VALIDATED: nobody approved some languages.", icon=":material/warning:")
        st.text(", ".join(map(words.describe_language, unvalidated)))
    told = dict.fromkeys(eyes for each in shown for eyes in each.human_eyes)
    if told:
        # One text: thirty paragraphs would push the figures off the screen.
        st.text("\n".join(told))


def _show_part(study: Study, part: str, shown: Sequence[Result]) -> None:
    result = shown[0]
    protocol, condition, language = st.columns(3)
    scope: dict[str, str] = {}
    for name, title, column in (
        ("protocol", "Protocol", protocol),
        ("condition", "Condition", condition),
    ):
        if options := result.choices(name):
            with column:
                scope[name] = choose(title, name, options, _in_words)
    chosen = None
    if part != FIGURES and (languages := result.choices("language")):
        with language:
            chosen = choose("Language", "language", languages, words.describe_language)
    if part == MEASURES:
        show_measures(result, scope, chosen)
    elif len(scope) < 2:
        show_empty("This result has no figures by protocol and condition; score again.")
    elif part == FIGURES:
        show_figures(shown, scope)
    elif chosen:
        show_sentence(result, study.workspace.results, scope, chosen)


def _in_words(value: str) -> str:
    return value.replace("_", " ")


show()
