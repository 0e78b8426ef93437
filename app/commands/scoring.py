"""`score` and `scores`: language models on a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.adapters import open_likelihood_engine
from app.options import (
    ActorOption,
    JsonOption,
    WorkspaceOption,
    choose_languages,
    split_list,
)
from app.output import describe_figure, print_figures, print_table, say
from app.progress import watched_run
from app.session import Session, open_session
from corpus.errors import SettingsError, StateError
from corpus.languages import Edition
from corpus.release import Release, open_release
from corpus.stereotypes import load_inventory
from engines.likelihood.loading import check_causal_model
from engines.likelihood.protocol import Bos
from scoring.protocols import POOLED, PROTOCOLS, protocol_named
from scoring.scores import ScoreRequest, ScoreResult, score_release

DEMONSTRATION = "A demonstration, not a finding: the model or the data are made up."


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line."""
    cli.command("score")(score)


def score(
    model: Annotated[str, typer.Option("--model", "-m", help="Name or path of a causal model.")],
    release: Annotated[
        str | None, typer.Option("--release", "-r", help="Version or folder; else the latest.")
    ] = None,
    languages: Annotated[
        str | None, typer.Option("--languages", "-l", help="Language codes with commas; else all.")
    ] = None,
    protocols: Annotated[
        str, typer.Option("--protocols", help=f"Protocols with commas: {', '.join(PROTOCOLS)}.")
    ] = "paper",
    templates: Annotated[
        Edition, typer.Option("--templates", help="Wording of the templates.")
    ] = Edition.CHOSEN,
    items_of: Annotated[
        str | None,
        typer.Option(
            "--items-of", help="Score only what this older release holds, as it is there."
        ),
    ] = None,
    device: Annotated[str | None, typer.Option("--device", help="auto, cpu, cuda or mps.")] = None,
    dtype: Annotated[
        str | None, typer.Option("--dtype", help="float32, bfloat16 or float16.")
    ] = None,
    bos: Annotated[
        Bos, typer.Option("--bos", help="Which texts begin with a begin-of-sequence token.")
    ] = Bos.TOKENIZER,
    demonstration: Annotated[
        bool, typer.Option("--demonstration", help="Mark the figures as no finding.")
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Score a language model on a release; finished languages are not scored again."""
    overrides = {"device": device, "dtype": dtype}
    with open_session(workspace, actor, overrides) as session:
        found = find_release(session, release)
        settings = session.settings
        chosen = tuple(protocol_named(name) for name in split_list(protocols))
        if not chosen:
            raise SettingsError("--protocols names no protocol; write e.g. paper,reference.")
        codes = found.languages
        if languages is not None:
            codes = tuple(each.code for each in choose_languages(languages))
        request = ScoreRequest(
            release=found,
            languages=codes,
            protocols=chosen,
            inventory=load_inventory(),
            seed=settings.seed,
            draws=settings.draws,
            edition=templates,
            items_of=find_release(session, items_of) if items_of else None,
            demonstration=demonstration,
        )
        check_causal_model(model)
        result = run_score(session, model, request, bos)
    if as_json:
        print_figures("score", found.sums_sha256, result.figures)
    else:
        print_scores(result)


def run_score(
    session: Session, model: str, request: ScoreRequest, bos: Bos = Bos.TOKENIZER
) -> ScoreResult:
    """Loads the model and scores it with progress shown."""
    settings = session.settings
    engine = open_likelihood_engine(model, settings.device, settings.dtype, bos)
    with watched_run(session.store, "score") as progress:
        return score_release(
            engine, request, session.workspace.results, progress.plan, progress.advance
        )


def print_scores(result: ScoreResult) -> None:
    """g_s by language, protocol and condition; the rest is in the result's folder."""
    rows = []
    for figure in result.figures:
        scope = dict(figure.scope)
        if figure.name == "g_s":
            rows.append(
                (
                    scope["language"],
                    scope["protocol"],
                    scope["condition"],
                    describe_figure(figure),
                    figure.n,
                )
            )
    title = f"g_s of {result.manifest['model']} on release {result.manifest['release']}"
    print_table(title, ("language", "protocol", "condition", "g_s [interval]", "n"), rows)
    for code, eyes in result.manifest["human_eyes"].items():
        say(f"{code}: {eyes}.")
    for code, number in result.manifest["items_missing"].items():
        say(f"{code}: {number} items of the older release were changed or removed since.")
    if result.manifest["unvalidated"]:
        say(f"NOT VALIDATED: nobody approved {', '.join(result.manifest['unvalidated'])}.")
    if result.manifest["demonstration"]:
        say(DEMONSTRATION)
    say(f"1 is the line of no stereotype; `{POOLED}` takes each sentence once. {result.folder}")


def find_release(session: Session, named: str | None) -> Release:
    """The release of that version or folder, or the latest one built.

    Raises:
        StateError: if there is none.
        ReleaseError: if its files are not what they claim to be.
    """
    if named is not None and Path(named).is_dir():
        return open_release(Path(named))
    with session.store.reading() as state:
        built = [each.version for each in state.releases()]
    if not built:
        raise StateError("There is no release yet; build one with `stereoscope release build`.")
    version = named or built[-1]
    if version not in built:
        raise StateError(f"There is no release {version}; there are {', '.join(built)}.")
    return open_release(session.workspace.releases / version)
