"""Quality of augmentation: how much paraphrases vary, and how close they are to people's texts."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.elements import choose, show_empty
from app.figure_elements import show_drawn_figure
from app.prompt_quality import build_picture
from app.study import Study
from corpus.figures import Figure
from corpus.records import Instrument
from corpus.store import Store
from pipeline.prompt_import import prompt_datasets
from pipeline.prompt_quality import Resampling, compute_quality
from pipeline.prompt_texts import TextGroup, load_text_groups

NOTHING = (
    "No prompt was paraphrased in this workspace. Run `stereoscope prompts import` and "
    "`stereoscope prompts augment`."
)
MEANING = (
    "Meaning needs a model of sentence embeddings and is left out here: "
    "`stereoscope prompts quality --embedding-model FOLDER` computes it."
)


def show_quality(study: Study) -> None:
    """The part of the page about the texts rather than about a model's answers."""
    datasets = _find_datasets(study)
    if not datasets:
        show_empty(NOTHING)
        return
    dataset = choose("Dataset", "prompt dataset", datasets)
    settings = study.workspace.settings
    with study.store.reading() as state:
        position = state.position
    groups, figures = _compute(
        study.workspace.database_url,
        position,
        dataset,
        settings.draws,
        settings.seed,
        study.store,
    )
    if not groups:
        show_empty(NOTHING)
        return
    st.caption(MEANING)
    show_drawn_figure(build_picture(groups, figures))


def _find_datasets(study: Study) -> list[str]:
    with study.store.reading() as state:
        return prompt_datasets(state.sources(Instrument.MLA_BITE))


@st.cache_resource(show_spinner=False, max_entries=8)
def _compute(
    database_url: str,
    position: int,
    dataset: str,
    draws: int,
    seed: int,
    _store: Store,
) -> tuple[Sequence[TextGroup], Sequence[Figure]]:
    with _store.reading() as state:
        groups = load_text_groups(state, dataset, state.languages(Instrument.MLA_BITE))
    return groups, compute_quality(groups, None, Resampling(draws, seed))
