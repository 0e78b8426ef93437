"""Sectors: how masked models associate women and men with economic sectors, and the workforce."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.elements import choose, choose_together, show_empty
from app.sectors_page.figures import show_sector_figures, show_sector_measures
from app.sectors_page.sentences import show_sentence_table
from app.study import open_study
from app.views.score_statements import DEMONSTRATION
from app.views.scores import Result
from app.views.sector_names import describe_result
from app.views.sector_results import (
    ASSOCIATION,
    describe_country,
    describe_half_precision,
    describe_status,
    load_sector_results,
    show_sectors,
)
from corpus.errors import StereoscopeError
from scoring.sector_contrasts import Context, Lengths
from scoring.sector_measures import VARIANTS
from scoring.sector_scores import NOT_MEASURED

NO_RESULT = (
    "No scores yet. Run `stereoscope sectors score --model MODEL` with a masked model's name or "
    "folder; the sentences it is asked are shown here already."
)
MEASURES, FIGURES, SENTENCES = "measures", "figures", "sentences"
PARTS = {
    MEASURES: "Measures of each sector and of all",
    FIGURES: "Figures",
    SENTENCES: "The sentences",
}
CONTEXTS = {
    Context.OPEN: "open: only the person word shows the gender",
    Context.SHOWN: "shown: another word shows the gender, too",
}
LENGTHS = {Lengths.ALL: "all person pairs", Lengths.EQUAL: "pairs with as many tokens"}
WEIGHTS = {"equal": "equal: sectors weigh the same", "weighted": "weighted by employment"}
MADE_OF = ("model", "revision", "dtype", "reading", "version", "key")


def show() -> None:
    """The page."""
    study = open_study()
    results, problems = load_sector_results(study.workspace.results)
    for problem in problems:
        st.error("A result cannot be read.", icon=":material/error:")
        st.text(problem)
    parts = list(PARTS) if results else [SENTENCES]
    part = choose("Show", "part", parts, PARTS.__getitem__)
    context = choose("Context", "context", list(Context), CONTEXTS.__getitem__)
    if not results:
        show_empty(NO_RESULT)
    if part == SENTENCES:
        show_sentence_table(context, results)
    else:
        _show_results(part, context, results)


def _show_results(part: str, context: Context, results: Sequence[Result]) -> None:
    by_key = {result.key: result for result in results}
    result = by_key[
        choose("Result", "result", list(by_key), lambda key: describe_result(by_key[key]))
    ]
    chosen = [result, *_choose_others(result, results)]
    for_lengths, for_variant = st.columns(2)
    with for_lengths:
        lengths = choose("Person pairs", "lengths", list(Lengths), LENGTHS.__getitem__)
    with for_variant:
        variant = choose("Weights of sectors", "variant", list(VARIANTS), WEIGHTS.__getitem__)
    if part == MEASURES:
        # A figure has them in its own statements.
        _show_marks(chosen)
    try:
        shown = show_sectors(chosen, (), context, lengths)
        if part == MEASURES:
            show_sector_measures(shown, variant)
        else:
            show_sector_figures(shown, variant)
    except StereoscopeError as error:
        show_empty("There is nothing to show.")
        st.text(str(error))
    with st.expander("What made these numbers"):
        for each in chosen:
            told = [f"{name}: {each.manifest[name]}" for name in MADE_OF if name in each.manifest]
            st.text("\n".join(told))


def _choose_others(result: Result, results: Sequence[Result]) -> list[Result]:
    """Results of the same method that are shown with this one."""
    method = result.manifest.get("method", ASSOCIATION)
    others = {
        each.key: each
        for each in results
        if each is not result and each.manifest.get("method", ASSOCIATION) == method
    }
    titles = {key: describe_result(each) for key, each in others.items()}
    return [
        others[key]
        for key in choose_together(titles, "results of the same method", "sectors together")
    ]


def _show_marks(chosen: Sequence[Result]) -> None:
    """What must be read with every number."""
    if any(each.demonstration for each in chosen):
        st.warning(DEMONSTRATION, icon=":material/science:")
    st.text(f"Limits: {NOT_MEASURED}")
    told = [
        f"{describe_country(each, code)}. {describe_status(each, code)}."
        for each in chosen
        for code in each.manifest["languages"]
    ]
    told += [
        describe_half_precision(each.manifest, code)
        for each in chosen
        for code in each.manifest["languages"]
    ]
    st.text("\n".join(dict.fromkeys(filter(None, told))))
    tables = (each.manifest["workforce_table"] for each in chosen)
    for line in dict.fromkeys(
        f"Workforce table {table['name']}, year {table['year']}: {table['source']}."
        for table in tables
    ):
        st.text(line)


show()
