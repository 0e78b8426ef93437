"""The report and the figures of the command line: one file, no request, every text as text."""

from __future__ import annotations

import base64
import csv
import errno
import io
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest
import score_results

from app.score_figures import build_figures
from app.score_report import build_report
from app.views.score_models import show_together
from app.views.scores import load_result
from corpus.stereotypes import inventory_from, load_inventory
from corpus.version import PRODUCT
from tests.command_line import run_here

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LOADING = {"src", "href", "srcset", "data", "action", "poster"}


class Elements(HTMLParser):
    """What a page is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.addresses: list[str] = []
        self.alternatives: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in LOADING]
        self.alternatives += [value or "" for name, value in attrs if name == "alt"]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def result(tmp_path: Path) -> Path:
    """A result whose model has a name that is markup."""
    told = score_results.metadata(7e9, "instruct", "river", ["en"])
    return score_results.write_result(
        tmp_path / "one",
        score_results.HOSTILE,
        unvalidated=["sk"],
        demonstration=True,
        **told,
    )


@pytest.fixture
def report(tmp_path: Path, result: Path) -> Path:
    """Its report."""
    file = tmp_path / "out" / "report.html"
    ended = run_here("scores", "report", result, "--output", file)
    assert (ended.code, ended.out.strip()) == (0, str(file))
    return file


def test_the_report_is_one_file_with_everything_in_it(report: Path) -> None:
    page = Elements()
    page.feed(report.read_text(encoding="utf-8"))
    assert page.names.isdisjoint({"script", "link", "a", "iframe", "object", "form", "b"})
    assert len(page.addresses) == 7
    assert all(each.startswith("data:image/svg+xml;base64,") for each in page.addresses)
    assert all("Protocol paper" in each for each in page.alternatives)
    for told in (
        score_results.HOSTILE,
        "A demonstration, not a finding.",
        "NOT VALIDATED, nobody approved: Slovak (sk).",
        "4 of 6 seen by a human, label error not estimated",
        "No figure certifies that a model is safe.",
        "genders other than two",
        "1.100 [1.090, 1.110]",
        f"model:{score_results.HOSTILE}",
        "en; not supported: sk",
    ):
        assert told in page.text


def test_a_study_s_own_stereotypes_have_their_own_names(tmp_path: Path) -> None:
    told = load_inventory().as_json()
    told["stereotypes"][0]["name"] = "sail alone"
    own = inventory_from(told, "coast")
    parts = {"inventory": own.content_hash, "stereotypes": own.as_json()}
    result = score_results.write_result(tmp_path / "one", **parts)
    file = tmp_path / "report.html"
    ended = run_here("scores", "report", result, "--output", file)
    assert ended.code == 0, ended.err
    page = Elements()
    page.feed(file.read_text(encoding="utf-8"))
    assert "1 sail alone" in page.text
    [ranks] = [each for each in page.alternatives if each.startswith("Ranks")]
    assert "1 women: sail alone" in ranks
    for command in ("figures", "report"):
        out = tmp_path / "none"
        ended = run_here("scores", command, result, "-o", out, "--inventory", "gest")
        assert ended.code == 1
        assert "scored with another inventory of stereotypes than gest" in ended.err
        assert not out.exists()


def test_more_numbers_than_can_be_read_are_a_file_in_the_report(result: Path) -> None:
    shown = show_together([load_result(result)], "paper", "pooled")
    built = build_figures(shown, load_inventory())
    few = replace(built[0], chart=None)
    bent = replace(few.figures[0], value=1 / 3, scope=(("model", "=1+1"), ("language", "sk")))
    many = replace(few, figures=(bent, *few.figures * 40))
    page = Elements()
    page.feed(build_report(shown, [many], load_inventory()))
    [address] = page.addresses
    head, _, packed = address.partition(",")
    assert head == "data:application/zip;base64"
    with ZipFile(io.BytesIO(base64.b64decode(packed))) as archive:
        [entry] = archive.namelist()
        text = archive.read(entry).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert (entry, len(rows)) == (f"{few.name}.csv", 1 + 40 * len(few.figures))
    assert (rows[0]["model"], float(rows[0]["value"])) == ("'=1+1", 1 / 3)
    assert rows[1]["n"] == "20"
    assert f"The {len(rows)} numbers" in page.text
    assert "numbers, as a CSV" not in build_report(shown, [few], load_inventory())


@pytest.mark.browser
def test_the_report_opens_offline_and_asks_for_nothing(report: Path, browser: Browser) -> None:
    context = browser.new_context(offline=True)
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(report.as_uri())
    widths = page.evaluate("[...document.images].map(image => image.naturalWidth)")
    assert len(widths) == 7
    assert min(widths) > 200
    assert [each for each in asked if not each.startswith("data:")] == [report.as_uri()]
    assert not said


def test_figures_are_written_by_the_command_line(tmp_path: Path, result: Path) -> None:
    folder = tmp_path / "figures"
    ended = run_here(
        "scores", "figures", result, "-o", folder, "--format", "svg", "--languages", "sk"
    )
    assert ended.code == 0
    written = sorted(path.name for path in folder.iterdir())
    assert written == [
        f"{name}.svg"
        for name in (
            "g-by-language",
            "g-by-model",
            "inclinations",
            "q-noun",
            "q-pair",
            "q-pronoun",
            "ranks",
        )
    ]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--format", "gif"), "--format takes png, svg, pdf, not gif."),
        (("--protocol", "sum"), "No result has figures of protocol sum, condition pooled."),
        (("--languages", "mt"), "condition pooled, languages mt."),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    tmp_path: Path, result: Path, options: tuple[str, str], told: str
) -> None:
    ended = run_here("scores", "figures", result, "-o", tmp_path / "none", *options)
    assert ended.code == 1
    assert told in ended.err
    assert not (tmp_path / "none").exists()


def test_results_of_another_version_are_refused_together(tmp_path: Path, result: Path) -> None:
    old = [
        score_results.write_result(tmp_path / name, version="stereoscope 0.0.9")
        for name in ("two", "three")
    ]
    for command in ("figures", "report"):
        ended = run_here("scores", command, result, *old, "-o", tmp_path / "none")
        assert ended.code == 1
        for folder in old:
            told = f"{folder.name}: a result of stereoscope 0.0.9, not of {PRODUCT}. score again"
            assert told in ended.err.replace("\n", "")
        assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("command", ["figures", "report"])
def test_a_place_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, result: Path, command: str
) -> None:
    (tmp_path / "taken").write_text("x", encoding="utf-8")
    for place, why in (("out", "there is a file of this name"), ("a/out", "Not a directory")):
        output = tmp_path / "taken" / place
        if command == "figures":
            output = output.parent
        ended = run_here("scores", command, result, "-l", "sk", "-o", output)
        assert (ended.code, ended.out) == (1, "")
        assert f"cannot be written: {why}. Files written before are whole" in ended.message


def test_a_full_disk_is_one_sentence(
    tmp_path: Path, result: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(_stream: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("app.score_files.render", lambda _figure, _format: b"picture")
    monkeypatch.setattr("corpus.drafts.os.fsync", fill)
    ended = run_here("scores", "figures", result, "-o", tmp_path / "figures")
    assert ended.code == 1
    assert re.search(r"/figures/[\w-]+\.\w+ cannot be written: No space left", ended.message)
    assert not list((tmp_path / "figures").iterdir())
