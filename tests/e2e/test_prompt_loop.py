"""The whole loop of prompt tests: from CSVs to the report, by the commands a person types.

The developers' own templates are translated and paraphrased by the demonstration's chat server,
rated by two raters in workbooks, decided, approved, released, run against two chat models on a
local server, judged by their oracles and reported.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from app.demo.chat_server import serving_script
from corpus.records import Item
from corpus.samples import prompt_paths
from corpus.store import open_store
from tests.annotation.workbook_studies import SheetStudy
from tests.command_line import Outcome, database_of, run_here
from tests.engines.tested_chat_servers import ModelScript, serving

OF_PROMPTS = ("--instrument", "mla-bite")
TEMPLATES, COMMUNITIES = 12, 4
"""Of both concerns together."""
SPANISH_ITEMS = 2 * TEMPLATES + COMMUNITIES
"""Human translations, a paraphrase of each, and names of communities."""
LOST = "prompts/12"
"""Key of a translation that a rater finds to ask something else."""
NO_ANSWER = {"en": "I'm sorry, but I can't answer that.", "es": "Lo siento, no puedo responder."}


def answer_fairly(message: str, _before: int) -> str:
    if "probability" in message:
        return 'Of course: {"probability": 50}.'
    if "Yes" in message or "«Sí»" in message:
        return "No."
    return "Anybody." if "sentence" in message else "Cualquiera."


def answer_unfairly(message: str, before: int) -> str:
    """Says yes wherever women are named and men are not named before them, but gives no number."""
    first = re.search(r"\b(women|mujeres|men|hombres)\b", message)
    if "probability" in message and first:
        return NO_ANSWER["es" if "¿" in message or "Responde" in message else "en"]
    if first and first[1] in ("women", "mujeres"):
        return "Yes." if "Yes" in message else "Sí."
    return answer_fairly(message, before)


class Study:
    """The workspace and how to run a command in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *arguments: str | Path) -> Outcome:
        ended = run_here(*arguments, "-w", self.folder)
        assert ended.code == 0, ended.text
        return ended

    def set(self, **settings: object) -> None:
        with (self.folder / "stereoscope.toml").open("a", encoding="utf-8") as stream:
            stream.writelines(f"{name} = {json.dumps(value)}\n" for name, value in settings.items())


@pytest.fixture
def models(tmp_path: Path) -> Iterator[Path]:
    """A models file that names a fair and an unfair model on local servers."""
    fair, unfair = ModelScript(answer_fairly), ModelScript(answer_unfairly)
    with serving(fair) as first, serving(unfair) as second:
        path = tmp_path / "models.toml"
        path.write_text(
            "\n".join(
                f'[[models]]\nname = "{name}"\nfamily = "{family}"\nengine = "endpoint"\n'
                f'url = "{url}"\n'
                for name, family, url in (
                    ("heron-fair", "Heron", first),
                    ("stork-unfair", "Stork", second),
                )
            )
            + '[[helpers]]\nname = "demo-script"\nfamily = "Stork"\n',
            encoding="utf-8",
        )
        yield path


def answers_of(item: Item, rater: str) -> Mapping[str, Any]:
    number = int(item.id.rpartition("/")[2])
    quality = 72 + (7 * number) % 25 + (number % 3 if rater == "r2" else 0)
    if item.subject_id.endswith(LOST):
        return {"quality": 40, "test_kept": "no", "comment": "It asks something else."}
    return {"quality": quality, "test_kept": "yes"}


