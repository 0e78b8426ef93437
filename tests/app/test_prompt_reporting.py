"""`prompts report` writes the published tables, every outcome and the figures of a run."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from corpus.prompts import InputType
from engines.chat_models import ChatReply, ReplyState
from scoring.prompt_results import PromptRun
from tests.command_line import run_here
from tests.scoring.prompt_runs_made import make_plan, make_run, said
from tests.scoring.prompt_tests import make_template

ODD = '=HYPERLINK("x"), [bold]No[/]\n"quoted"'


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    assert run_here("init", folder).code == 0
    return folder


def finish(study: Path, folder: Path, *, models: tuple[str, ...] = ("stork-1",)) -> PromptRun:
    templates = [make_template(f"{n}: is {{GENDER}} kind?", number=str(n)) for n in range(1, 5)]
    assert templates[0].input_type is InputType.CONSTRAINED
    plan = make_plan(folder, templates, models=models)
    return make_run(
        study / "results",
        plan,
        lambda place, _: (
            ChatReply(ReplyState.ERROR, None, "timeout")
            if place.template == "1"
            else said(ODD if place.template == "2" else "No")
        ),
    )


def test_report_writes_tables_and_figures(study: Path, tmp_path: Path) -> None:
    run = finish(study, tmp_path)
    done = run_here("prompts", "report", "-w", study, "--to", tmp_path / "report", "--json")
    assert done.code == 0, done.text
    document = json.loads(done.out)
    assert document == json.loads((tmp_path / "report" / "figures.json").read_text("utf-8"))
    (rate,) = (
        figure
        for figure in document["figures"]
        if figure["name"] == "langbite" and len(figure["scope"]) == 3
    )
    assert (rate["value"], rate["n"]) == (pytest.approx(2 / 3), 3)
    assert run.manifest["inputs_sha256"] in rate["signature"]
    assert document["requirements"][0]["langbite"] == "not fulfilled"
    with (tmp_path / "report" / "responses.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["Response"] for row in rows][:4] == ["ERROR: timeout"] * 2 + [ODD] * 2
    written = sorted(path.name for path in (tmp_path / "report").iterdir())
    assert written == [
        "evaluations.csv", "figures.json", "global_evaluation.csv", "outcomes.csv", "responses.csv",
    ]  # fmt: skip


def read_table(path: Path, encoding: str = "utf-8") -> list[dict[str, str]]:
    with path.open(newline="", encoding=encoding) as stream:
        return list(csv.DictReader(stream))


TABLES = ("evaluations", "global_evaluation", "outcomes", "responses")
MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("option", "inert", "marked"),
    [
        ("--formula-safe", True, False),
        ("--byte-order-mark", False, True),
        ("--for-spreadsheet", True, True),
    ],
)
def test_tables_for_a_spreadsheet_run_nothing(
    study: Path, tmp_path: Path, option: str, inert: bool, marked: bool
) -> None:
    finish(study, tmp_path)
    plain, asked = tmp_path / "plain", tmp_path / "asked"
    for options in (("--to", plain), ("--to", asked, option)):
        done = run_here("prompts", "report", "-w", study, *options)
        assert done.code == 0, done.text
    for name in TABLES:
        before, after = ((folder / f"{name}.csv").read_bytes() for folder in (plain, asked))
        assert not before.startswith(MARK)
        assert after.startswith(MARK) is marked
        if not inert:
            assert after.removeprefix(MARK) == before
    told = f"'{ODD}" if inert else ODD
    responses = read_table(asked / "responses.csv", "utf-8-sig")
    outcomes = read_table(asked / "outcomes.csv", "utf-8-sig")
    assert [row["Response"] for row in responses][2:4] == [told] * 2
    assert [row["text"] for row in outcomes][2:4] == [told] * 2
    if inert:
        cells = [
            cell
            for name in TABLES
            for row in read_table(asked / f"{name}.csv", "utf-8-sig")
            for cell in row.values()
        ]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_report_says_what_it_rests_on(study: Path, tmp_path: Path) -> None:
    finish(study, tmp_path)
    done = run_here("prompts", "report", "-w", study)
    assert done.code == 0, done.text
    assert "weak" in done.out
    assert "not known how many templates a human has seen" in done.message
    assert "Not measured" in done.message


def test_report_says_how_many_tests_hold_an_answer_that_was_cut_off(
    study: Path, tmp_path: Path
) -> None:
    cut = ChatReply(ReplyState.CUT_OFF, "No, because")
    templates = [make_template(), make_template("Is {GENDER} kind?", number="2")]
    plan = make_plan(tmp_path, templates)
    make_run(study / "results", plan, lambda at, _: cut if at.template == "2" else said("No."))
    told = run_here("prompts", "report", "-w", study)
    assert told.code == 0, told.text
    assert "(max_tokens): in 1 of 2 tests" in told.message
    assert "answers_cut_off" in told.out


def test_of_several_runs_one_has_to_be_named(study: Path, tmp_path: Path) -> None:
    nothing = run_here("prompts", "report", "-w", study)
    assert "make one with `prompts run`" in nothing.message
    first = finish(study, tmp_path)
    finish(study, tmp_path, models=("heron-2",))
    refused = run_here("prompts", "report", "-w", study)
    assert refused.code == 1
    assert first.folder.name in refused.message
    assert run_here("prompts", "report", first.folder.name, "-w", study).code == 0
    assert run_here("prompts", "report", first.folder, "-w", study).code == 0
