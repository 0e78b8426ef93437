"""What the error of half precision leaves of measures of sectors."""

from __future__ import annotations

import math

import pytest
from test_sector_measures import COUNTRY, DRAWS, make_contrasts

from corpus.figures import Figure
from corpus.sectors import Sector
from scoring.sector_half_precision import read_contrast_error
from scoring.sector_measures import compute_sector_measures

DISPARITIES = (-0.5, 0.05, 0.25)


def measure(error_nats: float | None) -> dict[tuple[str, ...], Figure]:
    figures = compute_sector_measures(
        make_contrasts(DISPARITIES), COUNTRY, DRAWS, error_nats=error_nats
    )
    return {(one.name, *(value for _, value in one.scope)): one for one in figures}


# SB is -0.2 / 3, and the two nearest sectors are 0.2 apart.
@pytest.mark.parametrize(
    ("error", "unordered", "ranked"),
    [
        (None, set(), True),
        (0.0, set(), True),
        (0.06, {"secondary"}, True),
        (0.11, {"secondary", "sb"}, False),
        (0.3, {"secondary", "tertiary", "sb"}, False),
        (math.inf, {"primary", "secondary", "tertiary", "sb"}, False),
    ],
)
def test_what_the_error_could_put_otherwise_has_no_sign_and_no_order(
    error: float | None, unordered: set[str], ranked: bool
) -> None:
    found = measure(error)
    marked = {
        name
        for name, key in (
            *((str(sector), ("inner_disparity", str(sector))) for sector in Sector),
            ("sb", ("sb", "equal")),
        )
        if "within_error" in found[key].notes
    }
    assert marked == unordered
    correlation = found["rank_correlation",]
    assert (correlation.value is not None) == ranked
    assert correlation.reason == (None if ranked else "within_error")
    # What has no sign to lose is marked by nothing, and every value stays what it was.
    assert found["mean_absolute_gap",].notes == measure(None)["mean_absolute_gap",].notes
    assert found["sb", "equal"].value == measure(None)["sb", "equal"].value


def test_a_measure_of_differences_may_be_off_by_two_errors() -> None:
    # I_s − mean of I_s is -0.433, 0.117 and 0.317.
    found = measure(0.1)
    marks = ["within_error" in found["relative_disparity", str(sector)].notes for sector in Sector]
    assert marks == [False, True, False]


def test_an_error_that_nobody_measured_is_infinite() -> None:
    assert read_contrast_error({}, "float32") is None
    assert read_contrast_error({}, "bfloat16") == math.inf
    assert read_contrast_error({"contrast_error_nats": 0.25, "pairs": 8}, "float16") == 0.25
