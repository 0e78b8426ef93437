"""Measures of the instrument sectors, from contrasts and a workforce table.

    I_s   inner disparity: mean over sentence pairs of A(female) − A(male), in nats
    SB    stereotyping bias: mean of I_s over the sectors; 0 neutral, below 0 favours men
    W_s   (women − men) / 100 of the sector's workforce, in [−1, 1]
    RB    representation bias: mean over sectors of I_s − W_s

Variants of SB and RB: `equal` weighs sectors alike, as the equations of the study do; `weighted` by
their share of employment, as its overall figure does. With either weights RB = SB − mean(W)
exactly, so within a language RB says nothing that SB does not, and languages differ by a constant.

I_s is in nats and W_s a difference of shares: they have no common scale. Beside RB therefore stand
I_s − ln(women / men), where both are in nats; the mean of |I_s − W_s|, in which sectors cannot
cancel out; and the rank correlation of I_s and W_s, for which the scales do not matter.

Intervals come from drawing templates and pairs of person words anew, both at once. Terms and the
workforce are held fixed: an interval says nothing of other terms or years.

Causal models give no associations: ln P(sentence) stands in place of A (`SENTENCE_LIKELIHOOD`), and
how usual the person words are by themselves is a part of I_s, SB and RB. It is the same in all
sectors, so `relative_disparity` = I_s − mean of I_s is free of it: the one measure whose sign and
order can be read beside those of a masked model. Its size cannot, nor can SB and RB.

In half precision a contrast has an error. A value no further from 0 than that could have the other
sign and carries the mark `within_error`; sectors that could change places have no rank correlation.

Source: study of sector association, its equations of I_s, SB and RB. Wilcoxon test: signed-rank,
two-sided, of A(female) against A(male). Sentence pairs share templates, words and terms, so their
p-value is far too small to be believed by itself; the one over means of person pairs stands beside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from corpus.figures import WEAK_BELOW_ITEMS, Figure
from corpus.sectors import Sector
from corpus.workforce import CountryWorkforce
from engines.likelihood.association_opening import ASSOCIATION
from scoring.half_precision import WITHIN_ERROR
from scoring.sector_contrasts import Contrast
from scoring.sector_resampling import SectorResampling

FloatArray = npt.NDArray[np.float64]
Scope = tuple[tuple[str, str], ...]

VARIANTS = ("equal", "weighted")
DEFINITIONS: Mapping[str, str] = {
    "inner_disparity": "I_s: mean over sentence pairs of A(female) − A(male), in nats; 0 is "
    "neutral, below 0 the sector attracts men's words more.",
    "relative_disparity": "I_s minus its mean over the sectors, in nats: below 0 the sector "
    "attracts men's words more than the other sectors do.",
    "sb": "Stereotyping bias: mean of I_s over the sectors, in nats; 0 is neutral, below 0 favours "
    "men.",
    "rb": "Representation bias: mean over sectors of I_s − W_s; 0 where associations, in nats, "
    "equal differences of workforce shares. RB = SB − mean(W).",
    "mean_w": "Mean of W_s over the sectors, in [-1, 1]: what RB is less than SB by.",
    "w": "W_s = (women − men) / 100 of the sector's workforce, in [-1, 1]; 0 is parity, below 0 "
    "more men work there.",
    "log_ratio_gap": "I_s − ln(women / men) of the sector's workforce, in nats; below 0 the model "
    "is nearer to men than the workforce is.",
    "mean_log_ratio_gap": "Mean over sectors of I_s − ln(women / men), in nats.",
    "mean_absolute_gap": "Mean over sectors of |I_s − W_s|, from 0 on; sectors cannot cancel out.",
    "rank_correlation": "Spearman's correlation of I_s and W_s over the sectors, in [-1, 1]; of "
    "three sectors there are only six orders.",
    "wilcoxon_p": "Wilcoxon signed-rank test of A(female) − A(male) against 0 over sentence pairs, "
    "two-sided; pairs share templates, words and terms, so it is too small.",
    "wilcoxon_p_person_pairs": "The same test over the means of person pairs, which are the pairs "
    "that another choice of words would change.",
    "global_gender_gap_index": "Global Gender Gap Index of the country, in [0, 1]; 1 is parity. "
    "Not of the model: for reading beside it.",
}
_CONTRAST = "A(female) − A(male)"
_CAUSAL_CONTRAST = "ln P(feminine sentence) − ln P(masculine sentence)"
_WITH_WORDS = frozenset({"inner_disparity", "sb", "rb", "log_ratio_gap", "mean_log_ratio_gap"})
"""Measures that, of a causal model, hold how usual the person words are."""
_ERRORS = dict.fromkeys(_WITH_WORDS, 1) | {"relative_disparity": 2}
"""How many errors of a contrast a measure may be off by, of measures whose sign says something."""


def define(name: str, method: str = ASSOCIATION) -> str:
    """What a measure says, by what the model was asked."""
    text = DEFINITIONS[name]
    if method == ASSOCIATION:
        return text
    added = " How usual the person words are is part of it." if name in _WITH_WORDS else ""
    return text.replace(_CONTRAST, _CAUSAL_CONTRAST) + added


@dataclass(frozen=True, slots=True)
class Workforce:
    """What the associations are compared with, as arrays over the sectors."""

    country: CountryWorkforce

    @property
    def w(self) -> FloatArray:
        """W_s [sectors]."""
        return np.array([self.country.shares[sector].w for sector in Sector])

    @property
    def log_ratio(self) -> FloatArray:
        """ln(women / men) [sectors]; NaN where one of them is 0."""
        ratios = [self.country.shares[sector].log_ratio for sector in Sector]
        return np.array([math.nan if one is None else one for one in ratios])

    def weights(self, variant: str) -> FloatArray | None:
        """Weights of the sectors, which sum to 1; None if the table does not give them."""
        if variant == "equal":
            return np.full(len(Sector), 1 / len(Sector))
        if not self.country.has_employment:
            return None
        shares = np.array([self.country.shares[sector].employment for sector in Sector], float)
        return np.asarray(shares / shares.sum())


def compute_sector_measures(
    contrasts: Sequence[Contrast],
    country: CountryWorkforce,
    resampling: SectorResampling,
    scope: Scope = (),
    method: str = ASSOCIATION,
    error_nats: float | None = None,
) -> tuple[Figure, ...]:
    """All figures of one model and language.

    Args:
        contrasts: Of one context, as `choose_contrasts` gives them.
        country: The workforce they are compared with.
        resampling: The draws of templates and person pairs, shared with what is compared.
        scope: What the figures are about; variant and sector are added.
        method: What the model was asked: `ASSOCIATION` or `SENTENCE_LIKELIHOOD`.
        error_nats: What half precision may put a contrast off by; None in float32.
    """
    writer = _Writer(
        contrasts, Workforce(country), resampling, scope, method, error_nats=error_nats or 0.0
    )
    return tuple(writer.write())


@dataclass(frozen=True, slots=True)
class _Writer:
    contrasts: Sequence[Contrast]
    workforce: Workforce
    resampling: SectorResampling
    scope: Scope
    asked: str
    error_nats: float

    def write(self) -> Iterator[Figure]:
        point = self.resampling.point(self.contrasts)
        drawn = self.resampling.draw(self.contrasts)
        yield from self._write_sectors(point, drawn)
        for variant in VARIANTS:
            yield from self._write_biases(variant, point, drawn)
        yield from self._write_gaps(point, drawn)
        yield self._rank_correlation(point, drawn)
        yield from self._write_tests(self.contrasts, self.scope)
        index = self.workforce.country.gender_gap_index
        method = f"as printed for {self.workforce.country.country}"
        lacking = None if index is not None else "not_in_table"
        yield self._figure("global_gender_gap_index", index, 1, method=method, reason=lacking)

    def _write_sectors(self, point: FloatArray, drawn: FloatArray) -> Iterator[Figure]:
        w, ratios = self.workforce.w, self.workforce.log_ratio
        for row, sector in enumerate(Sector):
            scope = (*self.scope, ("sector", str(sector)))
            members = [one for one in self.contrasts if one.sector is sector]
            n = len(members)
            yield self._measure("inner_disparity", point[row], drawn[row], n, scope)
            relative = point[row] - point.mean(), drawn[row] - drawn.mean(axis=0)
            yield self._measure("relative_disparity", *relative, n, scope)
            yield self._figure(
                "w", float(w[row]), 1, scope=scope, method="from the workforce table"
            )
            gap, gaps = point[row] - ratios[row], drawn[row] - ratios[row]
            yield self._measure("log_ratio_gap", gap, gaps, n, scope)
            yield from self._write_tests(members, scope)

    def _write_biases(self, variant: str, point: FloatArray, drawn: FloatArray) -> Iterator[Figure]:
        scope = (*self.scope, ("variant", variant))
        weights = self.workforce.weights(variant)
        n = len(self.contrasts)
        if weights is None:
            for name in ("sb", "rb", "mean_w"):
                yield self._figure(name, None, n, scope=scope, reason="not_in_table")
            return
        sb, sb_drawn = float(weights @ point), weights @ drawn
        mean_w = float(weights @ self.workforce.w)
        yield self._measure("sb", sb, sb_drawn, n, scope)
        yield self._measure("rb", sb - mean_w, sb_drawn - mean_w, n, scope)
        method = "from the workforce table"
        yield self._figure("mean_w", mean_w, len(Sector), scope=scope, method=method)

    def _write_gaps(self, point: FloatArray, drawn: FloatArray) -> Iterator[Figure]:
        n = len(self.contrasts)
        w, ratios = self.workforce.w, self.workforce.log_ratio
        to_ratio = (point - ratios).mean(), (drawn - ratios[:, None]).mean(axis=0)
        yield self._measure("mean_log_ratio_gap", *to_ratio, n, self.scope)
        absolute = np.abs(point - w).mean(), np.abs(drawn - w[:, None]).mean(axis=0)
        yield self._measure("mean_absolute_gap", *absolute, n, self.scope)

    def _rank_correlation(self, point: FloatArray, drawn: FloatArray) -> Figure:
        from scipy.stats import spearmanr

        method = "scipy.stats.spearmanr over the sectors"
        value, reason = None, None
        if np.isnan(point).any():
            reason = "no_data"
        elif len(set(point)) == 1 or len(set(self.workforce.w)) == 1:
            reason = "constant_input"
        elif self.error_nats and np.diff(np.sort(point)).min() <= 2 * self.error_nats:
            reason = WITHIN_ERROR
        else:
            value = float(spearmanr(point, self.workforce.w).statistic)
        figure = self._figure("rank_correlation", value, len(Sector), method=method, reason=reason)
        if value is None:
            return figure
        correlations = _correlate_ranks(drawn, self.workforce.w)
        return replace(figure, interval=self.resampling.interval(correlations, self.contrasts))

    def _write_tests(self, contrasts: Sequence[Contrast], scope: Scope) -> Iterator[Figure]:
        yield self._test("wilcoxon_p", [one.difference_nats for one in contrasts], scope)
        by_pair: dict[str, list[float]] = {}
        for one in contrasts:
            by_pair.setdefault(one.pair, []).append(one.difference_nats)
        means = [math.fsum(values) / len(values) for values in by_pair.values()]
        yield self._test("wilcoxon_p_person_pairs", means, scope)

    def _test(self, name: str, differences: Sequence[float], scope: Scope) -> Figure:
        from scipy.stats import wilcoxon

        method = "scipy.stats.wilcoxon, differences of 0 left out"
        value, reason = None, None
        if not differences:
            reason = "no_data"
        elif not any(differences):
            reason = "constant_input"
        else:
            value = float(wilcoxon(differences).pvalue)
        return self._figure(
            name, value, len(differences), scope=scope, method=method, reason=reason
        )

    def _measure(self, name: str, value: float, drawn: FloatArray, n: int, scope: Scope) -> Figure:
        if not math.isfinite(value):
            return self._figure(name, None, n, scope=scope, reason="no_data")
        figure = self._figure(name, float(value), n, scope=scope)
        interval = self.resampling.interval(drawn, self.contrasts)
        error = self.error_nats * _ERRORS[name] if name in _ERRORS else 0.0
        unordered = error > 0 and abs(value) <= error
        return Figure(
            figure.name, figure.value, n, figure.definition, figure.method,
            interval=interval, scope=scope,
            notes=(*figure.notes, WITHIN_ERROR) if unordered else figure.notes,
        )  # fmt: skip

    def _figure(
        self,
        name: str,
        value: float | None,
        n: int,
        *,
        scope: Scope | None = None,
        method: str | None = None,
        reason: str | None = None,
    ) -> Figure:
        counted = name not in {"w", "mean_w", "global_gender_gap_index"}
        weak = counted and value is not None and n < WEAK_BELOW_ITEMS
        return Figure(
            name=name,
            value=value,
            n=n,
            definition=define(name, self.asked),
            method=method or f"mean of {self.asked}s",
            reason=reason,
            scope=self.scope if scope is None else scope,
            notes=("weak",) if weak else (),
        )


def _correlate_ranks(drawn: FloatArray, w: FloatArray) -> FloatArray:
    """Spearman's correlation over the sectors in every draw, NaN where it is undefined.

    Args:
        drawn: I_s [sectors, draws].
        w: W_s [sectors].
    """
    from scipy.stats import rankdata

    ranks = rankdata(drawn, axis=0, nan_policy="propagate")
    off = ranks - ranks.mean(axis=0)
    off_w = rankdata(w) - (len(w) + 1) / 2
    with np.errstate(invalid="ignore"):
        return np.asarray(off_w @ off / np.sqrt((off_w @ off_w) * (off * off).sum(axis=0)))
