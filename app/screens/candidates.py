"""Candidates: what generation made of each source sentence, filtered, texts shown literally."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from annotation.batches import BatchPlan, create_batch
from annotation.chosen import choose_written
from app.access import Role
from app.elements import (
    attempt,
    build_table,
    choose,
    choose_language,
    show_empty,
    show_facts,
    show_table,
    show_texts,
)
from app.study import Study, open_study
from app.views import words
from app.views.candidates import (
    ANY,
    CandidateRow,
    Filters,
    build_candidate_rows,
    choices,
    describe_facts,
    filter_candidates,
    list_flags,
)
from app.views.differences import mark_variants
from app.views.groups import TITLES
from app.views.overview import NO_CANDIDATES
from app.views.planning import describe_created
from app.views.repairs import MEANING, describe_repair
from corpus.errors import StateError
from corpus.records import Instrument, Label, Origin, Purpose
from corpus.review import LanguageState, ReviewedCandidate
from corpus.stereotypes import Inventory
from corpus.written import WRITTEN_FLAG

TEXTS = ("source", "neutral", "masculine", "feminine")
TEXT_WIDTH = 180
REPAIRED_WIDTH = 240
LANGUAGES_KEPT = 32
RATERS_KEY, SIZE_KEY = "targeted raters", "targeted items"
DEFAULT_ITEMS = 50


def show() -> None:
    """The page."""
    study = open_study()
    if not study.languages:
        show_empty(NO_CANDIDATES)
        return
    first, second = st.columns(3), st.columns(3)
    with first[0]:
        language = choose_language(study)
    rows = _rows(
        study.workspace.database_url,
        study.standing(language).position,
        str(study.instrument),
        language,
        study.inventory.content_hash,
        study,
        study.inventory,
    )
    title = TITLES[study.instrument]
    filters = _choose_filters(rows, [*first[1:], *second], title)
    shown = filter_candidates(rows, filters)
    st.text(f"{len(shown)} of {len(rows)} candidates")
    if not shown:
        show_empty("No candidate fits these filters. Set one of them back to `any`.")
        return
    table = build_table(shown)
    if any(row.repaired for row in shown):
        st.text(f"{MEANING[0].upper()}{MEANING[1:]}.")
    else:
        table = table.drop(columns="repaired")
    if study.instrument is Instrument.MLA_BITE:
        table = table.drop(columns=["masculine", "feminine", "differing words"])
    show_table(
        table,
        f"Candidates of {language}: label, repair, texts, differing words and reason",
        label=st.column_config.TextColumn(width=80),
        repaired=st.column_config.TextColumn(width=REPAIRED_WIDTH),
        stereotype=st.column_config.TextColumn(title.lower()),
        **{name: st.column_config.TextColumn(width=TEXT_WIDTH) for name in TEXTS},
    )
    st.subheader("One candidate")
    _show_candidate(study, language, shown)
    if study.standing(language).review.state is not LanguageState.SOURCE:
        st.subheader("Let raters judge some of them")
        _show_batch_form(study, language, filters)


@st.cache_resource(show_spinner=False, max_entries=LANGUAGES_KEPT)
def _rows(
    database_url: str,
    position: int,
    instrument: str,
    language: str,
    inventory_hash: str,
    _study: Study,
    _inventory: Inventory,
) -> tuple[CandidateRow, ...]:
    """The rows at a position of the log: comparing thousands of texts takes a second."""
    return build_candidate_rows(_study.standing(language), _study.snapshot.sources, _inventory)


def _choose_filters(rows: Sequence[CandidateRow], columns: Sequence[Any], group: str) -> Filters:
    with columns[0]:
        label = choose("Label", "label", choices(row.label for row in rows))
    with columns[1]:
        codes = choices(row.reason_code for row in rows)
        reason = choose("Reason", "reason", codes, words.describe_candidate_reason)
    with columns[2]:
        flag = choose("Flag", "flag", choices(list_flags(rows)), words.describe_flag)
    with columns[3]:
        stereotypes = sorted({row.stereotype for row in rows if row.stereotype}, key=_number)
        stereotype = choose(group, "stereotype", choices(stereotypes))
    with columns[4]:
        text = st.text_input("Text contains", key="text", bind="query-params")
    return Filters(label, reason, flag, stereotype, text)


def _number(stereotype: str) -> tuple[int, str]:
    number = stereotype.split(" ")[0]
    return (int(number) if number.isdigit() else 0, stereotype)


def _show_candidate(study: Study, language: str, shown: Sequence[CandidateRow]) -> None:
    sources = {row.id: row.source for row in shown}

    def describe(candidate_id: str) -> str:
        return f"{candidate_id}: {sources[candidate_id]}"

    chosen = choose("Candidate", "candidate", list(sources), describe)
    reviewed = _find(study.standing(language).candidates, chosen)
    source = study.snapshot.sources.get(reviewed.candidate.source_key)
    texts, facts = st.columns([3, 2])
    with texts:
        show_texts(
            sources[chosen], reviewed.candidate.variants, mark_variants(reviewed.candidate.variants)
        )
    with facts:
        show_facts(describe_facts(reviewed, source, study.inventory), describe_repair(reviewed))


def _find(candidates: Sequence[ReviewedCandidate], candidate_id: str) -> ReviewedCandidate:
    return next(each for each in candidates if each.candidate.id == candidate_id)


def _show_batch_form(study: Study, language: str, filters: Filters) -> None:
    """Sends a sample of the candidates of one label, and one reason if chosen, to raters."""
    raters = study.snapshot.raters
    if filters.label == ANY:
        show_empty("Choose a label, and a reason if you like: the sample is drawn from those.")
        return
    if not raters:
        show_empty("There is no rater yet. Add one with `stereoscope raters add`.")
        return
    about = f"{filters.label} candidates" + (
        ""
        if filters.reason == ANY
        else f" for this reason: {words.describe_candidate_reason(filters.reason)}"
    )
    flagged = "" if filters.flag == ANY else f" with the flag: {words.describe_flag(filters.flag)}"
    st.text(
        f"Drawn from all {about}{flagged}; the other filters do not count. A targeted batch "
        "measures the system and never enters agreement. Raters see a text as in every batch, not "
        "why it was chosen."
    )
    with st.form(f"batch {language} {filters.label} {filters.reason} {filters.flag}"):
        st.multiselect("Raters", raters, key=RATERS_KEY)
        st.number_input("Number of items", min_value=1, value=DEFAULT_ITEMS, key=SIZE_KEY)
        st.form_submit_button("Create the batch", on_click=_create, args=(study, language, filters))


def _create(study: Study, language: str, filters: Filters) -> None:
    def create() -> str:
        raters = tuple(st.session_state.get(RATERS_KEY, ()))
        if not raters:
            raise StateError("Choose at least one rater.")
        plan = BatchPlan(
            instrument=study.instrument,
            language=language,
            size=int(st.session_state[SIZE_KEY]),
            raters=raters,
            seed=study.workspace.settings.seed,
            purpose=Purpose.TARGETED,
            label=Label(filters.label),
            reasons=() if filters.reason == ANY else (filters.reason,),
            flags=() if filters.flag == ANY else (filters.flag,),
            chosen=choose_written(study.standing(language)) if filters.flag == WRITTEN_FLAG else (),
        )
        return describe_created(create_batch(study.store, plan, study.actor, Origin.HUMAN))

    attempt(study, Role.CURATOR, create)


show()
