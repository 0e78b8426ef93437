"""Which languages an average is over, and why the others are not in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from corpus.stereotypes import Inventory
from scoring.averages import OTHER, OWN, SHARED, SUPPORTED, LanguageSet
from scoring.columns import compute_point
from scoring.comparability import Compared
from scoring.compared_columns import Entry, Gap

AverageKey = tuple[int, str, str, str]
"""Result, protocol, condition, sentences."""
SetKey = tuple[int, str, str, str, str]
"""The same and the name of a set of languages."""


def average_key(entry: Entry) -> AverageKey:
    """What the column is averaged with over languages."""
    return (entry.result, entry.protocol, entry.condition, entry.sentences)


def find_language_sets(
    compared: Compared, entries: Sequence[Entry], gaps: Sequence[Gap], inventory: Inventory
) -> dict[SetKey, LanguageSet]:
    """The sets of every average, in the order of the entries.

    A language is in a set where its g_s is defined.
    """
    wanted = tuple(dict.fromkeys([*(e.language for e in entries), *(g.language for g in gaps)]))
    having: defaultdict[AverageKey, set[str]] = defaultdict(set)
    lacking = {
        (index, *place): _known_gaps(label, place, gaps)
        for place in dict.fromkeys(average_key(entry)[1:] for entry in entries)
        for index, label in enumerate(compared.labels)
    }
    for entry in entries:
        key = average_key(entry)
        if np.isnan(compute_point([entry.column], inventory).log_g_s).any():
            lacking[key][entry.language] = "missing_stereotype"
        else:
            having[key].add(entry.language)
    return {
        (*key, name): LanguageSet(
            name,
            tuple(code for code in wanted if code in chosen),
            _explain(wanted, chosen, key, lacking, compared) if name in {OWN, SHARED} else {},
        )
        for key in lacking
        for name, chosen in _choose(compared, key, having)
    }


def _choose(
    compared: Compared, key: AverageKey, having: Mapping[AverageKey, set[str]]
) -> Iterator[tuple[str, set[str]]]:
    own = having.get(key, set())
    others = [having.get((index, *key[1:]), set()) for index in range(len(compared.results))]
    yield OWN, own
    yield SHARED, set.intersection(*others)
    supported = compared.results[key[0]].supported_languages
    if supported is not None:
        yield SUPPORTED, own & supported
        yield OTHER, own - supported


def _known_gaps(label: str, place: tuple[str, str, str], gaps: Sequence[Gap]) -> dict[str, str]:
    wanted = (label, *place[:2])
    return {g.language: g.reason for g in gaps if (g.model, g.protocol, g.condition) == wanted}


def _explain(
    wanted: Sequence[str],
    chosen: set[str],
    key: AverageKey,
    lacking: Mapping[AverageKey, Mapping[str, str]],
    compared: Compared,
) -> dict[str, str]:
    """Language → reason, with the model's name where it is another one that lacks it."""
    explained: dict[str, str] = {}
    for code in wanted:
        if code in chosen:
            continue
        own = lacking[key].get(code)
        others = (
            f"{label}: {lacking[index, *key[1:]][code]}"
            for index, label in enumerate(compared.labels)
            if code in lacking[index, *key[1:]]
        )
        explained[code] = own or next(others, "no_data")
    return explained
