"""`scores measures`, `scores compare` and `scores table`: results read again, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from app.commands.scores_group import scores
from app.compared_results import (
    CONDITIONS,
    Question,
    answer,
    build_statements,
    choose_inventory,
    document_of,
    find_folders,
)
from app.comparison_latex import build_latex
from app.comparison_rows import (
    AVERAGE_COLUMNS,
    CSV_COLUMNS,
    DIFFERENCE_COLUMNS,
    MEASURE_COLUMNS,
    Choice,
    average_rows,
    csv_rows,
    difference_rows,
    measure_rows,
    threshold_rows,
)
from app.options import (
    ByteOrderMarkOption,
    FormulaSafeOption,
    ForSpreadsheetOption,
    JsonOption,
    WorkspaceOption,
    choose_languages,
    split_list,
)
from app.output import print_json, print_table, say
from app.progress import shown_steps
from app.views import words
from corpus.drafts import replacing
from corpus.errors import SettingsError
from corpus.spreadsheet_cells import ENCODING
from exports.files import write_csv
from scoring.compared_columns import ALL, COMMON
from scoring.comparison import Comparison
from scoring.protocols import PROTOCOLS, protocol_named

FORMATS = ("csv", "latex")
ALL_CONDITIONS = ",".join(CONDITIONS)
THRESHOLD_COLUMNS = ("model", "language", "protocol", "condition", "quality from", "g_s", "n")

ResultArgument = Annotated[
    str,
    typer.Argument(
        metavar="RESULT", help="Folder of a result, or its name in the workspace's results."
    ),
]
ResultsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="RESULT", help="Folders of results, or their names in the workspace's results."
    ),
]
ProtocolsOption = Annotated[
    str, typer.Option("--protocols", help=f"Protocols with commas: {', '.join(PROTOCOLS)}.")
]
ConditionsOption = Annotated[
    str, typer.Option("--conditions", help=f"With commas: {', '.join(CONDITIONS)}.")
]
LanguagesOption = Annotated[
    str | None, typer.Option("--languages", "-l", help="Language codes with commas; else all.")
]
InventoryOption = Annotated[
    str | None,
    typer.Option(
        "--inventory", help="Name or TOML file of the stereotypes; else those scored with."
    ),
]
CommonOption = Annotated[
    bool,
    typer.Option(
        "--common", help="Show the sentences that all models and languages have in common."
    ),
]
OnlyValidatedOption = Annotated[
    bool, typer.Option("--only-validated", help="Count only rows that a human saw.")
]


def register(_cli: typer.Typer) -> None:
    """Adds these commands to the group `scores`, which the command line has already."""
    scores.command("measures")(measures)
    scores.command("compare")(compare)
    scores.command("table")(table)


def measures(
    result: ResultArgument,
    protocols: ProtocolsOption = "paper",
    conditions: ConditionsOption = ALL_CONDITIONS,
    languages: LanguagesOption = None,
    only_validated: OnlyValidatedOption = False,
    inventory: InventoryOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Compute measures of a finished result under any protocol, without the model."""
    folders = find_folders([result], workspace)
    question = _ask(
        folders, protocols, conditions, languages, inventory, only_validated=only_validated
    )
    found = _answer(folders, question, "scores measures")
    if as_json:
        print_json(document_of("scores measures", found, question))
        return
    title = f"Measures of {', '.join(found.compared.labels)}"
    print_table(title, MEASURE_COLUMNS, measure_rows(found, Choice(ALL)))
    _say_rest(found, question)


