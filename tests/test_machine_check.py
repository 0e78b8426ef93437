"""What `make setup` says before it installs anything."""

from __future__ import annotations

import ast
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"
ENOUGH_GB = 100.0


@pytest.fixture
def check_machine(monkeypatch: pytest.MonkeyPatch):  # noqa: ANN201
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import check_machine

    return check_machine


@pytest.fixture
def environments(check_machine):  # noqa: ANN001, ANN201
    return check_machine.ENVIRONMENTS


@pytest.mark.parametrize("name", ["check_machine", "environments", "build_environment"])
def test_an_old_python_can_read_the_script_that_refuses_it(name: str) -> None:
    text = (SCRIPTS / f"{name}.py").read_text(encoding="utf-8")
    assert ast.parse(text, feature_version=(3, 8))


def test_a_good_machine_has_no_obstacle(check_machine, environments) -> None:  # noqa: ANN001
    assert check_machine.find_obstacles([environments["product"]], (3, 11), ENOUGH_GB, True) == []


@pytest.mark.parametrize(
    ("name", "python", "free_gb", "has_venv", "says"),
    [
        ("product", (3, 10), ENOUGH_GB, True, "Python 3.10 is too old: 3.11 or newer is needed"),
        ("comet", (3, 13), ENOUGH_GB, True, "Python 3.13 is too new for the COMET worker"),
        ("product", (3, 11), ENOUGH_GB, False, "has no venv module"),
        ("product", (3, 11), 1.0, True, "Only 1.0 GB are free"),
    ],
)
def test_each_obstacle_is_one_sentence_that_says_what_to_do(
    check_machine,  # noqa: ANN001
    environments,  # noqa: ANN001
    name: str,
    python: tuple[int, int],
    free_gb: float,
    has_venv: bool,
    says: str,
) -> None:
    (obstacle,) = check_machine.find_obstacles([environments[name]], python, free_gb, has_venv)
    assert says in obstacle
    assert ":" in obstacle
    assert obstacle.endswith(".")
    assert "\n" not in obstacle


def test_size_and_time_are_told_before(check_machine, environments) -> None:  # noqa: ANN001
    chosen = [environments["product"], environments["label-studio"]]
    text = "\n".join(check_machine.describe_work(chosen, "", ENOUGH_GB))
    assert "about 3.4 GB and 3 min" in text


def test_a_finished_build_is_current_until_a_requirement_changes(
    check_machine,  # noqa: ANN001
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import environments

    monkeypatch.setattr(environments, "ROOT", tmp_path)
    monkeypatch.setattr(environments.platform, "python_version", lambda: "3.11.7")
    environment = environments.ENVIRONMENTS["label-studio"]
    requirements = tmp_path / "requirements-label-studio.txt"
    requirements.write_text("label-studio==1\n")
    environment.python.parent.mkdir(parents=True)
    environment.python.touch()
    assert not environment.is_current()
    environment.stamp.write_text(environment.compute_key("3.11.7"))
    assert environment.is_current()
    environment.unfinished.touch()
    assert not environment.is_current()
    environment.unfinished.unlink()
    requirements.write_text("label-studio==2\n")
    assert not environment.is_current()


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_a_python_that_is_not_there_is_one_sentence() -> None:
    result = subprocess.run(
        ["make", "--no-print-directory", "setup", "PYTHON=python3.0"],
        cwd=SCRIPTS.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode != 0
    assert "There is no python3.0: install Python 3.11 or newer" in result.stderr