def validate(study: Study, sheets: Path) -> None:
    """Both raters fill in their workbooks, a curator decides and approves."""
    for rater in ("r1", "r2"):
        study.run("raters", "add", rater, "--address", f"{rater}@prompts.example")
    created = study.run(
        *("batch", "create", "-l", "es", "--raters", "r1,r2", "--size", str(SPANISH_ITEMS)),
        *OF_PROMPTS,
    )
    batch_id = created.out.split()[-1]
    store = open_store(f"sqlite:///{database_of(study.folder)}")
    with store.reading() as state:
        batch = state.batch(batch_id)
        items, form = state.items([batch_id]), state.form(batch.form)
    assert len(items) == SPANISH_ITEMS
    filled = SheetStudy(store, batch, items, form, sheets)
    paths = []
    for rater in ("r1", "r2"):
        paths.append(filled.export(rater))
        for item in items:
            filled.fill(paths[-1], item, answers_of(item, rater), rater)
    store.close()
    study.run("batch", "import-sheet", *paths)
    study.run("decide", f"mla-bite/es/{LOST}", "reject", "--reason", "It asks something else.")
    study.run("approve", "es", *OF_PROMPTS)


def read_rates(document: str) -> dict[tuple[str, ...], tuple[float | None, int]]:
    """Rate and n by name with bound, model, language and concern."""
    found = {}
    for each in json.loads(document)["figures"]:
        scope = each["scope"]
        parts = [scope.get(part, "") for part in ("bound", "model", "language", "concern")]
        if set(scope) <= {"bound", "model", "language", "concern"}:
            found[each["name"], *parts] = (each["value"], each["n"])
    return found


def test_from_files_to_the_report(tmp_path: Path, models: Path) -> None:
    study = Study(tmp_path / "study")
    assert run_here("init", study.folder, "--name", "Prompts").code == 0
    study.set(draws=200)
    study.run("prompts", "import", *prompt_paths())
    with serving_script() as url:
        study.set(chat_url=url)
        augmented = study.run("prompts", "augment", "-l", "es", "-n", "1", "--model", "demo-script")
        assert "es" in augmented.out
    # What was answered is not asked again: the server is gone.
    study.run("prompts", "augment", "-l", "es", "-n", "1", "--model", "demo-script")

    validate(study, tmp_path / "sheets")
    study.run("release", "build", "1.0.0", "-l", "en,es", *OF_PROMPTS)
    study.run("release", "verify", "mla-bite/1.0.0")
    study.run("prompts", "run", "--release", "mla-bite/1.0.0", "--models", models)
    # Run again, it finds every answer; both servers could be gone.
    again = study.run(
        "prompts", "run", "--release", "mla-bite/1.0.0", "--models", models, "--dry-run", "--json"
    )
    assert {each["value"] for each in json.loads(again.out)["figures"]} == {0}

    rates = read_rates(study.run("prompts", "report", "--json", "--to", tmp_path / "tables").out)
    # Of the six English tests of sexism the unfair model fails three and gives no number for one.
    unfair = ("stork-unfair", "en_us", "sexism")
    assert rates["langbite", "", *unfair] == (2 / 5, 5)
    assert rates["all", "lower", *unfair] == (2 / 6, 6)
    assert rates["all", "upper", *unfair] == (3 / 6, 6)
    assert rates["langbite", "", "stork-unfair", "en_us", "ageism"] == (1.0, 6)
    assert rates["langbite", "", "heron-fair", "es_es", "sexism"] == (1.0, 12)
    # Of ageism one Spanish text was rejected.
    assert rates["langbite", "", "heron-fair", "es_es", "ageism"] == (1.0, 11)

    drawn = tmp_path / "drawn"
    study.run("prompts", "figures", "-o", drawn, "--format", "svg,csv,html")
    page = (drawn / "report.html").read_text(encoding="utf-8")
    assert "27 of 27" in page
    assert "SAME FAMILY" in page
    assert "stork-unfair (with demo-script)" in page
    assert NO_ANSWER["en"].replace("'", "&#x27;") in page
    with (drawn / "figures.csv").open(encoding="utf-8", newline="") as stream:
        table = list(csv.DictReader(stream))
    signatures = {row["signature"] for row in table if row["code"] == "langbite"}
    assert all("augmented_by:demo-script (Stork)" in each for each in signatures)
    assert {path.suffix for path in drawn.iterdir()} == {".svg", ".csv", ".html"}
    refused = run_here("prompts", "run", *prompt_paths(), "--models", tmp_path / "none.toml")
    assert refused.code == 1
