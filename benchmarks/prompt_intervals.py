"""How often intervals of `instance_rate` hold the truth: `python -m benchmarks.prompt_intervals`.

Templates are drawn with a rate of their own (beta, concentration 3) and with 1 to 30 instances
each, so that answers of a template hang together and templates weigh differently. Prints one JSON
object: for each number of templates and true rate, the share of runs whose interval holds the true
rate and the mean width, by method. Runs in which all draws are alike have no interval and are
counted apart.

- `expanded`: what figures bear, though these have no interval under 20 templates;
- `percentile`: the same draws, their percentiles at the level aimed at;
- `bca`: bias-corrected and accelerated, Efron (1987), JASA 82;
- `student`: Student's t with the linearised standard error of a ratio of sums;
- `student_logit`: the same on the logit scale; not defined at rates of 0 and 1.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm, t

from corpus.intervals import (
    FloatArray,
    bootstrap_weights,
    expand_level,
    percentile_intervals,
)
from corpus.version import PRODUCT

LEVEL = 0.95
CONCENTRATION = 3
INSTANCES = (1, 2, 6, 12, 30)
TEMPLATES = (5, 10, 20, 30, 40)
RATES = (0.5, 0.8, 0.95)


def draw_runs(
    runs: int, templates: int, rate: float, random: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Passed and judged answers of each template, both [runs, templates]."""
    judged = random.choice(INSTANCES, size=(runs, templates))
    own = random.beta(CONCENTRATION * rate, CONCENTRATION * (1 - rate), size=(runs, templates))
    return random.binomial(judged, own).astype(np.float64), judged.astype(np.float64)


def compute_limits(
    passed: FloatArray, judged: FloatArray, draws: FloatArray
) -> Mapping[str, FloatArray]:
    """The limits of each method, [runs, 2]; NaN where a method has none."""
    templates = passed.shape[1]
    rate = passed.sum(axis=1) / judged.sum(axis=1)
    quantile = t.ppf((1 + LEVEL) / 2, templates - 1) * np.array([-1, 1])
    influence = (passed - rate[:, None] * judged) / judged.mean(axis=1)[:, None]
    error = np.sqrt((influence**2).sum(axis=1) / (templates * (templates - 1)))
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = error / (rate * (1 - rate))
        on_logit = expit(logit(rate)[:, None] + quantile * scaled[:, None])
    return {
        "percentile": _compute_percentiles(draws, LEVEL),
        "expanded": _compute_percentiles(draws, expand_level(LEVEL, templates)),
        "bca": _compute_bca(passed, judged, draws),
        "student": rate[:, None] + quantile * error[:, None],
        "student_logit": on_logit,
    }


def _compute_percentiles(draws: FloatArray, level: float) -> FloatArray:
    found = percentile_intervals(draws, level)
    return np.array([(each.low, each.high) for each in found], dtype=np.float64)


def _compute_bca(passed: FloatArray, judged: FloatArray, draws: FloatArray) -> FloatArray:
    whole = passed.sum(axis=1) / judged.sum(axis=1)
    # Draws as large as the value itself count by half: shares take few values.
    below = ((draws < whole[:, None]).mean(axis=1) + (draws <= whole[:, None]).mean(axis=1)) / 2
    bias = norm.ppf(np.clip(below, 1 / draws.shape[1], 1 - 1 / draws.shape[1]))
    without = (passed.sum(axis=1)[:, None] - passed) / (judged.sum(axis=1)[:, None] - judged)
    apart = without.mean(axis=1)[:, None] - without
    spread = 6 * ((apart**2).sum(axis=1) ** 1.5)
    skew = np.divide((apart**3).sum(axis=1), spread, out=np.zeros_like(spread), where=spread > 0)
    limits = []
    for z in norm.ppf([(1 - LEVEL) / 2, (1 + LEVEL) / 2]):
        level = norm.cdf(bias + (bias + z) / (1 - skew * (bias + z)))
        limits.append([np.quantile(row, share) for row, share in zip(draws, level, strict=True)])
    return np.array(limits).T


def measure(runs: int, templates: int, rate: float, draws: int, seed: int) -> dict[str, object]:
    """Coverage and mean width of each method, over the runs in which draws differ."""
    random = np.random.default_rng([seed, templates, int(1000 * rate)])
    passed, judged = draw_runs(runs, templates, rate, random)
    weights = bootstrap_weights(templates, draws, seed).T
    drawn = (passed @ weights) / (judged @ weights)
    kept = drawn.max(axis=1) - drawn.min(axis=1) > 1e-9
    limits = compute_limits(passed[kept], judged[kept], drawn[kept])
    return {
        "templates": templates,
        "rate": rate,
        "no_interval": int(runs - kept.sum()),
        "coverage": {
            name: round(float(((each[:, 0] <= rate) & (rate <= each[:, 1])).mean()), 3)
            for name, each in limits.items()
        },
        "width": {
            name: round(float((each[:, 1] - each[:, 0]).mean()), 3) for name, each in limits.items()
        },
    }


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    found = [
        measure(asked.runs, templates, rate, asked.draws, asked.seed)
        for templates in TEMPLATES
        for rate in RATES
    ]
    print(
        json.dumps(
            {"benchmark": "prompt_intervals", "version": PRODUCT, **vars(asked), "cases": found},
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
