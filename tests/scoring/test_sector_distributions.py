"""Distributions of A by sector and gender."""

from __future__ import annotations

import math

import pytest

from corpus.sectors import Gender, Sector, WordKind
from scoring.sector_contrasts import Context, Contrast
from scoring.sector_distributions import BINS, compute_distributions, find_limits


def contrast(sector: Sector, term: str, female: float, male: float) -> Contrast:
    return Contrast(
        "works", "she", WordKind.PRONOUN, sector, term, Context.OPEN, female, male, True, False
    )


CONTRASTS = (
    contrast(Sector.PRIMARY, "a", -1.0, 2.0),
    contrast(Sector.PRIMARY, "b", 0.0, 3.0),
    contrast(Sector.PRIMARY, "c", 4.0, 4.0),
    contrast(Sector.TERTIARY, "d", 0.5, -0.5),
)


def test_each_sector_and_gender_has_its_share_of_sentences_on_one_scale() -> None:
    found = compute_distributions(CONTRASTS, Sector, scope=(("language", "en"),))
    assert [(one.group, one.gender, one.n) for one in found] == [
        ("primary", Gender.FEMININE, 3),
        ("primary", Gender.MASCULINE, 3),
        ("tertiary", Gender.FEMININE, 1),
        ("tertiary", Gender.MASCULINE, 1),
    ]
    for one in found:
        assert len(one.bins) == BINS
        assert math.fsum(each.share for each in one.bins) == pytest.approx(1)
        assert (one.bins[0].low_nats, one.bins[-1].high_nats) == (-1.0, 4.0)
    # Both ends belong to the scale: no sentence is left out.
    assert found[0].bins[0].share == found[0].bins[-1].share == pytest.approx(1 / 3)


def test_means_and_quantiles_are_those_of_the_sentences() -> None:
    female, male, *_ = compute_distributions(CONTRASTS, Sector)
    values = {figure.name: figure.value for figure in male.figures}
    assert male.mean_nats == values["association_mean"] == pytest.approx(3.0)
    assert values["association_median"] == 3.0
    # Linear between the order statistics 2, 3, 4: 2 + 0.05 · 2.
    assert values["association_p05"] == pytest.approx(2.1)
    assert female.mean_nats == pytest.approx(1.0)
    assert all(figure.notes == ("weak",) for figure in female.figures)
    assert dict(male.figures[0].scope) == {"sector": "primary", "gender": "masculine"}


def test_equal_values_and_nothing_at_all_have_a_scale() -> None:
    same = compute_distributions([contrast(Sector.PRIMARY, "a", 1.0, 1.0)], Sector)
    assert [one.bins[0].share for one in same] == [1.0, 1.0]
    assert find_limits(()) == (-1.0, 1.0)
    assert compute_distributions((), Sector) == ()
