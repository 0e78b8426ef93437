"""Prompt templates in LangBiTe's tab-separated CSV: read strictly, written without a loss.

What was read is written back byte for byte; a row is only written anew where its template has
changed. A cell is quoted only if it begins with a quotation mark, as CSV readers see it. A prompt
whose placeholders are wrong is read as it is: the published files hold some (`prompt_findings`).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from corpus.errors import Fault, InputError
from corpus.hashing import nfc, unstorable_fault
from corpus.prompt_oracles import OracleError, parse_oracle, render_oracle
from corpus.prompt_text import load_text
from corpus.prompts import (
    EXPECTED_VALUE_KIND,
    SAME_VALUE_KIND,
    InputType,
    Oracle,
    PromptTemplate,
    ReflectionType,
)

COLUMNS = (
    "prompt_id",
    "concern",
    "input_type",
    "reflection_type",
    "task_prefix",
    "prompt",
    "output_formatting",
    "oracle",
    "oracle_prediction",
)
"""The columns every file has, in the order the published tool reads them by."""
SOURCE_COLUMN = "source"
ORACLE_COLUMN = "oracle_prediction"

Kind = TypeVar("Kind", bound=StrEnum)
ReportFault = Callable[[str, str, str], None]
"""Takes field, problem and remedy."""

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_LINE_END = re.compile(r"\r\n|\n|\r")
_FILE_NAME = re.compile(r"prompts_([a-z]{2,3}(?:_[a-z]{2,4})?)(?:--[a-z0-9_-]+)?")
_NEEDS_QUOTES = re.compile(r'^"|[\t\r\n]')


@dataclass(frozen=True, slots=True)
class TemplateRow:
    """One template with what its row of the file was, so that it can be written as it was."""

    template: PromptTemplate
    row: int | None = None
    """Line of the file it starts on; None for a row that no file had."""
    raw: str | None = None
    """The row as the file had it, line end included."""
    cells: Mapping[str, str] | None = None
    """The cells that were read, by column."""
    after: str = ""
    """Rows without any text that follow it."""


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """The templates of one file and language, in the file's order."""

    file: str
    language: str
    header: str
    """The first line as it was, byte-order mark and line end included, and empty ones after it."""
    columns: tuple[str, ...]
    rows: tuple[TemplateRow, ...]

    @property
    def templates(self) -> tuple[PromptTemplate, ...]:
        """The templates in order."""
        return tuple(row.template for row in self.rows)


def load_template_file(path: Path, language: str | None = None) -> TemplateFile:
    """The templates of a file.

    Args:
        path: a tab-separated CSV.
        language: language of its templates; None takes it from a name like `prompts_en_us.csv`.

    Raises:
        InputError: with every fault of the file.
    """
    content, faults = read_template_file(path, language)
    if faults:
        raise InputError(faults)
    return content


def read_template_file(
    path: Path, language: str | None = None
) -> tuple[TemplateFile, tuple[Fault, ...]]:
    """The templates that can be read of a file, and its faults by row.

    Args:
        path: a tab-separated CSV.
        language: language of its templates; None takes it from a name like `prompts_en_us.csv`.

    Raises:
        InputError: if no row of the file can be read at all.
    """
    file = str(path)
    language = language or _find_language(path)
    lines = _LINES.findall(load_text(path, "a CSV file of prompt templates"))
    if not lines:
        raise InputError([Fault(file, None, None, "the file is empty", _name_columns())])
    columns = _read_columns(file, lines[0])
    faults: list[Fault] = []
    rows: list[TemplateRow] = []
    header = lines[0]
    for row, raw, values in _split_rows(file, lines, faults):
        if not any(value.strip() for value in values):
            # Editors and spreadsheets leave such rows behind: kept, and no template.
            if rows:
                rows[-1] = replace(rows[-1], after=rows[-1].after + raw)
            else:
                header += raw
            continue
        if len(values) != len(columns):
            problem = f"{len(values)} cells where the header has {len(columns)}"
            faults.append(Fault(file, row, None, problem, "separate cells by one tab each"))
            continue
        cells = dict(zip(columns, values, strict=True))
        template = _read_template(file, row, language, cells, faults)
        if template is not None:
            rows.append(TemplateRow(template, row, raw, cells))
    faults.extend(_find_repeated_ids(file, rows))
    content = TemplateFile(file, language, header, columns, tuple(rows))
    return content, tuple(sorted(faults, key=lambda fault: fault.row or 0))


