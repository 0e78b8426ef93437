"""Files that hold several workforce tables: several countries or years for one language.

    [[languages.de]]
    year = 2022
    country = "Germany"
    primary = …
    [[languages.de]]
    year = 2022
    country = "Austria"
    …

Each country and year of a language is compared by itself, so such a file is read as several tables
with one country a language: the first country of each year together, then the second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from corpus.errors import Fault, InputError
from corpus.workforce import WorkforceTable, read_workforce_file, workforce_from


def load_workforces(names_or_paths: Sequence[str | Path]) -> tuple[WorkforceTable, ...]:
    """The tables of all names and TOML files, in their order.

    Raises:
        InputError: with every fault of every file, or if two hold the same table.
    """
    tables: list[WorkforceTable] = []
    faults: list[Fault] = []
    for name in names_or_paths:
        try:
            tables.extend(workforces_from(read_workforce_file(name), str(name)))
        except InputError as error:
            faults.extend(error.faults)
    for content, count in Counter(table.content_hash for table in tables).items():
        if count > 1:
            same = next(table for table in tables if table.content_hash == content)
            problem = f"the same numbers are named {count} times"
            faults.append(Fault(same.name, None, "languages", problem, "name them once"))
    if faults:
        raise InputError(faults)
    return tuple(tables)


def workforces_from(table: Mapping[str, Any], file: str) -> tuple[WorkforceTable, ...]:
    """The workforce tables in a table with the keys of its file: one for each year and country.

    Raises:
        InputError: with every fault found.
    """
    languages = table.get("languages")
    if not isinstance(languages, dict) or not any(isinstance(v, list) for v in languages.values()):
        return (workforce_from(table, file),)
    parts: dict[tuple[str, int], dict[str, Any]] = {}
    faults = list(_find_list_faults(languages, file))
    for code, entries in languages.items():
        seen: Counter[str] = Counter()
        for entry in entries if isinstance(entries, list) else [entries]:
            if not isinstance(entry, dict):
                continue
            year = entry.get("year", table.get("year"))
            number = seen[str(year)]
            seen[str(year)] += 1
            part = parts.setdefault((str(year), number), {**table, "year": year, "languages": {}})
            part["languages"][code] = {k: v for k, v in entry.items() if k != "year"}
    found: list[WorkforceTable] = []
    for (year, _), part in parts.items():
        try:
            found.append(workforce_from(part, f"{file}, {year}"))
        except InputError as error:
            faults.extend(error.faults)
    if faults:
        raise InputError(list(dict.fromkeys(faults)))
    return tuple(found)


def _find_list_faults(languages: Mapping[str, Any], file: str) -> Iterator[Fault]:
    for code, entries in languages.items():
        if not isinstance(entries, list):
            continue
        place = f"languages.{code}"
        if not entries or not all(isinstance(entry, dict) for entry in entries):
            yield Fault(file, None, place, "not a list of tables", "write [[languages.<code>]]")
            continue
        named = Counter((str(one.get("year")), str(one.get("country"))) for one in entries)
        for (year, country), count in named.items():
            if count > 1:
                problem = f"{country}, year {year}, stands {count} times"
                yield Fault(file, None, place, problem, "keep one")
