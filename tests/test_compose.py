"""No engine builds the images here: what can be checked by reading is checked by reading."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from annotation.label_studio.server import SETTINGS

ROOT = Path(__file__).resolve().parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ["app", "label-studio"]


def load_make_targets() -> dict[str, list[str]]:
    """Return each target of the Makefile with the targets it runs first."""
    text = re.sub(r"\$\(if [^\t\n]*?,,(\w+)\)", r"\1", (ROOT / "Makefile").read_text("utf-8"))
    rules = re.findall(r"^([a-z][a-z-]*):([^=\n]*)$", text, flags=re.MULTILINE)
    return {target: prerequisites.split() for target, prerequisites in rules}


def compute_reached(target: str, targets: dict[str, list[str]]) -> set[str]:
    return {target}.union(*(compute_reached(each, targets) for each in targets[target]))


def test_the_image_runs_only_make_targets_that_continuous_integration_runs() -> None:
    targets = load_make_targets()
    run_by_ci = re.findall(r"^make (?:--[\w-]+ )*(\w+)", (ROOT / ".ci/run").read_text(), re.M)
    assert run_by_ci == ["test"]
    run_by_image = re.findall(r"make ([a-z-]+)(?= |$)", "\n".join(_commands("RUN")))
    assert run_by_image == ["setup"]
    assert set(run_by_image) <= compute_reached("test", targets)


def _commands(instruction: str) -> list[str]:
    joined = DOCKERFILE.replace("\\\n", " ")
    commands = re.findall(rf"^{instruction} (.*)$", joined, flags=re.MULTILINE)
    return [part.strip() for command in commands for part in command.split("&&")]


def test_the_base_image_has_a_python_that_is_supported_and_the_servers_debian() -> None:
    (base,) = _commands("FROM")
    version, variant = re.fullmatch(r"python:(\d+\.\d+)-slim-(\w+)", base).groups()
    assert PROJECT["requires-python"] == f">={version}"
    assert SERVICES["postgresql"]["image"].endswith(variant)


def test_both_services_are_the_one_image_of_this_version() -> None:
    for name in OURS:
        assert SERVICES[name]["build"] == "."
        assert SERVICES[name]["image"] == f"{PROJECT['name']}:{PROJECT['version']}"


@pytest.mark.parametrize("service", OURS)
def test_commands_are_programs_that_make_setup_installs(service: str) -> None:
    folder, name = SERVICES[service]["command"][0].split("/bin/")
    programs = {".venv": PROJECT["scripts"].keys(), ".venv-label-studio": ["label-studio"]}
    assert name in programs[folder]


def test_the_apps_command_and_options_exist() -> None:
    module = pytest.importorskip("app.cli", reason="the command line is not written yet")
    import typer.main

    command = typer.main.get_command(module.cli)
    _, verb, *rest = SERVICES["app"]["command"]
    context = command.make_context("stereoscope", [verb, "--help"], resilient_parsing=True)
    found = command.get_command(context, verb)
    assert found is not None
    known = {option for parameter in found.params for option in parameter.opts}
    assert {word for word in rest if word.startswith("--")} <= known


def test_settings_named_for_the_app_exist() -> None:
    settings = pytest.importorskip("corpus.settings")
    prefix = settings.PREFIX
    names = {name for name in SERVICES["app"]["environment"] if name.startswith(prefix)}
    known = {f"{prefix}{name.upper()}" for name in settings.Settings.model_fields}
    assert names
    assert names <= known


def test_label_studio_runs_with_the_settings_the_product_starts_it_with() -> None:
    environment = SERVICES["label-studio"]["environment"]
    differing = {name for name, value in SETTINGS.items() if environment[name] != value}
    # On a server that others reach the protection stays on.
    assert differing == {"SSRF_PROTECTION_ENABLED"}


def test_published_ports_are_on_loopback_and_lead_to_what_listens() -> None:
    for name in OURS:
        (port,) = SERVICES[name]["ports"]
        address, _, inside = port.split(":")
        assert address == "127.0.0.1"
        assert re.search(rf"[ =]{inside}\b", " ".join(SERVICES[name]["command"]))
    assert "ports" not in SERVICES["postgresql"]
    assert SERVICES["app"]["environment"]["STEREOSCOPE_LABEL_STUDIO_URL"].endswith(
        SERVICES["label-studio"]["ports"][0].rsplit(":", 1)[1]
    )


def test_secrets_come_from_the_environment_and_must_be_set() -> None:
    for service in SERVICES.values():
        for name, value in service.get("environment", {}).items():
            if re.search(r"PASSWORD|(?<!API)_TOKEN|USERNAME|DATABASE_URL", name):
                assert re.search(r"\$\{\w+:\?\}", value), name


def test_volumes_are_declared_and_their_folders_are_the_users() -> None:
    owned = next(command for command in _commands("RUN") if command.startswith("install -d"))
    for name, service in SERVICES.items():
        for volume in service["volumes"]:
            source, folder = volume.split(":")
            assert source in COMPOSE["volumes"]
            if name in OURS:
                assert folder in owned.split()


def test_both_databases_are_made() -> None:
    environment = SERVICES["label-studio"]["environment"]
    assert SERVICES["app"]["environment"]["STEREOSCOPE_DATABASE_URL"].endswith(
        f"/{SERVICES['postgresql']['environment']['POSTGRES_DB']}"
    )
    assert environment["POSTGRE_NAME"] in COMPOSE["configs"]["databases"]["content"]
