"""`score`: language models on a release."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from app.options import (
    ActorOption,
    DemonstrationOption,
    DeviceOption,
    DtypeOption,
    JsonOption,
    ModelsOption,
    RevisionOption,
    WorkspaceOption,
    choose_languages,
    split_list,
)
from app.output import print_figures
from app.progress import watched_run
from app.score_tables import print_scores, say_gaps
from app.scored_models import find_model, find_models
from app.session import Session, open_session
from corpus.errors import SettingsError, StateError
from corpus.languages import Edition
from corpus.records import Instrument
from corpus.release import Release, open_release
from corpus.settings import Settings
from corpus.stereotypes import load_inventory
from engines.likelihood.opening import AUTO, CHOICES, DEVICE_MAPS, EngineChoice
from engines.likelihood.protocol import Bos
from scoring.plan import ScoreRequest
from scoring.protocols import PROTOCOLS, protocol_named
from scoring.runners import LocalRunner
from scoring.scores import ModelScores, ModelToScore, score_models
from scoring.slurm import SlurmOptions, SlurmRunner, check_slurm
from scoring.tasks import Runner

WORKERS = 2


class RunnerName(StrEnum):
    """Where shards are scored."""

    INLINE = "inline"
    """In the command's own process."""
    LOCAL = "local"
    """In several processes of this machine."""
    SLURM = "slurm"
    """As a job array of a SLURM cluster."""


def register(cli: typer.Typer) -> None:
    """Adds these commands to the command line."""
    cli.command("score")(score)


def score(
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="Name or path of a language model.")
    ] = None,
    models: ModelsOption = None,
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
    revision: RevisionOption = None,
    device: DeviceOption = None,
    device_map: Annotated[
        str | None,
        typer.Option(
            "--device-map", help=f"{', '.join(DEVICE_MAPS)}: one model over several cards."
        ),
    ] = None,
    dtype: DtypeOption = None,
    bos: Annotated[
        Bos, typer.Option("--bos", help="Which texts begin with a begin-of-sequence token.")
    ] = Bos.TOKENIZER,
    likelihood: Annotated[
        str,
        typer.Option(
            "--likelihood", help=f"{', '.join(CHOICES)}; auto is what the model is made for."
        ),
    ] = AUTO,
    runner: Annotated[
        RunnerName, typer.Option("--runner", help="Where shards are scored.")
    ] = RunnerName.INLINE,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, help=f"Processes of --runner local; else {WORKERS}."),
    ] = None,
    partition: Annotated[
        str | None, typer.Option("--partition", help="Partition of --runner slurm.")
    ] = None,
    gpus_per_task: Annotated[
        int | None, typer.Option("--gpus-per-task", help="Cards of each shard's SLURM job.")
    ] = None,
    minutes: Annotated[
        int | None, typer.Option("--minutes", help="Time limit of each shard's SLURM job.")
    ] = None,
    demonstration: DemonstrationOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
    actor: ActorOption = None,
) -> None:
    """Score language models on a release; finished languages are not scored again."""
    overrides = {
        "device": device,
        "dtype": dtype,
        "slurm_partition": partition,
        "slurm_gpus_per_task": gpus_per_task,
        "slurm_minutes": minutes,
    }
    with open_session(workspace, actor, overrides) as session:
        settings = session.settings
        found = find_release(session, release)
        codes = found.languages
        if languages is not None:
            codes = tuple(each.code for each in choose_languages(languages))
        chosen = tuple(protocol_named(name) for name in split_list(protocols))
        if not chosen:
            raise SettingsError("--protocols names no protocol; write e.g. paper,reference.")
        request = ScoreRequest(
            release=found,
            languages=codes,
            protocols=chosen,
            inventory=found.inventory or load_inventory(),
            seed=settings.seed,
            draws=settings.draws,
            edition=templates,
            items_of=find_release(session, items_of) if items_of else None,
            demonstration=demonstration,
        )
        place = choose_runner(session, runner, workers)
        choice = EngineChoice(
            model=model or "",
            revision=revision,
            dtype=settings.dtype,
            device=settings.device,
            device_map=device_map,
            bos=bos,
            likelihood=likelihood,
        )
        scored = run_scores(session, _find(choice, models), request, place)
    _print(scored, request, as_json)


def run_scores(
    session: Session,
    models: Sequence[ModelToScore],
    request: ScoreRequest,
    runner: Runner | None = None,
) -> tuple[ModelScores, ...]:
    """Scores the models with progress shown."""
    with watched_run(session.store, "score") as progress:
        return score_models(
            models, request, session.workspace.results, runner, progress.plan, progress.advance
        )


def choose_runner(session: Session, name: RunnerName, workers: int | None) -> Runner | None:
    """The runner of that name; None is this process.

    Raises:
        SettingsError: if workers are given that this runner has none of.
        EngineError: if there is no SLURM on this machine.
    """
    if workers is not None and name is not RunnerName.LOCAL:
        raise SettingsError("--workers belongs to --runner local; leave it out or name that one.")
    if name is RunnerName.LOCAL:
        return LocalRunner(workers or WORKERS)
    if name is RunnerName.SLURM:
        check_slurm()
        folder = session.workspace.results.resolve() / "slurm"
        return SlurmRunner(folder, read_slurm_options(session.settings))
    return None


def read_slurm_options(settings: Settings) -> SlurmOptions:
    """What the settings ask SLURM for."""
    return SlurmOptions(
        partition=settings.slurm_partition or None,
        account=settings.slurm_account or None,
        gpus_per_task=settings.slurm_gpus_per_task,
        cpus_per_task=settings.slurm_cpus_per_task,
        memory_gb=settings.slurm_memory_gb,
        minutes=settings.slurm_minutes,
        jobs_at_once=settings.slurm_jobs_at_once,
    )


def find_release(session: Session, named: str | None) -> Release:
    """The release of that version or folder, or the latest one built.

    Raises:
        StateError: if there is none.
        ReleaseError: if its files are not what they claim to be.
    """
    if named is not None and Path(named).is_dir():
        return open_release(Path(named))
    with session.store.reading() as state:
        built = [each.version for each in state.releases(Instrument.EUROGEST)]
    if not built:
        raise StateError("There is no release yet; build one with `stereoscope release build`.")
    version = named or built[-1]
    if version not in built:
        raise StateError(f"There is no release {version}; there are {', '.join(built)}.")
    return open_release(session.workspace.releases / version)


def _find(choice: EngineChoice, models: Path | None) -> tuple[ModelToScore, ...]:
    if (models is None) == (not choice.model):
        raise SettingsError("Name one model with --model, or a file of several with --models.")
    return (find_model(choice),) if models is None else find_models(models, choice)


def _print(scored: Sequence[ModelScores], request: ScoreRequest, as_json: bool) -> None:
    results = [each.result for each in scored if each.result]
    if as_json:
        figures = [figure for result in results for figure in result.figures]
        print_figures("score", request.release.sums_sha256, figures)
    else:
        for result in results:
            print_scores(result)
    for each in scored:
        say_gaps(each)
    if any(each.gaps for each in scored):
        raise typer.Exit(1)
