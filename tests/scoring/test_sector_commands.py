"""`sectors templates` and `sectors score` as a user starts them."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import masked_models
import pytest
from scoring_models import build_gpt2, build_tokenizer, save

import corpus
from tests.command_line import run_here


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny masked model whose bytes spell every word."""
    with pytest.MonkeyPatch.context() as patched:
        # Spelled out, the longest sentences are longer than those of the other tests.
        patched.setitem(masked_models.SIZES, "max_position_embeddings", 130)
        folder = tmp_path_factory.mktemp("masked") / "tiny-roberta"
        return masked_models.save_masked("roberta", folder)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    assert run_here("init", folder, "--name", "Sectors").code == 0
    return folder


def test_templates_are_counted_and_all_sentences_written(tmp_path: Path) -> None:
    table = tmp_path / "sentences.csv"
    ended = run_here("sectors", "templates", "-l", "pl", "--to", table)
    assert ended.code == 0
    assert "pl: unreviewed; the developers' reading, 2026." in ended.message
    with table.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 7 * 18 * 2 * 18
    assert list(rows[0])[:5] == ["language", "sentence", "gender", "sector", "status"]
    assert {row["status"] for row in rows} == {"unreviewed"}
    shown = [row["sentence"] for row in rows if row["context"] == "shown"]
    assert len(shown) == 2 * 18 * 2 * 18
    assert "Moja siostra pracowała w sektorze leśnictwa." in shown


def test_templates_as_json() -> None:
    document = json.loads(run_here("sectors", "templates", "--json").out)
    assert document["command"] == "sectors templates"
    counts = {(f["scope"]["language"], f["name"]): f["value"] for f in document["figures"]}
    assert counts["pl", "sentences"] == 4536
    assert counts["en", "templates_showing_gender"] == 0
    assert {language for language, _ in counts} == {"de", "en", "es", "pl"}


def test_a_missing_term_is_refused_by_name(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(Path(corpus.__file__).parent / "sectors", tmp_path / "mine"))
    text = (folder / "es.toml").read_text(encoding="utf-8")
    (folder / "es.toml").write_text(text.replace("viticulture =", "vines ="), encoding="utf-8")
    ended = run_here("sectors", "templates", "--data", folder)
    assert ended.code == 1
    assert "es.toml [sectors.primary]: 'viticulture' is missing, which de.toml" in ended.message


def test_a_model_is_scored_once_and_says_what_the_sentences_are(
    model: Path, workspace: Path
) -> None:
    arguments = ["sectors", "score", "-m", model, "-l", "en", "--demonstration", "-w", workspace]
    ended = run_here(*arguments)
    assert ended.code == 0, ended.text
    for expected in (
        "en: sentences unreviewed; of 1620 sentence pairs",
        "Workforce: England.",
        "Workforce table study, year not stated: World Bank",
        "RB = SB − mean(W)",
        "A demonstration, not a finding",
        "Limits: Two genders only",
    ):
        assert expected in ended.message
    assert "sb equal" in ended.out
    (shard,) = workspace.glob("results/sectors/shards/*/en-*.parquet")
    written = shard.stat().st_mtime_ns
    document = json.loads(run_here(*arguments, "--json").out)
    assert shard.stat().st_mtime_ns == written
    found = {
        (f["name"], f["scope"].get("variant")): f["value"]
        for f in document["figures"]
        if (f["scope"]["context"], f["scope"]["lengths"]) == ("open", "all")
    }
    assert found["rb", "equal"] == pytest.approx(
        found["sb", "equal"] - (-0.3762 - 0.5156 + 0.1868) / 3
    )


