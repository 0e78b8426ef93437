"""What a release tells of its raters: consent, counts that identify nobody, the ethics approval."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from corpus.people import Consent, Ethics, Person
from corpus.release import open_release
from corpus.store import Store
from exports.build import Outcome, build_release
from exports.raters import FEWEST_RATERS, OTHER, SMALL_CELL, FactTable, Raters, count_facts
from exports.verify import verify_release
from tests.exports.release_builders import NEUTRAL, PAIR, make_approved_store
from tests.store_builders import consent


def build(store: Store, folder: Path, version: str = "0.1.0") -> Path:
    return build_release(store, version, ["sk", "en"], folder).path


def statement(path: Path) -> str:
    return (path / "DATA_STATEMENT.md").read_text(encoding="utf-8")


def raters_in(path: Path) -> set[str]:
    with (path / "ratings" / "sk.csv").open(encoding="utf-8", newline="") as stream:
        return {row["rater_id"] for row in csv.DictReader(stream)}


def test_only_ratings_of_who_agreed_are_published(store: Store, tmp_path: Path) -> None:
    assert raters_in(build(store, tmp_path)) == {"r1", "r2"}
    consent(store, "r2", publish=False)
    path = build(store, tmp_path, "0.1.1")
    assert raters_in(path) == {"r1"}
    # r1 gave 80 and r2 100: with r2's rating in the mean, hers could be worked out.
    pair = next(row for row in open_release(path).rows("sk") if row.id == PAIR.id)
    assert (pair.raters, pair.mean_quality) == (2, 80.0)
    described = open_release(path).provenance["languages"]["sk"]
    assert (described["ratings"], described["ratings_published"]) == (8, 4)
    assert described["approval"]["figures"][0]["value"] == 0.9583
    assert "| Slovak | 2 | 1 | 8 | 4 |" in statement(path)
    assert "1 of them agreed" in statement(path)
    assert verify_release(path) == []


def test_consent_that_is_not_recorded_is_no_consent(tmp_path: Path) -> None:
    source = make_approved_store(tmp_path / "store")
    with source.writing() as writer:
        writer.append([Consent(each, False, "0" * 64, "curator-1") for each in ("r1", "r2")])
    path = build(source, tmp_path / "releases")
    assert raters_in(path) == set()
    assert {row.mean_quality for row in open_release(path).rows("sk")} == {None}
    assert NEUTRAL[1].id in {row.id for row in open_release(path).rows("sk") if row.raters == 2}
    source.close()


def test_the_statement_holds_ethics_and_consent_text_literally(
    store: Store, tmp_path: Path
) -> None:
    text = "I agree.\n```\n# not a heading\n````"
    with store.writing() as writer:
        writer.append([Ethics("A [link](x) | *board*", "7_8_9", text)])
    consent(store, "r1", text=text)
    made = statement(build(store, tmp_path))
    assert r"A \[link\]\(x\) \| \*board\*, number 7\_8\_9" in made
    assert f"1 agreed to this text:\n\n`````text\n{text}\n`````" in made
    assert "- 1 agreed to an earlier text (sha256 `" in made
    provenance = open_release(tmp_path / "0.1.0").provenance
    assert provenance["ethics"]["number"] == "7_8_9"


def test_what_is_not_recorded_is_said(tmp_path: Path) -> None:
    from tests.exports.release_builders import ENGLISH, SOURCES
    from tests.store_builders import add_candidates, add_sources, make_store

    store = make_store(tmp_path)
    add_sources(store, SOURCES)
    add_candidates(store, ENGLISH)
    made = statement(build_release(store, "0.1.0", ["en"], tmp_path / "releases").path)
    assert "The ratings of 0 raters count" in made
    assert "Consent text: not recorded." in made
    assert "## Ethics approval\n\nnot recorded" in made
    store.close()


def test_a_change_of_consent_is_another_release(store: Store, tmp_path: Path) -> None:
    first = build_release(store, "0.1.0", ["sk", "en"], tmp_path)
    with store.writing() as writer:
        # Another study's rater and what is not told change nothing.
        writer.append([Person("r1", "rater", "Eva", "eva@example.org")])
    consent(store, "r9", publish=False)
    again = build_release(store, "0.1.0", ["sk", "en"], tmp_path)
    assert (again.outcome, again.frozen_position) == (Outcome.ALREADY_BUILT, first.frozen_position)
    consent(store, "r1", publish=False)
    later = build_release(store, "0.1.1", ["sk", "en"], tmp_path)
    assert later.frozen_position > first.frozen_position
    assert raters_in(first.path) == {"r1", "r2"}


def facts_of(*facts: Mapping[str, str]) -> Raters:
    ids = [f"r{number}" for number in range(len(facts))]
    given = dict(zip(ids, facts, strict=True))
    return Raters(frozenset(ids), frozenset(), {}, None, given, ())


def test_rare_values_are_pooled_and_never_named() -> None:
    facts = [{"gender": "woman"}] * 5 + [{"gender": "man"}] * 3 + [{"gender": "other"}]
    # One left over could be told by subtraction, so the men join the pool.
    assert count_facts(facts_of(*facts)) == [FactTable("gender", (("woman", 5), (OTHER, 4)))]
    assert count_facts(facts_of(*facts[:8])) == [FactTable("gender", (("woman", 5), ("man", 3)))]
    assert count_facts(facts_of(*facts[:6])) == []
    assert count_facts(facts_of(*[{"a": "b"}] * 4)) == []
    assert count_facts(facts_of(*[{"a": "b"}] * 2, *[{}] * 6)) == []


@given(st.lists(st.dictionaries(st.sampled_from("ab"), st.sampled_from("vwxyz")), max_size=14))
def test_no_count_is_small_and_all_raters_are_counted(facts: list[dict[str, str]]) -> None:
    tables = count_facts(facts_of(*facts))
    assert not tables or len(facts) >= FEWEST_RATERS
    for table in tables:
        assert sum(number for _, number in table.counts) == len(facts)
        for value, number in table.counts:
            assert number >= SMALL_CELL
            if value != OTHER:
                assert sum(each.get(table.key) == value for each in facts) == number


def test_facts_are_told_over_the_whole_release(store: Store, tmp_path: Path) -> None:
    from tests.exports.release_builders import CANDIDATES
    from tests.store_builders import add_batch, add_ratings, approve

    raters = [f"r{number}" for number in range(3, 8)]
    _, items = add_batch(store, CANDIDATES[:2], raters, batch_id="sk-2")
    for rater in raters:
        add_ratings(store, items, rater)
    with store.writing() as writer:
        people = [
            Person(each, "rater", "Eva", demographics={"native language": "sk|*en*"})
            for each in raters
        ]
        writer.append(people)
    approve(store, "sk")
    made = statement(build(store, tmp_path))
    # Seven raters; two of them said nothing, so the pool takes all in and nothing is told.
    assert "Nothing can be told of the 7 raters here" in made
    with store.writing() as writer:
        writer.append([Person("r1", "rater", demographics={"native language": "sk|*en*"})])
        writer.append([Person("r2", "rater", demographics={"native language": "sk|*en*"})])
    made = statement(build(store, tmp_path, "0.1.1"))
    assert r"| native language | sk\|\*en\* | 7 |" in made
    assert "Eva" not in made
