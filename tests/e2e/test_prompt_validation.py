"""Prompt tests validated by people: from LangBiTe's files to a release and back to such files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from corpus.langbite_files import load_template_file
from corpus.langbite_requirements import load_requirements_file
from corpus.records import Item
from corpus.release import open_release
from corpus.release_schema import HumanSeen
from corpus.store import open_store
from tests.annotation.workbook_files import set_cells
from tests.annotation.workbook_studies import SheetStudy
from tests.command_line import Outcome, database_of, run_here, succeed, succeed_here
from tests.corpus.prompt_files import requirement, write_prompts, write_requirements

pytestmark = pytest.mark.slow

CONCERNS = (("sexism", "GENDER"), ("politics", "PARTY"))
TEMPLATES = 12
"""Of each concern."""
COMMUNITIES = 2
LOST, WORDED = "prompts/3", "prompts/5"
"""Keys of templates: one translation turns the question round, one is worded anew."""


def write_files(folder: Path) -> list[Path]:
    """English and Spanish templates of two concerns, and what is asked of a model."""
    english, spanish = [], []
    for place, (concern, markup) in enumerate(CONCERNS):
        for number in range(1, TEMPLATES + 1):
            row = {"prompt_id": str(place * TEMPLATES + number), "concern": concern}
            one, other = f"{{{markup}1}}", f"{{{markup}2}}"
            english.append(row | {"prompt": f"Are {one} better at task {number} than {other}?"})
            formatting = "Empieza con Sí o No."
            prompt = f"¿Hacen {one} mejor la tarea {number} que {other}?"
            spanish.append(row | {"prompt": prompt, "output_formatting": formatting})
    parties = {"en_us": ["Democrats", "Republicans"], "es_es": ["los demócratas", "republicanos"]}
    asked = [
        requirement(concern="sexism"),
        requirement(name="REQ2", concern="politics", markup="PARTY", communities=parties),
    ]
    return [
        write_prompts(folder, english),
        write_prompts(folder, spanish, "prompts_es_es.csv"),
        write_requirements(folder, *asked),
    ]


def answers_of(item: Item, rater: str) -> Mapping[str, Any]:
    """Good scores that differ by item; one test is lost, one text is a little clumsy."""
    number = int(item.id.rpartition("/")[2])
    quality = 72 + (7 * number) % 25 + (number % 3 if rater == "r2" else 0)
    if item.subject_id.endswith(LOST):
        return {"quality": 40, "test_kept": "no", "comment": "It asks the opposite."}
    if item.subject_id.endswith(WORDED) and rater == "r1":
        return {"quality": quality, "test_kept": "yes", "comment": "Better: realizan."}
    return {"quality": quality, "test_kept": "yes"}


class Study:
    """The workspace and how to run a command in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *arguments: str | Path) -> Outcome:
        return succeed_here(*arguments, "-w", self.folder)

    def refuse(self, *arguments: str | Path) -> str:
        ended = run_here(*arguments, "-w", self.folder)
        assert ended.code == 1, ended.text
        return ended.message


OF_PROMPTS = ("--instrument", "mla-bite")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    found = Study(tmp_path / "study")
    succeed_here("init", found.folder, "--name", "Prompts")
    with (found.folder / "stereoscope.toml").open("a", encoding="utf-8") as settings:
        settings.write("draws = 200\n")
    found.run("prompts", "import", *write_files(tmp_path))
    for rater in ("r1", "r2"):
        found.run("raters", "add", rater, "--address", f"{rater}@prompts.example")
    return found


def rate_in_workbooks(study: Study, batch_id: str, sheets: Path) -> None:
    """Both raters fill in their workbooks as a careful rater does."""
    store = open_store(f"sqlite:///{database_of(study.folder)}")
    with store.reading() as state:
        batch = state.batch(batch_id)
        items, form = state.items([batch_id]), state.form(batch.form)
    filled = SheetStudy(store, batch, items, form, sheets)
    paths = []
    for rater in ("r1", "r2"):
        paths.append(filled.export(rater))
        cells: dict[str, str] = {}
        for item in items:
            cells |= filled.cells_of(item, answers_of(item, rater), rater)
        set_cells(paths[-1], cells)
    store.close()
    study.run("batch", "import-sheet", *paths)


