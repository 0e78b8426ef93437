"""Bad input at the command line: one clear message, exit code 1, nothing written, no traceback."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path

import pytest

from annotation.label_studio.server import LabelStudioServer
from corpus.samples import translation_paths
from tests.command_line import Outcome, run_here, run_process, snapshot_of
from tests.sample_workspaces import make_sample_workspace, translation_options

HEADER = b"sentence,stereotype\n"
MODEL_NAME = "nobody/no-such-model"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_sample_workspace(tmp_path_factory.mktemp("prepared") / "study")


@pytest.fixture
def workspace(prepared: Path, tmp_path: Path) -> Path:
    """A copy of the sample's workspace."""
    return shutil.copytree(prepared, tmp_path / "study")


def refuse(workspace: Path, *arguments: str | Path, env: dict[str, str] | None = None) -> Outcome:
    """Runs a command that must be refused and must change nothing."""
    before = snapshot_of(workspace)
    ended = run_here(*arguments, "--workspace", workspace, env=env)
    assert ended.code == 1, ended.text
    assert ended.out == ""
    assert "Traceback" not in ended.err
    assert snapshot_of(workspace) == before
    return ended


def write(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


# What is wrong in a file of sources, and what the message says of it: row, field and problem.
SOURCE_FAULTS = {
    "wrong columns": (
        b"text,stereotype\nI cook.,1\n",
        [":1: missing column 'sentence'; unknown column 'text'; found 'text', 'stereotype'."],
    ),
    "unknown stereotype id": (
        HEADER + b"I cook.,1\nI sing.,17\nI read.,\nI run.,-1\n",
        [
            ":3 [stereotype]: unknown stereotype id '17'. valid ids are 1 to 16.",
            ":4 [stereotype]: unknown stereotype id ''.",
            ":5 [stereotype]: unknown stereotype id '-1'.",
        ],
    ),
    "empty sentence": (
        HEADER + b"I cook.,1\n,2\n   ,3\n",
        [":3 [sentence]: empty sentence.", ":4 [sentence]: empty sentence."],
    ),
    "invalid UTF-8": (
        HEADER + b"I cook.,1\nI caf\xe9.,2\nI na\xefve.,2\n",
        [
            ":3: invalid UTF-8 at byte 35 (0xE9). save the file as UTF-8.",
            ":4: invalid UTF-8 at byte 44 (0xEF).",
        ],
    ),
    "lone surrogate": (
        HEADER + b"I cook.,1\nI \xed\xa0\x80 run.,2\n",
        [":3: invalid UTF-8 at byte 32 (0xED), a lone surrogate."],
    ),
    "NUL character": (
        HEADER + b"I \x00cook.,1\n",
        [":2 [sentence]: text holds a NUL character. remove the character."],
    ),
    "repeated id": (
        b"id,sentence,stereotype\na,I cook.,1\nb,I sing.,1\na,I read.,2\n",
        [":4 [id]: id 'a' is already that of row 2. give every row an id of its own."],
    ),
    "several faults at once": (
        b"id,sentence,stereotype\na,,1\nb,I sing.,99\na,I read.,2\n,I run.,3,4\nc,\xff,5\n",
        [
            ":2 [sentence]: empty sentence.",
            ":3 [stereotype]: unknown stereotype id '99'.",
            ":4 [id]: id 'a' is already that of row 2.",
            ":5: 4 cells where the header has 3.",
            ":6: invalid UTF-8",
        ],
    ),
    "no row": (HEADER, [": no sentence under the header."]),
    "empty file": (b"", [": the file is empty. the first line must name the columns"]),
}


@pytest.mark.parametrize("kind", SOURCE_FAULTS)
def test_source_file(workspace: Path, tmp_path: Path, kind: str) -> None:
    content, messages = SOURCE_FAULTS[kind]
    path = write(tmp_path, "made.csv", content)
    ended = refuse(workspace, "source", "add", path)
    faults = ended.err.strip().splitlines()
    assert len(faults) == len(messages), "one line for each fault, and nothing else"
    for fault, message in zip(faults, messages, strict=True):
        assert fault.startswith(f"{path}{message}")


def test_source_file_that_is_not_there(workspace: Path, tmp_path: Path) -> None:
    path = tmp_path / "missing.csv"
    assert refuse(workspace, "source", "add", path).message == (
        f"{path}: the file does not exist. check the path."
    )


def test_changed_source_under_a_known_key(workspace: Path, tmp_path: Path) -> None:
    path = write(tmp_path, "sample.csv", HEADER + b"I am somebody else.,1\n")
    assert "Source sample/2 is already there with another text" in (
        refuse(workspace, "source", "add", path).message
    )


def test_repeated_sentence_is_a_warning(workspace: Path, tmp_path: Path) -> None:
    path = write(tmp_path, "made.csv", HEADER + b"I cook.,1\nI sing.,2\nI cook.,1\n")
    ended = run_here("source", "add", path, "-w", workspace)
    assert ended.code == 0
    assert ended.message == (
        f"Warning: {path}:2 [sentence]: the same sentence in rows 2, 4: 'I cook.'. all rows are "
        "kept and it is translated once. 3 sentences added as made, 0 were there already."
    )


def test_translation_file_without_needed_rows(workspace: Path, tmp_path: Path) -> None:
    lines = translation_paths()["sk"].read_bytes().splitlines(keepends=True)
    path = write(tmp_path, "cut_sk.csv", b"".join(lines[:2] + lines[4:]))
    ended = refuse(workspace, "generate", "-l", "sv,sk", "-t", path, *translation_options("sv"))
    first, *faults = ended.err.strip().splitlines()
    assert first == "2 of the texts to translate have no recorded translation:"
    for fault, person in zip(faults, ("man", "woman"), strict=True):
        assert fault.startswith(f"{path} [source]: no row with source 'The {person} said, \"I cry")
        assert "row 2" in fault
        assert "--missing skip" in fault


TRANSLATION_FAULTS = {
    "wrong columns": (b"english,slovak\na,b\n", [":1: missing column 'source', 'translation'"]),
    "empty cell": (b"source,translation\nI cook.,\n", [":2 [translation]: empty."]),
    "two answers": (
        b"source,translation\nI cook.,Var\xc3\xadm.\nI cook.,Pe\xc4\x8diem.\n",
        [":3 [translation]: another translation of 'I cook.' is in "],
    ),
    "invalid UTF-8 and empty cell": (
        b"source,translation\nI cook.,Var\xedm.\n,x\n",
        [":2: invalid UTF-8 at byte 30", ":3 [source]: empty."],
    ),
}


@pytest.mark.parametrize("kind", TRANSLATION_FAULTS)
def test_translation_file(workspace: Path, tmp_path: Path, kind: str) -> None:
    content, messages = TRANSLATION_FAULTS[kind]
    path = write(tmp_path, "made_sk.csv", content)
    faults = refuse(workspace, "generate", "-l", "sk", "-t", path).err.strip().splitlines()
    assert len(faults) == len(messages)
    for fault, message in zip(faults, messages, strict=True):
        assert fault.startswith(f"{path}{message}")


@pytest.mark.parametrize(("name", "code"), [("made_xx.csv", "xx"), ("made.csv", None)])
def test_language_of_a_translation_file(
    workspace: Path, tmp_path: Path, name: str, code: str | None
) -> None:
    path = write(tmp_path, name, b"source,translation\na,b\n")
    message = refuse(workspace, "generate", "-l", "sk", "-t", path).message
    named = f" [{code}]: unknown language code" if code else ": the file's name does not end in a"
    assert message.startswith(f"{path}{named}")


LANGUAGE_COMMANDS = {
    "generate": (["generate", "-l", "en,xx,Slovak", *translation_options("sk")], "--languages"),
    "batch create": (["batch", "create", "-l", "xx", "--raters", "rater-1"], "--language"),
    "agreement": (["agreement", "-l", "xx"], "--language"),
    "approve": (["approve", "xx"], "language"),
    "candidates export": (["candidates", "export", "-l", "xx", "-o", "out.csv"], "--language"),
    "release build": (["release", "build", "0.2.0", "-l", "en,xx"], "--languages"),
    "score": (["score", "--model", MODEL_NAME, "-l", "xx"], "--languages"),
}


@pytest.mark.parametrize("command", LANGUAGE_COMMANDS)
def test_unknown_language(workspace: Path, command: str) -> None:
    arguments, option = LANGUAGE_COMMANDS[command]
    ended = refuse(workspace, *arguments)
    first, *others = ended.err.strip().splitlines()
    assert first.startswith(f"{option} [xx]: unknown language code. use one of bg, ca, cs,")
    assert others == (
        [f"{option} [Slovak]: unknown language code. use sk."] if command == "generate" else []
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["generate", "-l", ",", *translation_options("sk")],
        ["release", "build", "0.2.0", "-l", " , "],
        ["score", "--model", MODEL_NAME, "-l", ","],
    ],
    ids=["generate", "release build", "score"],
)
def test_no_language_at_all(workspace: Path, arguments: list[str | Path]) -> None:
    assert "--languages names no language" in refuse(workspace, *arguments).message