def test_what_cannot_be_scored_is_one_sentence(
    model: Path, workspace: Path, tmp_path: Path
) -> None:
    table = tmp_path / "mine.toml"
    brought = Path(corpus.__file__).parent / "workforce" / "study.toml"
    text = brought.read_text(encoding="utf-8")
    table.write_text(text.replace("women = 31.19", "women = 41.19"), encoding="utf-8")
    score = ["sectors", "score", "-m", model, "-l", "en", "-w", workspace]
    ended = run_here(*score, "--workforce", table)
    assert ended.code == 1
    assert "[languages.en.primary]: women and men sum to 110, not 100" in ended.message
    ended = run_here(*score, "--reading", "backwards")
    assert ended.code == 1
    assert "reading backwards is not one of joint, left-to-right" in ended.message
    ended = run_here("sectors", "score", "-m", tmp_path, "-w", workspace)
    assert ended.code == 1
    assert "does not hold a model" in ended.message
    assert not list(workspace.glob("results/sectors/**/*.json"))


def test_several_workforce_tables_need_one_scoring_and_give_a_result_each(
    model: Path, workspace: Path, tmp_path: Path
) -> None:
    table = tmp_path / "mine.toml"
    shares = """
primary = { women = 25, men = 75, employment = 10 }
secondary = { women = 37.5, men = 62.5, employment = 30 }
tertiary = { women = 62.5, men = 37.5, employment = 60 }
"""
    entries = "".join(
        f'[[languages.en]]\nyear = {year}\ncountry = "{country}"\n{shares}'
        for year, country in ((2019, "Ireland"), (2020, "Ireland"), (2020, "Malta"))
    )
    table.write_text(
        f'name = "mine"\ntitle = "Mine"\nsource = "made up"\nyear = 2020\n{entries}',
        encoding="utf-8",
    )
    score = ["sectors", "score", "-m", model, "-l", "en", "-w", workspace]
    ended = run_here(*score, "--workforce", table, "--workforce", "study", "--json")
    assert ended.code == 0, ended.text
    figures = json.loads(ended.out)["figures"]
    found = {
        (f["scope"]["workforce"], f["name"], f["scope"].get("variant")): f
        for f in figures
        if (f["scope"]["context"], f["scope"]["lengths"]) == ("open", "all")
    }
    assert {workforce for workforce, _, _ in found} == {
        "Ireland, 2019", "Ireland, 2020", "Malta, 2020", "England, not stated",
    }  # fmt: skip
    assert len(list(workspace.glob("results/sectors/shards/*/en-*.parquet"))) == 1
    assert len(list(workspace.glob("results/sectors/*/manifest.json"))) == 4
    # Employment shares of a user's table define the weighted variant; the study's has none.
    mine, study = "Malta, 2020", "England, not stated"
    mean_w = 0.1 * -0.5 + 0.3 * -0.25 + 0.6 * 0.25
    assert found[mine, "mean_w", "weighted"]["value"] == pytest.approx(mean_w)
    assert found[mine, "rb", "weighted"]["value"] == pytest.approx(
        found[mine, "sb", "weighted"]["value"] - mean_w
    )
    assert found[study, "rb", "weighted"]["reason"] == "not_in_table"
    assert found[mine, "sb", "equal"]["value"] == found[study, "sb", "equal"]["value"]
    signatures = {
        figure["signature"].split("|workforce:")[1].split("|")[0].rsplit(", ", 1)[0]
        for path in workspace.glob("results/sectors/*/figures.json")
        for figure in json.loads(path.read_text(encoding="utf-8"))["figures"]
    }
    assert signatures == {
        "mine, Ireland, 2019", "mine, Ireland, 2020", "mine, Malta, 2020",
        "study, England, not stated",
    }  # fmt: skip


def test_a_causal_model_is_named_as_one(workspace: Path, tmp_path: Path) -> None:
    folder = save(build_gpt2(n_positions=200), build_tokenizer(with_bos=False), tmp_path / "gpt2")
    score = ["sectors", "score", "-m", folder, "-l", "en", "-w", workspace]
    ended = run_here(*score)
    assert ended.code == 0, ended.text
    assert "Sentence likelihoods of gpt2" in ended.out
    assert "how usual the person words are is part of it" in ended.message
    # The one measure that may be read beside a masked model's.
    for sector in ("primary", "secondary", "tertiary"):
        assert f"relative_disparity {sector}" in ended.out
    assert "cannot be set against those of masked models" in ended.message
    ended = run_here(*score, "--reading", "joint")
    assert ended.code == 1
    assert "reading joint is not one of sentence, per-token" in ended.message
