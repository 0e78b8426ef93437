"""`sectors`: associations of models with economic sectors, and their sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from app.commands.releases import find_folder
from app.options import (
    ActorOption,
    DemonstrationOption,
    DeviceOption,
    DtypeOption,
    JsonOption,
    ModelsOption,
    RevisionOption,
    WorkspaceOption,
    split_list,
)
from app.output import count_figure, print_figures, print_table, say
from app.progress import watched_run
from app.sector_control import CONTROLS, print_control, score_control_of
from app.sector_models import ScoredModel, find_sector_models, score_sector_models
from app.sector_scoring import (
    SectorModel,
    gather_figures,
    plan_order,
    print_result,
    score_model,
)
from app.session import open_session
from corpus.errors import SettingsError
from corpus.figures import Figure
from corpus.hashing import combined_hash
from corpus.occupations import load_occupations
from corpus.records import Instrument
from corpus.release import is_version
from corpus.sector_files import load_sector_languages
from corpus.sector_releases import load_released_sentences
from corpus.sectors import SectorSentences
from corpus.spreadsheet_cells import make_inert
from corpus.workforce import DEFAULT_WORKFORCE
from exports.files import write_csv
from scoring.occupation_control import CONTROL_NAME
from scoring.sector_contrasts import Context
from scoring.sector_scores import SectorResult

sectors = typer.Typer(help="Associations of models with economic sectors.", no_args_is_help=True)
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

LanguagesOption = Annotated[
    str | None, typer.Option("--languages", "-l", help="Language codes with commas; else all.")
]
DataOption = Annotated[
    Path | None,
    typer.Option("--data", help="Folder of sentence files, <code>.toml; else the product's own."),
]
ReleaseOption = Annotated[
    str | None,
    typer.Option(
        "--release", help="Exactly the sentences of this release, by its folder or version."
    ),
]


def register(cli: typer.Typer) -> None:
    """Adds the group to the command line."""
    sectors.command("templates")(templates)
    sectors.command("score")(score)
    cli.add_typer(sectors, name="sectors")


def templates(
    languages: LanguagesOption = None,
    data: DataOption = None,
    release: ReleaseOption = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="CSV to write all sentences into, a row each.")
    ] = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Check the sentences of files or a release, and count them; every fault is told at once."""
    codes = split_list(languages or "")
    found: tuple[SectorSentences, ...]
    if release is None:
        found = load_sector_languages(codes, data)
    else:
        found, _ = load_released_sentences(_find_release(release, workspace), codes, data)
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
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", help="Name or path of a masked or causal model."),
    ] = None,
    models: ModelsOption = None,
    languages: LanguagesOption = None,
    data: DataOption = None,
    release: ReleaseOption = None,
    workforce: Annotated[
        list[str] | None,
        typer.Option(
            "--workforce",
            help="Name or TOML file of a workforce table; may be repeated.  "
            f"[default: {DEFAULT_WORKFORCE}]",
        ),
    ] = None,
    control: Annotated[
        str | None,
        typer.Option(
            "--control", help=f"Score a control in place of sectors: {', '.join(CONTROLS)}."
        ),
    ] = None,
    reading: Annotated[
        str | None,
        typer.Option(
            "--reading",
            help="How several tokens are taken together; of masked models joint or left-to-right, "
            "of causal ones sentence or per-token.  [default: the first]",
        ),
    ] = None,
    revision: RevisionOption = None,
    device: DeviceOption = None,
    dtype: DtypeOption = None,
    demonstration: DemonstrationOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Score models on sector sentences; finished languages are not scored again."""
    if (model is None) == (models is None):
        raise SettingsError("Name one model with --model, or a file of several with --models.")
    if control is not None and control not in CONTROLS:
        raise SettingsError(f"--control takes {', '.join(CONTROLS)}, not {control}.")
    if control is not None and (release or workforce):
        raise SettingsError("--control has its own sentences and no workforce: leave those out.")
    with open_session(workspace, actor, {"device": device, "dtype": dtype}) as session:
        codes = split_list(languages or "")
        if models is not None:
            chosen = find_sector_models(models, revision, dtype, reading)
        else:
            chosen = (SectorModel(str(model), revision),)
        with watched_run(session.store, "sectors score") as progress:
            if control is not None:
                place = None if data is None else data / CONTROL_NAME
                words = load_occupations(codes, place, data)

                def score_one(each: SectorModel) -> tuple[SectorResult, ...]:
                    asked = (reading, demonstration)
                    return (score_control_of(session, each, words, progress, *asked),)
            else:
                tables = workforce or [DEFAULT_WORKFORCE]
                place = None if release is None else _find_release(release, workspace)
                order = plan_order(codes, data, place, tables, reading, demonstration=demonstration)

                def score_one(each: SectorModel) -> tuple[SectorResult, ...]:
                    return score_model(session, each, order, progress)

            scored = score_sector_models(chosen, score_one)
    _print_scored(scored, as_json)


def _print_scored(scored: Sequence[ScoredModel], as_json: bool) -> None:
    results = [result for each in scored for result in each.results]
    if as_json:
        keys = [str(result.manifest["key"]) for result in results]
        inputs = keys[0] if len(keys) == 1 else combined_hash(keys)
        print_figures("sectors score", inputs, gather_figures(results))
    else:
        for result in results:
            (print_control if "control" in result.manifest else print_result)(result)
    for each in scored:
        if each.gap:
            say(f"GAP {each.name}: {each.gap}")
    if any(each.gap for each in scored):
        raise typer.Exit(1)


def _find_release(named: str, workspace: Path | None) -> Path:
    """The folder named, or that of this version of the instrument."""
    own = is_version(named) and not Path(named).is_dir()
    return find_folder(f"{Instrument.SECTORS}/{named}" if own else named, workspace)


def _count(language: SectorSentences) -> Iterator[Figure]:
    sentences = list(language.build_sentences())
    shown = {one.template for one in sentences if one.shows_gender}
    numbers = {
        "templates": len({one.template for one in sentences} - shown),
        "templates_showing_gender": len(shown),
        "pairs": len({one.pair for one in sentences}),
        "terms": len({one.term for one in sentences}),
        "sentences": len(sentences),
    }
    for name, number in numbers.items():
        yield count_figure(name, number, COUNTS[name], language=language.code)


def _sentence_rows(languages: Sequence[SectorSentences]) -> Iterator[tuple[str, ...]]:
    for language in languages:
        for one in language.build_sentences():
            context = Context.SHOWN if one.shows_gender else Context.OPEN
            row = (
                one.language, one.text, one.gender, one.sector, one.status, one.template, context,
                one.pair, one.kind, one.term,
            )  # fmt: skip
            yield tuple(make_inert(str(cell)) for cell in row)


def _hash(languages: Sequence[SectorSentences]) -> str:
    return combined_hash(one.content_hash for one in languages)
