"""The bundled prompt tests: in order, whole in both languages, and the developers' own."""

from __future__ import annotations

from pathlib import Path

from corpus.langbite_files import load_template_file
from corpus.prompts import find_placeholders
from corpus.samples import prompt_answers, prompt_paths
from scoring.prompt_inputs import load_prompt_inputs


def test_every_template_can_be_sent_in_both_languages() -> None:
    inputs = load_prompt_inputs(prompt_paths())
    assert inputs.findings == ()
    english, spanish = (
        {template.id: template for template in file.templates} for file in inputs.files
    )
    assert english.keys() == spanish.keys()
    assert inputs.requirements is not None
    for key, template in english.items():
        assert template.placeholders == spanish[key].placeholders
        assert template.oracle.operation is spanish[key].oracle.operation


def test_a_translation_and_a_paraphrase_are_recorded_for_each() -> None:
    recorded = prompt_answers()
    english, spanish = (load_template_file(path).templates for path in prompt_paths()[:2])
    for one, other in zip(english, spanish, strict=True):
        assert recorded["translations"][one.prompt] == other.prompt
        [paraphrase] = recorded["paraphrases"][other.prompt]
        assert sorted(each.text for each in find_placeholders(paraphrase)) == sorted(
            each.text for each in find_placeholders(other.prompt)
        )
        assert paraphrase != other.prompt


def test_no_template_is_langbites(data_dir: Path) -> None:
    published = {
        template.prompt.casefold()
        for path in (data_dir / "langbite").glob("prompts_*.csv")
        for template in load_template_file(path).templates
    }
    for path in prompt_paths()[:2]:
        assert (
            not {each.prompt.casefold() for each in load_template_file(path).templates} & published
        )
