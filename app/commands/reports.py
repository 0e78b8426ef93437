"""`candidates report`: what generation kept of each language, and what humans say of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from annotation.confusion import ConfusionCount, build_confusion_figures, compute_confusion
from annotation.ratings_table import LABELS
from app.commands.generation import candidates
from app.funnels import funnel_of, write_report
from app.options import ActorOption, InstrumentOption, JsonOption, WorkspaceOption, choose_languages
from app.output import print_figures, print_table, say
from app.session import open_session
from corpus.errors import StateError
from corpus.hashing import combined_hash
from corpus.records import Instrument
from pipeline.funnel import Funnel
from pipeline.funnel_report import build_report, build_report_figures
from pipeline.published_counts import PublishedCounts, load_published_counts

COLUMNS = (
    "language",
    "sources",
    "translated",
    "passed quality",
    "neutral",
    "pair",
    "of both repaired",
    "discarded by quality",
    "by pairing",
    "coverage",
)


def register(cli: typer.Typer) -> None:
    """Adds this command to `candidates`, which is on the command line already."""
    candidates.command("report")(report)


def report(
    languages: Annotated[
        str | None,
        typer.Option("--languages", "-l", help="Codes with commas; else all with candidates."),
    ] = None,
    as_json: JsonOption = False,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", help="CSV file to write all counts to.")
    ] = None,
    compare: Annotated[
        Path | None, typer.Option("--compare", help="CSV of published counts to set beside them.")
    ] = None,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Report what was kept and why not, by language, stereotype and reason."""
    chosen = None if languages is None else [each.code for each in choose_languages(languages)]
    published = load_published_counts(compare) if compare is not None else {}
    with open_session(workspace, actor) as session:
        with session.store.reading() as state:
            present = state.languages(instrument)
            sources = {source.key: source for source in state.sources(instrument)}
        standings = {code: session.standing(instrument, code) for code in chosen or present}
    if missing := [code for code, each in standings.items() if not each.candidates]:
        raise StateError(f"No candidates in {', '.join(missing)}; run `stereoscope generate`.")
    funnels = [funnel_of(each, sources) for each in standings.values()]
    confusions = {code: compute_confusion(each) for code, each in standings.items()}
    rows = build_report(funnels, published)
    if csv_file is not None:
        write_report(rows, csv_file)
        say(f"{len(rows)} counts written to {csv_file}.")
    if as_json:
        figures = build_report_figures(rows)
        for code, counts in confusions.items():
            figures += build_confusion_figures(code, counts)
        inputs = combined_hash(each.data_hash for each in standings.values())
        print_figures("candidates report", inputs, figures)
        return
    _print_funnels(funnels, published)
    for code, counts in confusions.items():
        _print_confusion(code, counts)


def _print_funnels(funnels: Sequence[Funnel], published: Mapping[str, PublishedCounts]) -> None:
    rows = [
        (
            each.language,
            each.sources,
            each.translated,
            each.passed_quality if each.filtered else "not filtered",
            each.neutral,
            each.pairs,
            each.repaired,
            each.discarded_by_quality,
            each.discarded_by_pairing,
            _describe_share(each.kept, each.sources),
        )
        for each in funnels
    ]
    print_table("Funnels", COLUMNS, rows)
    if published:
        _print_published(
            [published[each.language] for each in funnels if each.language in published]
        )
    reasons = [
        (each.language, reason, count, _describe_share(count, each.sources))
        for each in funnels
        for reason, count in each.discarded.items()
    ]
    print_table("Discarded by reason", ("language", "reason", "candidates", "share"), reasons)
    _print_stereotypes(funnels)


def _print_published(published: Sequence[PublishedCounts]) -> None:
    rows = [
        (
            each.language,
            each.neutral,
            each.pairs,
            each.discarded_by_quality,
            each.discarded_by_pairing,
            _describe_share(each.kept, each.sources),
        )
        for each in published
    ]
    columns = ("language", "neutral", "pair", *COLUMNS[7:])
    print_table("Published counts of these languages", columns, rows)


def _print_stereotypes(funnels: Sequence[Funnel]) -> None:
    ids = sorted({one.stereotype_id for each in funnels for one in each.stereotypes})
    rows = []
    for each in funnels:
        kept = {one.stereotype_id: f"{one.kept}/{one.sources}" for one in each.stereotypes}
        rows.append((each.language, *(kept.get(stereotype_id) for stereotype_id in ids)))
    print_table("Kept of each stereotype's sources", ("language", *map(str, ids)), rows)


def _print_confusion(language: str, counts: Sequence[ConfusionCount]) -> None:
    """System label against human labels; nothing where there are no ratings."""
    if not counts:
        return
    by_system: dict[str, list[int]] = {}
    for each in counts:
        discarded = f" (discarded: {each.discarded_for})" if each.discarded_for else ""
        by_system.setdefault(f"{each.system}{discarded}", []).append(each.count)
    rows = [(system, *numbers) for system, numbers in by_system.items()]
    print_table(
        f"Labels in {language}: the system's in rows, human answers in columns",
        ("system", *map(str, LABELS)),
        rows,
    )


def _describe_share(count: int, of: int) -> str:
    return f"{100 * count / of:.1f} %" if of else "–"
