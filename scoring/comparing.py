"""Computes a comparison: language by language, so that memory holds the draws of one at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from corpus.figures import Figure
from scoring.averages import (
    OTHER,
    OWN,
    SHARED,
    SUPPORTED,
    LanguageSet,
    RunningMean,
    write_averages,
)
from scoring.columns import COLUMNS_AT_ONCE, Scope, compute_draws, compute_point, map_in_threads
from scoring.comparability import Compared, Factor
from scoring.compared_columns import ALL, Entry, Gap, draw_shared, restrict_to_common
from scoring.comparison import (
    BASE_INSTRUCT,
    DATA,
    HUMAN_SEEN,
    MODELS,
    PROTOCOLS,
    TEMPLATES,
    ComparedDifference,
    ComparedMeasures,
    Comparison,
    ComparisonRequest,
)
from scoring.corrections import P_METHOD, adjust, bootstrap_p
from scoring.differences import Difference, Side, compute_differences
from scoring.language_sets import SetKey, average_key, find_language_sets
from scoring.measures import Measures, write_measures
from scoring.statistics import Statistics
from scoring.uncertainty import Resampling
from scoring.variants import Condition

Placed = tuple[Entry, Side]


def compare(
    compared: Compared,
    entries: Sequence[Entry],
    gaps: Sequence[Gap],
    request: ComparisonRequest,
    advance: Callable[[], None] = lambda: None,
) -> Comparison:
    """Every figure and difference of the columns of a comparison.

    Args:
        compared: The results.
        entries: Their columns, all sentences of each, from `load_entries`.
        gaps: What was lacking there.
        request: Seed, draws and what is wanted.
        advance: Called after each language.
    """
    resampling = draw_shared(entries, request.seed, request.draws)
    common = () if request.averages_only else restrict_to_common(entries)
    everything = [*entries, *common]
    sets = find_language_sets(compared, everything, gaps, request.inventory)
    comparer = _Comparer(compared, request, resampling, sets)
    languages = tuple(dict.fromkeys(entry.language for entry in entries))
    for language in languages:
        comparer.add_language([entry for entry in everything if entry.language == language])
        advance()
    return comparer.finish(languages, gaps)


@dataclass(slots=True)
class _Comparer:
    """Goes through a comparison language by language; only sums and figures are kept."""

    compared: Compared
    request: ComparisonRequest
    resampling: Resampling
    sets: Mapping[SetKey, LanguageSet]
    means: defaultdict[SetKey, RunningMean] = field(
        default_factory=lambda: defaultdict(RunningMean)
    )
    measures: list[tuple[Entry, Measures, Figure]] = field(default_factory=list)
    differences: list[tuple[str, Difference]] = field(default_factory=list)
    thresholds: list[Figure] = field(default_factory=list)

    def add_language(self, entries: Sequence[Entry]) -> None:
        """Computes one language under every protocol."""
        slim: dict[tuple[int, str, str], dict[str, Side]] = defaultdict(dict)
        for protocol in dict.fromkeys(entry.protocol for entry in entries):
            of_protocol = [entry for entry in entries if entry.protocol == protocol]
            sides = self._sides(of_protocol)
            for entry, side in zip(of_protocol, sides, strict=True):
                self._add_to_means(entry, side)
            if self.request.averages_only:
                continue
            for entry, side in zip(of_protocol, sides, strict=True):
                self._add_measures(entry, side)
                if entry.sentences == ALL:
                    slim[entry.result, entry.language, entry.condition][protocol] = _slim(side)
            self._compare_entries(list(zip(of_protocol, sides, strict=True)))
        for (result, language, condition), by_protocol in slim.items():
            scope = self._scope(result, language=language, condition=condition, sentences=ALL)
            self._compare_all(PROTOCOLS, list(by_protocol.items()), scope)

    def _sides(self, entries: Sequence[Entry]) -> list[Side]:
        """Every column with its statistics; blocks of columns in threads."""
        size = COLUMNS_AT_ONCE
        blocks = [entries[start : start + size] for start in range(0, len(entries), size)]

        def compute(block: Sequence[Entry]) -> list[Side]:
            columns = [entry.column for entry in block]
            drawn = compute_draws(columns, self.resampling, self.request.inventory)
            point = self._point(block)
            return [
                Side(entry.column, point.column(k), drawn.column(k), self._r_error(entry))
                for k, entry in enumerate(block)
            ]

        return [side for found in map_in_threads(compute, blocks) for side in found]

    def _point(self, entries: Sequence[Entry]) -> Statistics:
        return compute_point([entry.column for entry in entries], self.request.inventory)

    def _r_error(self, entry: Entry) -> float | None:
        return self.compared.results[entry.result].r_error(entry.language)

    def _measure(self, side: Side) -> Measures:
        return write_measures(
            side.column,
            side.point,
            side.drawn,
            self.request.inventory,
            self.resampling,
            side.r_error,
        )

    def _add_measures(self, entry: Entry, side: Side) -> None:
        measures = self._measure(side)
        interval = measures.g_s.interval
        unbounded = interval is None or interval.reason is not None
        p = None if measures.g_s.value is None or unbounded else bootstrap_p(side.drawn.log_g_s)
        reason = measures.g_s.reason or (interval.reason if interval else None)
        figure = Figure(
            "g_s_bootstrap_p",
            p,
            measures.g_s.n,
            "How often draws like these would lie as far on either side if g_s were 1, in (0, 1]; "
            "conditional on these stereotypes.",
            f"{P_METHOD}; {measures.g_s.method}",
            None if p is not None else reason or "undefined_draws",
            scope=side.column.scope,
        )
        self.measures.append((entry, measures, figure))

    def _add_to_means(self, entry: Entry, side: Side) -> None:
        for name in (OWN, SHARED, SUPPORTED, OTHER):
            key = (*average_key(entry), name)
            if key in self.sets and entry.language in self.sets[key].languages:
                self.means[key].add(side)

    def _compare_entries(self, placed: Sequence[Placed]) -> None:
        by_place: defaultdict[tuple[str, str], list[Placed]] = defaultdict(list)
        for entry, side in placed:
            by_place[entry.condition, entry.sentences].append((entry, side))
        for found in by_place.values():
            for (one, side), (other, other_side) in combinations(found, 2):
                self._compare_results((one, side), (other, other_side))
        for entry, side in placed:
            seen = self.request.seen.get((entry.result, entry.language))
            if entry.sentences == ALL:
                if seen is not None:
                    self._compare_seen(entry, side, seen)
                self._add_thresholds(entry)
                if entry.condition == Condition.NOUN:
                    self._compare_templates(entry, side, placed)

    def _compare_results(self, one: Placed, other: Placed) -> None:
        (first, _), (second, _) = one, other
        kind, swapped = self._kind(first.result, second.result)
        if swapped:
            one, other = other, one
        scope = self._scope(
            None,
            first=self.compared.labels[one[0].result],
            second=self.compared.labels[other[0].result],
            language=first.language,
            protocol=first.protocol,
            condition=first.condition,
            sentences=first.sentences,
        )
        if kind == DATA and first.sentences == ALL:
            # What one data set lacks is part of how the two differ.
            self._add_differences(kind, one[1], other[1], scope)
        else:
            self._compare_pair(kind, one, other, scope)

    def _kind(self, one: int, other: int) -> tuple[str, bool]:
        """Kind of a difference of two results, and whether the second comes first."""
        if self.compared.factor is Factor.DATA:
            return DATA, False
        first, second = self.compared.results[one], self.compared.results[other]
        if second.metadata.get("base") == first.model:
            return BASE_INSTRUCT, False
        if first.metadata.get("base") == second.model:
            return BASE_INSTRUCT, True
        return MODELS, False

    def _compare_seen(self, entry: Entry, side: Side, seen: frozenset[str]) -> None:
        if entry.column.keys <= seen:
            return
        # The seen rows are among all: they are not cut to what both have.
        [restricted] = self._sides([replace(entry, column=entry.column.restricted(seen))])
        scope = self._scope(
            entry.result,
            first="all rows",
            second="rows seen by a human",
            language=entry.language,
            protocol=entry.protocol,
            condition=entry.condition,
            sentences=entry.sentences,
        )
        self._add_differences(HUMAN_SEEN, side, restricted, scope)

    def _add_thresholds(self, entry: Entry) -> None:
        from_quality = self.request.from_quality.get((entry.result, entry.language), {})
        cut = [
            replace(
                entry,
                column=replace(
                    entry.column.restricted(keys),
                    scope=(*entry.column.scope, ("quality_from", f"{threshold:g}")),
                ),
            )
            for threshold, keys in sorted(from_quality.items())
        ]
        for side in self._sides(cut):
            measures = self._measure(side)
            self.thresholds += [measures.g_s, measures.logit_r_difference]

    def _compare_templates(self, noun: Entry, side: Side, placed: Sequence[Placed]) -> None:
        for entry, other in placed:
            same = entry.result == noun.result and entry.sentences == noun.sentences
            if same and entry.condition == Condition.PRONOUN:
                scope = self._scope(
                    noun.result,
                    first=str(Condition.NOUN),
                    second=str(Condition.PRONOUN),
                    language=noun.language,
                    protocol=noun.protocol,
                    sentences=noun.sentences,
                )
                self._compare_pair(TEMPLATES, (noun, side), (entry, other), scope)

    def _compare_pair(self, kind: str, one: Placed, other: Placed, scope: Scope) -> None:
        """Compares two columns on the sentences that both have."""
        sides = [side for _, side in (one, other)]
        if not one[0].column.has_sentences_of(other[0].column):
            keys = one[0].column.keys & other[0].column.keys
            cut = [replace(e, column=e.column.restricted(keys)) for e, _ in (one, other)]
            sides = self._sides(cut)
        self._add_differences(kind, sides[0], sides[1], scope)

    def _compare_all(self, kind: str, named: Sequence[tuple[str, Side]], scope: Scope) -> None:
        for (first, one), (second, other) in combinations(named, 2):
            named_scope = (*scope, ("first", first), ("second", second))
            self._add_differences(kind, one, other, named_scope, whole=True)

    def _add_differences(
        self, kind: str, first: Side, second: Side, scope: Scope, *, whole: bool = False
    ) -> None:
        found = compute_differences(
            first,
            second,
            self.request.inventory,
            self.resampling,
            (("kind", kind), *scope),
            per_stereotype=self.request.per_stereotype and not whole,
        )
        self.differences += [(kind, each) for each in found]

    def _scope(self, result: int | None, **parts: str) -> Scope:
        model = () if result is None else (("model", self.compared.labels[result]),)
        return (*model, *parts.items())

    def finish(self, languages: tuple[str, ...], gaps: Sequence[Gap]) -> Comparison:
        """Writes averages, compares them, and corrects all p-values."""
        averages = list(self._write_averages())
        if not self.request.averages_only:
            self._compare_averages()
        adjusted = adjust([each.p for _, each in self.differences], _family_of_difference)
        return Comparison(
            compared=self.compared,
            languages=languages,
            measures=tuple(self._finish_measures()),
            averages=tuple(averages),
            differences=tuple(
                ComparedDifference(kind, each, tested.adjusted)
                for (kind, each), tested in zip(self.differences, adjusted, strict=True)
            ),
            thresholds=tuple(self.thresholds),
            gaps=tuple(gaps),
            seed=self.resampling.seed,
            draws=self.resampling.draws,
        )

    def _finish_measures(self) -> Iterator[ComparedMeasures]:
        bootstrap = adjust([p for _, _, p in self.measures], _family_of_measure)
        poles = adjust([found.g_s_p for _, found, _ in self.measures], _family_of_measure)
        for (entry, found, _), one, other in zip(self.measures, bootstrap, poles, strict=True):
            yield ComparedMeasures(entry.column.scope, found, one, other, entry.mark)

    def _write_averages(self) -> Iterator[Figure]:
        for key, languages in self.sets.items():
            result, protocol, condition, sentences, _ = key
            scope = self._scope(result, protocol=protocol, condition=condition, sentences=sentences)
            if key in self.means:
                yield from write_averages(
                    self.means[key], languages, self.request.inventory, self.resampling, scope
                )

    def _compare_averages(self) -> None:
        sides = {key: mean.side() for key, mean in self.means.items() if key[-1] == SHARED}
        for one, other in combinations(sides, 2):
            if one[1:] == other[1:]:
                kind, swapped = self._kind(one[0], other[0])
                first, second = (other, one) if swapped else (one, other)
                scope = self._scope(
                    None,
                    first=self.compared.labels[first[0]],
                    second=self.compared.labels[second[0]],
                    protocol=one[1],
                    condition=one[2],
                    sentences=one[3],
                )
                languages = self.sets[one].scope
                self._add_differences(kind, sides[first], sides[second], (*scope, *languages))


def _slim(side: Side) -> Side:
    """A side without what only differences per stereotype need."""
    drawn = side.drawn
    none = np.zeros((0, drawn.log_g_s.size))
    kept = Statistics(
        none,
        none,
        none,
        drawn.default_rate.copy(),
        drawn.log_g_s.copy(),
        drawn.logit_r_difference.copy(),
    )
    return replace(side, drawn=kept)


def _family_of_measure(figure: Figure) -> Hashable:
    scope = dict(figure.scope)
    return tuple(scope[name] for name in ("protocol", "condition", "sentences"))


def _family_of_difference(figure: Figure) -> Hashable:
    """All of one kind and measure; averages apart from languages, whose part they are."""
    scope = dict(figure.scope)
    fixed = ("kind", "protocol", "condition", "sentences", "set")
    return (figure.name, *(scope.get(name) for name in fixed))
