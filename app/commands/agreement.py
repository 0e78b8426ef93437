"""`agreement`: what ratings say, of a language of the study or of anybody's CSV file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from annotation.agreement import compute_batch_agreement, compute_group_agreement
from annotation.assessment import (
    AssessmentSettings,
    assess_language,
    gather_batch_ratings,
    gather_ratings,
)
from annotation.exclusion_effect import compute_exclusion_effect
from annotation.labels import find_system_label
from annotation.outliers import MARKS, OutlierReport, find_outliers
from annotation.ratings_file import load_ratings_file
from annotation.ratings_table import RatingsTable
from annotation.shown_texts import find_stratum
from app.commands.approving import print_changes, print_gates
from app.options import ActorOption, InstrumentOption, JsonOption, WorkspaceOption, choose_language
from app.output import (
    describe_figure,
    figures_document,
    print_figures,
    print_json,
    print_table,
    say,
)
from app.session import Session, open_session
from app.views.agreement import rater_of
from corpus.errors import SettingsError, StateError
from corpus.figures import Figure
from corpus.records import Instrument, RaterLabel, Source
from corpus.settings import Settings
from corpus.standing import Standing

PARTS = {
    Instrument.EUROGEST: "stereotype",
    Instrument.MLA_BITE: "concern",
    Instrument.SECTORS: "sector",
}
"""What the items of an instrument are divided by."""


def register(cli: typer.Typer) -> None:
    """Adds this command to the command line."""
    cli.command("agreement")(show_agreement)


@dataclass(frozen=True, slots=True)
class _Ratings:
    """What is asked about, where it came from, and how it is computed."""

    title: str
    sha256: str
    table: RatingsTable
    system_labels: Mapping[str, RaterLabel]
    scope: tuple[tuple[str, str], ...]
    settings: AssessmentSettings
    largest_shift: float
    least_gap: float


def show_agreement(
    file: Annotated[
        Path | None,
        typer.Argument(
            help=(
                "CSV of ratings: columns item, rater, score and/or label, and system_label if "
                "there is one. Needs no workspace."
            ),
            show_default=False,
        ),
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", "-l", help="Language code, e.g. sk, without a file.")
    ] = None,
    batch_id: Annotated[
        str | None, typer.Option("--batch", help="Only this batch of the language.")
    ] = None,
    without: Annotated[
        str | None,
        typer.Option("--without", help="Show all figures with this rater and without her."),
    ] = None,
    by_stereotype: Annotated[
        bool,
        typer.Option("--by-stereotype", help="Show the figures of each stereotype's items."),
    ] = False,
    by_concern: Annotated[
        bool,
        typer.Option(
            "--by-concern",
            help="Show the figures of each concern's prompts, and of names of communities.",
        ),
    ] = False,
    by_sector: Annotated[
        bool, typer.Option("--by-sector", help="Show the figures of each sector's sentences.")
    ] = False,
    as_json: JsonOption = False,
    instrument: InstrumentOption = Instrument.EUROGEST,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Show agreement and outlier raters of a language or of a CSV file; of a language gates too."""
    if (file is None) == (language is None):
        raise SettingsError("Name either a CSV file of ratings or a language with --language.")
    parts = {"--by-stereotype": by_stereotype, "--by-concern": by_concern, "--by-sector": by_sector}
    chosen = [option for option, given in parts.items() if given]
    if chosen and without is not None:
        raise SettingsError(f"{chosen[0]} and --without are shown one at a time.")
    if file is not None:
        for option in (*(["--batch"] if batch_id else []), *chosen):
            raise SettingsError(f"{option} belongs to --language; a file is shown as a whole.")
        _show_ratings(_read_file(file), without, as_json)
        return
    part = PARTS[instrument]
    for option in chosen:
        if option != f"--by-{part}":
            raise SettingsError(f"{option}: what {instrument} has is --by-{part}.")
    found = choose_language(str(language), instrument)
    with open_session(workspace, actor) as session:
        standing = session.standing(instrument, found.code)
        if not standing.batches:
            raise StateError(f"Language {found.code} has no batch; make one with `batch create`.")
        with session.store.reading() as state:
            sources = {each.key: each for each in state.sources(instrument)}
        ratings = _gather_language(standing, found.name, batch_id, session.settings)
        if chosen:
            _show_parts(ratings, _find_parts(standing, sources), part, as_json)
            return
        if without is not None:
            _show_exclusion(ratings, without, as_json)
            return
        _show_language(session, standing, ratings, as_json)


def _gather_language(
    standing: Standing, name: str, batch_id: str | None, settings: Settings
) -> _Ratings:
    table, items = gather_ratings(standing)
    scope: tuple[tuple[str, str], ...] = (("language", standing.language),)
    if batch_id is not None:
        # Only who answered in it: another batch's raters have nothing to say about this one.
        table = gather_batch_ratings(standing, batch_id)
        scope = (*scope, ("batch", batch_id))
    system = {item.id: find_system_label(item) for item in items.values()}
    labels = {item: label for item, label in system.items() if label is not None}
    return _Ratings(
        name,
        standing.data_hash,
        table,
        labels,
        scope,
        AssessmentSettings.from_settings(settings),
        settings.outlier_shift,
        settings.camp_gap,
    )


