"""`candidates report` and `reasons`: what was kept and why not, and what humans say of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from annotation.confusion import ConfusionCount, build_confusion_figures, compute_confusion
from app.commands.generation import candidates
from app.funnels import build_label_rows, funnel_of, write_report
from app.options import ActorOption, InstrumentOption, JsonOption, WorkspaceOption, choose_languages
from app.output import print_figures, print_table, say
from app.session import open_session
from app.views.words import describe_stereotype
from corpus.errors import StateError
from corpus.hashing import combined_hash
from corpus.records import Instrument
from corpus.repaired import REPAIRED_FLAG
from corpus.stereotypes import Inventory
from pipeline.flags import FLAGS
from pipeline.funnel import Funnel
from pipeline.funnel_report import (
    BY_PAIRING,
    BY_QUALITY,
    KEPT,
    NEUTRAL,
    OF_STEREOTYPE,
    PAIR,
    SOURCES,
    ReportRow,
    build_report,
    build_report_figures,
)
from pipeline.published_counts import load_published_counts
from pipeline.reasons import REASONS

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
LANGUAGES_A_TABLE = 6
"""Languages side by side in the table of stereotypes; more make further tables."""


def register(cli: typer.Typer) -> None:
    """Adds these commands to `candidates`, which is on the command line already."""
    candidates.command("report")(report)
    candidates.command("reasons")(list_reasons)


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
    """Report what was kept and why not, by language, stereotype and reason, and human labels."""
    chosen = None if languages is None else [each.code for each in choose_languages(languages)]
    published = load_published_counts(compare) if compare is not None else {}
    with open_session(workspace, actor) as session:
        inventory = session.workspace.load_inventory()
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
        labels = [row for code, each in confusions.items() for row in build_label_rows(code, each)]
        write_report([*rows, *labels], csv_file)
        say(f"{len(rows) + len(labels)} counts written to {csv_file}.")
    if as_json:
        figures = build_report_figures(rows)
        for code, counts in confusions.items():
            figures += build_confusion_figures(code, counts)
        inputs = combined_hash(each.data_hash for each in standings.values())
        print_figures("candidates report", inputs, figures)
        return
    _print_funnels(funnels, rows, inventory)
    for code, counts in confusions.items():
        _print_confusion(code, counts)


def list_reasons() -> None:
    """List the reason codes and flags of candidates with what they mean."""
    print_table("Reasons: why a candidate is what it is", ("reason", "meaning"), REASONS.items())
    print_table("Flags: marks that keep a candidate in", ("flag", "meaning"), FLAGS.items())


def _print_funnels(
    funnels: Sequence[Funnel], rows: Sequence[ReportRow], inventory: Inventory
) -> None:
    """The funnels as tables, published counts below ours where the rows have any."""
    cells = [
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
    print_table("Funnels", COLUMNS, cells)
    if any(each.repaired for each in funnels):
        say(f"Repaired: {FLAGS[REPAIRED_FLAG]}.")
    _print_published(rows)
    reasons = [
        (
            each.language,
            reason,
            REASONS.get(reason, ""),
            count,
            _describe_share(count, each.sources),
        )
        for each in funnels
        for reason, count in each.discarded.items()
    ]
    columns = ("language", "reason", "meaning", "candidates", "share")
    print_table("Discarded by reason", columns, reasons)
    _print_stereotypes(funnels, rows, inventory)


def _print_published(rows: Sequence[ReportRow]) -> None:
    """Nothing where nothing was published."""
    found: dict[str, dict[str, ReportRow]] = {}
    for row in rows:
        if row.published_count is not None and not row.about:
            found.setdefault(row.language, {})[row.stage] = row
    cells = []
    for language, stages in found.items():
        shown = (SOURCES, NEUTRAL, PAIR, BY_QUALITY, BY_PAIRING)
        kept = stages[KEPT].published_share
        share = "–" if kept is None else f"{100 * kept:.1f} %"
        cells.append((language, *(stages[each].published_count for each in shown), share))
    columns = ("language", "sources", "neutral", "pair", *COLUMNS[7:])
    if cells:
        print_table("Published counts of these languages", columns, cells)


def _print_stereotypes(
    funnels: Sequence[Funnel], rows: Sequence[ReportRow], inventory: Inventory
) -> None:
    """A row for each stereotype, a column for each language; nothing without stereotypes."""
    found = {(int(row.about), row.language): row for row in rows if row.stage == OF_STEREOTYPE}
    ids = sorted({stereotype_id for stereotype_id, _ in found})
    title = "Kept of each stereotype's sources"
    if any(row.published_count is not None for row in found.values()):
        title += ", published counts in brackets"
    for start in range(0, len(funnels) if ids else 0, LANGUAGES_A_TABLE):
        codes = [each.language for each in funnels[start : start + LANGUAGES_A_TABLE]]
        cells = [
            (
                describe_stereotype(each, inventory),
                *(_describe_kept(found.get((each, code))) for code in codes),
            )
            for each in ids
        ]
        print_table(title, ("stereotype", *codes), cells)


def _describe_kept(row: ReportRow | None) -> str:
    if row is None:
        return "–"
    published = "" if row.published_count is None else f" ({row.published_count})"
    return f"{row.count}/{row.of}{published}"


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
        ("system", *dict.fromkeys(str(each.human) for each in counts)),
        rows,
    )


def _describe_share(count: int, of: int) -> str:
    return f"{100 * count / of:.1f} %" if of else "–"
