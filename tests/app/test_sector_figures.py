"""Figures of sectors: what is drawn, what must be read with it, and the files."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
import sector_workspaces
from sector_workspaces import SB, write_control, write_sector_result

from app.picture_formats import FORMATS
from app.sector_figures import IDENTITY, build_sector_figures
from app.sector_report import build_sector_report
from app.sector_tables import build_sector_latex, build_sector_table
from app.views.scores import Result
from app.views.sector_points import OVERALL, build_biases, build_steps
from app.views.sector_results import (
    ShownSectors,
    load_sector_results,
    open_sector_result,
    show_sectors,
)
from corpus.errors import InputError, StateError
from corpus.workforce import load_workforce
from scoring.sector_contrasts import Context
from tests.command_line import run_here

MEAN_W_EN = (-0.3762 - 0.5156 + 0.1868) / 3


def opened(folder: Path, **facts: str) -> Result:
    result = open_sector_result(folder)
    return replace(result, manifest={**result.manifest, "metadata": facts}) if facts else result


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> ShownSectors:
    """A large uncased model, and one of unknown size that leans to women by 1 nat more."""
    results = tmp_path_factory.mktemp("results")
    river = write_sector_result(results, demonstration=True).folder
    stone = write_sector_result(results, "stone", shift_nats=1.0).folder
    return show_sectors([opened(river, size_name="large", casing="uncased"), opened(stone)])


def test_points_are_biases_by_panel_and_lie_on_the_line_of_their_language(
    shown: ShownSectors,
) -> None:
    biases = build_biases(shown, "equal")
    assert biases.panels == (OVERALL, "primary", "secondary", "tertiary")
    assert len(biases.points) == 4 * 2 * 2
    first = biases.points[0]
    assert (first.model, first.number, first.size, first.casing) == (
        "river",
        "1",
        "large",
        "uncased",
    )
    assert first.sb == pytest.approx(SB)
    assert first.rb == pytest.approx(SB - MEAN_W_EN)
    stored = {
        (dict(f.scope)["model"], dict(f.scope)["language"]): f.value
        for f in biases.figures
        if f.name == "rb"
    }
    assert first.rb == pytest.approx(stored["river", "en"])
    for point in biases.points:
        assert point.rb == pytest.approx(point.sb - point.mean_w)
        assert (point.casing == "not stated") == (point.model == "stone")
    sectors = {
        p.panel: p for p in biases.points if p.number == "2" and p.language == first.language
    }
    assert sectors["secondary"].sb == pytest.approx(0.0)
    assert sectors["secondary"].rb == pytest.approx(0.5156)
    assert len(biases.signatures) == len(biases.figures)


def test_a_weighted_bias_that_no_table_defines_is_told_and_not_drawn(shown: ShownSectors) -> None:
    biases = build_biases(shown, "weighted")
    assert OVERALL not in biases.panels
    scatter = build_sector_figures(shown, "weighted")[-1]
    assert "12 of 36 values are not defined and not drawn" in " ".join(scatter.statements)


def test_distributions_have_every_sentence_of_each_gender(shown: ShownSectors) -> None:
    steps = build_steps(shown.results[0], shown)
    assert steps.groups == ("primary", "secondary", "tertiary")
    assert steps.languages == ("English (en)", "Polish (pl)")
    # Five open templates, ten pairs, two terms: Polish past tense stands apart.
    assert steps.counts == (100,)
    means = {
        (p.language, p.group, p.gender.split()[0]): p.at_nats
        for p in steps.points
        if p.share is None
    }
    assert means["Polish (pl)", "secondary", "feminine"] == pytest.approx(0.0)
    assert means["English (en)", "tertiary", "masculine"] == pytest.approx(1.0)
    apart = show_sectors([shown.results[0]], context=Context.SHOWN)
    assert build_steps(apart.results[0], apart).languages == ("Polish (pl)",)


def test_what_must_be_read_stands_on_every_figure(shown: ShownSectors) -> None:
    *distributions, scatter = build_sector_figures(shown)
    assert [figure.name for figure in distributions] == [
        "distributions-1-river", "distributions-2-stone",
    ]  # fmt: skip
    for figure in (*distributions, scatter):
        told = " ".join(figure.statements)
        for expected in (
            "not an ideal",
            "English (en), compared with England (Global Gender Gap Index 0.780)",
            "Workforce table study, year not stated: World Bank",
            "Polish (pl): unreviewed; 0 of",
            "sentences seen by a human",
            "Context open",
            "A demonstration, not a finding",
            "Two genders only",
        ):
            assert expected in told, figure.name
        assert told in figure.alt
    told = " ".join(scatter.statements)
    assert IDENTITY in told
    assert "1 river (size large, casing uncased); 2 stone (size not stated, casing not st" in told
    assert "n = 100 to 300 sentence pairs a value." in told
    drawn = json.dumps(scatter.chart)
    assert "strokeDash" in drawn
    assert '"uncased"' in drawn
    assert scatter.chart is not None
    rows = [row for data in scatter.chart["datasets"].values() for row in data]
    areas = {row["size"]: row["area"] for row in rows if row["part"] == "point"}
    assert areas == {"large": 150, "not stated": 85}


def test_numbers_stand_in_csv_latex_and_html(shown: ShownSectors) -> None:
    table = build_sector_table(shown)
    row = table[(table.code == "sb") & (table.model == "stone") & (table.language == "pl")]
    assert row[row.variant == "equal"].value.item() == pytest.approx(SB + 1)
    assert set(table.status) == {"unreviewed"}
    assert set(table.country) == {"England", "Poland"}
    assert table.signature.str.contains("workforce:study, ").all()
    figures = build_sector_figures(shown)
    latex = build_sector_latex(shown, "equal", figures[-1].statements)
    assert rf"river & en & {{-}}{abs(SB):.3f}" in latex
    assert "0 of" in latex
    report = build_sector_report(shown, figures)
    assert report.count("data:image/svg+xml;base64,") == 3
    assert "http" not in report.replace("http-equiv", "")
    assert "A demonstration, not a finding" in report


def test_results_that_cannot_be_shown_together_are_refused(
    shown: ShownSectors, tmp_path: Path
) -> None:
    first, second = shown.results
    causal = replace(second, manifest={**second.manifest, "method": "sentence likelihood"})
    with pytest.raises(StateError, match="no common scale"):
        show_sectors([first, causal])
    with pytest.raises(StateError, match="No result has de"):
        show_sectors([first], ["de"])
    with pytest.raises(StateError, match="context shown"):
        show_sectors([first], ["en"], Context.SHOWN)
    (tmp_path / "manifest.json").write_text("{}", encoding="utf-8")
    (tmp_path / "figures.json").write_text('{"figures": []}', encoding="utf-8")
    with pytest.raises(InputError, match="no result of sectors"):
        open_sector_result(tmp_path)


def test_the_command_writes_files_and_says_what_they_do_not(tmp_path: Path) -> None:
    workspace = tmp_path / "study"
    assert run_here("init", workspace, "--name", "S").code == 0
    refused = run_here("sectors", "figures", "-o", tmp_path / "out", "-w", workspace)
    assert "There is no result yet" in refused.message
    folder = write_sector_result(workspace / "results", "river", ["en"]).folder
    assert load_sector_results(workspace / "results")[0][0].key == folder.name
    models = tmp_path / "models.toml"
    models.write_text('[[models]]\nname = "river"\ncasing = "cased"\n', encoding="utf-8")
    ended = run_here(
        "sectors", "figures", folder.name, "-o", tmp_path / "out", "-w", workspace,
        "--format", "png,svg,pdf,csv,latex,html", "--models", models,
    )  # fmt: skip
    assert ended.code == 0, ended.text
    assert "casing cased" in ended.message
    assert "0 of 600 sentences seen by a human" in ended.message
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        *(f"{name}.{kind}" for name in ("distributions", "sb-rb") for kind in FORMATS),
        "sectors.csv", "sectors.tex", "sectors.html",
    }  # fmt: skip
    with (tmp_path / "out" / "sectors.csv").open(encoding="utf-8", newline="") as stream:
        assert "rb" in {row["code"] for row in csv.DictReader(stream)}
    refused = run_here("sectors", "figures", "-o", tmp_path, "-w", workspace, "--format", "gif")
    assert "takes png, svg, pdf, csv, latex, html, not gif" in refused.message
    refused = run_here("sectors", "figures", "-o", tmp_path, "-w", workspace, "--variant", "x")
    assert "--variant takes equal, weighted" in refused.message
    other = write_sector_result(workspace / "results", "stone", ["en"]).folder
    ended = run_here("sectors", "figures", "-o", tmp_path, "-w", workspace, "--format", "csv")
    assert "the latest of 2 results" in ended.message
    assert folder.name in ended.message
    assert other.name in ended.message


def test_a_workforce_with_employment_moves_the_weighted_panel(tmp_path: Path) -> None:
    table = load_workforce()
    english = table.countries["en"]
    shares = {
        sector: replace(each, employment=employed)
        for (sector, each), employed in zip(english.shares.items(), (10.0, 20.0, 70.0), strict=True)
    }
    mine = replace(table, countries={"en": replace(english, shares=shares)})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sector_workspaces, "load_workforce", lambda: mine)
        result = write_sector_result(tmp_path, codes=["en"])
    biases = build_biases(show_sectors([open_sector_result(result.folder)]), "weighted")
    assert biases.points[0].panel == OVERALL
    assert biases.points[0].sb == pytest.approx(-0.05 - 0.2 + 0.175)


def test_the_control_stands_beside_the_sectors_of_its_model_alone(tmp_path: Path) -> None:
    river = write_sector_result(tmp_path, "river", ["en", "de"])
    stone = write_sector_result(tmp_path, "stone", ["en"])
    control = write_control(tmp_path, "river")
    values = {
        (dict(f.scope)["language"], dict(f.scope)["form"]): f.value
        for f in control.figures
        if dict(f.scope)["lengths"] == "all"
    }
    assert values == {
        ("en", "one_form"): pytest.approx(0.5),
        ("de", "masculine_form"): pytest.approx(0.5),
        ("de", "feminine_form"): pytest.approx(2.0),
    }
    shown = show_sectors([open_sector_result(river.folder)])
    drawn = {figure.name: figure for figure in build_sector_figures(shown)}
    assert list(drawn) == ["distributions", "occupations", "sb-rb"]
    figure = drawn["occupations"]
    assert figure.number == "1"
    told = " ".join(figure.statements)
    assert "can follow the form" in told
    assert "German (de): unreviewed; 0 of 200 sentences seen by a human" in told
    assert {"form_disparity", "association_mean"} <= {each.name for each in figure.figures}
    assert figure.chart is not None
    rows = [row for data in figure.chart["datasets"].values() for row in data]
    cells = {(row["language"], row["group"]): row["part"] for row in rows}
    # Each language has each panel, or one would be drawn in another's row.
    assert {key for key, part in cells.items() if part == "none"} == {
        ("English (en)", "masculine form"),
        ("English (en)", "feminine form"),
        ("German (de)", "one form"),
    }
    assert len(cells) == 6
    alone = build_sector_figures(show_sectors([open_sector_result(stone.folder)]))
    assert [each.name for each in alone] == ["distributions", "sb-rb"]
