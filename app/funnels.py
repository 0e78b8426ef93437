"""Funnels and labels of languages, from what the store says of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import astuple, fields
from pathlib import Path

from corpus.drafts import replacing
from corpus.errors import StateError
from corpus.records import Source
from corpus.standing import Standing
from pipeline.funnel import Funnel, compute_funnel
from pipeline.funnel_report import ReportRow


def funnel_of(standing: Standing, sources: Mapping[str, Source]) -> Funnel:
    """The funnel of a language's candidates as they were generated; `sources` by key."""
    stereotypes = {key: source.stereotype_id for key, source in sources.items()}
    generated = [each.generated for each in standing.candidates]
    return compute_funnel(standing.language, generated, stereotypes)


def format_report(rows: Iterable[ReportRow]) -> bytes:
    """The rows as a CSV file in UTF-8, numbers unrounded, empty where there is none."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([field.name for field in fields(ReportRow)])
    writer.writerows(astuple(row) for row in rows)
    return text.getvalue().encode("utf-8")


def write_report(rows: Iterable[ReportRow], path: Path) -> None:
    """Writes the CSV file as a whole.

    Raises:
        StateError: if it cannot be written.
    """
    try:
        with replacing(path) as stream:
            stream.write(format_report(rows))
    except OSError as error:
        raise StateError(f"{path} cannot be written: {error.strerror}.") from error
