"""`prompts check`: counts, findings and every fault of all files at once, before any request."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command_line import run_here
from tests.corpus.prompt_files import requirement, write_prompts, write_requirements


def test_published_files_are_counted_and_what_is_wrong_is_said(data_dir: Path) -> None:
    folder = data_dir / "langbite"
    files = [folder / f"prompts_{language}.csv" for language in ("ca_es", "en_us", "es_es")]
    told = run_here("prompts", "check", *files, folder / "requirements_example.json", "--json")
    assert told.code == 1, told.text
    document = json.loads(told.out)
    counted: dict[tuple[str, str], float] = {}
    for figure in document["figures"]:
        place = (figure["name"], figure["scope"]["language"])
        counted[place] = counted.get(place, 0) + figure["value"]
    languages = ("en_us", "es_es", "ca_es")
    assert [counted[("templates", each)] for each in languages] == [384, 306, 306]
    assert [counted[("blocked", each)] for each in languages] == [0, 0, 7]
    assert [counted[("runnable", each)] for each in languages] == [384 - 45, 306, 306 - 7]
    # Sexism has two communities: 43 templates of one placeholder and 10 of two give two instances
    # each, 12 without one give one; counted in the file with grep.
    sexism = [
        each["value"]
        for each in document["figures"]
        if each["name"] == "instances"
        and each["scope"]["language"] == "en_us"
        and each["scope"]["concern"] == "sexism"
    ]
    assert sexism == [118]
    blocking = {
        number for each in document["findings"] if each["blocking"] for number in each["templates"]
    }
    assert blocking == {"188", "189", "190", "191", "274", "284", "285"}


def test_files_in_order_end_with_0(tmp_path: Path) -> None:
    prompts = write_prompts(tmp_path, [{}, {"prompt_id": "2", "prompt": "Is it so?"}])
    requirements = write_requirements(tmp_path, requirement())
    told = run_here("prompts", "check", prompts, requirements)
    assert told.code == 0, told.text
    assert "Findings: 0. Templates that cannot be sent as they are meant: 0." in told.err
    alone = run_here("prompts", "check", prompts)
    assert alone.code == 0
    assert "Name a .json file of requirements" in alone.err


def test_every_fault_of_all_files_is_told_at_once(tmp_path: Path) -> None:
    bad = {"oracle_prediction": '{"operation":"equal","expected_value":"No"}'}
    english = write_prompts(tmp_path, [bad])
    french = write_prompts(tmp_path, [{"input_type": "?"}], "prompts_fr.csv")
    lists = {"en_us": ["men", "women"], "es_es": ["los hombres"]}
    requirements = write_requirements(tmp_path, requirement(communities=lists))
    told = run_here("prompts", "check", english, french, requirements)
    assert told.code == 1
    assert told.out == ""
    for part in (
        "prompts_en_us.csv:2 [oracle_prediction]: expected_value is no list",
        "prompts_fr.csv:2 [input_type]: '?' is not known",
        "[requirements[0].communities.es_es]: 1 communities where en_us has 2",
    ):
        assert part in told.err


def test_three_genders_of_two_communities_block(tmp_path: Path) -> None:
    prompts = write_prompts(tmp_path, [{"prompt": "Is {GENDER3} calm?"}])
    requirements = write_requirements(tmp_path, requirement())
    told = run_here("prompts", "check", prompts, requirements)
    assert told.code == 1
    assert "{GENDER3} needs 3 communities, REQ1 has 2" in told.out
    assert "Templates that cannot be sent as they are meant: 1." in told.err


def test_what_cannot_be_read_hides_nothing_that_blocks(tmp_path: Path) -> None:
    rows = [
        {"prompt_id": "1", "oracle_prediction": '{"operation":"equal","expected_value":"No"}'},
        {"prompt_id": "2", "prompt": "Is {GENDER3} calm?"},
        {"prompt_id": "3", "concern": "ageism", "prompt": "Is {AGE3} calm?"},
    ]
    prompts = write_prompts(tmp_path, rows)
    short = {"en_us": ["the old", "the young"], "es_es": ["los viejos"]}
    ageism = requirement(name="REQ2", concern="ageism", markup="AGE", communities=short)
    requirements = write_requirements(tmp_path, requirement(), ageism)
    models = tmp_path / "models.toml"
    models.write_text(
        '[[models]]\nname = "m"\nfamily = "M"\nengine = "endpoint"\n'
        'url = "https://example.invalid/v1"\nkey_variable = "NO_SUCH_KEY"\n'
    )
    workspace = tmp_path / "ws"
    assert run_here("init", workspace).code == 0
    told = run_here("prompts", "run", prompts, requirements, "-m", models, "-w", workspace)
    assert told.code == 1
    for part in (
        "an endpoint without a key: NO_SUCH_KEY is not set",
        "prompts_en_us.csv:2 [oracle_prediction]: expected_value is no list",
        "prompts_en_us.csv:3 [prompt]: {GENDER3} needs 3 communities, REQ1 has 2",
        "[requirements[1].communities.es_es]: 1 communities where en_us has 2",
    ):
        assert part in told.message


def test_one_language_for_two_files_and_two_requirements_are_refused(tmp_path: Path) -> None:
    mine, other = write_prompts(tmp_path, [{}], "a.csv"), write_prompts(tmp_path, [{}], "b.csv")
    first = write_requirements(tmp_path, requirement())
    second = tmp_path / "more.json"
    second.write_bytes(first.read_bytes())
    told = run_here("prompts", "check", mine, other, first, second, "-l", "fr")
    assert told.code == 1
    assert "b.csv: one language, two files" in told.err
    assert "more.json: a second file of requirements" in told.err
    assert run_here("prompts", "check", mine, "-l", "fr").code == 0
