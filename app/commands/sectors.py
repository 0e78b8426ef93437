"""`sectors`: associations of masked models with economic sectors, and their sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from app.options import ActorOption, JsonOption, WorkspaceOption, split_list
from app.output import count_figure, describe_figure, print_figures, print_table, say
from app.progress import watched_run
from app.score_tables import DEMONSTRATION
from app.session import open_session
from corpus.figures import Figure
from corpus.hashing import combined_hash
from corpus.sector_files import load_sector_languages
from corpus.sectors import Sector, SectorLanguage
from corpus.spreadsheet_cells import make_inert
from corpus.workforce import DEFAULT_WORKFORCE, load_workforce
from engines.likelihood.association import JOINT, READINGS, AssociationEngine
from engines.likelihood.association import load_association_engine as load_engine
from engines.likelihood.masked_loading import identify_masked_model
from exports.files import write_csv
from scoring.sector_contrasts import Context, Lengths
from scoring.sector_resampling import SectorResampling
from scoring.sector_scores import SectorRequest, SectorResult, score_sectors

sectors = typer.Typer(
    help="Associations of masked models with economic sectors.", no_args_is_help=True
)
COMMIT = re.compile(r"[0-9a-f]{40}")
SENTENCE_COLUMNS = (
    "language", "sentence", "gender", "sector", "status", "template", "context", "pair", "kind",
    "term",
)  # fmt: skip
COUNTS = {
    "templates": "templates that do not show the gender",
    "templates_showing_gender": "templates in which another word shows the gender, kept apart",
    "pairs": "pairs of person words",
    "terms": "terms of the three sectors",
    "sentences": "sentences made of them",
}
SHOWN = ("sb", "rb", "mean_absolute_gap", "rank_correlation")

LanguagesOption = Annotated[
    str | None, typer.Option("--languages", "-l", help="Language codes with commas; else all.")
]
DataOption = Annotated[
    Path | None,
    typer.Option("--data", help="Folder of sentence files, <code>.toml; else the product's own."),
]


def register(cli: typer.Typer) -> None:
    """Adds the group to the command line."""
    sectors.command("templates")(templates)
    sectors.command("score")(score)
    cli.add_typer(sectors, name="sectors")


def templates(
    languages: LanguagesOption = None,
    data: DataOption = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="CSV to write all sentences into, a row each.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check the sentence files and count what they hold; every fault is told at once."""
    found = load_sector_languages(split_list(languages or ""), data)
    if to is not None:
        write_csv(to, SENTENCE_COLUMNS, _sentence_rows(found))
    if as_json:
        figures = [figure for language in found for figure in _count(language)]
        print_figures("sectors templates", _hash(found), figures)
        return
    rows = [
        (one.code, one.title, *(int(f.value or 0) for f in _count(one)), one.status)
        for one in found
    ]
    print_table("Sector sentences", ("code", "language", *COUNTS, "status"), rows)
    for one in found:
        say(f"{one.code}: {one.status}; {one.source}.")
    if to is not None:
        say(f"All sentences: {to}")


