"""Several sector results side by side: what tells them apart, and labels that can be read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import sector_workspaces
from sector_workspaces import write_control, write_sector_result

from app.sector_figures import build_sector_figures
from app.sector_report import build_sector_report
from app.sector_tables import build_rows
from app.sectors_page.sentences import build_csv
from app.views.sector_labels import find_frame, place_bias_labels
from app.views.sector_names import describe_result, name_results
from app.views.sector_points import build_biases
from app.views.sector_results import ShownSectors, open_sector_result, show_sectors
from app.views.sector_tables import list_sentences
from corpus.sector_files import load_sector_languages
from corpus.sector_releases import ReleasedFrom
from corpus.workforce import load_workforce
from scoring.sector_contrasts import Context


@pytest.fixture
def two_countries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ShownSectors:
    """A model compared with two workforce tables, whose SB are equal and RB nearly so."""
    table = load_workforce()
    english = table.countries["en"]
    more = replace(english, country="Utopia", shares={
        sector: replace(each, women=each.women + 1, men=each.men - 1)
        for sector, each in english.shares.items()
    })  # fmt: skip
    mine = replace(table, name="mine", year="2020", countries={"en": more})
    first = write_sector_result(tmp_path, codes=["en"]).folder
    monkeypatch.setattr(sector_workspaces, "load_workforce", lambda: mine)
    second = write_sector_result(tmp_path, codes=["en"]).folder
    write_control(tmp_path, "river")
    return show_sectors([open_sector_result(first), open_sector_result(second)])


def test_results_of_one_model_are_told_apart_by_the_workforce(two_countries: ShownSectors) -> None:
    names = ["river (workforce study, England)", "river (workforce mine 2020, Utopia)"]
    assert [model.label for model in two_countries.models] == names
    assert [row[0] for row in build_rows(two_countries, "equal")] == names
    figures = build_sector_figures(two_countries)
    # Both hold the same associations and the same control, which are drawn once.
    assert [each.name for each in figures] == ["distributions", "occupations", "sb-rb"]
    assert figures[0].title.endswith(": river")
    assert f"1 {names[0]} (size" in " ".join(figures[-1].statements)
    report = build_sector_report(two_countries, figures)
    assert "river · workforce mine 2020, Utopia · " in report


def test_no_label_of_results_with_equal_bias_stands_on_another(two_countries: ShownSectors) -> None:
    biases = build_biases(two_countries, "equal")
    labels = place_bias_labels(biases)
    assert len(labels) == len(biases.points) == 8
    frame = find_frame(biases.points)
    for panel in biases.panels:
        first, second = (frame.at(*each.begin) for each in labels if each.panel == panel)
        wide, high = (abs(a - b) for a, b in zip(first, second, strict=True))
        assert wide >= 24 - 1e-6 or high >= 12 - 1e-6
    chart = build_sector_figures(two_countries)[-1].chart
    assert chart is not None
    rows = [row for data in chart["datasets"].values() for row in data]
    drawn = [row["number"] for row in rows if row["part"] == "label"]
    assert sorted(drawn) == ["1 en"] * 4 + ["2 en"] * 4


def test_results_that_nothing_else_tells_apart_have_their_folder(tmp_path: Path) -> None:
    result = open_sector_result(write_sector_result(tmp_path, codes=["en"]).folder)
    seeded = replace(result, key="river-2")
    assert name_results([result, seeded]) == (f"river ({result.key})", "river (river-2)")
    half = replace(seeded, manifest={**seeded.manifest, "dtype": "bfloat16"})
    assert name_results([result, half]) == ("river (float32)", "river (bfloat16)")
    assert name_results([result]) == ("river",)


def test_a_result_of_a_release_is_chosen_by_its_version(tmp_path: Path) -> None:
    origin = ReleasedFrom("1.2.0", "0" * 64, {"en": "6 of 180 sentences seen by a human"})
    folder = write_sector_result(tmp_path, codes=["en"], release=origin).folder
    result = open_sector_result(folder)
    expected = f"river · release 1.2.0 · workforce study, England · {folder.name}"
    assert describe_result(result) == expected


def test_no_sentence_of_the_download_runs_as_a_formula() -> None:
    (english,) = load_sector_languages(["en"])
    sentence = replace(next(english.build_sentences()), text='=HYPERLINK("a")')
    text = build_csv(list_sentences([sentence], Context.OPEN))
    header, row = text.splitlines()
    assert header.startswith("sentence,gender,sector,status,context,")
    assert row.startswith('"\'=HYPERLINK(""a"")",feminine,primary,unreviewed,open,')