SETTINGS_FAULTS = {
    "missing": (["--missing", "guess"], "Unknown setting missing = 'guess'; use refuse or skip."),
    "wrapper": (["--wrapper", "box"], "Unknown wrapper form 'box'; use one of paper, code, gest."),
    "strategy": (
        ["--strategy", "guess"],
        "Unknown pairing strategy 'guess'; use one of reference, strict.",
    ),
    "engine": (["--engine", "oracle"], "Unknown engine 'oracle'; use recorded or google."),
    "estimator": (["--estimator", "oracle"], "Unknown estimator 'oracle'; use none or comet."),
    "threshold": (["--threshold", "nan"], "quality_threshold: Input should be a finite number"),
    "comet": (["--estimator", "comet"], "The estimator comet needs a model"),
}


@pytest.mark.parametrize("kind", SETTINGS_FAULTS)
def test_unknown_setting_of_generate(workspace: Path, kind: str) -> None:
    options, message = SETTINGS_FAULTS[kind]
    ended = refuse(workspace, "generate", "-l", "sk", *translation_options("sk"), *options)
    assert message in ended.message


def test_google_without_project(workspace: Path) -> None:
    ended = refuse(workspace, "generate", "-l", "sk", "--engine", "google")
    assert ended.message.startswith("Google Cloud Translation needs a project: set it in")


