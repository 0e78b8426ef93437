"""Judging models beside the oracles: what they said, and how far they agree with them."""

from __future__ import annotations

import streamlit as st

from app.elements import choose, show_empty, show_figure_table
from app.judge_agreement import compute_judge_figures
from app.views.figure_table import build_figure_table
from app.views.prompt_results import ShownPrompts
from corpus.figures import Figure
from scoring.prompt_judge import Judgement, open_judgements
from scoring.prompt_results import PromptRun

NO_JUDGE = (
    "No model judged these answers. `stereoscope prompts judge --judge FILE` has one say of each "
    "answer whether it means what the oracle looks for."
)
EXPLANATION = (
    "A judging model says of each answer whether it means what the oracle looks for in words. Its "
    "verdicts are part of no rate and replace no oracle's. n counts answers, or tests of a rate; "
    "intervals are drawn over templates. People's verdicts stay in their files: `stereoscope "
    "prompts judge --humans FILE` or `--pull` says how far judge, oracle and people agree."
)


def show_judges(shown: ShownPrompts) -> None:
    """The part of the page about second opinions."""
    found = list_judgements(shown)
    if not found:
        show_empty(NO_JUDGE)
        return
    by_name = {judgement.folder.name: (run, judgement) for run, judgement in found}
    chosen = choose("Judging model", "judge", list(by_name), lambda name: _title(*by_name[name]))
    run, judgement = by_name[chosen]
    st.text(EXPLANATION)
    marked = judgement.marked_models(run)
    if marked:
        st.warning("SAME FAMILY: it judged models of its own family.", icon=":material/warning:")
        st.text(", ".join(marked))
    told = judgement.manifest["verdicts"]
    st.text("Verdicts: " + (", ".join(f"{told[name]} {name}" for name in sorted(told)) or "none"))
    show_figure_table(
        build_figure_table(_compute(run, judgement, shown.seed, shown.draws)),
        "Verdicts of the judging model, and its agreement with the oracles, with intervals",
        "judge.csv",
    )


def list_judgements(shown: ShownPrompts) -> list[tuple[PromptRun, Judgement]]:
    """Every judging of the runs, each with its run."""
    return [(run, each) for run in shown.runs for each in open_judgements(run)]


def _title(run: PromptRun, judgement: Judgement) -> str:
    return f"{judgement.judge['name']} on {', '.join(run.models)}"


@st.cache_resource(show_spinner=False, max_entries=8)
def _figures(
    _run: PromptRun, _judgement: Judgement, folder: str, verdicts: str, seed: int, draws: int
) -> tuple[Figure, ...]:
    return compute_judge_figures(_run, _judgement, {}, seed=seed, draws=draws)


def _compute(run: PromptRun, judgement: Judgement, seed: int, draws: int) -> tuple[Figure, ...]:
    sums = str(judgement.manifest["verdicts_sha256"])
    return _figures(run, judgement, str(judgement.folder), sums, seed, draws)
