"""What else commands refuse: settings, servers, models, states and usage, each in one message."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from annotation.label_studio.server import LabelStudioServer
from tests.app.refusals import HEADER, MODEL_NAME, refuse, write
from tests.command_line import run_here, run_process, snapshot_of
from tests.sample_workspaces import translation_options

SETTINGS_FAULTS = {
    "missing": (["--missing", "guess"], "Unknown setting missing = 'guess'; use refuse or skip."),
    "wrapper": (["--wrapper", "box"], "Unknown wrapper form 'box'; use one of paper, code, gest."),
    "strategy": (
        ["--strategy", "guess"],
        "Unknown pairing strategy 'guess'; use one of extended, reference, strict.",
    ),
    "engine": (
        ["--engine", "oracle"],
        "Unknown engine 'oracle'; use one of recorded, google, transformers, chat.",
    ),
    "estimator": (
        ["--estimator", "oracle"],
        "Unknown estimator 'oracle'; use",
    ),
    "threshold": (["--threshold", "nan"], "quality_threshold: Input should be a finite number"),
    "comet": (["--estimator", "comet", "--comet-model", ""], "The estimator comet needs a model"),
}


@pytest.mark.parametrize("kind", SETTINGS_FAULTS)
def test_unknown_setting_of_generate(study_copy: Path, kind: str) -> None:
    options, message = SETTINGS_FAULTS[kind]
    ended = refuse(study_copy, "generate", "-l", "sk", *translation_options("sk"), *options)
    assert message in ended.message


def test_google_without_project(study_copy: Path) -> None:
    ended = refuse(study_copy, "generate", "-l", "sk", "--engine", "google")
    assert ended.message.startswith("Google Cloud Translation needs a project: set it in")


def label_studio_at(url: str, token: str) -> dict[str, str]:
    return {"STEREOSCOPE_LABEL_STUDIO_URL": url, "STEREOSCOPE_LABEL_STUDIO_TOKEN": token}


def create_batch(study_copy: Path) -> str:
    arguments = ["-l", "sk", "--raters", "rater-1,rater-2", "--size", "4", "-w", study_copy]
    return run_here("batch", "create", *arguments).out.strip()


@pytest.fixture
def closed_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize("verb", ["push", "pull"])
def test_unreachable_label_studio(study_copy: Path, closed_port: int, verb: str) -> None:
    batch = create_batch(study_copy)
    url, token = f"http://127.0.0.1:{closed_port}", "5ecre7" * 6
    ended = refuse(study_copy, "batch", verb, batch, env=label_studio_at(url, token))
    assert ended.message == (
        f"Label Studio at {url} does not answer (ConnectError). Check that it runs and that "
        "label_studio_url is right."
    )


def test_label_studio_that_is_not_set(study_copy: Path) -> None:
    ended = refuse(study_copy, "batch", "push", create_batch(study_copy))
    assert ended.message.startswith("No Label Studio is set: give label_studio_url")


@pytest.mark.label_studio
def test_wrong_token(study_copy: Path, label_studio: LabelStudioServer) -> None:
    batch, token = create_batch(study_copy), "5ecre7" * 6
    env = label_studio_at(label_studio.base_url, token)
    for verb in ("push", "pull"):
        ended = refuse(study_copy, "batch", verb, batch, env=env)
        assert ended.message.startswith(
            f"Label Studio at {label_studio.base_url} refuses the token."
        )
        assert token not in ended.text
    examined = run_here("doctor", "-w", study_copy, env=env)
    assert examined.code == 1
    assert "WRONG Label Studio: " in examined.out
    assert token not in examined.text


def test_model_that_is_not_there(study_copy: Path, tmp_path: Path) -> None:
    missing = tmp_path / "no-model"
    assert str(missing) in refuse(study_copy, "score", "--model", missing).message
    assert "check the name or path" in refuse(study_copy, "score", "--model", missing).message
    missing.mkdir()
    assert refuse(study_copy, "score", "--model", missing).message.startswith(
        f"The folder {missing} does not hold a model that can be loaded"
    )
    assert refuse(study_copy, "score", "--model", MODEL_NAME).message.startswith(
        f"The model {MODEL_NAME} was not found locally"
    )


def test_model_is_checked_by_the_doctor(study_copy: Path, tmp_path: Path) -> None:
    ended = run_here("doctor", "--model", tmp_path / "no-model", "-w", study_copy)
    assert ended.code == 1
    assert "WRONG model: The model" in ended.out


PAIR = ("--label=pair", "--masculine=Som tu.", "--feminine=Niekde inde.")
STATE_FAULTS = {
    "not approved": (["release", "build", "0.2.0", "-l", "en,sk"], "sk: no batch was sent"),
    "no number": (["release", "build", "two", "-l", "en"], "'two' is no release version"),
    "lower number": (["release", "build", "0.0.9", "-l", "en"], "lower than the latest release"),
    "other content": (["release", "build", "0.1.0", "-l", "en", "--licence", "MIT"], "0.1.0 is"),
    "unknown release": (
        ["score", "--model", MODEL_NAME, "--release", "9.9.9"],
        "There is no release 9.9.9; there are 0.1.0.",
    ),
    "unknown protocol": (["score", "--model", MODEL_NAME, "--protocols", "guess"], "guess"),
    "no protocol": (["score", "--model", MODEL_NAME, "--protocols", ","], "names no protocol"),
    "not generated": (["candidates", "export", "-l", "tr", "-o", "x.csv"], "has no candidates"),
    "no folder": (["candidates", "export", "-l", "sk", "-o", "no/x.csv"], "cannot be written"),
    "no batch": (["batch", "status", "sk-none"], "There is no batch sk-none; batches: none yet."),
    "no ratings": (["agreement", "-l", "sk"], "Language sk has no batch"),
    "early approval": (["approve", "sk"], "Language sk is generated: one cannot approve."),
    "unknown rater": (["batch", "create", "-l", "sk", "--raters", "zoe"], "Unknown raters: zoe."),
    "no candidate": (["decide", "nobody", "accept", "--reason", "x"], "no candidate nobody"),
    "no reason": (
        ["decide", "eurogest/sk/sample/2", "accept", "--reason", " "],
        "A decision needs a reason.",
    ),
    "seen other content": (
        ["decide", "eurogest/sk/sample/2", "accept", "--reason", "x", "--seen", "0"],
        "was changed meanwhile",
    ),
    "no pair": (
        ["decide", "eurogest/sk/sample/2", "relabel", "--reason=x", *PAIR],
        "These texts are not a minimal pair",
    ),
}


@pytest.mark.parametrize("kind", STATE_FAULTS)
def test_what_does_not_fit_the_state(study_copy: Path, kind: str) -> None:
    arguments, message = STATE_FAULTS[kind]
    assert message in refuse(study_copy, *arguments).message


def test_release_of_another_folder_is_not_verified(tmp_path: Path) -> None:
    ended = run_here("release", "verify", tmp_path)
    assert ended.code == 1
    assert "SHA256SUMS: missing" in ended.message


def test_changed_release_is_not_verified_and_not_scored(study_copy: Path) -> None:
    folder = study_copy / "releases" / "0.1.0"
    [csv] = (folder / "csv").glob("*.csv")
    csv.write_bytes(csv.read_bytes().replace(b"e", b"f", 1))
    ended = run_here("release", "verify", folder)
    assert ended.code == 1
    assert str(csv.relative_to(folder)) in ended.message
    assert str(csv.relative_to(folder)) in refuse(study_copy, "score", "-m", MODEL_NAME).message


def test_no_workspace(tmp_path: Path) -> None:
    ended = run_process("runs", cwd=tmp_path, env={"PYTHONPATH": str(Path.cwd())})
    assert ended.code == 1
    assert ended.message.startswith("No workspace: neither --workspace nor STEREOSCOPE_WORKSPACE")
    assert "stereoscope init FOLDER" in ended.message
    named = run_here("runs", "--workspace", tmp_path)
    assert (named.code, list(tmp_path.iterdir())) == (1, [])
    assert "holds no stereoscope.toml" in named.message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('name = "x"\nseeds = 3\n', "seeds: Extra inputs are not permitted"),
        ('name = "x"\nseed = "many"\n', "seed: Input should be a valid integer"),
        ("name = \n", "is not valid TOML"),
        ('label_studio_token = "5ecre7"\n', "secrets are read from the environment only"),
    ],
)
def test_settings_file(study_copy: Path, content: str, message: str) -> None:
    (study_copy / "stereoscope.toml").write_text(content, encoding="utf-8")
    ended = refuse(study_copy, "runs")
    assert message in ended.message
    assert "5ecre7" not in ended.text


def test_database_that_is_none(study_copy: Path) -> None:
    database = study_copy / "stereoscope.sqlite"
    database.write_bytes(b"This is no database. " * 100)
    ended = run_here("runs", "--workspace", study_copy)
    assert ended.code == 1
    assert ended.message.startswith("The sqlite database (")
    examined = run_here("doctor", "--workspace", study_copy)
    assert examined.code == 1
    assert "WRONG database: The sqlite database (" in examined.out
    assert database.read_bytes().startswith(b"This is no database.")


def test_password_of_an_unreachable_database_is_not_said(
    study_copy: Path, closed_port: int
) -> None:
    url = f"postgresql://somebody:5ecre7@127.0.0.1:{closed_port}/study"
    ended = refuse(study_copy, "runs", env={"STEREOSCOPE_DATABASE_URL": url})
    assert "postgresql database (127.0.0.1) cannot be opened" in ended.message
    assert "5ecre7" not in ended.text
    assert "somebody" not in ended.text


def test_argument_that_is_no_unicode(study_copy: Path) -> None:
    ended = refuse(study_copy, "raters", "add", "rater-\udcff")
    assert ended.message.startswith("command line:3 [argument]: text holds a lone surrogate U+DCFF")


def test_recorded_files_for_another_engine(study_copy: Path) -> None:
    options = ["--engine", "google", *translation_options("sk")]
    assert (
        "belong to the engine recorded" in refuse(study_copy, "generate", "-l", "sk", *options).err
    )


USAGE_FAULTS = [
    ["no-such-command"],
    ["batch", "no-such-verb"],
    ["generate"],
    ["generate", "-l"],
    ["generate", "-l", "sk", "--no-such-option"],
    ["generate", "-l", "sk", "--threshold", "high"],
    ["batch", "create", "-l", "sk", "--raters", "rater-1", "--size", "0"],
    ["decide", "eurogest/sk/sample/2", "guess", "--reason", "x"],
    ["batch", "status", "--instrument", "piano"],
]


@pytest.mark.parametrize("arguments", USAGE_FAULTS, ids=" ".join)
def test_usage_errors_end_with_code_2(study_copy: Path, arguments: list[str]) -> None:
    before = snapshot_of(study_copy)
    ended = run_here(*arguments, env={"STEREOSCOPE_WORKSPACE": str(study_copy)})
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.splitlines()[-1].startswith("Error: ")
    assert "Traceback" not in ended.err
    assert snapshot_of(study_copy) == before


def test_as_a_process_the_message_is_all(study_copy: Path, tmp_path: Path) -> None:
    path = write(tmp_path, "made.csv", HEADER + b",17\n")
    before = snapshot_of(study_copy)
    ended = run_process("source", "add", path, "-w", study_copy)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.splitlines() == [
        f"{path}:2 [sentence]: empty sentence. write it or delete the row.",
        f"{path}:2 [stereotype]: unknown stereotype id '17'. valid ids are 1 to 16.",
    ]
    assert snapshot_of(study_copy) == before
