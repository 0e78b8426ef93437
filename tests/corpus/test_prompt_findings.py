"""What is wrong with prompt templates: reported with its place, and nothing is dropped."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import prompt_files
from prompt_files import SAME, requirement

from corpus.langbite_files import load_template_file
from corpus.langbite_requirements import load_requirements_file
from corpus.prompt_findings import FINDINGS, Finding, find_template_findings
from corpus.requirement_findings import find_requirement_findings


def test_defects_of_the_published_files_are_reported(data_dir: Path) -> None:
    """Each kind was counted by hand in the files, with grep, before this was written."""
    folder = data_dir / "langbite"
    files = [
        load_template_file(folder / f"prompts_{each}.csv") for each in ("ca_es", "en_us", "es_es")
    ]
    path = folder / "requirements_example.json"
    requirements = load_requirements_file(path).requirements
    found = [
        *find_template_findings(files),
        *find_requirement_findings(files, requirements, str(path)),
    ]
    ids: dict[tuple[str, str], list[str]] = {}
    for each in found:
        language = next(file.language for file in files if file.file == each.file)
        ids.setdefault((each.kind, language), []).extend(each.templates)
    for language in ("en_us", "es_es", "ca_es"):
        assert ids[("equal_with_placeholder", language)] == ["297", "298"]
    assert ids[("wrong_placeholder", "ca_es")] == ["188", "189", "190", "191"]
    assert ids[("bare_markup", "ca_es")] == ids[("placeholders_differ", "ca_es")]
    assert ids[("bare_markup", "ca_es")] == ["274", "284", "285"]
    assert ids[("repeated_prompt", "es_es")] == ["67", "232"]
    assert len(ids[("missing_in_language", "ca_es")]) == 384 - 306
    assert len(ids[("not_asked_for", "en_us")]) == 45
    blocked = {number for each in found if each.blocking for number in each.templates}
    assert blocked == {"188", "189", "190", "191", "274", "284", "285"}
    articles = [str(each) for each in found if each.kind == "agreement"]
    assert any("'a' before {GENDER} does not fit men, women (42 templates)" in x for x in articles)
    assert {each.kind for each in found} <= set(FINDINGS)


def findings_of(folder: Path, *rows: dict[str, str]) -> tuple[Finding, ...]:
    return find_template_findings([load_template_file(prompt_files.write_prompts(folder, rows))])


def test_each_kind_of_wrong_template_is_found(tmp_path: Path) -> None:
    found = findings_of(
        tmp_path,
        {"prompt_id": "1", "prompt": "Are {gender} calm? {GENDER0} {GENDER"},
        {"prompt_id": "2", "prompt": "Are {GENDER} calmer than {GENDER1}?"},
        {"prompt_id": "3", "prompt": "Are {GENDER1} calmer than {GENDER3}?"},
        {"prompt_id": "4", "prompt": "Are GENDER calmer than {AGE}?"},
        {"prompt_id": "5", "prompt": "Answer.", "task_prefix": "Think of {AGE}."},
        {
            "prompt_id": "6",
            "prompt": "Say it.",
            "oracle": "same value",
            "oracle_prediction": SAME,
        },
        {"prompt_id": "7", "input_type": "verbose", "prompt": "Are {AGE} calm?"},
        {"prompt_id": "8", "prompt": "Are {AGE} calm?"},
    )
    told = [(each.kind, each.templates, each.blocking) for each in found]
    assert told == [
        ("wrong_placeholder", ("1",), True),
        ("wrong_placeholder", ("1",), True),
        ("wrong_placeholder", ("1",), True),
        ("wrong_placeholder", ("2",), True),
        ("numbering_gap", ("3",), False),
        ("bare_markup", ("4",), True),
        ("placeholder_elsewhere", ("5",), True),
        ("nothing_to_compare", ("6",), False),
        ("key_not_asked", ("6",), False),
        ("input_type_contradicts", ("7",), False),
        ("repeated_prompt", ("7", "8"), False),
    ]
    assert "[prompt]: {GENDER0} is no placeholder. write placeholders in capitals" in str(found[1])


def test_the_same_test_in_two_languages_is_compared(tmp_path: Path) -> None:
    english = prompt_files.write_prompts(tmp_path, [{}, {"prompt_id": "2"}])
    other = {"concern": "ageism", "prompt": "{GENDER2} ?", "reflection_type": "utopian"}
    french = prompt_files.write_prompts(tmp_path, [other], "prompts_fr.csv")
    found = find_template_findings([load_template_file(english), load_template_file(french)])
    counted = Counter((each.kind, each.field) for each in found if each.file == str(french))
    assert counted == {
        ("placeholders_differ", "prompt"): 1,
        ("test_differs", "concern"): 1,
        ("test_differs", "reflection_type"): 1,
        ("numbering_gap", "prompt"): 1,
        ("missing_in_language", None): 1,
    }
    again = prompt_files.write_prompts(tmp_path, [{}], "prompts_en_us--work.csv")
    found = find_template_findings([load_template_file(english), load_template_file(again)])
    assert [(each.kind, each.file) for each in found if each.blocking] == [
        ("repeated_id", str(again))
    ]


def test_placeholders_are_held_against_the_communities(tmp_path: Path) -> None:
    rows = [
        {"prompt_id": "1", "prompt": "Is {GENDER3} calm?"},
        {"prompt_id": "2", "prompt": "Are {AGE} calm?"},
        {"prompt_id": "3", "prompt": "No placeholder is one instance."},
        {"prompt_id": "4", "concern": "ageism", "prompt": "Are {AGE} calm?"},
        {"prompt_id": "5", "prompt": "Is a {GENDER} calm, or an {GENDER}?"},
    ]
    file = load_template_file(prompt_files.write_prompts(tmp_path, rows))
    path = prompt_files.write_requirements(
        tmp_path,
        requirement(),
        requirement(name="REQ2", concern="Faith", communities={"en_us": [], "es_es": []}),
    )
    requirements = load_requirements_file(path).requirements
    found = find_requirement_findings([file], requirements, "requirements.json")
    told = [(each.kind, each.row, each.templates, each.blocking) for each in found]
    assert told == [
        ("too_few_communities", 2, ("1",), True),
        ("placeholder_not_filled", 3, ("2",), True),
        ("not_asked_for", None, ("4",), False),
        ("agreement", None, ("5",), False),
        ("agreement", None, ("5",), False),
        ("no_template", None, (), False),
    ]
    assert "{GENDER3} needs 3 communities, REQ1 has 2" in str(found[0])
    assert "{AGE} is not filled: REQ1 fills {GENDER}" in str(found[1])
