"""`prompts export`, and prompts in a language that sentences are not in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from corpus.langbite_files import load_template_file
from corpus.langbite_requirements import load_requirements_file
from corpus.workspace import init_workspace
from tests.command_line import run_here
from tests.prompt_studies import add_prompts
from tests.store_builders import add_candidates

OF_PROMPTS = ("--instrument", "mla-bite")


def make_study(folder: Path) -> Path:
    """Spanish and Luxembourgish templates of politics, no rating yet, and paraphrases."""
    store = init_workspace(folder, "prompts").open_store()
    made = add_prompts(store, {"politics": 3})
    add_candidates(store, [replace(each, language="lb") for _, each in made.values()])
    paraphrases = []
    for source, candidate in made.values():
        if source.dataset == "prompts":
            added = {"augmentation": "t2p", "paraphrase": 1, "of": source.explicit_id}
            again = replace(
                source,
                dataset="prompts.t2p",
                explicit_id=f"{source.explicit_id}.1",
                attributes={**source.attributes, **added},
            )
            with store.writing() as writer:
                writer.append_sources([again])
            paraphrases.append(replace(candidate, source_key=again.key, strategy="t2p/1"))
    add_candidates(store, paraphrases)
    store.close()
    return folder


def test_a_language_that_is_not_approved_is_exported_and_said_to_be_so(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    run = ("release", "build", "1.0.0", "-l", "es,lb", "-w", study)
    told = run_here(*run, *OF_PROMPTS)
    assert told.code == 1
    assert "cannot be released yet" in told.message
    told = run_here(*run, *OF_PROMPTS, "--include-unvalidated")
    assert told.code == 0, told.text
    told = run_here("release", "verify", "mla-bite/1.0.0", "-w", study)
    assert told.code == 0, told.text
    out = tmp_path / "out"
    told = run_here("prompts", "export", "mla-bite/1.0.0", "--to", out, "-w", study)
    assert told.code == 0, told.text
    assert "Luxembourgish" in told.text
    assert told.text.count("NOT VALIDATED") == 2
    assert "0 of 8" in told.text  # three templates, three paraphrases, two communities
    names = {each.name for each in out.iterdir()}
    assert names == {
        "prompts_es_es.csv",
        "prompts_es_es--t2p.csv",
        "prompts_lb.csv",
        "requirements.json",
    }
    assert [each.id for each in load_template_file(out / "prompts_es_es--t2p.csv").templates] == [
        "2.1",
        "3.1",
        "4.1",
    ]
    [asked] = load_requirements_file(out / "requirements.json").requirements
    assert asked.languages == ("es_es", "lb")
    assert run_here("prompts", "check", *sorted(out.iterdir())).code == 0
    card = (study / "releases" / "mla-bite" / "1.0.0" / "README.md").read_text(encoding="utf-8")
    # Three templates in each language and three paraphrases in Spanish, all of politics.
    assert "3 of 9 templates are paraphrases that a model wrote" in card
    assert "9 of 9 templates are about politics" in card
    assert "0 of 13 translated rows seen by a human" in card


def test_what_is_left_out_is_told_with_why_when_it_is_built(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    reject = ("decide", "mla-bite/lb/prompts/2", "reject", "--reason", "It asks the opposite.")
    assert run_here(*reject, "-w", study).code == 0
    build = ("release", "build", "1.0.0", "-l", "es,lb", "--include-unvalidated", *OF_PROMPTS)
    told = run_here(*build, "-w", study)
    assert told.code == 0, told.text
    rows = {line.split()[1]: line for line in told.out.splitlines() if line.startswith("│")}
    assert rows["es"].split()[3:] == ["8", "│", "none", "│"]
    assert rows["lb"].split()[3:] == ["4", "│", "1", "rejected", "│"]
    card = (study / "releases" / "mla-bite" / "1.0.0" / "README.md").read_text(encoding="utf-8")
    assert "Candidates left out of this release: 1.\n\n- `es`: none\n- `lb`: 1 rejected\n" in card


def test_templates_without_a_text_in_a_language_are_counted_and_named(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    build = ("release", "build", "1.0.0", "-l", "es,lb", "--include-unvalidated", *OF_PROMPTS)
    told = run_here(*build, "-w", study)
    assert told.code == 0, told.text
    # Paraphrases were made in Spanish only.
    keys = ", ".join(f"prompts.t2p/{number}.1" for number in (2, 3, 4))
    assert f"lb: prompt templates without a text in this language: 3 ({keys})." in told.message
    assert "es: prompt templates without" not in told.message


def test_only_prompts_are_exported_and_only_prompts_are_in_luxembourgish(tmp_path: Path) -> None:
    study = make_study(tmp_path / "study")
    told = run_here("release", "build", "1.0.0", "-l", "lb", "-w", study)
    assert told.code == 1
    assert "unknown language code" in told.message
    told = run_here("prompts", "export", "mla-bite/2.0.0", "--to", tmp_path, "-w", study)
    assert told.code == 1
    assert "There is no release mla-bite/2.0.0" in told.message
    run_here("raters", "add", "r1", "-w", study)
    created = run_here("batch", "create", "-l", "lb", "--raters", "r1", "-w", study, *OF_PROMPTS)
    assert created.code == 0, created.text
    told = run_here("agreement", "-l", "lb", "-w", study, *OF_PROMPTS)
    assert told.code == 0, told.text
    told = run_here("approve", "lb", "-w", study, *OF_PROMPTS)
    assert told.code == 1