def _find_parts(standing: Standing, sources: Mapping[str, Source]) -> dict[str, str]:
    """The stereotype, concern or sector of each item whose source has one."""
    candidates = {each.candidate.id: each.candidate for each in standing.candidates}
    found = {}
    for item in standing.items:
        candidate = candidates.get(item.subject_id)
        source = sources.get(candidate.source_key) if candidate is not None else None
        if candidate is None or source is None:
            continue
        part = find_stratum(candidate, source)
        if part and not (standing.instrument is Instrument.EUROGEST and not part.isdigit()):
            found[item.id] = part
    return found


def _show_parts(ratings: _Ratings, part_of: Mapping[str, str], kind: str, as_json: bool) -> None:
    figures = compute_group_agreement(
        ratings.table,
        ratings.system_labels,
        part_of,
        kind,
        ratings.settings.seed,
        ratings.scope,
        draws=ratings.settings.draws,
    )
    if as_json:
        print_figures("agreement", ratings.sha256, figures)
        return
    if not figures:
        say(f"No item that counts has a {kind}.")
    for part in dict.fromkeys(dict(each.scope)[kind] for each in figures):
        own = [each for each in figures if dict(each.scope)[kind] == part]
        _print_figures(f"Agreement in {ratings.title}, {kind} {part}", own)


def _show_language(session: Session, standing: Standing, ratings: _Ratings, as_json: bool) -> None:
    """What `_show_ratings` shows, and how the whole language stands for its approval."""
    assessment = assess_language(standing, ratings.settings)
    approval = {
        "state": standing.review.state,
        "stale": standing.review.stale,
        "gates": [each.as_json() for each in assessment.gates],
    }
    _show_ratings(ratings, None, as_json, {"approval": approval})
    if as_json:
        return
    print_gates(assessment, standing)
    print_changes(session.store, standing)
    say(f"{len(assessment.open_disagreements)} open disagreements; state: {standing.review.state}.")


def _read_file(path: Path) -> _Ratings:
    read = load_ratings_file(path)
    if read.columns_not_read:
        say(f"Columns not read: {', '.join(read.columns_not_read)}.")
    settings = Settings()
    return _Ratings(
        str(path),
        read.sha256,
        read.table,
        read.system_labels,
        (("file", path.name),),
        AssessmentSettings.from_settings(settings),
        settings.outlier_shift,
        settings.camp_gap,
    )


def _show_ratings(
    ratings: _Ratings,
    without: str | None,
    as_json: bool,
    also: Mapping[str, Any] | None = None,
) -> None:
    """All agreement figures and outlier raters, or those with a rater and without her.

    Args:
        ratings: What is shown.
        without: Who is left out.
        as_json: Whether one JSON object is printed.
        also: What else the object holds.
    """
    seed, draws = ratings.settings.seed, ratings.settings.draws
    if without is not None:
        _show_exclusion(ratings, without, as_json)
        return
    figures = compute_batch_agreement(
        ratings.table, ratings.system_labels, seed, ratings.scope, draws=draws
    )
    report = find_outliers(
        ratings.table,
        seed,
        ratings.scope,
        draws=draws,
        largest_shift=ratings.largest_shift,
        least_gap=ratings.least_gap,
    )
    if as_json:
        document = figures_document("agreement", ratings.sha256, [*figures, *report.figures])
        print_json({**document, **(also or {})})
        return
    _print_figures(f"Agreement in {ratings.title}", figures)
    _print_figures("Raters beside the others", report.figures)
    _say_outliers(report)


def _print_figures(title: str, figures: Iterable[Figure]) -> None:
    rows = [
        (each.name, rater_of(each), describe_figure(each), each.n, " ".join(each.notes))
        for each in figures
    ]
    print_table(title, ("measure", "raters", "value [interval]", "n", "notes"), rows)


def _say_outliers(report: OutlierReport) -> None:
    if report.in_camps and report.camps is not None:
        camps = (report.camps.first, report.camps.second)
        first, second = (", ".join(camp) for camp in camps)
        say(
            f"The raters stand in two camps: {first}; and {second}. Each agrees within itself "
            "more than with the other, so none of them is called an outlier by correlation."
        )
    for each in report.raters:
        for mark in each.marks:
            say(f"Worth a look: {each.rater_id} {MARKS[mark]}.")


def _show_exclusion(ratings: _Ratings, rater: str, as_json: bool) -> None:
    if rater not in ratings.table.rater_ids:
        known = ", ".join(ratings.table.rater_ids) or "none"
        raise SettingsError(f"--without: nobody is called {rater!r} here; raters are {known}.")
    effect = compute_exclusion_effect(
        ratings.table,
        ratings.system_labels,
        rater,
        ratings.settings.seed,
        ratings.scope,
        draws=ratings.settings.draws,
    )
    if as_json:
        before = [each.before for each in effect.changes]
        after = [each.after for each in effect.changes if each.after is not None]
        marked = [_name_left_out(each, rater) for each in (*after, *effect.chance)]
        print_figures("agreement", ratings.sha256, [*before, *marked])
        return
    rows = [
        (
            each.before.name,
            rater_of(each.before),
            describe_figure(each.before),
            "–" if each.after is None else describe_figure(each.after),
        )
        for each in effect.changes
    ]
    columns = ("measure", "raters", "with her", "without her")
    print_table(f"{ratings.title} with {rater} and without her", columns, rows)
    _print_figures("The best choice of a rater to leave out, among unrelated raters", effect.chance)
    say(f"Figures without {rater} were chosen after seeing the data.")


def _name_left_out(figure: Figure, rater: str) -> Figure:
    """The figure with the rater left out in its scope, so that it is told from that before."""
    return replace(figure, scope=(*figure.scope, ("without", rater)))
