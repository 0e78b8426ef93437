"""Requirements of prompt tests: communities in one order everywhere, written back byte for byte."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import prompt_files
import pytest
from prompt_files import requirement

from corpus.errors import InputError
from corpus.langbite_requirements import (
    build_requirements_file,
    load_requirements_file,
    render_requirements_file,
)


def test_the_published_example_comes_back_byte_for_byte(data_dir: Path) -> None:
    path = data_dir / "langbite" / "requirements_example.json"
    content = load_requirements_file(path)
    assert render_requirements_file(content) == path.read_bytes()
    # Counted in the file by hand.
    counted = {each.concern.key: len(each.concern.communities) for each in content.requirements}
    assert counted == {
        "ageism": 7,
        "lgtbiqphobia": 9,
        "politics": 0,
        "racism": 7,
        "religion": 5,
        "sexism": 2,
        "xenophobia": 15,
    }
    assert content.requirements[5].concern.names_in("ca_es") == ("els homes", "les dones")
    assert content.settings["temperature"] == 1.0


def test_only_a_changed_requirement_is_written_anew(data_dir: Path, tmp_path: Path) -> None:
    path = data_dir / "langbite" / "requirements_example.json"
    content = load_requirements_file(path)
    entries = list(content.entries)
    changed = replace(entries[2].requirement, tolerance=0.75)
    entries[2] = replace(entries[2], requirement=changed)
    written = render_requirements_file(replace(content, entries=tuple(entries)))
    whole = path.read_bytes()
    raw = [(entry.raw or "").encode() for entry in content.entries]
    assert written != whole
    assert all(text in written for number, text in enumerate(raw) if number != 2)
    assert raw[2] not in written
    again = tmp_path / "again.json"
    again.write_bytes(written)
    expected = tuple(entry.requirement for entry in entries)
    assert load_requirements_file(again).requirements == expected
    # Another one is added and one taken away; the file stays one that can be read.
    added = replace(content, entries=(*content.entries[1:], entries[2], content.entries[0]))
    new = replace(entries[2].requirement, name="NEW", concern=replace(changed.concern, name="X"))
    added = replace(added, entries=(*added.entries[:6], replace(entries[2], requirement=new)))
    again.write_bytes(render_requirements_file(added))
    assert load_requirements_file(again).requirements == added.requirements


def test_concerns_and_communities_of_ones_own_are_written_and_read(tmp_path: Path) -> None:
    own = requirement(
        concern="Regionalism",
        markup="COAST",
        languages=["lb"],
        communities={"lb": ["d'Noper", "d'Friem", "d'Gäscht"]},
    )
    path = prompt_files.write_requirements(tmp_path, own, temperature=0.5)
    first = load_requirements_file(path)
    new = build_requirements_file("new.json", first.requirements, first.settings)
    path.write_bytes(render_requirements_file(new))
    again = load_requirements_file(path)
    assert again.requirements == first.requirements
    assert again.settings == {"temperature": 0.5}
    assert again.requirements[0].concern.names_in("lb")[2] == "d'Gäscht"


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    path = prompt_files.write_requirements(
        tmp_path,
        requirement(
            communities={"en_us": ["men", "women"], "es_es": ["los hombres"]},
            tolerance=90,
            markup="Gender",
        ),
        requirement(name="REQ2", concern="Ageism", inputs=["open"], delta=None, why="?"),
        requirement(name="REQ3", concern="Racism", communities={"en_us": ["men", "men"]}),
        requirement(name="REQ4", concern="sexism"),
        requirement(name="REQ4", concern="Religion"),
        temperature="hot",
        seed=1,
    )
    with pytest.raises(InputError) as refused:
        load_requirements_file(path)
    told = {fault.field for fault in refused.value.faults}
    assert told == {
        "temperature",
        "seed",
        "requirements[0].tolerance",
        "requirements[0].markup",
        "requirements[0].communities.es_es",
        "requirements[1].why",
        "requirements[1].delta",
        "requirements[1].inputs",
        "requirements[2].communities.en_us",
        "requirements[2].communities.es_es",
        "name",
    }
    text = str(refused.value)
    assert (
        "[requirements[0].communities.es_es]: 1 communities where en_us has 2. name the same "
        "communities in the same order in every language." in text
    )
    rows = {fault.row for fault in refused.value.faults if "[1]" in (fault.field or "")}
    lines = path.read_text(encoding="utf-8").split("\n")
    # The requirement begins on the line before its name; rows are counted from 1 on.
    assert rows == {next(n for n, line in enumerate(lines) if '"REQ2"' in line)}


def test_two_requirements_of_one_concern_are_refused(tmp_path: Path) -> None:
    two = requirement(name="REQ2", concern="SEXISM")
    path = prompt_files.write_requirements(tmp_path, requirement(), two)
    with pytest.raises(InputError, match=r"\[concern\]: sexism has a requirement at row 3 already"):
        load_requirements_file(path)


@pytest.mark.parametrize("temperature", [True, float("nan"), float("inf"), "1.0", None])
def test_a_setting_of_another_kind_is_refused(tmp_path: Path, temperature: object) -> None:
    path = prompt_files.write_requirements(tmp_path, requirement(), temperature=temperature)
    with pytest.raises(InputError, match=r"\[temperature\]: .* is no int or float"):
        load_requirements_file(path)
    path = prompt_files.write_requirements(tmp_path, requirement(), temperature=1, useLLMEval=True)
    assert load_requirements_file(path).settings == {"temperature": 1, "useLLMEval": True}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", r":1: not JSON \(.*column 2\)"),
        ("[]", "no list of requirements"),
        ('{"requirements": []}', "no list of requirements"),
        ('{"requirements": [1]}', r"requirements\[0\]\]: no JSON object"),
        ('{"requirements": [{}], "requirements": [{}]}', "the key stands twice"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "requirements.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        load_requirements_file(path)
