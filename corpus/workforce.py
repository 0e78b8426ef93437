"""Workforce tables: women and men of the workforce by sector and language, from a TOML file.

    name = "mine"
    title = "…"
    source = "where the numbers are from"
    year = 2022
    [languages.de]
    country = "Germany"
    gender_gap_index = 0.801          # optional; Global Gender Gap Index, 1 is parity
    primary = { women = 37.64, men = 62.36, employment = 1.2 }
    secondary = …

A language may have a list of countries and years: see `workforce_files`.

`women` and `men` are percent of the sector's workforce and sum to 100 ± 0.1. `employment` (percent
of all employed who work in the sector, optional, of all three sectors or none) sums to 100 ± 0.1,
too; without it measures weighted by employment are undefined.

W_s = (women − men) / 100, in [−1, 1], below 0 where more men work.

Source: study of sector association; the product's table `study` holds its numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from corpus.errors import Fault, InputError
from corpus.hashing import nfc, sha256_json
from corpus.sectors import Sector
from corpus.toml_files import parse_toml

DEFAULT_WORKFORCE = "study"
SUM_TOLERANCE = 0.1
"""Percentage points that shares may be off 100 by, for rounding."""
NOT_STATED = "not stated"
"""A year that the source does not name."""

_KEYS = {"name", "title", "source", "year", "languages"}
_LANGUAGE_KEYS = {"country", "gender_gap_index", *Sector}
_SHARE_KEYS = {"women", "men", "employment"}
_YEARS = range(1900, 2101)


@dataclass(frozen=True, slots=True)
class SectorShares:
    """The workforce of one sector in one country, in percent."""

    women: float
    men: float
    employment: float | None = None
    """Percent of all employed who work in the sector; None where the table does not say."""

    @property
    def w(self) -> float:
        """W_s = (women − men) / 100, in [−1, 1]; 0 is parity, below 0 more men."""
        return (self.women - self.men) / 100

    @property
    def log_ratio(self) -> float | None:
        """ln(women / men); None where one of them is 0."""
        return math.log(self.women / self.men) if self.women > 0 and self.men > 0 else None


@dataclass(frozen=True, slots=True)
class CountryWorkforce:
    """The workforce of the country that a language is compared with."""

    language: str
    country: str
    shares: Mapping[Sector, SectorShares]
    gender_gap_index: float | None
    """Global Gender Gap Index, in [0, 1], 1 is parity; None where the table has none."""

    @property
    def has_employment(self) -> bool:
        """Whether sectors can be weighted by employment."""
        return all(shares.employment is not None for shares in self.shares.values())


@dataclass(frozen=True, slots=True)
class WorkforceTable:
    """A workforce table with its source."""

    name: str
    title: str
    source: str
    year: str
    """Of employment; `not stated` where the source does not say."""
    countries: Mapping[str, CountryWorkforce]
    """By language code."""

    @property
    def content_hash(self) -> str:
        """sha256 of year, countries and numbers: for signatures."""
        rows = [
            [
                country.language,
                country.country,
                country.gender_gap_index,
                [[s, x.women, x.men, x.employment] for s, x in country.shares.items()],
            ]
            for _, country in sorted(self.countries.items())
        ]
        return sha256_json([self.year, rows])

    def country_of(self, language: str) -> CountryWorkforce:
        """The country that a language is compared with.

        Raises:
            InputError: if the table has none.
        """
        if language in self.countries:
            return self.countries[language]
        problem = f"no workforce for the language {language!r}"
        remedy = f"add [languages.{language}], or score {', '.join(sorted(self.countries))}"
        raise InputError([Fault(self.name, None, "languages", problem, remedy)])


def load_workforce(name_or_path: str | Path = DEFAULT_WORKFORCE) -> WorkforceTable:
    """The product's table of this name, or the one in this TOML file.

    Raises:
        InputError: with every fault of the file.
    """
    return workforce_from(read_workforce_file(name_or_path), str(Path(name_or_path)))


def read_workforce_file(name_or_path: str | Path) -> dict[str, Any]:
    """What the TOML file of this name or path says, unchecked.

    Raises:
        InputError: if it cannot be read, or is no TOML.
    """
    source = Path(name_or_path)
    brought = resources.files("corpus") / "workforce" / f"{source}.toml"
    try:
        if source.suffix != ".toml" and len(source.parts) == 1 and brought.is_file():
            data = brought.read_bytes()
        else:
            data = source.read_bytes()
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
        remedy = f"give the path of a workforce table, or {DEFAULT_WORKFORCE}"
        raise InputError([Fault(str(source), None, None, problem, remedy)]) from error
    return parse_toml(data, str(source))


def workforce_from(table: Mapping[str, Any], file: str) -> WorkforceTable:
    """The workforce table in a table with the keys of its file.

    Raises:
        InputError: with every fault found.
    """
    faults = list(_find_faults(table, file))
    if faults:
        raise InputError(faults)
    return WorkforceTable(
        name=nfc(table["name"]),
        title=nfc(table["title"]),
        source=nfc(table["source"]),
        year=str(table["year"]),
        countries={
            code: CountryWorkforce(
                language=code,
                country=nfc(row["country"]),
                shares={sector: SectorShares(**row[sector]) for sector in Sector},
                gender_gap_index=row.get("gender_gap_index"),
            )
            for code, row in table["languages"].items()
        },
    )


def _find_faults(table: Mapping[str, Any], file: str) -> Iterator[Fault]:
    for key in sorted(table.keys() - _KEYS):
        yield Fault(file, None, key, "unknown key", f"use {', '.join(sorted(_KEYS))}")
    for key in ("name", "title", "source"):
        if not _is_text(table.get(key)):
            yield Fault(file, None, key, "missing or not a text", "write it")
    yield from _year_faults(table.get("year"), file)
    languages = table.get("languages")
    if not isinstance(languages, dict) or not languages:
        yield Fault(file, None, "languages", "missing or empty", "write [languages.<code>]")
        return
    for code, row in languages.items():
        place = f"languages.{code}"
        if isinstance(row, dict):
            yield from _country_faults(row, file, place)
        else:
            yield Fault(file, None, place, "not a table", "write country and the three sectors")


def _year_faults(year: Any, file: str) -> Iterator[Fault]:
    if year == NOT_STATED or (type(year) is int and year in _YEARS):
        return
    problem = "missing"
    if year is not None:
        problem = f"{year!r} is not a whole number from {_YEARS[0]} to {_YEARS[-1]}"
    remedy = f'write year = 2022 for employment in 2022, without quotes, or year = "{NOT_STATED}"'
    yield Fault(file, None, "year", problem, remedy)


def _country_faults(row: Mapping[str, Any], file: str, place: str) -> Iterator[Fault]:
    for key in sorted(row.keys() - _LANGUAGE_KEYS):
        remedy = f"use {', '.join(sorted(_LANGUAGE_KEYS))}"
        yield Fault(file, None, f"{place}.{key}", "unknown key", remedy)
    if not _is_text(row.get("country")):
        yield Fault(file, None, f"{place}.country", "missing or not a text", "name the country")
    index = row.get("gender_gap_index")
    if index is not None and not (_is_number(index) and 0 <= index <= 1):
        problem = "not a number from 0 to 1"
        yield Fault(file, None, f"{place}.gender_gap_index", problem, "correct it, or leave it out")
    for sector in Sector:
        yield from _share_faults(row.get(sector), file, f"{place}.{sector}")
    shares = [row.get(sector) for sector in Sector]
    given = [s["employment"] for s in shares if isinstance(s, dict) and "employment" in s]
    if given and len(given) < len(shares):
        problem = "employment is given for some of the sectors only"
        yield Fault(file, None, place, problem, "give it for all three, or for none")
    elif given and all(map(_is_percent, given)):
        yield from _sum_faults(given, file, place, "employment over the sectors")


def _share_faults(shares: Any, file: str, place: str) -> Iterator[Fault]:
    if not isinstance(shares, dict):
        yield Fault(file, None, place, "missing or not a table", "write { women, men }")
        return
    for key in sorted(shares.keys() - _SHARE_KEYS):
        remedy = f"use {', '.join(sorted(_SHARE_KEYS))}"
        yield Fault(file, None, f"{place}.{key}", "unknown key", remedy)
    for key in ("women", "men", "employment"):
        if (key in shares or key != "employment") and not _is_percent(shares.get(key)):
            problem = "missing or not a number from 0 to 100"
            yield Fault(file, None, f"{place}.{key}", problem, "write the percentage")
    both = [shares.get("women"), shares.get("men")]
    if all(map(_is_percent, both)):
        yield from _sum_faults(both, file, place, "women and men")


def _sum_faults(values: list[Any], file: str, place: str, what: str) -> Iterator[Fault]:
    total = math.fsum(values)
    # The tolerance is meant in the digits written, not in their binary neighbours.
    if abs(total - 100) > SUM_TOLERANCE + 1e-9:
        problem = f"{what} sum to {total:g}, not 100"
        yield Fault(file, None, place, problem, f"correct them to within {SUM_TOLERANCE}")


def _is_percent(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= 100


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
