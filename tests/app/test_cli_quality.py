"""`quality import` and `quality calibrate`, and what `generate` makes of them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from corpus.records import Translation
from corpus.workspace import find_workspace
from tests.command_line import Outcome, run_here, snapshot_of
from tests.sample_workspaces import run_all, translation_options

KEYED = ("translation_key", "model", "revision", "score")
TEXTS = ("text_sent", "translation", "language", "model", "revision", "score")
IMPORTED = ["--estimator", "imported", "--comet-model", "own-qe"]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A workspace with the sample's Swedish candidates."""
    from corpus.samples import sentences_path

    folder = tmp_path / "study"
    assert run_here("init", folder).code == 0
    run_all(folder, ["source", "add", sentences_path(), "--dataset", "sample"], generating())
    return folder


# The sample's 64 sentences hold one twice, which is translated once.
def generating(*options: str) -> list[str | Path]:
    return ["generate", "-l", "sv", *translation_options("sv"), *options]


def translations_of(study: Path) -> list[Translation]:
    store = find_workspace(study).open_store()
    with store.reading() as state:
        found = state.all_translations("sv")
    store.close()
    return found


def write(file: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([columns, *rows])
    return file


def scores_file(study: Path, *, low: int = 0) -> Path:
    """Scores of all translations, the first `low` of them 0.2, the others 0.9."""
    rows = [
        (each.text_sent, each.text, each.language, "own-qe", "7", 0.2 if index < low else 0.9)
        for index, each in enumerate(translations_of(study))
    ]
    return write(study.parent / "scores.csv", TEXTS, rows)


def run(study: Path, *arguments: str | Path) -> Outcome:
    return run_here(*arguments, "--workspace", study)


def test_imported_scores_filter_once_a_threshold_is_calibrated(study: Path) -> None:
    file = scores_file(study, low=4)
    first, again = (run(study, "quality", "import", file) for _ in range(2))
    assert "63 scores added, 0 were there already" in first.message
    assert "0 scores added, 63 were there already" in again.message

    unfiltered = run(study, *generating(*IMPORTED, "--json"))
    assert "discarded:quality" not in unfiltered.out
    said = run(study, *generating(*IMPORTED))
    assert (
        "sv: nothing was filtered by quality, own-qe@7 has no calibrated threshold" in said.message
    )

    ratings = write(
        study.parent / "ratings.csv",
        ("item", "score_0_100", "quality", "stereotype"),
        [(f"i{n}", 90 if n < 50 else 20, 0.9 if n < 50 else 0.2, 1 + n % 2) for n in range(60)],
    )
    calibrate = ["quality", "calibrate", "-l", "sv", "--ratings", ratings, "--model", "own-qe@7"]
    dry = run(study, *calibrate, "--dry-run")
    assert "Dry run: 0.9 would be kept" in dry.message
    assert "discarded" not in run(study, *generating(*IMPORTED)).message
    shown = run(study, *calibrate, "--json")
    figures = {
        (each["name"], each["scope"].get("stereotype")): each
        for each in json.loads(shown.out)["figures"]
    }
    assert figures[("quality_threshold", None)]["value"] == 0.9
    assert figures[("coverage", None)]["value"] == pytest.approx(50 / 60)
    assert figures[("coverage", "1")]["n"] == 30
    before = snapshot_of(study)
    assert run(study, *calibrate).code == 0
    assert snapshot_of(study) == before

    applied = run(study, *generating(*IMPORTED))
    assert "translations below 0.9 of own-qe@7 are discarded (threshold: calibrated)" in (
        applied.message
    )
    counts = json.loads(run(study, *generating(*IMPORTED, "--json")).out)["figures"]
    assert {each["name"]: each["value"] for each in counts}["discarded:quality"] == 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        # 50 of 60 are good: Wilson's lower limit is 0.72 of all, 0.93 of the better ones alone.
        ([], "0.9 would be kept"),
        (["--target", "0.7"], "0.2 would be kept"),
        (["--target", "0.95"], "(no threshold keeps a share this good"),
        (["--good", "95"], "(no threshold keeps a share this good"),
        (["--good", "20"], "0.2 would be kept"),
    ],
)
def test_what_is_good_and_how_often_is_for_the_user_to_say(
    study: Path, options: list[str], said: str
) -> None:
    rows = [(n, 90 if n < 50 else 20, 0.9 if n < 50 else 0.2, 1 + n % 2) for n in range(60)]
    columns = ("item", "score_0_100", "quality", "stereotype")
    file = write(study.parent / "ratings.csv", columns, rows)
    calibrate = ["quality", "calibrate", "-l", "sv", "--ratings", file, "--model", "own-qe@7"]
    ended = run(study, *calibrate, "--dry-run", *options)
    assert (ended.code, said in ended.message) == (0, True)
    lost = "16.7%" if "0.9 would" in said else "0.0%"
    # Overall and for each of the two stereotypes.
    assert ended.out.count(lost) == (3 if "would" in said else 0)


