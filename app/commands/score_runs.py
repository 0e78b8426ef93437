"""`scores runs`: how far runs of scoring are."""

from __future__ import annotations

import typer

from app.commands.scores_group import scores
from app.options import JsonOption, WorkspaceOption
from app.output import print_json, print_table, say
from corpus.version import PRODUCT
from corpus.workspace import find_workspace
from scoring.run_states import INTERRUPTED, read_runs

COLUMNS = ("result", "model", "release", "runner", "state", "languages done", "last written", "on")
GO_ON = "An interrupted run goes on where it stopped when the same `stereoscope score` is given."


def register(_cli: typer.Typer) -> None:
    """Adds this command to the group `scores`, which the command line has already."""
    scores.command("runs")(runs)


def runs(as_json: JsonOption = False, workspace: WorkspaceOption = None) -> None:
    """Say of each run of `score` how far it is: running, interrupted, complete or with gaps."""
    found, problems = read_runs(find_workspace(workspace).results)
    for problem in problems:
        say(problem)
    if as_json:
        told = [run.as_json() for run in found]
        print_json({"command": "scores runs", "version": PRODUCT, "runs": told})
        return
    rows = [
        (
            run.folder,
            run.model,
            run.release,
            run.runner,
            run.state,
            f"{run.shards_done} of {run.shards_total}",
            run.updated_at,
            run.host,
        )
        for run in found
    ]
    print_table("Runs", COLUMNS, rows)
    for run in found:
        for code, reason in run.gaps.items():
            say(f"{run.folder}, {code}: {reason}")
    if any(run.state == INTERRUPTED for run in found):
        say(GO_ON)
