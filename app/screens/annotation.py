"""Annotation: who has answered what and how reliably, what is wrong; fetches ratings on request.

Work runs as the command line's own command in another process; this page watches the table of runs.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from annotation.progress import compute_progress, find_noted_problems
from annotation.reliability import (
    RaterReliability,
    build_reliability_figures,
    compute_reliability,
)
from app.access import Role
from app.elements import (
    attempt,
    build_table,
    choose,
    choose_language,
    show_empty,
    show_figure_table,
    show_sentences,
    show_table,
)
from app.study import Study, background_commands, open_study
from app.views.figure_table import build_figure_table
from app.views.overview import NO_CANDIDATES, NOT_RATED
from app.views.progress import (
    ALL,
    build_invalid_answers,
    build_problem_rows,
    build_progress_rows,
    build_total_rows,
)
from app.views.reliability import (
    EXPLANATION,
    NO_VERDICT,
    build_control_rows,
    build_habit_rows,
    build_mark_rows,
)
from corpus.records import Batch
from corpus.review import LanguageState
from corpus.run_record import Run, RunState
from corpus.standing import Standing

WATCH_S = 2
PROGRESS_WATCH_S = 5
SHOWN_FIRST = ("batch", "rater", "share done", "missing", "invalid", "project", "note")
WIDTHS = {
    "batch": 90,
    "rater": 95,
    "assigned": 66,
    "share done": 85,
    "done": 50,
    "declined": 64,
    "invalid": 56,
    "missing": 60,
    "median s": 66,
    "last activity": 122,
}
"""Pixels, so that all that matters of a rater stands on a narrow page."""
RUNS_SHOWN = 10
RUN_STATES = {
    RunState.RUNNING: "… running",
    RunState.DONE: "✓ done",
    RunState.FAILED: "✗ failed",
    RunState.INTERRUPTED: "⚠ interrupted",
}


def show() -> None:
    """The page."""
    study = open_study()
    if not study.languages:
        show_empty(NO_CANDIDATES)
    else:
        _show_language(study, choose_language(study))
    st.subheader("Runs")
    _watch_runs(study)


def _show_language(study: Study, language: str) -> None:
    standing = study.standing(language)
    if standing.review.state is LanguageState.SOURCE:
        show_empty(NOT_RATED)
        return
    if not standing.batches:
        show_empty(
            "No batch of this language yet. Add raters with `stereoscope raters add`, then run "
            f"`stereoscope batch create --language {language}` and `stereoscope batch push`."
        )
        return
    _watch_progress(language)
    st.subheader("Batches")
    for batch in standing.batches:
        _show_batch(study, standing, batch)
    _show_reliability(study, standing)


@st.fragment(run_every=PROGRESS_WATCH_S)
def _watch_progress(language: str) -> None:
    """Tables that follow the store, whoever writes to it."""
    study = open_study()
    standing = study.standing(language)
    rows = compute_progress(standing)
    st.subheader("Progress")
    totals = build_table(build_total_rows(rows)).drop(columns="language")
    totals.insert(1, "share done", [each.share_done for each in rows if each.rater_id is None])
    show_table(_order(totals), f"Progress of {language} by batch", **_progress_columns())
    shown = build_progress_rows(rows, study.workspace.settings.label_studio_url)
    nobody_is_out = not any(row.note for row in shown)
    table = build_table(shown).drop(columns=["pauses", *(["note"] if nobody_is_out else [])])
    table.insert(2, "share done", [each.share_done for each in rows if each.rater_id is not None])
    is_link = any(row.project.startswith("http") for row in shown)
    project = (
        st.column_config.LinkColumn("project", display_text="open", width=66)
        if is_link
        else st.column_config.TextColumn("project", width=66)
    )
    show_table(
        _order(table),
        f"Progress of {language} by batch and rater",
        **_progress_columns(),
        project=project,
    )
    st.caption(
        "Follows the store by itself; times are UTC. The median leaves out times with a pause in "
        "them. A declined item is open for another rater: `stereoscope batch reassign`."
    )
    _show_problems(study, standing)
    _show_invalid(standing)


def _order(table: pd.DataFrame) -> pd.DataFrame:
    """The columns that ask for something first, as a narrow screen cuts off the last ones."""
    first = [name for name in SHOWN_FIRST if name in table]
    return table[[*first, *(name for name in table if name not in first)]]


def _progress_columns() -> dict[str, Any]:
    columns: dict[str, Any] = {
        name: st.column_config.Column(width=width) for name, width in WIDTHS.items()
    }
    columns["share done"] = st.column_config.ProgressColumn(
        format="percent", min_value=0, max_value=1, width=WIDTHS["share done"]
    )
    columns["median s"] = st.column_config.NumberColumn(format="%.1f", width=WIDTHS["median s"])
    return columns


def _show_problems(study: Study, standing: Standing) -> None:
    with study.store.reading(study.snapshot.position) as state:
        marks = state.pull_marks(each.id for each in standing.assignments)
    rows = build_problem_rows(find_noted_problems(standing, marks))
    if not rows:
        return
    st.subheader("Problems")
    show_sentences(
        build_table(rows),
        f"What was wrong with projects, tasks and answers of {standing.language} when last pulled",
        **{
            "batch": st.column_config.TextColumn(width=WIDTHS["batch"]),
            "rater": st.column_config.TextColumn(width=WIDTHS["rater"]),
            "problem": st.column_config.TextColumn(width=280),
            "what to do": st.column_config.TextColumn(width=210),
        },
    )


def _show_invalid(standing: Standing) -> None:
    invalid = build_invalid_answers(standing)
    if not invalid:
        return
    st.subheader("Invalid answers")
    st.text(f"Invalid answers: {len(invalid)}. They are kept and shown, never counted.")
    show_table(build_table(invalid), f"Invalid answers of {standing.language} with reasons")


def _show_batch(study: Study, standing: Standing, batch: Batch) -> None:
    pushed = any(each.external_id for each in standing.assignments if each.batch_id == batch.id)
    with st.container(border=True, gap="xsmall"):
        st.text(
            f"{batch.id}. Form: {batch.form}. Raters planned: {batch.raters_planned}. Items: "
            f"{sum(item.batch_id == batch.id for item in standing.items)}. Seed: {batch.seed}."
        )
        with st.container(horizontal=True):
            st.button(
                "Pull the ratings from Label Studio",
                key=f"pull {batch.id}",
                on_click=_start,
                args=(study, "pull", batch.id),
                disabled=not pushed,
                help="Runs `stereoscope batch pull`; repeated, it adds only what is new.",
            )
            st.button(
                "Repair the projects",
                key=f"repair {batch.id}",
                on_click=_start,
                args=(study, "repair", batch.id),
                disabled=not pushed,
                help="Runs `stereoscope batch repair`: deleted projects and tasks are made again, "
                "changed texts restored. No answer is ever deleted.",
            )


def _show_reliability(study: Study, standing: Standing) -> None:
    st.subheader("Reliability of raters")
    batch_id = ALL
    if len(standing.batches) > 1:
        batch_id = choose("Batch", "batch", (ALL, *(each.id for each in standing.batches)))
    found = _reliability(
        study.workspace.database_url,
        standing.position,
        str(study.instrument),
        standing.language,
        study.workspace.settings.seed,
        study.workspace.settings.outlier_shift,
        None if batch_id == ALL else batch_id,
        standing,
    )
    if not found:
        show_empty(
            "No valid rating yet. Reliability is computed from raters' own answers: pull them, or "
            "import a workbook."
        )
        return
    st.text(EXPLANATION)
    show_table(
        build_table(build_control_rows(found)),
        f"How each rater of {standing.language} answers control items",
    )
    show_table(
        build_table(build_habit_rows(found)),
        f"Habits of each rater of {standing.language} and her level beside the others'",
    )
    marks = build_mark_rows(found)
    if marks:
        st.text(f"Worth a look: {len(marks)}. {NO_VERDICT}")
        show_sentences(
            build_table(marks),
            f"What about the raters of {standing.language} is worth a look",
            meaning=st.column_config.TextColumn(width="large"),
        )
    else:
        st.text("Nothing stands out.")
    with st.expander("All figures with intervals and definitions"):
        show_figure_table(
            build_figure_table(build_reliability_figures(found), leave_out=("language",)),
            f"All reliability figures of {standing.language}",
            f"reliability-{standing.language}.csv",
        )


@st.cache_resource(show_spinner=False, max_entries=64)
def _reliability(
    database_url: str,
    position: int,
    instrument: str,
    language: str,
    seed: int,
    largest_shift: float,
    batch_id: str | None,
    _standing: Standing,
) -> tuple[RaterReliability, ...]:
    return compute_reliability(_standing, seed, batch_id, largest_shift=largest_shift)


def _start(study: Study, verb: str, batch_id: str) -> None:
    def start() -> str:
        commands = background_commands(study.workspace.path)
        started = commands.start(("batch", verb, batch_id), study.actor)
        return f"Started: {started.text}. The table of runs below shows how far it is."

    attempt(study, Role.CURATOR, start)


@st.fragment(run_every=WATCH_S)
def _watch_runs(study: Study) -> None:
    commands = background_commands(study.workspace.path)
    for command in commands.running:
        st.text(f"Running: {command.text}")
    for command in commands.failed:
        st.error("A command that was started here failed.", icon=":material/error:")
        st.text(f"{command.text}\n{command.message}")
    runs = study.store.runs.latest(RUNS_SHOWN)
    if not runs:
        show_empty("Nothing has run in this workspace yet.")
        return
    show_table(
        pd.DataFrame([_run_cells(run) for run in runs]),
        "The latest runs",
        done=st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1),
    )
    _refresh_when_done(commands.running)


def _refresh_when_done(running: object) -> None:
    """Draws the whole page anew once the last running command has ended."""
    was_running = st.session_state.get("was running", False)
    st.session_state["was running"] = bool(running)
    if was_running and not running:
        st.rerun()


def _run_cells(run: Run) -> dict[str, object]:
    return {
        "command": run.command,
        "state": RUN_STATES[run.state],
        "done": run.done / run.total if run.total else None,
        "of": run.total or None,
        "started (UTC)": f"{run.started_at:%Y-%m-%d %H:%M:%S}",
        "last sign (UTC)": f"{run.heartbeat_at:%Y-%m-%d %H:%M:%S}",
        "message": run.message,
    }


show()
