"""`prompts import`, `augment`, `quality`: prompt files into translated, paraphrased candidates."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Annotated

import typer

from app.commands.prompts import prompts
from app.options import ActorOption, WorkspaceOption
from app.output import print_table, say
from app.session import open_session
from pipeline.prompt_import import DATASET, PromptImport, import_prompts
from scoring.prompt_inputs import PromptInputs, load_prompt_inputs


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line; they are verbs of `prompts`."""


@prompts.command("import")
def import_files(
    files: Annotated[
        list[Path],
        typer.Argument(help="CSVs of templates and, ending in .json, a file of requirements."),
    ],
    dataset: Annotated[
        str, typer.Option("--dataset", help="Name of the collection in this workspace.")
    ] = DATASET,
    language: Annotated[
        str | None,
        typer.Option("--language", "-l", help="Language of the CSV; else its name says it."),
    ] = None,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Import prompt templates, human translations and communities; again, it changes nothing.

    A template that cannot be sent as it is meant is imported with a flag that says why.
    """
    inputs = load_prompt_inputs(files, language)
    wanted = PromptImport(
        inputs.files, inputs.requirements, dataset, inputs.sha256, _find_blocking(inputs)
    )
    with open_session(workspace, actor) as session:
        reports = import_prompts(session.store, wanted, session.actor)
    rows = [(each.language, each.templates, each.communities, each.added) for each in reports]
    print_table(f"Imported: {dataset}", ("language", "templates", "communities", "new"), rows)
    flagged = sum(map(bool, wanted.blocking.values()))
    if flagged:
        say(
            f"{flagged} templates cannot be sent as they are meant and carry a flag; "
            "`stereoscope prompts check` says why."
        )
    if not any(each.added for each in reports):
        say("All of it was there already; nothing was added.")


def _find_blocking(inputs: PromptInputs) -> dict[tuple[str, str], tuple[str, ...]]:
    """File and id of each blocked template → what blocks it."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for finding in inputs.findings:
        if finding.blocking:
            for number in finding.templates:
                found[(finding.file, number)].append(finding.kind)
    return {place: tuple(dict.fromkeys(kinds)) for place, kinds in found.items()}