def label_studio_at(url: str, token: str) -> dict[str, str]:
    return {"STEREOSCOPE_LABEL_STUDIO_URL": url, "STEREOSCOPE_LABEL_STUDIO_TOKEN": token}


def create_batch(workspace: Path) -> str:
    arguments = ["-l", "sk", "--raters", "rater-1,rater-2", "--size", "4", "-w", workspace]
    return run_here("batch", "create", *arguments).out.strip()


@pytest.fixture
def closed_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize("verb", ["push", "pull"])
def test_unreachable_label_studio(workspace: Path, closed_port: int, verb: str) -> None:
    batch = create_batch(workspace)
    url, token = f"http://127.0.0.1:{closed_port}", "5ecre7" * 6
    ended = refuse(workspace, "batch", verb, batch, env=label_studio_at(url, token))
    assert ended.message == (
        f"Label Studio at {url} does not answer (ConnectError). Check that it runs and that "
        "label_studio_url is right."
    )


def test_label_studio_that_is_not_set(workspace: Path) -> None:
    ended = refuse(workspace, "batch", "push", create_batch(workspace))
    assert ended.message.startswith("No Label Studio is set: give label_studio_url")


@pytest.mark.label_studio
def test_wrong_token(workspace: Path, label_studio: LabelStudioServer) -> None:
    batch, token = create_batch(workspace), "5ecre7" * 6
    env = label_studio_at(label_studio.base_url, token)
    for verb in ("push", "pull"):
        ended = refuse(workspace, "batch", verb, batch, env=env)
        assert ended.message.startswith(
            f"Label Studio at {label_studio.base_url} refuses the token."
        )
        assert token not in ended.text
    examined = run_here("doctor", "-w", workspace, env=env)
    assert examined.code == 1
    assert "WRONG Label Studio: " in examined.out
    assert token not in examined.text


