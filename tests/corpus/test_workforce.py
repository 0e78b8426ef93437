"""Workforce tables: the study's and those of users."""

from __future__ import annotations

import math
import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from corpus.errors import InputError
from corpus.sectors import Sector
from corpus.workforce import load_workforce, workforce_from
from corpus.workforce_files import load_workforces

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "score-sectors.md"


def read_table() -> dict[str, Any]:
    data = (resources.files("corpus") / "workforce" / "study.toml").read_text(encoding="utf-8")
    return tomllib.loads(data)


# W and its mean as the study prints them, to its own digits; its means are of unrounded W.
@pytest.mark.parametrize(
    ("language", "country", "index", "printed", "mean"),
    [
        ("de", "Germany", 0.801, (-0.25, -0.42, 0.24), -0.144),
        ("es", "Spain", 0.788, (-0.44, -0.48, 0.21), -0.235),
        ("pl", "Poland", 0.709, (-0.02, -0.36, 0.31), -0.022),
        ("en", "England", 0.780, (-0.38, -0.52, 0.19), -0.235),
    ],
)
def test_the_study_s_table(
    language: str, country: str, index: float, printed: tuple[float, ...], mean: float
) -> None:
    table = load_workforce()
    found = table.country_of(language)
    assert (found.country, found.gender_gap_index, table.year) == (country, index, "not stated")
    w = [found.shares[sector].w for sector in Sector]
    assert w == pytest.approx(printed, abs=0.0051)
    assert math.fsum(w) / 3 == pytest.approx(mean, abs=0.001)
    assert not found.has_employment


def test_shares_give_the_log_ratio() -> None:
    table = read_table()
    table["languages"]["de"]["primary"] = {"women": 20.0, "men": 80.0}
    table["languages"]["de"]["secondary"] = {"women": 0.0, "men": 100.0}
    shares = workforce_from(table, "mine.toml").country_of("de").shares
    assert shares[Sector.PRIMARY].log_ratio == pytest.approx(-math.log(4))
    assert shares[Sector.PRIMARY].w == pytest.approx(-0.6)
    assert shares[Sector.SECONDARY].log_ratio is None


@pytest.mark.parametrize(
    ("women", "fits"), [(40.1, True), (40.11, False), (39.9, True), (39.8, False)]
)
def test_shares_sum_to_a_hundred_within_a_tenth(women: float, fits: bool) -> None:
    table = read_table()
    table["languages"]["en"]["tertiary"] = {"women": women, "men": 60.0}
    if fits:
        assert workforce_from(table, "x").country_of("en").shares[Sector.TERTIARY].women == women
        return
    with pytest.raises(InputError, match=r"languages.en.tertiary.*women and men sum to .*not 100"):
        workforce_from(table, "x")


def test_all_faults_are_told_at_once() -> None:
    table = read_table()
    del table["source"]
    table["year"] = "lately"
    table["languages"]["de"]["primary"] = {"women": 60.0, "men": 60.0}
    table["languages"]["es"]["secondary"]["men"] = "many"
    del table["languages"]["pl"]["tertiary"]
    table["languages"]["en"]["primary"]["employment"] = 5.0
    table["languages"]["en"]["gender_gap_index"] = 78
    with pytest.raises(InputError) as caught:
        workforce_from(table, "mine.toml")
    faults = str(caught.value)
    assert len(caught.value.faults) == 7
    for expected in (
        "mine.toml [source]: missing",
        "mine.toml [year]: 'lately' is not a whole number from 1900 to 2100",
        "[languages.de.primary]: women and men sum to 120",
        "[languages.es.secondary.men]: missing or not a number",
        "[languages.pl.tertiary]: missing",
        "[languages.en]: employment is given for some of the sectors only",
        "[languages.en.gender_gap_index]: not a number from 0 to 1",
    ):
        assert expected in faults


@pytest.mark.parametrize("year", ["2021", 2021.0, 1899, True, [2021], None])
def test_a_year_that_is_none_is_refused_with_what_to_write(year: Any) -> None:
    table = read_table() | {"year": year}
    with pytest.raises(InputError) as caught:
        workforce_from(table, "mine.toml")
    (fault,) = caught.value.faults
    told = "missing" if year is None else f"{year!r} is not a whole number from 1900 to 2100"
    assert fault.problem == told
    assert "write year = 2022 for employment in 2022, without quotes" in fault.remedy


@pytest.mark.parametrize("share", [-0.1, 100.5, float("nan"), float("inf"), "40", True])
def test_a_share_that_is_no_percentage_is_refused(share: Any) -> None:
    table = read_table()
    table["languages"]["pl"]["primary"]["women"] = share
    with pytest.raises(InputError, match=r"languages.pl.primary.women\]: missing or not a number"):
        workforce_from(table, "mine.toml")


def test_employment_shares_sum_to_a_hundred() -> None:
    table = read_table()
    for sector, share in zip(Sector, (1.0, 27.0, 72.0), strict=True):
        table["languages"]["de"][sector]["employment"] = share
    assert workforce_from(table, "x").country_of("de").has_employment
    table["languages"]["de"]["tertiary"]["employment"] = 60.0
    with pytest.raises(InputError, match="employment over the sectors sum to 88"):
        workforce_from(table, "x")


def test_year_and_country_belong_to_the_hash() -> None:
    table = read_table()
    hashes = {workforce_from(table, "x").content_hash}
    table["year"] = 2021
    hashes.add(workforce_from(table, "x").content_hash)
    table["languages"]["en"]["country"] = "United Kingdom"
    hashes.add(workforce_from(table, "x").content_hash)
    assert len(hashes) == 3


def test_a_user_s_table_is_read_and_a_missing_one_or_language_named(tmp_path: Path) -> None:
    data = (resources.files("corpus") / "workforce" / "study.toml").read_bytes()
    mine = tmp_path / "mine.toml"
    mine.write_bytes(data)
    assert load_workforce(mine) == load_workforce()
    with pytest.raises(InputError, match=r"nowhere.toml: cannot be read"):
        load_workforce(tmp_path / "nowhere.toml")
    with pytest.raises(InputError, match="no workforce for the language 'sk'"):
        load_workforce().country_of("sk")


def test_the_documented_table_can_be_copied_as_it_is(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", HOW_TO.read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path / "mine.toml"
    file.write_text(example, encoding="utf-8")
    tables = load_workforces([file])
    assert [(t.year, [c.country for c in t.countries.values()]) for t in tables] == [
        ("2022", ["Poland", "Germany"]),
        ("2021", ["Austria"]),
    ]
    assert [c.has_employment for t in tables for c in t.countries.values()] == [False, True, True]
