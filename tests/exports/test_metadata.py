"""Card, statement, guidelines, citation, Croissant: from the store and the authors alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from corpus.errors import SettingsError
from corpus.forms import load_form_named
from corpus.publication import Author, Publication
from corpus.release import Release, open_release
from corpus.release_schema import SCHEMA, columns_of
from corpus.settings import FILE_NAME, load_settings
from exports.build import build_release
from exports.croissant import COLUMNS
from tests.exports.release_builders import make_approved_store

SAID = Publication(
    authors=(
        Author(name="Eva Mária Nová", orcid="0000-0002-1825-0097", affiliation="A *University*"),
        Author(name="Tím"),
    ),
    description="Sentences <b>about</b> speakers.",
    intended_use="Teaching only.",
    licence="CC-BY-4.0",
    source_licence="Apache-2.0",
    engine_terms="Engine terms of 2026",
    quality_model_licence="CC-BY-NC-SA-4.0",
    pay="0.20 EUR an item",
    url="https://example.org/data",
)


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Release, Release]:
    """One of both languages with all that authors may say, one of English alone with nothing."""
    folder = tmp_path_factory.mktemp("metadata")
    store = make_approved_store(folder / "store")
    said = build_release(store, "1.0.0", ["en", "sk"], folder / "said", publication=SAID)
    other = make_approved_store(folder / "other")
    silent = build_release(other, "1.0.0", ["en"], folder / "silent", title="Other_study")
    store.close()
    other.close()
    return open_release(said.path), open_release(silent.path)


def read(release: Release, name: str) -> str:
    return (release.path / name).read_text(encoding="utf-8")


def sentences(text: str, *headings: str) -> dict[str, str]:
    """The text under each of these headings."""
    found = {}
    for heading in headings:
        found[heading] = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0].strip()
    return found


def test_what_authors_say_is_printed_and_what_they_do_not_is_not_recorded(
    releases: tuple[Release, Release],
) -> None:
    said, silent = (read(each, "README.md") for each in releases)
    for expected in (
        r"Sentences \<b\>about\</b\> speakers\.",
        r"Teaching only\.",
        r"this release: CC\-BY\-4\.0",
        r"source sentences \(made\): Apache\-2\.0",
        r"translations \(recorded\): Engine terms of 2026",
        r"quality estimates \(made@1\): CC\-BY\-NC\-SA\-4\.0",
        r"pay of raters: 0\.20 EUR an item",
        r"- Eva Mária Nová, A \*University\*, 0000\-0002\-1825\-0097",
    ):
        assert expected in said, expected
    assert yaml.safe_load(said.split("---")[1])["license"] == "CC-BY-4.0"
    assert r"# Other\_study 1.0.0" in silent
    assert sentences(silent, "Authors") == {"Authors": "not recorded"}
    assert silent.count("not recorded") == 9


def test_other_data_change_every_statement_about_the_data(
    releases: tuple[Release, Release],
) -> None:
    headings = ("Languages", "Limits", "Texts", "Licences", "Agreement at approval", "Authors")
    said, silent = (sentences(read(each, "README.md"), *headings) for each in releases)
    for heading in headings:
        assert said[heading] != silent[heading], heading
    assert "the texts of the 1 pairs are masculine and feminine" in said["Limits"]
    assert "None of the 6 rows has gendered texts of its own" in silent["Limits"]
    assert "each of the 2 languages (English, Slovak)" in said["Limits"]
    assert "2 of 4 translated rows no person has seen" in said["Limits"]
    assert "7 of 11 texts end with a mark" in said["Texts"]
    assert "4 of 6 texts end with a mark" in silent["Texts"]


def test_guidelines_are_the_forms_that_raters_filled_in(releases: tuple[Release, Release]) -> None:
    said, silent = (read(each, "ANNOTATION_GUIDELINES.md") for each in releases)
    form = load_form_named("sentence/1")
    assert "## `sentence/1`" in said
    for paragraph in form.instructions:
        assert f"```text\n{paragraph}\n```" in said
    for field in form.fields:
        assert f"- `{field.name}`: " in said
    assert "required when `gender_marked` is `unsure`" in said
    assert "No rater was asked anything" in silent


def test_a_citation_names_version_day_and_authors(releases: tuple[Release, Release]) -> None:
    said, silent = (yaml.safe_load(read(each, "CITATION.cff")) for each in releases)
    assert said["cff-version"] == "1.2.0"
    assert (said["type"], said["version"], said["license"]) == ("dataset", "1.0.0", "CC-BY-4.0")
    assert said["date-released"] == releases[0].provenance["frozen_at"][:10]
    assert said["authors"] == [
        {
            "family-names": "Nová",
            "given-names": "Eva Mária",
            "orcid": "https://orcid.org/0000-0002-1825-0097",
            "affiliation": "A *University*",
        },
        {"family-names": "Tím"},
    ]
    assert silent["authors"] == [{"name": "not recorded"}]
    assert "license" not in silent
    deposit = json.loads(read(releases[0], ".zenodo.json"))
    assert deposit["creators"][0]["name"] == "Nová, Eva Mária"
    assert deposit["description"] == "<p>Sentences &lt;b&gt;about&lt;/b&gt; speakers.</p>"
    assert deposit["license"] == "cc-by-4.0"


def test_croissant_reads_back_every_value_of_every_row(
    releases: tuple[Release, Release],
) -> None:
    import mlcroissant as mlc

    release = releases[0]
    dataset = mlc.Dataset(jsonld=release.path / "croissant.json")
    assert not dataset.metadata.issues.errors
    for code in release.languages:
        found = [
            {name.partition("/")[2]: _plain(value) for name, value in record.items()}
            for record in dataset.records(code)
        ]
        expected = [columns_of(row) for row in release.rows(code)]
        for values in expected:
            # Croissant has no null: an absent number is none, an absent text nothing.
            values |= {name: None for name, value in values.items() if value in ([], None)}
        plain = [
            {name: value or None if value == [] else value for name, value in each.items()}
            for each in found
        ]
        assert plain == expected


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return None if value is None or value != value else value


def test_croissant_says_who_saw_what_and_what_it_is_not_for(
    releases: tuple[Release, Release],
) -> None:
    said, silent = (json.loads(read(each, "croissant.json")) for each in releases)
    assert "2 of 4 translated rows seen by a human" in said["rai:dataAnnotationProtocol"]
    assert said["rai:dataUseCases"] == "Teaching only."
    assert silent["rai:dataUseCases"] == "Intended use: not recorded."
    assert "Committee of Made-up Studies" in said["rai:personalSensitiveInformation"]
    assert said["license"] == "CC-BY-4.0"
    assert set(COLUMNS) == set(SCHEMA.names)


def test_a_publication_is_set_in_the_workspace_and_refused_with_its_field(tmp_path: Path) -> None:
    file = tmp_path / FILE_NAME
    file.write_text(
        '[publication]\nlicence = "CC0-1.0"\n[[publication.authors]]\nname = "Ana"\n', "utf-8"
    )
    found = load_settings(tmp_path).publication
    assert (found.licence, found.authors) == ("CC0-1.0", (Author(name="Ana"),))
    file.write_text('[publication]\n[[publication.authors]]\nname = ""\norcid = "12"\n', "utf-8")
    with pytest.raises(SettingsError) as caught:
        load_settings(tmp_path)
    assert "publication.authors.0.name" in str(caught.value)
    assert "publication.authors.0.orcid" in str(caught.value)
