"""`prompts`: tests of chat models by prompt templates; `check` reads them before any is sent."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from app.options import JsonOption
from app.output import count_figure, figures_document, print_json, print_table, say
from corpus.figures import Figure
from scoring.prompt_inputs import ConcernCount, PromptInputs, count_concerns, load_prompt_inputs

prompts = typer.Typer(
    help="Tests of chat models by prompt templates and oracles.", no_args_is_help=True
)
COUNTS = {
    "templates": "prompt templates",
    "constrained": "templates that offer the unbiased answer",
    "structured": "templates that demand a structured answer",
    "blocked": "templates that cannot be sent as they are meant",
    "runnable": "templates a requirement asks for and nothing blocks",
    "instances": "prompts of the runnable templates, all ways of filling them",
}


def register(cli: typer.Typer) -> None:
    """Adds the group to the command line."""
    prompts.command("check")(check_prompts)
    cli.add_typer(prompts, name="prompts")


def check_prompts(
    files: Annotated[
        list[Path],
        typer.Argument(help="CSVs of templates and, ending in .json, a file of requirements."),
    ],
    language: Annotated[
        str | None,
        typer.Option("--language", "-l", help="Language of the CSV; else its name says it."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check prompt templates and requirements; nothing is sent or stored.

    Says what the files hold and what is wrong with them. Ends with 1 if a file is refused or if
    templates cannot be sent as they are meant.
    """
    inputs = load_prompt_inputs(files, language)
    counts = count_concerns(inputs)
    if as_json:
        document = figures_document("prompts check", inputs.sha256, _make_figures(counts))
        findings = [asdict(finding) for finding in inputs.findings]
        print_json({**document, "findings": findings})
    else:
        _print_counts(counts)
        _print_findings(inputs)
    if any(finding.blocking for finding in inputs.findings):
        raise typer.Exit(1)


def _make_figures(counts: tuple[ConcernCount, ...]) -> list[Figure]:
    return [
        count_figure(
            name,
            value,
            definition,
            file=Path(each.file).name,
            language=each.language,
            concern=each.concern,
        )
        for each in counts
        for name, definition in COUNTS.items()
        if (value := getattr(each, name)) is not None
    ]


def _print_counts(counts: tuple[ConcernCount, ...]) -> None:
    rows = [
        (each.language, each.concern, *(getattr(each, name) for name in COUNTS)) for each in counts
    ]
    totals = [[getattr(each, name) for each in counts] for name in COUNTS]
    rows.append(("all", "", *(None if None in column else sum(column) for column in totals)))
    print_table("What the files hold", ("language", "concern", *COUNTS), rows)


def _print_findings(inputs: PromptInputs) -> None:
    rows = [
        (
            "blocks" if finding.blocking else "",
            finding.kind,
            Path(finding.file).name + (f":{finding.row}" if finding.row is not None else ""),
            finding.field or "",
            finding.problem,
            finding.remedy,
        )
        for finding in sorted(inputs.findings, key=lambda each: not each.blocking)
    ]
    if rows:
        columns = ("", "kind", "where", "field", "what is wrong", "what to do")
        print_table("What is wrong with them", columns, rows)
    blocked = sum(len(inputs.blocked(file)) for file in inputs.files)
    say(f"Findings: {len(rows)}. Templates that cannot be sent as they are meant: {blocked}.")
    if inputs.requirements is None:
        say("Name a .json file of requirements to hold placeholders against communities.")