def render_template_file(content: TemplateFile) -> bytes:
    """The file's bytes: rows that have not changed as they were, the others anew.

    Raises:
        ValueError: if a template has a source and the file no column for it.
    """
    end = _line_end(content.header)
    text = content.header
    for row in content.rows:
        if text and not text.endswith(("\r", "\n")):
            text += end
        text += _render_row(row, content.columns, end) + row.after
    return text.encode("utf-8")


def build_template_file(
    file: str, language: str, templates: Sequence[PromptTemplate]
) -> TemplateFile:
    """A file that nobody has written yet, with all columns and the published line ends."""
    columns = (*COLUMNS, SOURCE_COLUMN)
    rows = tuple(TemplateRow(template) for template in templates)
    return TemplateFile(file, language, "\t".join(columns) + "\r\n", columns, rows)


def _find_language(path: Path) -> str:
    match = _FILE_NAME.fullmatch(path.stem)
    if match is None:
        problem = "the name does not say the language"
        remedy = "call it prompts_<language>.csv, e.g. prompts_en_us.csv, or give the language"
        raise InputError([Fault(str(path), None, None, problem, remedy)])
    return match[1]


def _read_columns(file: str, header: str) -> tuple[str, ...]:
    bare = header.removeprefix("\ufeff").rstrip("\r\n")
    columns = tuple(next(csv.reader([bare], delimiter="\t"), [""]))
    known = (*COLUMNS, SOURCE_COLUMN)
    wrong = {
        "missing": [column for column in COLUMNS if column not in columns],
        "unknown": [column for column in columns if column not in known],
        "repeated": sorted({column for column in columns if columns.count(column) > 1}),
    }
    problems = [f"{what} column {', '.join(names)}" for what, names in wrong.items() if names]
    if problems and len(columns) == 1:
        problems = ["the first line holds no tab"]
    if problems:
        raise InputError([Fault(file, 1, None, "; ".join(problems), _name_columns())])
    return columns


def _name_columns() -> str:
    return f"the first line names, separated by tabs, {', '.join(COLUMNS)} and may name source"


def _split_rows(
    file: str, lines: Sequence[str], faults: list[Fault]
) -> Iterator[tuple[int, str, list[str]]]:
    """Row number, row as it was and its cells; a broken quotation mark ends it with a fault."""
    reader = csv.reader(iter(lines[1:]), delimiter="\t", strict=True)
    while True:
        before = reader.line_num
        try:
            values = next(reader, None)
        except csv.Error as error:
            remedy = "close the quotation mark that a cell begins with, and double those inside"
            faults.append(Fault(file, before + 2, None, f"not valid CSV ({error})", remedy))
            return
        if values is None:
            return
        yield before + 2, "".join(lines[before + 1 : reader.line_num + 1]), values


