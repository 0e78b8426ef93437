"""The study's figures of scores: what is drawn from results, and what must be read with it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import score_results

from app.html_documents import STYLE, show_signatures, show_table
from app.picture_formats import FORMATS
from app.score_figures import ScoreFigure, build_figures
from app.score_files import SIZE, build_specification, find_png_scale, render, write_figures
from app.score_report import build_report
from app.views.score_models import Kind, Support, describe_models, label_of, show_together
from app.views.score_points import (
    build_g_by_model,
    build_inclinations,
    build_poles,
    build_ranks,
    describe_size,
)
from app.views.score_table import build_comparison
from app.views.scores import Result, load_result
from corpus.errors import InputError, StateError
from corpus.figures import Figure
from corpus.languages import load_languages
from corpus.stereotypes import load_inventory

INVENTORY = load_inventory()
LOUD = re.compile(r"higher is better|lower is better|the better", re.IGNORECASE)


@pytest.fixture
def results(tmp_path: Path) -> list[Result]:
    """A large instruct model and the small base model of another family."""
    large = score_results.metadata(7e9, "instruct", "river", ["en"])
    small = score_results.metadata(270e6, "base", "", ["en", "sk"])
    return [
        load_result(score_results.write_result(tmp_path / "large", "river-it", **large)),
        load_result(score_results.write_result(tmp_path / "small", "stone", **small)),
    ]


def figure_named(name: str, figures: tuple[ScoreFigure, ...]) -> ScoreFigure:
    return next(each for each in figures if each.name == name)


def test_models_stand_by_size_with_what_the_models_file_says(results: list[Result]) -> None:
    small, large = describe_models(results)
    assert (small.label, small.size, small.kind, small.base) == ("stone", 270e6, Kind.BASE, "")
    assert (large.label, large.kind, large.base) == ("river-it", Kind.INSTRUCT, "river")
    assert [large.support_of(code) for code in ("en", "sk")] == [Support.SUPPORTED, Support.OTHER]


def test_a_model_nothing_is_known_of_is_said_to_be_one(tmp_path: Path) -> None:
    result = load_result(score_results.write_result(tmp_path / "one"))
    (model,) = describe_models([result])
    assert (model.kind, model.size) == (Kind.NOT_STATED, None)
    assert model.support_of("en") is Support.NOT_STATED


def test_results_of_one_model_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    found = [
        load_result(score_results.write_result(tmp_path / name, "river")) for name in ("a", "b")
    ]
    assert [model.label for model in describe_models(found)] == ["river (a)", "river (b)"]


def test_a_long_name_keeps_its_end_and_a_control_character_is_seen() -> None:
    assert label_of("x" * 100 + "/name").endswith("x/name")
    assert len(label_of("x" * 100)) == 48
    assert label_of("a\x1b[31m\nb") == "a\\u001b[31m b"


def test_results_of_two_releases_are_not_drawn_together(
    tmp_path: Path, results: list[Result]
) -> None:
    other = score_results.write_result(tmp_path / "o", release="2.0.0", release_sha256="cd" * 32)
    with pytest.raises(StateError, match=r"different releases: 1\.2\.0 .*, 2\.0\.0 "):
        show_together([*results, load_result(other)], "paper", "pooled")


def test_results_of_other_templates_or_items_are_not_drawn_together(tmp_path: Path) -> None:
    made = {
        name: load_result(
            score_results.write_result(tmp_path / name, "river", items=items, edition=edition)
        )
        for name, items, edition in (
            ("a", "all", "chosen"),
            ("b", "all", "published"),
            ("c", "0.9.0:abc", "chosen"),
        )
    }
    for other, told in (("b", "templates published"), ("c", "items of 0.9.0")):
        with pytest.raises(StateError, match=told):
            show_together([made["a"], made[other]], "paper", "pooled")
        [first, *_] = build_figures(show_together([made[other]], "paper", "pooled"), INVENTORY)
        assert told in first.statements[1]
    assert show_together([made["a"]], "paper", "pooled").data == "release 1.2.0"


@pytest.mark.parametrize("wanted", [("sum", "pooled", ()), ("paper", "pooled", ("mt",))])
def test_what_no_result_holds_is_refused(
    results: list[Result], wanted: tuple[str, str, tuple[str, ...]]
) -> None:
    with pytest.raises(StateError, match="No result has figures of protocol"):
        show_together(results, *wanted)


def test_ranks_have_a_panel_for_supported_and_one_for_other_languages(
    results: list[Result],
) -> None:
    points = build_ranks(show_together(results, "paper", "pooled"), INVENTORY)
    assert points.panels == (
        "stone · supported languages",
        "river-it · supported languages",
        "river-it · other languages",
    )
    assert points.series[0] == "1 women: emotional and irrational"
    assert points.series[-1] == "16 men: strong"
    assert points.marks == ("English (en)", "Slovak (sk)")
    ranks = {point.series: point.value for point in points.points if point.language == "sk"}
    assert list(ranks.values()) == [float(number) for number in INVENTORY.ids]


def test_inclinations_go_from_the_small_to_the_large_model(results: list[Result]) -> None:
    points = build_inclinations(show_together(results, "paper", "pooled"), INVENTORY)
    assert points.marks == ("stone · 270M", "river-it · 7B")
    assert len(points.panels) == len(INVENTORY.ids)
    assert set(points.series) == {
        "base, supported languages",
        "instruct, supported languages",
        "instruct, other languages",
    }


def test_g_of_supported_and_other_languages_stands_apart(results: list[Result]) -> None:
    points = build_g_by_model(show_together(results, "paper", "pooled"))
    assert points.panels == ("supported languages", "other languages")
    assert [point.mark for point in points.points if point.panel == "other languages"] == [
        "river-it · 7B"
    ]


def test_q_of_a_condition_is_read_against_its_own_default_rate(results: list[Result]) -> None:
    points = build_poles(show_together(results, "paper", "pooled"), INVENTORY, "noun")
    assert {point.reference for point in points.points} == {0.6}
    poles = {point.series for point in points.points if point.value > 0.625}
    assert poles == {"held about women"}


def test_sizes_are_short() -> None:
    sizes = [describe_size(each) for each in (1.7e9, 270e6, 12_000, 12)]
    assert sizes == ["1.7B", "270M", "12k", "12"]


def test_every_figure_says_what_must_be_read_with_it(results: list[Result]) -> None:
    marked = [
        replace(each, manifest={**each.manifest, "unvalidated": ["sk"], "demonstration": True})
        for each in results
    ]
    figures = build_figures(show_together(marked, "paper", "pooled"), INVENTORY)
    assert [each.number for each in figures] == ["3", "4", "5", "9", "10", "11", "12"]
    for figure in figures:
        told = " ".join(figure.statements)
        assert "Protocol paper" in told
        assert "n = 20 sentences a value" in told
        assert "4 of 6 translated rows seen by a human." in told
        assert "NOT VALIDATED, nobody approved: Slovak (sk)." in told
        assert "A demonstration, not a finding." in told
        assert re.search("dashed line is [01]|default rate|Rank 1 is", told)
        assert all(sentence in figure.alt for sentence in figure.statements)
        assert not LOUD.search(told)


def test_figures_of_half_precision_say_how_far_they_may_be_off(
    results: list[Result], tmp_path: Path
) -> None:
    exact = show_together(results, "paper", "pooled")
    assert not any(
        "Half precision" in told
        for figure in build_figures(exact, INVENTORY)
        for told in figure.statements
    )
    computed = {"en": {"r_error": 0.00321}, "sk": {"r_error": 0.001}}
    parts = {"dtype": "bfloat16", "computed": computed}
    half = score_results.write_result(tmp_path / "half", "lake", **parts)
    silent = score_results.write_result(tmp_path / "silent", "pond", dtype="float16")
    shown = show_together([*results, load_result(half), load_result(silent)], "paper", "pooled")
    for figure in build_figures(shown, INVENTORY):
        [told] = [each for each in figure.statements if each.startswith("Half precision")]
        assert "lake (bfloat16) by up to 0.0032, pond (float16) by an unknown amount" in told


def test_figures_of_texts_that_a_tokenizer_lacks_carry_a_caution(tmp_path: Path) -> None:
    def tell(name: str, shares: dict[str, float]) -> list[str]:
        computed = {code: {"unknown_token_share": share} for code, share in shares.items()}
        made = score_results.write_result(tmp_path / name, name, computed=computed)
        figures = build_figures(
            show_together([load_result(made)], "paper", "pooled"), load_inventory()
        )
        return [told for each in figures for told in each.statements if "tokenizer" in told]

    assert tell("few", {"en": 0.0099}) == []
    cautions = tell("many", {"en": 0.02, "sk": 0.346})
    assert len(cautions) == 7
    for told in cautions:
        assert "many in Slovak (sk) (35 %), many in English (en) (2 %)." in told


def test_a_figure_says_how_much_of_it_is_undefined(results: list[Result]) -> None:
    gap = Figure("g_s", None, 0, "d", "m", "missing_stereotype", scope=results[0].figures[0].scope)
    lacking = replace(results[0], figures=(gap, *results[0].figures[1:]))
    figures = build_figures(show_together([lacking], "paper", "pooled"), INVENTORY)
    told = figure_named("g-by-language", figures).statements
    assert any(each.startswith("Not defined and not drawn: 1 of 2 values") for each in told)
    assert gap in figure_named("g-by-language", figures).figures
    table = build_comparison(show_together([lacking], "paper", "pooled"))
    cells = [str(cell) for cell in table.to_numpy().ravel()]
    assert any(cell.startswith("– (a stereotype has no sentence) n=0, ") for cell in cells)


def test_a_language_that_could_not_be_scored_is_named(results: list[Result]) -> None:
    gaps = {"mt": "the model failed on a text"}
    lacking = replace(results[0], manifest={**results[0].manifest, "gaps": gaps})
    shown = show_together([lacking, results[1]], "paper", "pooled")
    for figure in build_figures(shown, INVENTORY):
        told = "Not scored, so that it is missing here: river-it in Maltese (mt)."
        assert told in figure.statements
    report = build_report(shown, (), load_inventory())
    assert "the model failed on a text" in report


def test_a_condition_nobody_scored_has_no_figure(tmp_path: Path) -> None:
    folder = score_results.write_result(tmp_path / "pairs", conditions=("pooled", "pair"))
    shown = show_together([load_result(folder)], "paper", "pooled")
    assert [each.number for each in build_figures(shown, INVENTORY)] == ["3", "4", "5", "11", "12"]


def test_inclinations_are_read_as_their_protocol_has_them(results: list[Result]) -> None:
    def tell(shown: list[Result], protocol: str) -> str:
        built = build_figures(show_together(shown, protocol, "pooled"), INVENTORY)
        return figure_named("inclinations", built).statements[0]

    published = [
        replace(
            each,
            figures=tuple(
                replace(
                    figure, scope=tuple((dict(figure.scope) | {"protocol": "reference"}).items())
                )
                for figure in each.figures
            ),
        )
        for each in results
    ]
    assert "above 0 is stereotypical, and no value is better" in tell(results, "paper")
    told = tell(published, "reference")
    assert "above 0 is stereotypical for those about men and against the stereotype" in told
    assert not LOUD.search(told)


def test_many_stereotypes_are_drawn_as_the_means_of_their_poles(
    results: list[Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = show_together(results, "paper", "pooled")
    few = figure_named("q-noun", build_figures(shown, INVENTORY))
    monkeypatch.setattr("app.views.score_points.CROWDED", 10)
    many = figure_named("q-noun", build_figures(shown, INVENTORY, 3))
    assert few.chart is not None
    assert many.chart is not None
    assert [len(each.chart["spec"]["layer"]) for each in (few, many) if each.chart] == [3, 2]
    [rows] = many.chart["datasets"].values()
    # 2 models in 2 languages, 2 poles; q_i falls by 0.01 from stereotype to stereotype.
    assert len(rows) == 8
    women = [row["value"] for row in rows if row["series"] == "held about women"]
    assert women == pytest.approx([0.7 - 0.04] * 4)
    assert len(many.figures) == len(few.figures) == 64
    assert "the stereotypes stand in the table" in many.statements[0]
    assert "Small marks are stereotypes" in few.statements[0]


def test_a_picture_is_described_once_and_not_mark_by_mark(results: list[Result]) -> None:
    figure = build_figures(show_together(results, "paper", "pooled"), INVENTORY)[0]
    picture = render(figure, "svg").decode("utf-8")
    # Titles have a role, cells and their numbers have none.
    assert picture.count('role="graphics-symbol"') < len(figure.figures)


def test_few_values_are_told_one_by_one(results: list[Result]) -> None:
    shown = show_together(results, "paper", "pooled", ["sk"])
    figure = figure_named("g-by-language", build_figures(shown, INVENTORY))
    assert "river-it, Slovak (sk), other 1.100" in figure.alt


def test_files_of_every_format_are_written_without_a_network(
    tmp_path: Path, results: list[Result]
) -> None:
    shown = show_together(results, "paper", "pooled", ["sk"])
    figure = figure_named("g-by-language", build_figures(shown, INVENTORY))
    paths = write_figures([figure], tmp_path / "files", FORMATS)
    heads = {path.suffix: path.read_bytes()[:8] for path in paths}
    assert heads[".png"] == b"\x89PNG\r\n\x1a\n"
    assert heads[".pdf"].startswith(b"%PDF-")
    picture = paths[1].read_text(encoding="utf-8")
    assert "4 of 6 translated rows seen by a human." in picture
    assert "Protocol paper" in picture


def test_a_picture_of_many_panels_has_no_more_pixels_than_programs_open() -> None:
    head = (
        '<svg xmlns="http://www.w3.org/2000/svg" class="marks" width="{}" height="{}" viewBox="0">'
    )
    assert find_png_scale(head.format(800, 600)) == 2.0
    scale = find_png_scale(head.format(8000, 10_000.5))
    assert scale**2 * 8000 * 10_000.5 == pytest.approx(40e6)


def test_a_drawn_picture_says_how_large_it_is(results: list[Result]) -> None:
    figure = build_figures(show_together(results, "paper", "pooled", ["sk"]), INVENTORY)[2]
    picture = render(figure, "svg").decode("utf-8")
    size = SIZE.search(picture)
    assert size is not None
    assert float(size["width"]) > 300
    data = render(figure, "png")
    assert int.from_bytes(data[16:20], "big") == pytest.approx(2 * float(size["width"]), abs=2)


def test_every_figure_can_be_drawn(results: list[Result]) -> None:
    for figure in build_figures(show_together(results, "paper", "pooled"), INVENTORY):
        picture = render(figure, "svg").decode("utf-8")
        assert figure.title in picture
        assert "NaN" not in picture
        # A browser's letters may be wider than those measured: entries and edges have room.
        config = build_specification(figure)["config"]
        assert (config["legend"]["columnPadding"], config["padding"]) == (32, 14)


def write_models(folder: Path, count: int, languages: Sequence[str]) -> list[Result]:
    """Results of so many models in the same languages, of which each supports one fewer."""
    found = []
    for k in range(count):
        told = score_results.metadata(1e9 + k, "base", "", languages[k:])
        score_results.write_result(
            folder / f"model-{k}", f"model-{k}", languages, ("pooled",), **told
        )
        found.append(load_result(folder / f"model-{k}"))
    return found


def test_a_figure_of_many_models_and_languages_is_drawn_and_stays_in_proportion(
    tmp_path: Path,
) -> None:
    """13 models in 30 languages: 6,240 inclinations, more than Altair takes unless it is told."""
    languages = tuple(load_languages())[:30]
    found = write_models(tmp_path, 13, languages)
    built = build_figures(show_together(found, "paper", "pooled"), INVENTORY)
    inclinations = figure_named("inclinations", built)
    assert len(inclinations.figures) == 13 * 30 * 16
    assert inclinations.chart is not None
    assert '"labelAngle": -90' in json.dumps(inclinations.chart)
    ranks = figure_named("ranks", built)
    assert ranks.chart is not None
    panels = len(ranks.chart["concat"])
    assert panels == 25
    assert ranks.chart["columns"] == 5
    [page_ranks] = [
        each
        for each in build_figures(show_together(found, "paper", "pooled"), INVENTORY, 1)
        if each.name == "ranks"
    ]
    assert page_ranks.chart is not None
    assert page_ranks.chart["columns"] == 1


def test_a_few_maps_of_ranks_fit_a_screen(tmp_path: Path) -> None:
    """Five panels in three columns put half of the third beyond the right edge of the report."""
    languages = ("en", "de", "sk", "hu")
    found = write_models(tmp_path, 3, languages)
    built = build_figures(show_together(found, "paper", "pooled"), INVENTORY)
    ranks = figure_named("ranks", built)
    assert ranks.chart is not None
    assert (len(ranks.chart["concat"]), ranks.chart["columns"]) == (5, 2)
    # Labels of the rows may be 240 pixels long, and the axis's title stands left of them.
    by_model = json.dumps(figure_named("g-by-model", built).chart)
    assert '"labelLimit": 240, "maxExtent": 480' in by_model


def test_words_stay_whole_in_narrow_columns_and_long_tokens_may_break() -> None:
    cells = ("instruct, supported languages", "ab" * 32, "&" * 30)
    page = "".join(show_table(("what",) * 3, [cells]))
    assert "<td>instruct, supported languages</td>" in page
    assert f"<td>{'ab' * 12}<wbr>{'ab' * 12}<wbr>{'ab' * 8}</td>" in page
    assert f"<td>{'&amp;' * 24}<wbr>{'&amp;' * 6}</td>" in page
    assert "td { overflow-wrap" not in STYLE


def test_one_signature_is_one() -> None:
    assert "<summary>1 signature</summary>" in "".join(show_signatures(["a", "a"]))
    assert "<summary>2 signatures</summary>" in "".join(show_signatures(["a", "b"]))


def test_a_hostile_name_is_text_in_the_picture(tmp_path: Path) -> None:
    folder = score_results.write_result(tmp_path / "h", score_results.HOSTILE, ["sk"])
    shown = show_together([load_result(folder)], "paper", "pooled")
    picture = render(build_figures(shown, INVENTORY)[0], "svg").decode("utf-8")
    assert "<script" not in picture
    assert "&lt;script&gt;" in picture


def test_a_folder_without_a_result_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no finished result"):
        load_result(tmp_path)
    folder = score_results.write_result(tmp_path / "broken")
    (folder / "figures.json").write_text(json.dumps([]), encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read"):
        load_result(folder)


def test_supported_languages_stand_before_the_others(tmp_path: Path) -> None:
    """German, which the second model does not support, is the first of its languages."""
    found = write_models(tmp_path, 2, ("de", "en"))
    shown = show_together(found, "paper", "pooled")
    wanted = (
        "model-0 · supported languages",
        "model-1 · supported languages",
        "model-1 · other languages",
    )
    assert build_ranks(shown, INVENTORY).panels == wanted
    assert build_poles(shown, INVENTORY, "pooled").panels == wanted
