"""Means over languages in the study's figures: of supported and other languages, from shards."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from comparison_builders import FEMININE, GEST
from result_folders_made import write_result

from app.progress import Steps
from app.score_averages import add_averages, compare_shown, compute_averages
from app.score_figures import build_figures
from app.views.score_models import ShownResults, show_together
from app.views.score_points import build_g_by_model, build_inclinations
from app.views.scores import load_result
from corpus.workspace import init_workspace
from tests.app.pages import open_page, said
from tests.command_line import run_here


def leaning(masculine: float) -> dict[int, list[float]]:
    """Logits: r is 0.4 for feminine stereotypes and as given for masculine ones."""
    shares = {s: 0.4 if s in FEMININE else masculine for s in GEST.ids}
    return {s: [math.log(r / (1 - r))] * 20 for s, r in shares.items()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """g_s is 1.5 in sk and 2 in cs, which the model supports, and 1.75 in tr."""
    folder = write_result(
        tmp_path / "study" / "results",
        "org/a",
        {
            "sk": {"noun": leaning(0.6)},
            "cs": {"noun": leaning(0.8)},
            "tr": {"noun": leaning(0.7)},
        },
        model_metadata={"kind": "base", "size": 1e9, "supported_languages": ["sk", "cs"]},
    )
    done = run_here("scores", "measures", folder, "--conditions", "noun", "--json")
    figures = json.loads(done.out)["figures"]
    document = {"figures": [each for each in figures if each["scope"].get("sentences") == "all"]}
    (folder / "figures.json").write_text(json.dumps(document), encoding="utf-8")
    return folder


@pytest.fixture
def shown(folder: Path) -> ShownResults:
    """The result with its means."""
    found = show_together([load_result(folder)], "paper", "noun")
    return add_averages(found, compare_shown(found, GEST))


def test_means_of_supported_and_other_languages_stand_apart(shown: ShownResults) -> None:
    points = build_g_by_model(shown)
    means = {point.panel: point for point in points.points if point.is_mean}
    # The geometric mean of 1.5 and 2.
    assert means["supported languages"].value == pytest.approx(math.sqrt(3.0))
    assert means["supported languages"].language == "sk,cs"
    assert means["other languages"].value == pytest.approx(1.75)
    languages = [point.value for point in points.points if not point.is_mean]
    assert sorted(languages) == pytest.approx([1.5, 1.75, 2.0])


def test_inclinations_have_means_for_every_stereotype(shown: ShownResults) -> None:
    points = build_inclinations(shown, GEST)
    assert sum(point.is_mean for point in points.points) == 2 * len(GEST.ids)
    assert set(points.series) == {"base, supported languages", "base, other languages"}


def test_means_alone_are_those_of_the_whole_comparison(shown: ShownResults) -> None:
    whole = compare_shown(shown, GEST)
    alone = compute_averages(shown, GEST, Steps())
    assert whole.measures
    assert not alone.measures
    assert not alone.differences
    assert add_averages(shown, alone) == add_averages(shown, whole)


def test_figures_with_means_say_what_the_large_marks_are(shown: ShownResults) -> None:
    told = {each.name: " ".join(each.statements) for each in build_figures(shown, GEST)}
    assert "Large marks are means over the languages" in told["g-by-model"]
    assert "Large marks are means over the languages" in told["inclinations"]
    assert "Large marks" not in told["g-by-language"]


def test_without_shards_the_command_says_that_means_are_missing(
    tmp_path: Path, folder: Path
) -> None:
    for shard in (folder.parent / "shards").rglob("*.parquet"):
        shard.unlink()
    done = run_here("scores", "report", folder, "-o", tmp_path / "r.html", "--condition", "noun")
    assert done.code == 0
    assert "Without averages over languages, which need the results' shards" in done.message


def test_the_page_compares_when_it_is_asked_to(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = init_workspace(tmp_path / "study", "A study")
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(workspace.path))
    app = open_page(
        "scores", part="figures", protocol="paper", condition="noun", figure="g-by-model"
    )
    assert len(app.dataframe) == 2
    app.toggle[0].set_value(True).run()
    assert not app.exception
    assert "Means over languages" in [each.value for each in app.subheader]
    means = app.dataframe[1].value.set_index("set")
    assert means.loc["supported", "languages"] == "sk,cs"
    assert means.loc["supported", "g_s [interval]"].startswith("1.732")
    assert "Large marks are means over the languages" in said(app)
    assert "conditional on these 16 stereotypes" in said(app)
