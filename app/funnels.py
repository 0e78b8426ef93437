"""Funnels and labels of languages, from what the store says of them, and their CSV file."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from annotation.confusion import ConfusionCount
from corpus.drafts import write_file
from corpus.records import Source
from corpus.standing import Standing
from pipeline.funnel import Funnel, compute_funnel
from pipeline.funnel_report import ReportRow

LABELS = "labels"
LABELS_OF_DISCARDED = "labels_of_discarded"


@dataclass(frozen=True, slots=True)
class LabelRow:
    """How often humans gave a label to texts of a language with a system label."""

    language: str
    stage: str
    """`labels` of kept candidates, or `labels_of_discarded`."""
    about: str
    """Reason code of the discarded candidates; empty for kept ones."""
    count: int
    of: int
    """All answers to texts with this system label."""
    share: float | None
    """In [0, 1]; None where nobody answered."""
    system_label: str
    human_label: str


COLUMNS = (*(field.name for field in fields(ReportRow)), "system_label", "human_label")


def funnel_of(standing: Standing, sources: Mapping[str, Source]) -> Funnel:
    """The funnel of a language's candidates as they were generated; `sources` by key."""
    stereotypes = {key: source.stereotype_id for key, source in sources.items()}
    generated = [each.generated for each in standing.candidates]
    return compute_funnel(standing.language, generated, stereotypes)


def build_label_rows(language: str, counts: Iterable[ConfusionCount]) -> tuple[LabelRow, ...]:
    """The human labels of a language as rows, zeros included."""
    found = tuple(counts)
    answers: Counter[tuple[str, str]] = Counter()
    for each in found:
        answers[each.discarded_for, each.system] += each.count
    rows = []
    for each in found:
        of = answers[each.discarded_for, each.system]
        stage = LABELS_OF_DISCARDED if each.discarded_for else LABELS
        share = each.count / of if of else None
        named = (each.discarded_for, each.count, of, share, str(each.system), str(each.human))
        rows.append(LabelRow(language, stage, *named))
    return tuple(rows)


def format_report(rows: Iterable[ReportRow | LabelRow]) -> bytes:
    """The rows as a CSV file in UTF-8, numbers unrounded, empty where there is none."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    return text.getvalue().encode("utf-8")


def write_report(rows: Iterable[ReportRow | LabelRow], path: Path) -> None:
    """Writes the CSV file as a whole.

    Raises:
        StateError: if it cannot be written.
    """
    write_file(path, format_report(rows))