def compare(
    results: ResultsArgument,
    protocols: Annotated[
        str, typer.Option("--protocol", help=f"With commas: {', '.join(PROTOCOLS)}.")
    ] = "paper",
    conditions: ConditionsOption = ALL_CONDITIONS,
    languages: LanguagesOption = None,
    common: CommonOption = False,
    only_validated: OnlyValidatedOption = False,
    rows: Annotated[
        bool,
        typer.Option(
            "--rows",
            help="Compare rows that a human saw with all, and g_s around the quality threshold.",
        ),
    ] = False,
    thresholds: Annotated[
        str | None,
        typer.Option("--thresholds", help="Quality thresholds with commas, in place of --rows's."),
    ] = None,
    per_stereotype: Annotated[
        bool, typer.Option("--per-stereotype", help="Compare q_i, inclination and rank, too.")
    ] = False,
    inventory: InventoryOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Compare models on one release, or one model on several, with intervals and corrected p.

    Results that differ in more than one thing, or in product version or stereotypes, are refused.
    """
    folders = find_folders(results, workspace)
    question = _ask(
        folders,
        protocols,
        conditions,
        languages,
        inventory,
        only_validated=only_validated,
        with_rows=rows or thresholds is not None,
        thresholds=_read_thresholds(thresholds),
        per_stereotype=per_stereotype,
    )
    found = _answer(folders, question, "scores compare")
    if as_json:
        print_json(document_of("scores compare", found, question))
        return
    choice = Choice(COMMON if common else ALL)
    on = f"on {choice.sentences} sentences"
    print_table(f"Measures {on}", MEASURE_COLUMNS, measure_rows(found, choice))
    print_table(f"Averages over languages, {on}", AVERAGE_COLUMNS, average_rows(found, choice))
    differences = list(difference_rows(found, choice))
    if differences:
        print_table(f"Second against first, {on}", DIFFERENCE_COLUMNS, differences)
    if found.thresholds:
        print_table("Rows from a quality on", THRESHOLD_COLUMNS, threshold_rows(found))
    _say_rest(found, question)


def table(
    results: ResultsArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    file_format: Annotated[
        str, typer.Option("--format", help="csv: every figure; latex: g_s by language and model.")
    ] = "csv",
    protocols: ProtocolsOption = "paper",
    conditions: ConditionsOption = ALL_CONDITIONS,
    languages: LanguagesOption = None,
    common: CommonOption = False,
    only_validated: OnlyValidatedOption = False,
    formula_safe: FormulaSafeOption = False,
    byte_order_mark: ByteOrderMarkOption = False,
    for_spreadsheet: ForSpreadsheetOption = False,
    inventory: InventoryOption = None,
    workspace: WorkspaceOption = None,
) -> None:
    """Write the figures of one or more results as a table: CSV, or LaTeX with booktabs."""
    if file_format not in FORMATS:
        raise SettingsError(f"--format takes {' or '.join(FORMATS)}, not {file_format}.")
    folders = find_folders(results, workspace)
    question = _ask(
        folders, protocols, conditions, languages, inventory, only_validated=only_validated
    )
    found = _answer(folders, question, "scores table")
    if file_format == "csv":
        rows = csv_rows(found.figures, formula_safe=formula_safe or for_spreadsheet)
        encoding = ENCODING if byte_order_mark or for_spreadsheet else "utf-8"
        write_csv(output, CSV_COLUMNS, rows, encoding=encoding)
    else:
        statements = tuple(build_statements(found, question))
        text = build_latex(found, Choice(COMMON if common else ALL), statements)
        output.parent.mkdir(parents=True, exist_ok=True)
        with replacing(output) as stream:
            stream.write(text.encode("utf-8"))
    typer.echo(output)


def _answer(folders: Sequence[Path], question: Question, command: str) -> Comparison:
    with shown_steps(command) as progress:
        return answer(folders, question, progress)


def _ask(
    folders: Sequence[Path],
    protocols: str,
    conditions: str,
    languages: str | None,
    inventory: str | None,
    *,
    only_validated: bool = False,
    with_rows: bool = False,
    thresholds: tuple[float, ...] = (),
    per_stereotype: bool = False,
) -> Question:
    chosen = tuple(dict.fromkeys(split_list(conditions)))
    unknown = [name for name in chosen if name not in CONDITIONS]
    if unknown or not chosen:
        raise SettingsError(f"--conditions takes {', '.join(CONDITIONS)}, with commas.")
    named = tuple(protocol_named(name) for name in dict.fromkeys(split_list(protocols)))
    if not named:
        raise SettingsError("No protocol is named; write e.g. paper,reference.")
    codes = () if languages is None else tuple(one.code for one in choose_languages(languages))
    return Question(
        protocols=named,
        inventory=choose_inventory(inventory, folders),
        conditions=chosen,
        languages=codes,
        only_validated=only_validated,
        with_rows=with_rows,
        thresholds=thresholds,
        per_stereotype=per_stereotype,
    )


def _read_thresholds(value: str | None) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in split_list(value or ""))
    except ValueError as error:
        raise SettingsError("--thresholds takes numbers with commas, e.g. 0.8,0.85.") from error


def _say_rest(found: Comparison, question: Question) -> None:
    gaps: dict[tuple[str, str, str], list[str]] = {}
    for gap in found.gaps:
        gaps.setdefault((gap.model, gap.language, gap.reason), []).append(
            f"{gap.protocol}/{gap.condition}"
        )
    for (model, language, reason), places in gaps.items():
        why = words.describe_figure_reason(reason)
        say(f"Gap: {model}, {language}, {', '.join(places)}: {why}.")
    for sentence in build_statements(found, question):
        say(sentence)
