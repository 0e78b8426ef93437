"""Several workforce tables: several files, several countries or years in one."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.errors import InputError
from corpus.workforce_files import load_workforces

HEAD = 'name = "mine"\ntitle = "Mine"\nsource = "made up"\n'
SHARES = """primary = { women = 25, men = 75, employment = 10 }
secondary = { women = 37.5, men = 62.5, employment = 30 }
tertiary = { women = 62.5, men = 37.5, employment = 60 }
"""


def write(path: Path, *entries: str, year: str = "year = 2020") -> Path:
    path.write_text(HEAD + year + "\n" + "\n".join(entries), encoding="utf-8")
    return path


def entry(code: str, country: str, *, year: str = "") -> str:
    return f'[[languages.{code}]]\ncountry = "{country}"\n{year}\n{SHARES}'


def test_countries_and_years_of_a_language_are_tables_of_their_own(tmp_path: Path) -> None:
    file = write(
        tmp_path / "mine.toml",
        entry("de", "Germany"),
        entry("de", "Austria"),
        entry("de", "Germany", year="year = 2022"),
        f'[languages.en]\ncountry = "England"\n{SHARES}',
    )
    tables = load_workforces([file])
    countries = [
        (table.year, {code: one.country for code, one in table.countries.items()})
        for table in tables
    ]
    assert countries == [
        ("2020", {"de": "Germany", "en": "England"}),
        ("2020", {"de": "Austria"}),
        ("2022", {"de": "Germany"}),
    ]
    assert len({table.content_hash for table in tables}) == 3
    assert {table.name for table in tables} == {"mine"}


def test_several_files_are_read_in_their_order(tmp_path: Path) -> None:
    file = write(tmp_path / "mine.toml", entry("de", "Austria"))
    assert [table.name for table in load_workforces([file, "study"])] == ["mine", "study"]


def test_a_byte_order_mark_before_a_table_is_no_part_of_it(tmp_path: Path) -> None:
    plain = write(tmp_path / "mine.toml", entry("de", "Austria"))
    [expected] = load_workforces([plain])
    plain.write_bytes(b"\xef\xbb\xbf" + plain.read_bytes())
    assert load_workforces([plain]) == (expected,)


def test_all_faults_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    wrong = entry("de", "Austria").replace("women = 25,", "women = 30,")
    first = write(
        tmp_path / "one.toml", entry("de", "Germany"), entry("de", "Germany"), wrong, year=""
    )
    second = write(
        tmp_path / "two.toml", "languages.de = [3]", entry("en", "England", year="year = 22")
    )
    with pytest.raises(InputError) as caught:
        load_workforces([first, second])
    faults = "\n".join(map(str, caught.value.faults))
    for expected in (
        "[languages.de]: Germany, year None, stands 2 times",
        "one.toml, None [year]: missing. write year = 2022",
        "two.toml, 22 [year]: 22 is not a whole number from 1900 to 2100",
        "[languages.de.primary]: women and men sum to 105, not 100",
        "two.toml [languages.de]: not a list of tables",
    ):
        assert expected in faults


def test_the_same_table_twice_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "mine.toml", entry("de", "Germany"))
    with pytest.raises(InputError, match="the same numbers are named 2 times"):
        load_workforces([file, file])