def test_prompts_are_rated_decided_approved_released_and_exported(
    study: Study, tmp_path: Path
) -> None:
    everything = 2 * (TEMPLATES + COMMUNITIES)
    created = study.run(
        *("batch", "create", "-l", "es", "--raters", "r1,r2", "--size", str(everything)),
        *OF_PROMPTS,
    )
    batch_id = created.out.split()[-1]
    rate_in_workbooks(study, batch_id, tmp_path / "sheets")

    told = study.run("agreement", "-l", "es", *OF_PROMPTS, "--json")
    figures = {
        each["name"]: each
        for each in json.loads(told.out)["figures"]
        if each["scope"].get("raters") == "all"
    }
    # One of 28 items has two answers no; all others are yes, so the raters never differ.
    assert figures["label_accuracy"]["value"] == pytest.approx(27 / 28)
    assert "meaning of the test is kept" in figures["label_accuracy"]["definition"]
    assert figures["raw_agreement"]["value"] == 1
    assert figures["ac1"]["value"] == 1

    refused = run_here("approve", "es", *OF_PROMPTS, "-w", study.folder)
    assert refused.code == 1
    assert "open_disagreements" in refused.message
    assert "answers that the test is kept" in refused.out.replace("\n", " ")
    assert "system's label" not in refused.text
    assert "templates not chosen" not in refused.text
    lost, worded = (f"mla-bite/es/{key}" for key in (LOST, WORDED))
    study.run("decide", lost, "reject", "--reason", "It asks the opposite.")
    text = "¿Realizan {GENDER1} mejor la tarea 5 que ella?"
    message = study.refuse("decide", worded, "edit", "--reason", "Better.", "--neutral", text)
    assert "lacks {GENDER2}" in message
    study.run("decide", worded, "accept", "--reason", "Clumsy, but right.")
    study.run("approve", "es", *OF_PROMPTS)

    told = study.run("release", "build", "1.0.0", "-l", "en,es", *OF_PROMPTS)
    assert "1 rejected" in told.out
    assert "none" in told.out
    # A process of its own: what the others wrote is all that it has.
    succeed("release", "verify", "mla-bite/1.0.0", "-w", study.folder)
    release = open_release(study.folder / "releases" / "mla-bite" / "1.0.0")
    rows = release.rows("es")
    assert len(rows) == everything - 1
    assert {row.human_seen for row in rows} == {HumanSeen.BOTH}
    assert {row.human_seen for row in release.rows("en")} == {HumanSeen.SOURCE}
    spanish = next(row for row in rows if row.id == worded)
    assert spanish.attributes["concern"] == "sexism"
    assert spanish.attributes["frame"]["output_formatting"] == "Empieza con Sí o No."
    card = (release.path / "README.md").read_text(encoding="utf-8")
    assert f"**{everything - 1} of {everything - 1} translated rows seen by a human**" in card
    # 12 English and 12 Spanish templates of politics.
    assert "24 of 47 templates are about politics" in card
    assert "- `en`: none\n- `es`: 1 rejected\n" in card
    assert "stereotypes" not in card
    assert "| test not kept |" in card
    assert "pairs" not in card

    out = tmp_path / "out"
    told = study.run("prompts", "export", "mla-bite/1.0.0", "--to", out)
    assert "27 of 27" in told.text
    study.run("prompts", "export", "mla-bite/1.0.0", "--to", out)
    names = sorted(each.name for each in out.iterdir())
    assert names == ["prompts_en_us.csv", "prompts_es_es.csv", "requirements.json"]
    imported = load_template_file(tmp_path / "prompts_es_es.csv").templates
    exported = load_template_file(out / "prompts_es_es.csv").templates
    assert exported == tuple(each for each in imported if f"prompts/{each.id}" != LOST)
    asked = load_requirements_file(out / "requirements.json").requirements
    assert asked == load_requirements_file(tmp_path / "requirements.json").requirements
    succeed_here("prompts", "check", *(out / name for name in names))

    (out / "prompts_es_es.csv").write_bytes(b"mine")
    message = study.refuse("prompts", "export", "mla-bite/1.0.0", "--to", out)
    assert "prompts_es_es.csv" in message
    assert (out / "prompts_es_es.csv").read_bytes() == b"mine"
