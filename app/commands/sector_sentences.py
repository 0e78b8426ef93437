"""`sectors import` and `sectors generate`: sector sentences to be judged by people."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated, cast

import typer

from app.adapters import open_translation_engine
from app.commands.sectors import DataOption, LanguagesOption, sectors
from app.options import (
    ActorOption,
    DryRunOption,
    EngineModelOption,
    EngineOption,
    LanguageOption,
    MissingOption,
    TranslationsOption,
    WorkspaceOption,
    split_list,
)
from app.output import print_table, say
from app.progress import watched_run
from app.session import open_session
from corpus.errors import SettingsError
from corpus.languages import languages as find_languages
from corpus.sector_files import load_sector_languages
from corpus.sectors import UNREVIEWED
from corpus.standing import SOURCE_LANGUAGE
from engines.recorded import Missing
from pipeline.sector_candidates import DATASET, import_sectors
from pipeline.sector_drafts import SectorDraft, build_draft, list_texts, write_draft
from pipeline.spending import SpendingLimit
from pipeline.stored_translations import find_missing, translate_stored


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


@sectors.command("generate")
def generate_draft(
    language: LanguageOption,
    to: Annotated[
        Path, typer.Option("--to", help="Folder for the draft and the files of the others.")
    ],
    data: DataOption = None,
    translations: TranslationsOption = None,
    missing: MissingOption = "refuse",
    engine: EngineOption = None,
    model: EngineModelOption = None,
    dry_run: DryRunOption = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Draft another language's sentences with a translation engine, to be corrected by people."""
    [wanted] = find_languages([language], "--language")
    files = load_sector_languages((), data)
    if wanted.code in {one.code for one in files}:
        raise SettingsError(f"There is a file for {wanted.code} already; correct that one.")
    target = to / f"{wanted.code}.toml"
    if target.exists():
        raise SettingsError(
            f"{target} is there already, maybe corrected by hand; name another folder with --to."
        )
    (english,) = (one for one in files if one.code == SOURCE_LANGUAGE)
    texts = list_texts(english)
    overrides = {"engine": engine, "translation_model": model}
    with open_session(workspace, actor, overrides) as session:
        settings = session.settings
        opened = open_translation_engine(
            settings, translations or [], cast("Missing", missing), [wanted.code]
        )
        if dry_run:
            _, requests = find_missing(session.store, opened, wanted.code, texts)
            cost = opened.estimate_cost(requests)
            say(
                f"Dry run: {len(requests)} of {len(texts)} texts with {cost.characters} "
                f"characters billed would be sent. {cost.basis}. Nothing was sent."
            )
            return
        limit = SpendingLimit(settings.spend_limit_characters, settings.spend_limit_usd)
        with watched_run(session.store, "sectors generate") as progress:
            answers, reasons = translate_stored(
                session.store, opened, wanted.code, texts, progress, limit
            )
    source = f"translated by {opened.name} {opened.model}, nobody's reading yet"
    draft = build_draft(english, wanted, source, answers, reasons)
    _write_set(to, data, target, write_draft(draft, english))
    _print_draft(draft, target)


def _write_set(to: Path, data: Path | None, target: Path, text: str) -> None:
    """The draft beside the files of the other languages, which are compared in the same things."""
    to.mkdir(parents=True, exist_ok=True)
    place = data or resources.files("corpus") / "sectors"
    for file in place.iterdir():
        copy = to / file.name
        if file.name.endswith(".toml") and not copy.exists():
            copy.write_bytes(file.read_bytes())
    target.write_text(text, encoding="utf-8")


def _print_draft(draft: SectorDraft, target: Path) -> None:
    code = draft.language.code
    rows = [
        ("templates", len(draft.templates), _count_failed(draft, "templates")),
        ("pairs", len(draft.pairs), _count_failed(draft, "pairs")),
        ("terms", len(draft.terms), _count_failed(draft, "sectors")),
    ]
    title = f"Draft of {draft.language.name}: {target}"
    print_table(title, ("part", "in the draft", "failed"), rows)
    for failed in draft.failed:
        say(f"Failed: {failed}.")
    say(
        f"{code}: {UNREVIEWED}; {draft.source}. No engine says whether another word shows the "
        "gender or what a term's form agrees with: correct the file by docs/rules/sectors.md"
        + (", complete what failed" if draft.failed else "")
        + f", then `stereoscope sectors import --data {target.parent} -l {code}`."
    )


def _count_failed(draft: SectorDraft, part: str) -> int:
    return sum(one.part.startswith(part) for one in draft.failed)
