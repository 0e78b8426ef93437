"""`sectors import`: sector sentences into the workspace, to be judged by people."""

from __future__ import annotations

from typing import Annotated

import typer

from app.commands.sectors import DataOption, LanguagesOption, sectors
from app.options import ActorOption, WorkspaceOption, split_list
from app.output import print_table, say
from app.progress import watched_run
from app.session import open_session
from corpus.sector_files import load_sector_languages
from corpus.standing import SOURCE_LANGUAGE
from pipeline.sector_candidates import DATASET, import_sectors


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line; they are verbs of `sectors`."""


@sectors.command("import")
def import_sentences(
    languages: LanguagesOption = None,
    data: DataOption = None,
    dataset: Annotated[
        str, typer.Option("--dataset", help="Name of the sources; another one for another English.")
    ] = DATASET,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Add sector sentences as candidates to be rated; what is there already stays."""
    codes = split_list(languages or "")
    (english,) = load_sector_languages([SOURCE_LANGUAGE], data)
    found = load_sector_languages(codes, data)
    with (
        open_session(workspace, actor) as session,
        watched_run(session.store, "sectors import") as progress,
    ):
        reports = import_sectors(session.store, found, english, progress, session.actor, dataset)
    columns = ("language", "candidates", "new or changed", "context shows the gender")
    rows = [(one.language, one.candidates, one.changed, one.shows_gender) for one in reports]
    print_table(f"Sector sentences: {dataset}", columns, rows)
    for language, report in zip(found, reports, strict=True):
        draft = "; a draft that an engine translated" if language.is_draft else ""
        say(f"{language.code}: {language.status}{draft}; {language.source}.")
        if report.left_over:
            say(
                f"{language.code}: {report.left_over} candidates of an earlier file are no longer "
                "in it; reject them before the language is approved."
            )
    say(
        "Next: `stereoscope batch create --instrument sectors -l CODE` has people rate a sample of "
        "them; approve and release as other texts; score what was approved with `--release`."
    )