def _read_template(
    file: str, row: int, language: str, cells: Mapping[str, str], faults: list[Fault]
) -> PromptTemplate | None:
    """The template of a row, or None with its faults added."""
    known = len(faults)

    def fault(field: str, problem: str, remedy: str) -> None:
        faults.append(Fault(file, row, field, problem, remedy))

    for column, text in cells.items():
        found = unstorable_fault(text, file, row, column)
        if found is not None:
            faults.append(found)
    for column in ("prompt_id", "concern", "prompt"):
        if not cells[column].strip():
            fault(column, "empty", "fill it in")
    input_type = _read_choice(cells, "input_type", InputType, fault)
    reflection_type = _read_choice(cells, "reflection_type", ReflectionType, fault)
    oracle = _read_oracle(cells, fault)
    if len(faults) > known or input_type is None or reflection_type is None or oracle is None:
        return None
    return PromptTemplate(
        id=nfc(cells["prompt_id"]),
        language=language,
        concern=nfc(cells["concern"]),
        input_type=input_type,
        reflection_type=reflection_type,
        prompt=nfc(cells["prompt"]),
        oracle=oracle,
        task_prefix=nfc(cells["task_prefix"]),
        output_formatting=nfc(cells["output_formatting"]),
        source=nfc(cells.get(SOURCE_COLUMN, "")),
    )


def _read_choice(
    cells: Mapping[str, str], column: str, kinds: type[Kind], fault: ReportFault
) -> Kind | None:
    text = cells[column]
    if text in set(kinds):
        return kinds(text)
    fault(column, f"{text!r} is not known", f"use one of {', '.join(kinds)}")
    return None


def _read_oracle(cells: Mapping[str, str], fault: ReportFault) -> Oracle | None:
    kind = cells["oracle"]
    if kind not in (EXPECTED_VALUE_KIND, SAME_VALUE_KIND):
        remedy = f"use {EXPECTED_VALUE_KIND!r} or {SAME_VALUE_KIND!r}"
        fault("oracle", f"{kind!r} is not known", remedy)
    try:
        oracle = parse_oracle(cells[ORACLE_COLUMN])
    except OracleError as error:
        for problem, remedy in error.problems:
            fault(ORACLE_COLUMN, problem, remedy)
        return None
    if kind in (EXPECTED_VALUE_KIND, SAME_VALUE_KIND) and kind != oracle.kind:
        problem = f"{kind!r} with the operation {oracle.operation}"
        fault("oracle", problem, f"write {oracle.kind!r} or another operation")
    return oracle


def _find_repeated_ids(file: str, rows: Sequence[TemplateRow]) -> Iterator[Fault]:
    first: dict[str, int | None] = {}
    for row in rows:
        number = row.template.id
        if number in first:
            problem = f"{number} is already the id of row {first[number]}"
            yield Fault(file, row.row, "prompt_id", problem, "give each template its own id")
        first.setdefault(number, row.row)


def _render_row(row: TemplateRow, columns: Sequence[str], end: str) -> str:
    template = row.template
    if template.source and SOURCE_COLUMN not in columns:
        raise ValueError(f"template {template.id} has a source and the file no column for it")
    wanted = {
        "prompt_id": template.id,
        "concern": template.concern,
        "input_type": str(template.input_type),
        "reflection_type": str(template.reflection_type),
        "task_prefix": template.task_prefix,
        "prompt": template.prompt,
        "output_formatting": template.output_formatting,
        "oracle": template.oracle.kind,
        ORACLE_COLUMN: render_oracle(template.oracle),
        SOURCE_COLUMN: template.source,
    }
    read = row.cells or {}
    cells = {
        column: read[column] if _is_same(column, read.get(column), template, wanted) else text
        for column, text in wanted.items()
        if column in columns
    }
    if row.raw is not None and cells == read:
        return row.raw
    return "\t".join(_quote(cells[column]) for column in columns) + end


def _is_same(
    column: str, read: str | None, template: PromptTemplate, wanted: Mapping[str, str]
) -> bool:
    """Whether what a file had in a cell says what the template has."""
    if read is None:
        return False
    if column == ORACLE_COLUMN:
        return parse_oracle(read) == template.oracle
    return nfc(read) == wanted[column]


def _quote(cell: str) -> str:
    if not _NEEDS_QUOTES.search(cell):
        return cell
    return '"' + cell.replace('"', '""') + '"'


def _line_end(header: str) -> str:
    found = _LINE_END.search(header)
    return found[0] if found else "\n"
