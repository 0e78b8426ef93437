"""`make demo`: runs every step, prints what it did as a short table, then serves the result."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from annotation.agreement import find_figure
from annotation.assessment import AssessmentSettings, assess_language
from annotation.label_studio.accounts import Login
from annotation.label_studio.server import Administrator, LabelStudioServer, find_free_port
from app.commands.releases import run_build
from app.commands.scoring import run_scores
from app.demo.prompts import ask_prompts_of_demo
from app.demo.script import CURATOR, LANGUAGES, VERSION
from app.demo.sectors import score_sectors_of_demo
from app.demo.steps import (
    INSTRUMENT,
    DemoAccount,
    DemoOutcome,
    approved_languages,
    collect_ratings,
    create_batches,
    decide_and_approve,
    generate_sample,
    texts_of_release,
)
from app.output import describe_figure, print_table, say
from app.score_tables import DEMONSTRATION
from app.scored_models import find_model
from app.serve import LOOPBACK, web_command, web_environment
from app.session import Session, open_session
from corpus.errors import EngineError, WorkspaceError
from corpus.release import open_release
from corpus.stereotypes import load_inventory
from corpus.workspace import Workspace, init_workspace
from engines.likelihood.opening import EngineChoice
from engines.tiny_model import build_tiny_model
from exports.verify import verify_release
from scoring.plan import ScoreRequest
from scoring.protocols import protocol_named
from scoring.results import ScoreResult

ROOT = Path(__file__).resolve().parents[2]
LABEL_STUDIO_ENVIRONMENT = ROOT / ".venv-label-studio"
APP_PORT = 8501
ADMIN = "admin@demo.example"
TERMINATED = 143
"""Exit code of a process ended by SIGTERM, as shells have it."""
OVERALL_MEASURES = ("mean_da", "label_accuracy", "ac1")
PAIR_MEASURES = ("pearson", "kappa")


def run_demo(folder: Path, model: str | None, serve: bool) -> None:
    """Runs the demonstration in a folder; run again, it goes on where it stopped.

    Raises:
        StereoscopeError: if a step cannot be done; what was done before stays.
    """
    if model is not None:
        find_model(EngineChoice(model))
    environment = Path(
        os.environ.get("STEREOSCOPE_LABEL_STUDIO_ENVIRONMENT", LABEL_STUDIO_ENVIRONMENT)
    )
    workspace = init_workspace(folder, "Demonstration")
    # Without this a terminated demonstration would leave its servers running.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    with _alone(workspace.path):
        _run(workspace, environment, model, serve)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Only one demonstration at a time in a folder."""
    with (folder / ".demo.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise WorkspaceError(
                f"A demonstration is running in {folder} already: use it, stop it with Ctrl-C, or "
                "give this one another folder with --workspace."
            ) from error
        yield


def _run(workspace: Workspace, environment: Path, model: str | None, serve: bool) -> None:
    logins = _logins(workspace.path)
    say(f"Demonstration in {workspace.path}. Everything in it is made up.")
    administrator = Administrator(Login(ADMIN, logins["password"]), logins["token"])
    with open_session(workspace.path, CURATOR) as session:
        say("1/6 Generating candidates from the bundled sample …")
        generate_sample(session)
        say("2/6 Starting Label Studio (the first start takes about half a minute) …")
        with LabelStudioServer(
            environment, workspace.path / "label-studio", administrator
        ) as server:
            accounts = _accounts(logins)
            batches = create_batches(session, accounts)
            say("3/6 Demo raters answer in Label Studio …")
            collect_ratings(session, server, accounts, batches)
            say("4/6 Deciding and approving …")
            outcomes = {each.code: decide_and_approve(session, each) for each in LANGUAGES}
            say("5/6 Building and verifying the release …")
            built = run_build(session, VERSION, approved_languages(session), INSTRUMENT)
            problems = verify_release(built.path)
            if problems:
                raise WorkspaceError("The release is not right: " + "; ".join(problems))
            say("6/6 Scoring …")
            result = _score(session, built.path, model)
            _print_summary(session, outcomes, built.rows)
            _print_scores(result)
            score_sectors_of_demo(session)
            ask_prompts_of_demo(session, server, accounts)
            if serve:
                _serve(session, server, accounts)


