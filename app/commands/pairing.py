"""`pair`: anybody's own translations, labelled without a workspace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from app.options import JsonOption
from app.output import count_figure, print_figures, print_table, say
from corpus.errors import StateError
from corpus.figures import Figure
from corpus.languages import languages as find_languages
from corpus.records import Label
from corpus.repaired import REPAIRED_FLAG
from pipeline.pair_files import PairFile, load_pair_file, pair_rows, write_pairs
from pipeline.pairing import pairing_strategy
from pipeline.pairing_result import PairingResult
from pipeline.reasons import REASONS

MEANINGS = {
    Label.NEUTRAL: "rows whose one text serves for all genders",
    Label.PAIR: "rows that are minimal pairs",
    Label.DISCARDED: "rows that are neither, for any reason",
}

REPAIRED = "rows kept because repair built or chose a text; part of neutral and pair"


def register(cli: typer.Typer) -> None:
    """Adds this command to the command line."""
    cli.command("pair")(pair)


def pair(
    file: Annotated[
        Path,
        typer.Argument(
            help="CSV with masculine_wrapped and feminine_wrapped, or masculine and feminine."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="CSV file to write.")],
    language: Annotated[
        str | None,
        typer.Option("--language", "-l", help="Code for rows without a language of their own."),
    ] = None,
    strategy: Annotated[
        str, typer.Option("--strategy", help="Pairing strategy: extended, strict or reference.")
    ] = "extended",
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Build a missing variant from the other; marked repaired."),
    ] = False,
    spreadsheet: Annotated[
        bool,
        typer.Option(
            "--spreadsheet", help="For Excel: byte-order mark, and no cell can act as a formula."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Label your own translations neutral, pair or discarded; no workspace is needed."""
    chosen = pairing_strategy(strategy, repairs=repair)
    if language is not None:
        find_languages([language], "--language")
    _check_place(file, out)
    found = load_pair_file(file, language)
    results = pair_rows(found, chosen)
    write_pairs(found, results, out, spreadsheet=spreadsheet)
    if as_json:
        print_figures("pair", found.sha256, summarise(found, results))
    else:
        _print_counts(found, results)
    say(f"{len(results)} rows written to {out} (strategy {chosen.name}/{chosen.version}).")


def summarise(file: PairFile, results: Sequence[PairingResult]) -> list[Figure]:
    """Rows by label, and discarded ones by reason, language by language."""
    figures = []
    for code in file.languages:
        of_language = _results_of(file, results, code)
        labels = Counter(each.label for each in of_language)
        reasons = Counter(each.reason for each in of_language if each.label is Label.DISCARDED)
        figures += [
            count_figure(str(label), labels[label], MEANINGS[label], language=code)
            for label in Label
        ]
        repaired = sum(REPAIRED_FLAG in each.flags for each in of_language)
        if repaired:
            figures.append(count_figure("repaired", repaired, REPAIRED, language=code))
        figures += [
            count_figure(f"discarded:{reason}", count, REASONS[reason], language=code)
            for reason, count in sorted(reasons.items())
        ]
    return figures


def _results_of(file: PairFile, results: Sequence[PairingResult], code: str) -> list[PairingResult]:
    rows = zip(file.rows, results, strict=True)
    return [result for row, result in rows if row.language == code]


def _print_counts(file: PairFile, results: Sequence[PairingResult]) -> None:
    rows = []
    for code in file.languages:
        labels = Counter(each.label for each in _results_of(file, results, code))
        rows.append((code, labels.total(), *(labels[label] for label in Label)))
    print_table("Rows", ("language", "rows", *map(str, Label)), rows)


def _check_place(file: Path, out: Path) -> None:
    """Refuses, before any work, a place that cannot be written.

    Raises:
        StateError: if the output would replace the input, or its folder is not there.
    """
    if out.exists() and file.exists() and out.samefile(file):
        raise StateError(f"--out {out} is the input itself; name another file.")
    if not out.parent.is_dir():
        raise StateError(f"{out} cannot be written: there is no folder {out.parent}.")