def test_a_file_with_faults_is_refused_with_all_of_them(study: Path) -> None:
    [first, second, third, *_] = translations_of(study)
    assert run(study, "quality", "import", scores_file(study)).code == 0
    before = snapshot_of(study)
    rows = [
        (first.key, "wmt22-cometkiwi-da", "1", "85"),
        (first.key, "m", "1", "nan"),
        ("0" * 64, "m", "1", "0.5"),
        (second.key, "", "a@b", "0.5"),
        (second.key, "m", "1", "0.5"),
        (second.key, "m", "1", "0.6"),
        (third.key, "own-qe", "7", "0.1"),
    ]
    ended = run(study, "quality", "import", write(study.parent / "bad.csv", KEYED, rows))
    assert ended.code == 1
    for fault in (
        "bad.csv:2 [score]: 85 is outside the scale of wmt22-cometkiwi-da, 0 to 1",
        "bad.csv:3 [score]: 'nan' is not a number",
        "bad.csv:4: no such translation is in this workspace",
        "bad.csv:5 [model]: '' is no model",
        "bad.csv:5 [revision]: 'a@b' is no revision",
        "bad.csv:7 [score]: an earlier row gives this translation another score",
        "bad.csv:8 [score]: the workspace gives this translation another score",
    ):
        assert fault in ended.message
    assert snapshot_of(study) == before


def test_columns_must_say_which_translation_is_meant(study: Path) -> None:
    file = write(study.parent / "bad.csv", ("text_sent", "model", "revision", "score"), [])
    ended = run(study, "quality", "import", file)
    assert (ended.code, "do not say which translation" in ended.message) == (1, True)


def test_imported_scores_must_be_there_and_be_of_one_model(study: Path) -> None:
    ended = run(study, *generating(*IMPORTED))
    assert (ended.code, "names 0 models of imported scores" in ended.message) == (1, True)
    [first, *_] = translations_of(study)
    rows = [(first.key, "own-qe", revision, "0.5") for revision in ("1", "2")]
    assert run(study, "quality", "import", write(study / "two.csv", KEYED, rows)).code == 0
    ended = run(study, *generating(*IMPORTED))
    assert "names 2 models" in ended.message
    assert "own-qe@1, own-qe@2" in ended.message
    ended = run(study, *generating(*IMPORTED[:-1], "own-qe@2"))
    assert (ended.code, "62 translations have no score and are kept" in ended.message) == (0, True)


def test_a_threshold_off_the_scale_is_refused(study: Path) -> None:
    [first, *_] = translations_of(study)
    rows = [(first.key, "wmt22-cometkiwi-da", "1", "0.5")]
    assert run(study, "quality", "import", write(study / "kiwi.csv", KEYED, rows)).code == 0
    before = snapshot_of(study)
    kiwi = [*IMPORTED[:-1], "Unbabel/wmt22-cometkiwi-da", "--threshold", "85"]
    ended = run(study, *generating(*kiwi))
    assert ended.code == 1
    assert "threshold 85 is outside the scale of wmt22-cometkiwi-da, 0 to 1" in ended.message
    assert snapshot_of(study) == before


def test_ratings_with_faults_are_refused_with_all_of_them(study: Path) -> None:
    rows = [
        ("a", "101", "0.5", "1"),
        ("b", "50", "1.5", "1"),
        ("c", "50", "", "one"),
        ("d", "50", "0.5", "1"),
        ("d", "60", "0.6", "1"),
    ]
    columns = ("item", "score_0_100", "quality", "stereotype")
    file = write(study.parent / "ratings.csv", columns, rows)
    options = ["quality", "calibrate", "-l", "sv", "--ratings", file, "--model"]
    ended = run(study, *options, "wmt22-cometkiwi-da@1")
    assert ended.code == 1
    for fault in (
        "ratings.csv:2 [score_0_100]: '101' is no direct assessment",
        "ratings.csv:3 [quality]: '1.5' is no score of wmt22-cometkiwi-da@1",
        "ratings.csv:4 [quality]: '' is no score",
        "ratings.csv:4 [stereotype]: 'one' is no stereotype id",
        "ratings.csv:6 [item]: an earlier row gives this item another quality",
    ):
        assert fault in ended.message
    ended = run(study, *options, "no-revision")
    assert "--ratings needs --model NAME@REVISION" in ended.message


def test_without_scores_there_is_nothing_to_calibrate(study: Path) -> None:
    ended = run(study, "quality", "calibrate", "-l", "sv")
    assert (ended.code, "carry no quality scores" in ended.message) == (1, True)


def test_without_ratings_what_held_before_still_holds(study: Path) -> None:
    assert run(study, "quality", "import", scores_file(study)).code == 0
    assert run(study, *generating(*IMPORTED)).code == 0
    ended = run(study, "quality", "calibrate", "-l", "sv")
    assert ended.code == 0
    assert (
        "No threshold was found from 0 rated items with a score (nothing to compute from)"
        in ended.message
    )