def _logins(folder: Path) -> dict[str, Any]:
    """The demonstration's own passwords, made once and readable by its owner only."""
    file = folder / "demo-logins.json"
    if not file.exists():
        logins = {
            "password": secrets.token_urlsafe(9),
            "token": secrets.token_hex(20),
            "raters": {
                rater: secrets.token_urlsafe(9) for each in LANGUAGES for rater in each.raters
            },
        }
        draft = file.with_suffix(".tmp")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump(logins, stream)
        draft.replace(file)
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def _accounts(logins: dict[str, Any]) -> dict[str, DemoAccount]:
    return {
        rater: DemoAccount(rater, f"{rater}@demo.example", password)
        for rater, password in logins["raters"].items()
    }


def _score(session: Session, release: Path, model: str | None) -> ScoreResult:
    opened = open_release(release)
    if model is None:
        texts = texts_of_release(list((release / "csv").glob("*.csv")))
        model = str(build_tiny_model(session.workspace.path / "tiny-random-model", texts))
    settings = session.settings
    request = ScoreRequest(
        release=opened,
        languages=opened.languages,
        protocols=(protocol_named("paper"),),
        inventory=load_inventory(),
        seed=settings.seed,
        draws=settings.draws,
        demonstration=True,
    )
    choice = EngineChoice(model, dtype=settings.dtype, device=settings.device)
    [scores] = run_scores(session, [find_model(choice)], request)
    if scores.result is None:
        raise EngineError("\n".join(scores.gaps.values()))
    return scores.result


def _print_summary(
    session: Session, outcomes: Mapping[str, DemoOutcome], rows: Mapping[str, int]
) -> None:
    settings = AssessmentSettings.from_settings(session.settings)
    languages, agreement = [], []
    for language in LANGUAGES:
        code = language.code
        standing = session.standing(INSTRUMENT, code)
        figures = assess_language(standing, settings).figures
        labels = [str(each.generated.label) for each in standing.candidates]
        counts = [labels.count(name) for name in ("neutral", "pair", "discarded")]
        languages.append((code, *counts, outcomes[code].summary, rows.get(code, "–")))
        overall = [find_figure(figures, name) for name in OVERALL_MEASURES]
        of_pair = [find_figure(figures, name, language.raters) for name in PAIR_MEASURES]
        shown = ["–" if each is None else describe_figure(each) for each in (*overall, *of_pair)]
        agreement.append((code, *shown))
    columns = ("language", "neutral", "pair", "discarded", "outcome", "released")
    print_table(f"Demonstration: languages in release {VERSION}", columns, languages)
    print_table(
        "Demonstration: agreement", ("language", *OVERALL_MEASURES, *PAIR_MEASURES), agreement
    )
    for code, outcome in outcomes.items():
        if outcome.refusal:
            say(f"{code}: {outcome.refusal}")


def _print_scores(result: ScoreResult) -> None:
    rows = [
        (dict(figure.scope)["language"], describe_figure(figure), figure.n)
        for figure in result.figures
        if figure.name == "g_s" and dict(figure.scope)["condition"] == "pooled"
    ]
    title = f"g_s of {result.manifest['model']} (protocol paper, pooled)"
    print_table(title, ("language", "g_s [interval]", "n"), rows)
    say(DEMONSTRATION)


def _serve(session: Session, server: LabelStudioServer, accounts: dict[str, DemoAccount]) -> None:
    """Serves app and Label Studio until Ctrl-C, with the log-ins on the screen."""
    port = find_free_port(APP_PORT)
    environment = {
        **os.environ,
        **web_environment(session.workspace.path, CURATOR),
        "STEREOSCOPE_LABEL_STUDIO_URL": server.base_url,
        "STEREOSCOPE_LABEL_STUDIO_TOKEN": server.administrator.token,
    }
    app = subprocess.Popen(web_command(port), env=environment)
    say(f"The app:       http://{LOOPBACK}:{port} (this machine only, no log-in)")
    say(f"Label Studio:  {server.base_url}")
    _say_logins(server, accounts.values())
    say("Stop both with Ctrl-C.")
    try:
        app.wait()
    except KeyboardInterrupt:
        say("Stopping …")
    finally:
        app.terminate()
        app.wait()


def _say_logins(server: LabelStudioServer, accounts: Any) -> None:
    login = server.administrator.login
    say(f"  administrator {login.email}  password {login.password}")
    first: Sequence[DemoAccount] = list(accounts)[:2]
    for each in first:
        say(f"  rater         {each.email}  password {each.password}")
    say("  the other raters' log-ins are in demo-logins.json of the demonstration's folder")
