"""`translations`: bring in what was translated elsewhere, and hand out what is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.options import ActorOption, WorkspaceOption
from app.output import print_table, say
from app.session import open_session
from app.translation_files import load_imports, write_translations
from corpus.languages import languages as find_languages
from corpus.records import AuditEntry, Origin

translations = typer.Typer(help="Stored translations.", no_args_is_help=True)


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line."""
    cli.add_typer(translations, name="translations")


@translations.command("import")
def import_translations(
    files: Annotated[
        list[Path],
        typer.Argument(help="CSV with columns source, translation, maybe language; or TMX."),
    ],
    engine: Annotated[
        str | None,
        typer.Option("--engine", help="What translated them; may stand in the files instead."),
    ] = None,
    model: Annotated[str | None, typer.Option("--model", help="Its model.")] = None,
    version: Annotated[str | None, typer.Option("--version", help="Its version.")] = None,
    language: Annotated[
        str | None, typer.Option("--language", "-l", help="Language of all rows; else the files'.")
    ] = None,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Add translations made elsewhere; `generate` with that engine then does not send them."""
    if language is not None:
        find_languages([language], "--language")
    given = {"engine": engine, "model": model, "version": version}
    with open_session(workspace, actor) as session:
        with session.store.reading() as state:
            found = load_imports(state, files, given, language)
        with session.store.writing(Origin.IMPORT) as writer:
            added = writer.append_new(found)
            if added:
                after = {"translations": len(added), "files": [path.name for path in files]}
                writer.append_audit(
                    AuditEntry(session.actor, "translations import", added[0].engine, after=after)
                )
    say(f"{len(added)} translations added, {len(found) - len(added)} were there already.")


@translations.command("export")
def export_translations(
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write, .csv or .tmx.")],
    language: Annotated[
        str | None, typer.Option("--language", "-l", help="Only this language.")
    ] = None,
    engine: Annotated[str | None, typer.Option("--engine", help="Only this engine's.")] = None,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Write stored translations, exact texts and what made them, so that they can be imported."""
    if language is not None:
        find_languages([language], "--language")
    with open_session(workspace, actor) as session, session.store.reading() as state:
        stored = state.all_translations(language)
    chosen = [each for each in stored if engine is None or each.engine == engine]
    write_translations(chosen, out)
    say(f"{len(chosen)} translations written to {out}.")


@translations.command("list")
def list_translations(workspace: WorkspaceOption = None, actor: ActorOption = None) -> None:
    """Count the stored translations by language and engine."""
    with open_session(workspace, actor) as session, session.store.reading() as state:
        stored = state.all_translations()
    counts: dict[tuple[str, str, str, str], tuple[int, int]] = {}
    for each in stored:
        key = (each.language, each.engine, each.model, each.version)
        number, billed = counts.get(key, (0, 0))
        counts[key] = (number + 1, billed + each.characters_billed)
    columns = ("language", "engine", "model", "version", "translations", "characters billed")
    print_table("Translations", columns, [(*key, *sums) for key, sums in sorted(counts.items())])
