"""Published counts: how many candidates another project kept of each language, to compare with.

The file has the layout in which the EuroGEST code writes its counts: a column without a name for
the language, then those of `COLUMNS`. It is imported when asked for and never bundled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from corpus.csv_table import CsvRow, load_csv_table
from corpus.errors import Fault, InputError
from corpus.languages import load_languages

COLUMNS = (
    "",
    "Neutral",
    "Gendered",
    "Discarded during heuristic filtering",
    "Discarded during QE filtering",
    "Coverage",
    "Number samples per stereotype",
)
"""Language, four counts, coverage in percent, kept samples by stereotype as `{1: 195, …}`."""
_COUNTS = COLUMNS[1:5]
_STEREOTYPE = re.compile(r"(?<=[{ ,])(\d+)(?=\s*:)")


@dataclass(frozen=True, slots=True)
class PublishedCounts:
    """What was published of one language."""

    language: str
    neutral: int
    pairs: int
    discarded_by_pairing: int
    discarded_by_quality: int
    stereotypes: Mapping[int, int]
    """Stereotype id → kept sentences."""

    @property
    def kept(self) -> int:
        """Neutral sentences and pairs."""
        return self.neutral + self.pairs

    @property
    def sources(self) -> int:
        """All sentences: kept or discarded."""
        return self.kept + self.discarded_by_pairing + self.discarded_by_quality


def load_published_counts(path: Path) -> Mapping[str, PublishedCounts]:
    """Published counts by language code.

    Raises:
        InputError: with every fault of the file.
    """
    table = load_csv_table(path, COLUMNS)
    codes = {entry.name.casefold(): code for code, entry in load_languages().items()}
    faults = list(table.faults)
    found: dict[str, PublishedCounts] = {}
    for row in table.rows:
        code = codes.get(row.cells[""].strip().casefold())
        if code is None or code in found:
            problem = "unknown language" if code is None else "the language comes twice"
            remedy = "name each language once, in English"
            faults.append(Fault(table.file, row.row, row.cells[""], problem, remedy))
            continue
        counts = _read_row(table.file, row, code, faults)
        if counts is not None:
            found[code] = counts
    if faults:
        raise InputError(sorted(faults, key=lambda fault: fault.row or 0))
    return found


def _read_row(file: str, row: CsvRow, code: str, faults: list[Fault]) -> PublishedCounts | None:
    """The counts of a row; None if it has faults, which are added."""
    wrong = [column for column in _COUNTS if not row.cells[column].strip().isdecimal()]
    faults += [
        Fault(file, row.row, column, "not a count", "give a whole number from 0 up")
        for column in wrong
    ]
    stereotypes = _read_stereotypes(row.cells[COLUMNS[6]])
    if stereotypes is None:
        remedy = "write it as {1: 195, 2: 160}"
        faults.append(Fault(file, row.row, COLUMNS[6], "not counts by stereotype", remedy))
    if wrong or stereotypes is None:
        return None
    neutral, pairs, by_pairing, by_quality = (int(row.cells[column]) for column in _COUNTS)
    counts = PublishedCounts(code, neutral, pairs, by_pairing, by_quality, stereotypes)
    problem = _find_contradiction(counts, row.cells[COLUMNS[5]])
    if problem is not None:
        faults.append(Fault(file, row.row, COLUMNS[5], problem, "correct the row"))
        return None
    return counts


def _read_stereotypes(cell: str) -> dict[int, int] | None:
    try:
        read = json.loads(_STEREOTYPE.sub(r'"\1"', cell))
    except ValueError:
        return None
    if not isinstance(read, dict) or not all(type(count) is int for count in read.values()):
        return None
    return {int(stereotype): count for stereotype, count in read.items()}


def _find_contradiction(counts: PublishedCounts, coverage: str) -> str | None:
    """What in a row does not go together: the coverage, rounded to 0.01 %, and the counts."""
    try:
        percent = float(coverage)
    except ValueError:
        return "not a number"
    if counts.sources == 0 or abs(100 * counts.kept / counts.sources - percent) > 0.0051:
        return "not the share of neutral and gendered in all four counts"
    return None