def score(
    model: Annotated[str, typer.Option("--model", "-m", help="Name or path of a masked model.")],
    languages: LanguagesOption = None,
    data: DataOption = None,
    workforce: Annotated[
        str, typer.Option("--workforce", help="Name or TOML file of the workforce table.")
    ] = DEFAULT_WORKFORCE,
    reading: Annotated[
        str,
        typer.Option("--reading", help=f"Person words of several tokens: {', '.join(READINGS)}."),
    ] = JOINT,
    revision: Annotated[
        str | None, typer.Option("--revision", help="Branch, tag or commit on the hub.")
    ] = None,
    device: Annotated[str | None, typer.Option("--device", help="auto, cpu, cuda or mps.")] = None,
    dtype: Annotated[
        str | None, typer.Option("--dtype", help="float32, bfloat16 or float16.")
    ] = None,
    demonstration: Annotated[
        bool, typer.Option("--demonstration", help="Mark the figures as no finding.")
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Score a masked model on sector sentences; finished languages are not scored again."""
    with open_session(workspace, actor, {"device": device, "dtype": dtype}) as session:
        settings = session.settings
        table = load_workforce(workforce)
        found = load_sector_languages(split_list(languages or ""), data)
        request = SectorRequest(
            languages=found,
            workforce=table,
            dtype=settings.dtype,
            reading=reading,
            resampling=SectorResampling(settings.seed, settings.draws),
            demonstration=demonstration,
        )
        identity = identify_masked_model(model, revision)
        # Whatever happens on the hub meanwhile, what is opened is what was identified.
        at = identity.revision if COMMIT.fullmatch(identity.revision) else revision

        def open_engine() -> AssociationEngine:
            return load_engine(
                model, dtype=settings.dtype, device=settings.device, revision=at, reading=reading
            )

        with watched_run(session.store, "sectors score") as progress:
            result = score_sectors(
                identity,
                open_engine,
                request,
                session.workspace.results,
                progress.plan,
                progress.advance,
            )
    if as_json:
        print_figures("sectors score", result.manifest["key"], result.figures)
    else:
        _print_result(result)


def _print_result(result: SectorResult) -> None:
    """The measures of open templates and all pairs; the rest is in the result's folder."""
    manifest = result.manifest
    rows: list[Sequence[object]] = []
    for figure in result.figures:
        scope = dict(figure.scope)
        headline = (scope["context"], scope["lengths"]) == (Context.OPEN, Lengths.ALL)
        if figure.name in SHOWN and headline:
            variant = scope.get("variant", "")
            name = f"{figure.name} {variant}".strip()
            rows.append((scope["language"], name, describe_figure(figure), figure.n))
    print_table(
        f"Sector associations of {manifest['model']}",
        ("language", "measure", "value [interval]", "n"),
        rows,
    )
    for code in manifest["languages"]:
        counts = manifest["contrasts"][code]
        say(
            f"{code}: sentences {manifest['status'][code]}; of {counts['all']} sentence pairs "
            f"{counts['unequal_length']} have words of unequal length, "
            f"{counts['altered_by_tokenizer']} a word that the tokenizer altered and "
            f"{counts['context_shows_gender']} a context that shows the gender (apart). "
            f"Workforce: {manifest['countries'][code]}."
        )
    table = manifest["workforce_table"]
    say(f"Workforce table {table['name']}, year {table['year']}: {table['source']}.")
    say("SB 0 is neutral, below 0 favours men; RB = SB − mean(W) in every language.")
    if manifest["demonstration"]:
        say(DEMONSTRATION)
    say(f"Limits: {manifest['not_measured']} {result.folder}")


def _count(language: SectorLanguage) -> Iterator[Figure]:
    shown = sum(one.shows_gender for one in language.templates)
    numbers = {
        "templates": len(language.templates) - shown,
        "templates_showing_gender": shown,
        "pairs": len(language.pairs),
        "terms": sum(len(language.terms_of(sector)) for sector in Sector),
        "sentences": sum(1 for _ in language.build_sentences()),
    }
    for name, number in numbers.items():
        yield count_figure(name, number, COUNTS[name], language=language.code)


def _sentence_rows(languages: Sequence[SectorLanguage]) -> Iterator[tuple[str, ...]]:
    for language in languages:
        for one in language.build_sentences():
            context = Context.SHOWN if one.shows_gender else Context.OPEN
            row = (
                one.language, one.text, one.gender, one.sector, one.status, one.template, context,
                one.pair, one.kind, one.term,
            )  # fmt: skip
            yield tuple(make_inert(str(cell)) for cell in row)


def _hash(languages: Sequence[SectorLanguage]) -> str:
    return combined_hash(one.content_hash for one in languages)
