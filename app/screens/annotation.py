"""Annotation: who has answered what, what was refused and why; fetches ratings in the background.

Work runs as the command line's own command in another process; this page watches the table of runs.
"""

from __future__ import annotations

import pandas as pd
import streamlit as st

from app.elements import attempt, build_table, choose_language, show_empty, show_table
from app.study import Study, background_commands, open_study
from app.views.overview import NO_CANDIDATES, NOT_RATED
from app.views.progress import build_invalid_answers, build_progress
from corpus.records import Batch, Run, RunState
from corpus.review import LanguageState

WATCH_S = 2
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
    batches = standing.batches
    if standing.review.state is LanguageState.SOURCE:
        show_empty(NOT_RATED)
    elif not batches:
        show_empty(
            "No batch of this language yet. Add raters with `stereoscope raters add`, then run "
            f"`stereoscope batch create --language {language}` and `stereoscope batch push`."
        )
    for batch in batches:
        _show_batch(study, language, batch)


def _show_batch(study: Study, language: str, batch: Batch) -> None:
    standing = study.standing(language)
    st.subheader("Batch")
    st.text(
        f"{batch.id}. Form: {batch.form}. Raters planned: {batch.raters_planned}. "
        f"Items: {sum(item.batch_id == batch.id for item in standing.items)}. Seed: {batch.seed}."
    )
    rows = build_progress(standing, batch, study.workspace.settings.label_studio_url)
    table = build_table(rows).drop(columns="batch")
    table.insert(1, "share done", [row.share_done for row in rows])
    is_link = any(row.project.startswith("http") for row in rows)
    show_table(
        table,
        f"Progress of batch {batch.id} by rater",
        **{
            "share done": st.column_config.ProgressColumn(
                format="percent", min_value=0, max_value=1
            ),
            "project": st.column_config.LinkColumn("Label Studio project")
            if is_link
            else st.column_config.TextColumn("Label Studio project"),
        },
    )
    st.button(
        "Pull the ratings from Label Studio",
        key=f"pull {batch.id}",
        on_click=_pull,
        args=(study, batch.id),
        disabled=not any(row.project for row in rows),
        help="Runs `stereoscope batch pull`; repeated, it adds only what is new.",
    )
    _show_invalid(study, language, batch)


def _show_invalid(study: Study, language: str, batch: Batch) -> None:
    invalid = build_invalid_answers(study.standing(language), batch)
    if not invalid:
        return
    st.text(f"Invalid answers: {len(invalid)}. They are kept and shown, never counted.")
    show_table(
        build_table(invalid).drop(columns="batch"), f"Invalid answers of {batch.id} with reasons"
    )


def _pull(study: Study, batch_id: str) -> None:
    def pull() -> str:
        commands = background_commands(study.workspace.path)
        started = commands.start(("batch", "pull", batch_id), study.actor)
        return f"Started: {started.text}. The table of runs below shows how far it is."

    attempt(pull)


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
