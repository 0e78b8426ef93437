"""Sector scores of a model: stored, resumed, damaged, signed and refused."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from sector_models import build_constructed

from corpus.errors import EngineError, InputError
from corpus.sector_files import load_sector_languages
from corpus.sectors import Gender, Sector, SectorLanguage
from corpus.workforce import load_workforce
from engines.likelihood.association import AssociationEngine, load_association_engine
from engines.likelihood.association_opening import (
    SENTENCE_LIKELIHOOD,
    identify_word_model,
    open_word_engine,
)
from engines.likelihood.sentence_likelihood import load_sentence_engine
from scoring.sector_contrasts import build_contrasts
from scoring.sector_half_precision import WordEngine, as_text
from scoring.sector_resampling import SectorResampling
from scoring.sector_scores import SectorRequest, SectorResult, score_sectors
from scoring.sector_shards import SectorShardKey, read_sector_shard


@dataclass
class Opener:
    """Opens the engine once it is needed, and counts."""

    engine: AssociationEngine
    opened: int = 0

    def __call__(self) -> AssociationEngine:
        self.opened += 1
        return self.engine


def shorten(language: SectorLanguage) -> SectorLanguage:
    """Two templates, of which one shows the gender if there is any, two pairs, a term a sector."""
    templates = [language.templates[0], language.templates[-1]]
    return replace(
        language,
        templates=tuple(templates),
        pairs=language.pairs[:2],
        terms=language.terms[::6],
    )


@pytest.fixture(scope="module")
def engine(masked_folders: dict[str, Path]) -> AssociationEngine:
    # Bytes spell every word of every language.
    return load_association_engine(str(masked_folders["roberta"]), device="cpu")


@pytest.fixture
def request_(engine: AssociationEngine) -> SectorRequest:
    languages = tuple(map(shorten, load_sector_languages(["pl", "en"])))
    return SectorRequest(
        languages, load_workforce(), "float32", engine.reading, SectorResampling(1, 50)
    )


def score(
    engine: AssociationEngine, request: SectorRequest, folder: Path, **options: Any
) -> tuple[SectorResult, int]:
    opener = Opener(engine)
    return score_sectors(engine, opener, request, folder, **options), opener.opened


def find_shards(folder: Path) -> dict[str, Path]:
    return {path.name[:2]: path for path in folder.glob("sectors/shards/*/*.parquet")}


def test_figures_are_stored_with_what_made_them(
    engine: AssociationEngine, request_: SectorRequest, tmp_path: Path
) -> None:
    told: list[int] = []
    result, _ = score(engine, request_, tmp_path, plan=told.append, advance=told.append)
    assert told[0] == sum(told[1:]) == 2 * (2 * 2 * 2 * 3)
    manifest = json.loads((result.folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest == result.manifest
    assert manifest["status"] == {"pl": "unreviewed", "en": "unreviewed"}
    assert manifest["countries"] == {"pl": "Poland", "en": "England"}
    assert manifest["workforce_table"]["year"] == "not stated"
    assert manifest["contrasts"]["pl"]["all"] == 12
    assert manifest["contrasts"]["pl"]["context_shows_gender"] == 6
    assert manifest["contrasts"]["en"]["context_shows_gender"] == 0
    document = json.loads((result.folder / "figures.json").read_text(encoding="utf-8"))
    assert len(document["figures"]) == len(result.figures)
    scopes = {(one["name"], *sorted(one["scope"].items())) for one in document["figures"]}
    assert len(scopes) == len(result.figures)
    contexts = {(one["scope"]["language"], one["scope"]["context"]) for one in document["figures"]}
    assert contexts == {("pl", "open"), ("pl", "shown"), ("en", "open")}
    for one in document["figures"]:
        country = {"pl": "Poland", "en": "England"}[one["scope"]["language"]]
        assert f"|workforce:study, {country}, not stated, " in one["signature"]
        assert f"|context:{one['scope']['context']}|" in one["signature"]
        assert "|status:unreviewed|" in one["signature"]


def test_what_is_scored_is_not_scored_again_and_what_is_damaged_is(
    engine: AssociationEngine, request_: SectorRequest, tmp_path: Path
) -> None:
    first, opened = score(engine, request_, tmp_path)
    assert opened == 1
    again, opened = score(engine, request_, tmp_path)
    assert (again, opened) == (first, 0)
    shards = find_shards(tmp_path)
    assert set(shards) == {"pl", "en"}
    whole = {code: path.read_bytes() for code, path in shards.items()}
    shards["en"].unlink()
    shards["pl"].write_bytes(whole["pl"][:-9])
    repaired, opened = score(engine, request_, tmp_path)
    assert (repaired, opened) == (first, 1)
    assert {code: path.read_bytes() for code, path in shards.items()} == whole


def test_an_interrupted_run_goes_on_with_the_next_language(
    engine: AssociationEngine, request_: SectorRequest, tmp_path: Path
) -> None:
    class StoppedError(Exception):
        pass

    def stop(done: int) -> None:
        if find_shards(tmp_path):
            raise StoppedError

    with pytest.raises(StoppedError):
        score(engine, request_, tmp_path, advance=stop)
    kept = find_shards(tmp_path)
    assert set(kept) == {"pl"}
    assert not list(tmp_path.glob("sectors/*/manifest.json"))
    before = kept["pl"].stat().st_mtime_ns
    result, _ = score(engine, request_, tmp_path)
    assert result.manifest["languages"] == ["pl", "en"]
    assert kept["pl"].stat().st_mtime_ns == before


def test_another_workforce_or_seed_needs_no_model_and_is_another_result(
    engine: AssociationEngine, request_: SectorRequest, tmp_path: Path
) -> None:
    first, _ = score(engine, request_, tmp_path)
    later = replace(request_.workforce, year="2024")
    for changed in (
        replace(request_, workforce=later),
        replace(request_, resampling=SectorResampling(2, 50)),
    ):
        other, opened = score(engine, changed, tmp_path)
        assert opened == 0
        assert other.folder != first.folder
    assert len(list(tmp_path.glob("sectors/*/manifest.json"))) == 3


def test_a_shard_gives_back_what_was_scored_and_only_under_its_key(
    engine: AssociationEngine, request_: SectorRequest, tmp_path: Path
) -> None:
    result, _ = score(engine, request_, tmp_path)
    key = SectorShardKey(**result.manifest["shards"]["pl"])
    path = find_shards(tmp_path)["pl"]
    found = read_sector_shard(path, key)
    polish = request_.languages[0]
    assert [one.sentence for one in found] == list(polish.build_sentences())
    assert len(build_contrasts(found)) == 12
    with pytest.raises(InputError, match="made under another key"):
        read_sector_shard(path, replace(key, reading="left-to-right"))
    # Some bytes mean nothing; none that does changes a number unnoticed.
    data, refused = path.read_bytes(), 0
    for k in range(5, len(data), 101):
        path.write_bytes(data[:k] + bytes([data[k] ^ 0xFF]) + data[k + 1 :])
        try:
            assert read_sector_shard(path, key) == found
        except InputError:
            refused += 1
    assert refused > 20
    with pytest.raises(InputError, match="not there"):
        read_sector_shard(tmp_path / "none.parquet", key)


def test_nothing_is_scored_if_a_language_cannot_be(
    engine: AssociationEngine, request_: SectorRequest, tmp_path: Path
) -> None:
    only_polish = dict(request_.workforce.countries)
    del only_polish["en"]
    lacking = replace(request_, workforce=replace(request_.workforce, countries=only_polish))
    with pytest.raises(InputError, match="no workforce for the language 'en'"):
        score(engine, lacking, tmp_path)
    constructed = AssociationEngine(build_constructed(), "float32", "cpu", "joint")
    with pytest.raises(EngineError, match="does not know"):
        score(constructed, request_, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_causal_model_is_scored_by_its_sentences_and_says_so(
    llama_folder: Path, request_: SectorRequest, tmp_path: Path
) -> None:
    engine = load_sentence_engine(str(llama_folder), device="cpu")
    causal = replace(request_, reading=engine.reading, method=SENTENCE_LIKELIHOOD)
    result = score_sectors(engine, lambda: engine, causal, tmp_path)
    again = score_sectors(engine, refuse_to_open, causal, tmp_path)
    assert again == result
    manifest = result.manifest
    assert (manifest["kind"], manifest["method"]) == ("causal", "sentence likelihood")
    assert "cannot be set against those of masked models" in manifest["not_measured"]
    found = {
        (f.name, dict(f.scope).get("sector")): f
        for f in result.figures
        if dict(f.scope)["language"] == "en" and dict(f.scope)["lengths"] == "all"
    }
    one = found["inner_disparity", "primary"]
    assert "ln P(feminine sentence) − ln P(masculine sentence)" in one.definition
    assert "How usual the person words are" in one.definition
    assert one.method == "mean of sentence likelihoods"
    # By hand from the sentences: two templates, two pairs and one term of the sector.
    english = request_.languages[1]
    by_gender: dict[Gender, list[float]] = {gender: [] for gender in Gender}
    for sentence in english.build_sentences():
        if sentence.sector is Sector.PRIMARY:
            (found_,) = engine.score([as_text(sentence)])
            by_gender[sentence.gender].append(found_.association_nats)
    expected = (sum(by_gender[Gender.FEMININE]) - sum(by_gender[Gender.MASCULINE])) / 4
    assert one.value == pytest.approx(expected, abs=1e-3)
    relative = [found["relative_disparity", str(sector)].value or 0.0 for sector in Sector]
    assert sum(relative) == pytest.approx(0, abs=1e-9)
    document = json.loads((result.folder / "figures.json").read_text(encoding="utf-8"))
    assert all(
        "|method:sentence likelihood|reading:sentence|" in each["signature"]
        for each in document["figures"]
    )


@pytest.mark.parametrize("kind", ["masked", "causal"])
def test_half_precision_is_compared_with_float32_and_its_error_stored(
    kind: str,
    masked_folders: dict[str, Path],
    llama_folder: Path,
    request_: SectorRequest,
    tmp_path: Path,
) -> None:
    folder = masked_folders["roberta"] if kind == "masked" else llama_folder
    model = identify_word_model(str(folder))

    def open_as(dtype: str) -> WordEngine:
        return open_word_engine(str(folder), model, dtype=dtype, device="cpu")

    half = replace(request_, dtype="bfloat16", reading=model.reading, method=model.method)
    opened: list[str] = []

    def open_float32() -> WordEngine:
        opened.append("float32")
        return open_as("float32")

    result = score_sectors(
        model, lambda: open_as("bfloat16"), half, tmp_path, open_float32=open_float32
    )
    assert opened == ["float32"]
    found = result.manifest["half_precision"]
    assert set(found) == {"pl", "en"}
    for record in found.values():
        assert record["pairs"] == 8
        assert 0 < record["mean_error_nats"] <= record["contrast_error_nats"] < 10
    again = score_sectors(model, refuse_to_open, half, tmp_path, open_float32=open_float32)
    assert again == result
    full = replace(half, dtype="float32")
    plain = score_sectors(
        model, lambda: open_as("float32"), full, tmp_path, open_float32=open_float32
    )
    assert plain.manifest["half_precision"] == {}
    assert opened == ["float32"]


def refuse_to_open() -> WordEngine:
    raise AssertionError("what is stored is not scored again")