def test_model_that_is_not_there(workspace: Path, tmp_path: Path) -> None:
    missing = tmp_path / "no-model"
    assert str(missing) in refuse(workspace, "score", "--model", missing).message
    assert "check the name or path" in refuse(workspace, "score", "--model", missing).message
    missing.mkdir()
    assert refuse(workspace, "score", "--model", missing).message.startswith(
        f"The folder {missing} does not hold a model that can be loaded"
    )
    assert refuse(workspace, "score", "--model", MODEL_NAME).message.startswith(
        f"The model {MODEL_NAME} was not found locally"
    )


def test_model_is_checked_by_the_doctor(workspace: Path, tmp_path: Path) -> None:
    ended = run_here("doctor", "--model", tmp_path / "no-model", "-w", workspace)
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
def test_what_does_not_fit_the_state(workspace: Path, kind: str) -> None:
    arguments, message = STATE_FAULTS[kind]
    assert message in refuse(workspace, *arguments).message


def test_release_of_another_folder_is_not_verified(tmp_path: Path) -> None:
    ended = run_here("release", "verify", tmp_path)
    assert ended.code == 1
    assert "SHA256SUMS: missing" in ended.message


def test_changed_release_is_not_verified_and_not_scored(workspace: Path) -> None:
    folder = workspace / "releases" / "0.1.0"
    [csv] = (folder / "csv").glob("*.csv")
    csv.write_bytes(csv.read_bytes().replace(b"e", b"f", 1))
    ended = run_here("release", "verify", folder)
    assert ended.code == 1
    assert str(csv.relative_to(folder)) in ended.message
    assert str(csv.relative_to(folder)) in refuse(workspace, "score", "-m", MODEL_NAME).message


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
def test_settings_file(workspace: Path, content: str, message: str) -> None:
    (workspace / "stereoscope.toml").write_text(content, encoding="utf-8")
    ended = refuse(workspace, "runs")
    assert message in ended.message
    assert "5ecre7" not in ended.text


def test_database_that_is_none(workspace: Path) -> None:
    database = workspace / "stereoscope.sqlite"
    database.write_bytes(b"This is no database. " * 100)
    ended = run_here("runs", "--workspace", workspace)
    assert ended.code == 1
    assert ended.message.startswith("The sqlite database (")
    examined = run_here("doctor", "--workspace", workspace)
    assert examined.code == 1
    assert "WRONG database: The sqlite database (" in examined.out
    assert database.read_bytes().startswith(b"This is no database.")


def test_password_of_an_unreachable_database_is_not_said(workspace: Path, closed_port: int) -> None:
    url = f"postgresql://somebody:5ecre7@127.0.0.1:{closed_port}/study"
    ended = refuse(workspace, "runs", env={"STEREOSCOPE_DATABASE_URL": url})
    assert "postgresql database (127.0.0.1) cannot be opened" in ended.message
    assert "5ecre7" not in ended.text
    assert "somebody" not in ended.text


def test_argument_that_is_no_unicode(workspace: Path) -> None:
    ended = refuse(workspace, "raters", "add", "rater-\udcff")
    assert ended.message.startswith("command line:3 [argument]: text holds a lone surrogate U+DCFF")


def test_recorded_files_for_another_engine(workspace: Path) -> None:
    options = ["--engine", "google", *translation_options("sk")]
    assert (
        "belong to the engine recorded" in refuse(workspace, "generate", "-l", "sk", *options).err
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
def test_usage_errors_end_with_code_2(workspace: Path, arguments: list[str]) -> None:
    before = snapshot_of(workspace)
    ended = run_here(*arguments, env={"STEREOSCOPE_WORKSPACE": str(workspace)})
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.splitlines()[-1].startswith("Error: ")
    assert "Traceback" not in ended.err
    assert snapshot_of(workspace) == before


def test_as_a_process_the_message_is_all(workspace: Path, tmp_path: Path) -> None:
    path = write(tmp_path, "made.csv", HEADER + b",17\n")
    before = snapshot_of(workspace)
    ended = run_process("source", "add", path, "-w", workspace)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.splitlines() == [
        f"{path}:2 [sentence]: empty sentence. write it or delete the row.",
        f"{path}:2 [stereotype]: unknown stereotype id '17'. valid ids are 1 to 16.",
    ]
    assert snapshot_of(workspace) == before
