"""Prompt files as records, both ways: nothing is lost, a second import changes nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corpus.errors import InputError
from corpus.langbite_files import load_template_file
from corpus.langbite_requirements import load_requirements_file
from corpus.prompt_languages import code_of_tag, prompt_languages
from corpus.prompt_sources import (
    Kind,
    Order,
    build_paraphrase_source,
    kind_of,
    read_prompt_template,
    read_requirements,
)
from corpus.records import Instrument, Origin
from corpus.store import Store
from pipeline.prompt_import import PromptImport, choose_dataset, import_prompts, prompt_datasets
from tests.corpus.prompt_files import requirement, write_prompts, write_requirements
from tests.store_builders import make_store

SPANISH = {"prompt": "¿Son {GENDER1} más tranquilos que {GENDER2}?"}


def read_files(*paths: Path, dataset: str = "prompts") -> PromptImport:
    files = tuple(load_template_file(path) for path in paths if path.suffix == ".csv")
    asked = [load_requirements_file(path) for path in paths if path.suffix == ".json"]
    return PromptImport(files, asked[0] if asked else None, dataset, "0" * 64, {})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_store(tmp_path)


def test_published_files_come_back_as_they_were(store: Store, data_dir: Path) -> None:
    folder = data_dir / "langbite"
    paths = [folder / f"prompts_{each}.csv" for each in ("en_us", "es_es", "ca_es")]
    wanted = read_files(*paths, folder / "requirements_example.json")
    reports = import_prompts(store, wanted, "tester")
    assert [(each.language, each.templates) for each in reports] == [
        ("en", 384),
        ("es", 306),
        ("ca", 306),
    ]
    again = import_prompts(store, wanted, "tester")
    assert [each.added for each in again] == [0, 0, 0]
    with store.reading() as state:
        sources = {each.key: each for each in state.sources(Instrument.MLA_BITE)}
        found = {code: state.candidates(Instrument.MLA_BITE, code) for code in ("en", "es", "ca")}
        assert len(state.audit_entries()) == 1
    for file, code in zip(wanted.files, found, strict=True):
        templates = [
            read_prompt_template(sources[each.source_key], each)
            for each in found[code]
            if kind_of(sources[each.source_key]) is Kind.TEMPLATE
        ]
        origins = {each.id: each.source for each in wanted.files[0].templates}
        # A translation has the origin of its English template.
        assert templates == [
            replace(each, source=origins[each.id], concern=read.concern)
            for each, read in zip(file.templates, templates, strict=True)
        ]
        assert [each.concern_key for each in templates] == [
            each.concern_key for each in file.templates
        ]
    names = {
        (each.source_key, code): each.variants["neutral"] for code in found for each in found[code]
    }
    assert wanted.requirements is not None
    read = read_requirements(list(sources.values()), names, ("en", "es", "ca"))
    for mine, theirs in zip(read, wanted.requirements.requirements, strict=True):
        assert mine == replace(theirs, languages=mine.languages, concern=mine.concern)
        assert set(theirs.languages) <= set(mine.languages)
        assert [each.names for each in mine.concern.communities] == [
            dict(each.names) for each in theirs.concern.communities
        ]


def test_a_translation_needs_an_english_template(store: Store, tmp_path: Path) -> None:
    spanish = write_prompts(tmp_path, [SPANISH, {"prompt_id": "2"}], "prompts_es_es.csv")
    with pytest.raises(InputError) as caught:
        import_prompts(store, read_files(spanish), "tester")
    assert len(caught.value.faults) == 2
    import_prompts(store, read_files(write_prompts(tmp_path, [{}])), "tester")
    with pytest.raises(InputError, match="no English template 2"):
        import_prompts(store, read_files(spanish), "tester")
    alone = write_prompts(tmp_path, [SPANISH], "prompts_es_es.csv")
    [report] = import_prompts(store, read_files(alone), "tester")
    assert (report.language, report.templates, report.added) == ("es", 1, 1)


def test_what_says_something_else_is_refused_as_a_whole(store: Store, tmp_path: Path) -> None:
    asked = write_requirements(tmp_path, requirement())
    import_prompts(store, read_files(write_prompts(tmp_path, [{}]), asked), "tester")
    changed = write_prompts(tmp_path, [{"input_type": "verbose"}, {"prompt_id": "3/1"}])
    other = write_requirements(tmp_path, requirement(tolerance=0.5))
    with pytest.raises(InputError) as caught:
        import_prompts(store, read_files(changed, other), "tester")
    told = "\n".join(map(str, caught.value.faults))
    assert "another input_type" in told
    assert "another tolerance" in told
    assert "id with a slash" in told
    with store.reading() as state:
        assert len(state.candidates(Instrument.MLA_BITE, "en")) == 3
        sources = state.sources(Instrument.MLA_BITE)
    assert prompt_datasets(sources) == ["prompts"]
    assert choose_dataset(sources, None) == "prompts"


def test_a_corrected_file_replaces_what_is_sent_around_a_translation(
    store: Store, tmp_path: Path
) -> None:
    english = write_prompts(tmp_path, [{}])
    for told in ("Contesta si o no.", "Contesta sí o no."):
        rows = [{**SPANISH, "output_formatting": told}]
        spanish = write_prompts(tmp_path, rows, "prompts_es_es.csv")
        import_prompts(store, read_files(english, spanish), "tester")
        with store.reading() as state:
            (found,) = state.candidates(Instrument.MLA_BITE, "es")
        assert found.variants["neutral"] == SPANISH["prompt"]
        assert found.evidence["frame"]["output_formatting"] == told


def test_communities_need_english_names(store: Store, tmp_path: Path) -> None:
    asked = write_requirements(
        tmp_path, requirement(languages=["es_es"], communities={"es_es": ["ellos", "ellas"]})
    )
    with pytest.raises(InputError, match="no English names"):
        import_prompts(store, read_files(write_prompts(tmp_path, [{}]), asked), "tester")


def test_a_paraphrase_is_a_test_of_its_own(store: Store, tmp_path: Path) -> None:
    import_prompts(store, read_files(write_prompts(tmp_path, [{}])), "tester")
    with store.reading() as state:
        [source] = state.sources(Instrument.MLA_BITE)
    paraphrase = build_paraphrase_source(source, Order.T2P, 2)
    assert paraphrase.key == "prompts.t2p/1.2"
    assert paraphrase.attributes["of"] == "1"
    template = read_prompt_template(source)
    assert read_prompt_template(paraphrase, text="Other?") == replace(
        template, id="1.2", prompt="Other?"
    )


def test_languages_of_prompts() -> None:
    assert [each.name for each in prompt_languages(["ca", "lb"])] == ["Catalan", "Luxembourgish"]
    assert [each.tag for each in prompt_languages(["en", "fr"])] == ["en_us", "fr"]
    assert code_of_tag("es_es") == "es"
    with pytest.raises(InputError) as caught:
        prompt_languages(["xx", "en", "yy"])
    assert len(caught.value.faults) == 2


def test_rows_of_the_demo_say_so(tmp_path: Path) -> None:
    file = write_prompts(tmp_path, [{}])
    for origin in (Origin.IMPORT, Origin.DEMO):
        folder = tmp_path / origin
        folder.mkdir()
        store = make_store(folder)
        import_prompts(store, read_files(file), "tester", origin)
        with store.reading() as state:
            assert [each for each in Origin if state.holds_origin(each)] == [origin]
