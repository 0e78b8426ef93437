"""Drafts of a new language's sector sentences, from translations made up for the test."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from corpus.errors import EngineError
from corpus.languages import language as find_language
from corpus.sector_files import load_sector_languages
from corpus.sectors import Sector
from engines.translation import (
    CostEstimate,
    TranslationRequest,
    TranslationResponse,
    respond,
)
from pipeline.sector_drafts import build_draft, list_texts, protect, restore, write_draft
from pipeline.stored_translations import translate_stored
from tests.command_line import run_here
from tests.store_builders import make_store

(ENGLISH,) = load_sector_languages(["en"])
SPOILT = {
    "X1 earns a living in the X2 sector.": "X1 vit dans le secteur.",
    "my female cousin": "Mon cousin.",
    "my male cousin": "mon cousin",
    "transport": "Trade-fr",
}


def translate(text: str) -> str:
    """No language: the text with a mark, a capital and a full stop, as engines add them."""
    marked = text.removesuffix(".") + "-fr."
    return SPOILT.get(text, marked[:1].upper() + marked[1:])


def record(path: Path, *left_out: str) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["source", "translation"])
        texts = [text for text in list_texts(ENGLISH) if text not in left_out]
        rows.writerows((text, translate(text)) for text in texts)
    return path


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    assert run_here("init", folder, "--name", "Sectors").code == 0
    return folder


def test_places_are_protected_and_found_again() -> None:
    assert protect("{target} works in {attribute}.") == "X1 works in X2."
    assert restore("Dans x2 : X1.") == "Dans {attribute} : {target}."
    for lost in ("X1 works.", "X1 works in X2 and X2.", "X1 works in X22.", "X1 in X2 {x}"):
        assert restore(lost) is None


def test_every_part_is_a_text_once() -> None:
    texts = list_texts(ENGLISH)
    assert len(texts) == len(set(texts)) == 5 + 2 * 18 + 18
    assert texts[0] == "X1 works in the X2 sector."


def test_what_can_be_used_is_in_the_file_and_what_failed_is_listed(tmp_path: Path) -> None:
    answers = {text: translate(text) for text in list_texts(ENGLISH) if text != "care"}
    draft = build_draft(ENGLISH, find_language("fr"), "a test", answers, {"care": "not_translated"})
    assert [str(one) for one in draft.failed] == [
        "templates.living ('{target} earns a living in the {attribute} sector.', not used: "
        "'X1 vit dans le secteur.'): the translation does not hold each of the two places once",
        "pairs.cousin ('my female cousin / my male cousin', not used: 'mon cousin'): the words "
        "for a woman and for a man are translated alike",
        "sectors.tertiary.care ('care'): not_translated",
        "sectors.tertiary.trade ('trade', not used: 'trade-fr'): another part was translated to "
        "the same text",
    ]
    text = write_draft(draft, ENGLISH)
    table = tomllib.loads(text)
    assert (table["draft"], table["status"], table["title"]) == (True, "unreviewed", "French")
    assert [row["id"] for row in table["templates"]] == ["works", "job", "next_month", "for_years"]
    assert table["templates"][0]["text"] == "{target} works in the {attribute} sector-fr."
    she = table["pairs"][0]
    assert (she["feminine"], she["masculine"]) == ("she-fr", "he-fr")
    assert table["sectors"]["tertiary"]["transport"] == {"term": "trade-fr", "gender": "unknown"}
    assert text.count("# missing: ") == 4


def test_a_draft_is_completed_by_hand_and_then_the_language_works(
    study: Path, tmp_path: Path
) -> None:
    recorded = record(tmp_path / "mine_fr.csv", "care")
    to = tmp_path / "drafts"
    generate = ["sectors", "generate", "-l", "fr", "--to", to, "--engine", "recorded", "-w", study]
    ended = run_here(*generate, "-t", recorded, "--missing", "skip", "--dry-run")
    assert "59 of 59 texts" in ended.message
    assert not to.exists()
    ended = run_here(*generate, "-t", recorded)
    assert ended.code == 1
    assert "care" in ended.message
    ended = run_here(*generate, "-t", recorded, "--missing", "skip")
    assert ended.code == 0, ended.text
    assert ended.message.count("Failed: ") == 4
    assert "complete what failed" in ended.message
    files = sorted(path.name for path in to.iterdir())
    assert files == ["de.toml", "en.toml", "es.toml", "fr.toml", "pl.toml"]
    ended = run_here("sectors", "templates", "--data", to)
    assert ended.code == 1
    assert "fr.toml [templates]: 4 templates that do not show the gender" in ended.message
    ended = run_here(*generate, "-t", recorded, "--missing", "skip")
    assert ended.code == 1
    assert "maybe corrected by hand" in ended.message

    lines = []
    completed = {
        "templates.living": '{ id = "living", shows_gender = false, '
        'text = "{target} vit de {attribute}." },',
        "pairs.cousin": '{ id = "cousin", kind = "kinship", feminine = "cou", masculine = "sin" },',
        "sectors.tertiary.care": 'care = { term = "soins", gender = "masculine" }',
        "sectors.tertiary.trade": 'trade = { term = "commerce", gender = "masculine" }',
    }
    for line in (to / "fr.toml").read_text(encoding="utf-8").splitlines():
        part = line.removeprefix("  # missing: ").split(" (")[0]
        lines.append(completed.get(part, line))
    (to / "fr.toml").write_text("\n".join(lines), encoding="utf-8")
    french, _ = load_sector_languages(["fr", "de"], to)
    assert french.is_draft
    assert len(french.terms) == 3 * len(list(Sector)) * 2
    ended = run_here("sectors", "import", "-l", "fr", "--data", to, "-w", study)
    assert ended.code == 0, ended.text
    assert "a draft that an engine translated" in ended.message
    assert "1620" in ended.out


def test_what_was_translated_is_not_asked_for_again(study: Path, tmp_path: Path) -> None:
    recorded = record(tmp_path / "mine_fr.csv")
    generate = ["sectors", "generate", "-l", "fr", "--engine", "recorded", "-w", study]
    assert run_here(*generate, "-t", recorded, "--to", tmp_path / "one").code == 0
    ended = run_here(*generate, "-t", recorded, "--to", tmp_path / "two", "--dry-run")
    assert "0 of 59 texts" in ended.message
    ended = run_here("sectors", "generate", "-l", "de", "--to", tmp_path / "three", "-w", study)
    assert ended.code == 1
    assert "There is a file for de already" in ended.message


def test_a_recorded_file_without_a_language_is_of_the_one_that_is_drafted(
    study: Path, tmp_path: Path
) -> None:
    generate = ["sectors", "generate", "-l", "fr", "--engine", "recorded", "-w", study]
    recorded = record(tmp_path / "fr.csv")
    ended = run_here(*generate, "-t", recorded, "--to", tmp_path / "one")
    assert ended.code == 0, ended.text
    other = record(tmp_path / "export_de.csv")
    ended = run_here(*generate, "-t", other, "--to", tmp_path / "two")
    assert ended.code == 1
    assert "no file for language 'fr'" in ended.message


class FailingEngine:
    """Answers the first text of a request and fails on the next request."""

    name, model, version = "failing", "made up", "1"

    def __init__(self) -> None:
        self.sent: list[str] = []

    def translate(
        self, requests: Sequence[TranslationRequest]
    ) -> Iterator[list[TranslationResponse]]:
        for number, request in enumerate(requests):
            if number == 2:
                raise EngineError("The service went away.")
            self.sent.append(request.text)
            yield [respond(request, request.text.upper())]

    def estimate_cost(self, requests: Sequence[TranslationRequest]) -> CostEstimate:
        return CostEstimate(len(requests), 0, None, None, "free")


def test_every_answer_is_stored_before_the_next_request(tmp_path: Path) -> None:
    store, engine = make_store(tmp_path), FailingEngine()
    texts = ["a", "b", "c", "d", "a"]
    with store.runs.watched("test") as progress:
        with pytest.raises(EngineError):
            translate_stored(store, engine, "fr", texts, progress)
        answers, reasons = translate_stored(store, engine, "fr", texts, progress)
    assert engine.sent == ["a", "b", "c", "d"]
    assert answers == {"a": "A", "b": "B", "c": "C", "d": "D"}
    assert reasons == {}
    store.close()
