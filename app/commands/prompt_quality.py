"""`prompts quality`: whether augmented prompts keep their meaning, vary, and read like people's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from app.commands.prompt_augmentation import DatasetOption
from app.commands.prompts import prompts
from app.options import ActorOption, JsonOption, WorkspaceOption, split_list
from app.output import figures_document, print_json, print_table, say
from app.picture_formats import FORMATS, choose_formats
from app.prompt_augmentation import find_dataset
from app.session import Session, open_session
from corpus.drafts import replacing
from corpus.errors import StateError
from corpus.hashing import combined_hash
from corpus.prompt_languages import prompt_languages
from corpus.records import Instrument
from engines.embeddings import SentenceEmbedder, open_embedder
from pipeline.prompt_quality import Resampling, compute_quality
from pipeline.prompt_texts import TextGroup, load_text_groups

DOCUMENT = "augmentation_quality.json"


def register(cli: typer.Typer) -> None:
    """Adds this command to the command line; it is a verb of `prompts`."""


@prompts.command("quality")
def show_quality(
    languages: Annotated[
        str | None,
        typer.Option("--languages", "-l", help="Language codes with commas; else all there are."),
    ] = None,
    embedding_model: Annotated[
        str | None,
        typer.Option(
            "--embedding-model",
            help="Name or folder of a sentence-transformers model; else meaning is left out.",
        ),
    ] = None,
    embedding_languages: Annotated[
        str | None,
        typer.Option(
            "--embedding-languages", help="Codes of what it knows; else as its card declares."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for the picture and the JSON document."),
    ] = None,
    formats: Annotated[
        str, typer.Option("--format", help=f"Of the picture, with commas: {', '.join(FORMATS)}.")
    ] = "svg",
    dataset: DatasetOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Say how well augmentation did: meaning kept, variation, closeness to human translations.

    T2P and P2T stand beside one another, and their difference on the templates that both have.
    """
    # Loading what draws takes a second, which no other command should cost.
    from app.prompt_quality import COLUMNS, build_picture, build_rows, describe_groups
    from app.score_files import write_figures

    wanted = choose_formats(formats)
    overrides = {
        "embedding_model": embedding_model,
        "embedding_languages": embedding_languages,
    }
    with open_session(workspace, actor, overrides) as session:
        groups = _load_groups(session, dataset, languages)
        figures = compute_quality(groups, _open_embedder(session), _resampling(session))
    texts = [text for each in groups for one in each.templates for text in one.paraphrases]
    document = figures_document("prompts quality", combined_hash(texts), figures)
    document["statements"] = describe_groups(groups)
    if as_json:
        print_json(document)
    else:
        print_table("Quality of augmented prompts", COLUMNS, build_rows(figures))
        for line in describe_groups(groups):
            say(line)
    if output is not None:
        written = [*write_figures([build_picture(groups, figures)], output, wanted)]
        with replacing(output / DOCUMENT) as stream:
            stream.write(json.dumps(document, ensure_ascii=False, indent=2).encode("utf-8"))
        for path in (*written, output / DOCUMENT):
            say(f"Written: {path}")


def _load_groups(session: Session, dataset: str | None, languages: str | None) -> list[TextGroup]:
    name = find_dataset(session.store, dataset)
    with session.store.reading() as state:
        codes = state.languages(Instrument.MLA_BITE)
        if languages is not None:
            codes = [each.code for each in prompt_languages(split_list(languages), "--languages")]
        groups = load_text_groups(state, name, codes)
    if not groups:
        raise StateError(
            f"No prompt of {name} was paraphrased in {', '.join(codes)} yet; run "
            "`stereoscope prompts augment`."
        )
    return groups


def _open_embedder(session: Session) -> SentenceEmbedder | None:
    settings = session.settings
    if not settings.embedding_model:
        return None
    codes = split_list(settings.embedding_languages)
    known = frozenset(each.code for each in prompt_languages(codes, "embedding_languages"))
    embedder = open_embedder(settings.embedding_model, settings.device, known if codes else None)
    if not embedder.languages:
        say(
            f"The card of {embedder.model} declares no language, so there is no figure of meaning; "
            "say what it knows with --embedding-languages."
        )
    return embedder


def _resampling(session: Session) -> Resampling:
    return Resampling(session.settings.draws, session.settings.seed)
