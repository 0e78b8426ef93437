"""What is known of quality models: scale, the study's threshold, languages they never saw.

A threshold belongs to one model, because scores of two models do not share a scale. A model that
is not listed may give any finite number, has no threshold, and is taken to rest on XLM-R, as all
COMET models do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from corpus.errors import SettingsError

DEFAULT_MODEL = "Unbabel/wmt20-comet-qe-da"
"""Apache-2.0, downloadable without an account."""
XLM_R_LACKS = frozenset({"mt"})
"""Languages of the product that are not among the hundred that XLM-R was trained on.

Source: Conneau et al. (2020), Unsupervised Cross-lingual Representation Learning at Scale,
appendix A (languages of CC-100). InfoXLM, under the CometKiwi models, goes on from XLM-R.
"""


@dataclass(frozen=True, slots=True)
class QualityModel:
    """Facts about one model."""

    scale: tuple[float, float] | None = None
    """Lowest and highest score; None for a model that may give any number."""
    threshold: float | None = None
    """Lowest score that passes (equal passes), where a study calibrated one."""
    unsupported_languages: frozenset[str] = XLM_R_LACKS
    """Codes of languages whose scores mean little, because the encoder never saw them."""


MODELS: dict[str, QualityModel] = {
    "wmt22-cometkiwi-da": QualityModel(scale=(0.0, 1.0), threshold=0.85),
    "wmt23-cometkiwi-da-xl": QualityModel(scale=(0.0, 1.0)),
    "wmt23-cometkiwi-da-xxl": QualityModel(scale=(0.0, 1.0)),
    "wmt20-comet-qe-da": QualityModel(),
    "wmt21-comet-qe-mqm": QualityModel(),
}
"""Model name without its owner → facts. Threshold: EuroGEST, section on quality estimation."""


def find_model(model: str) -> QualityModel:
    """The facts about a model named with or without owner, revision or both."""
    return MODELS.get(model.partition("@")[0].rsplit("/", 1)[-1], QualityModel())


def threshold_of(model: str) -> float | None:
    """The threshold that a study calibrated for a model, or None."""
    return find_model(model).threshold


def is_on_scale(model: str, score: float) -> bool:
    """Whether a model can give this score."""
    low, high = find_model(model).scale or (-math.inf, math.inf)
    return math.isfinite(score) and low <= score <= high


def check_threshold(model: str, threshold: float) -> None:
    """Refuses a threshold that a model's scores can never meet or never miss.

    Raises:
        SettingsError: if it is outside the model's scale.
    """
    if is_on_scale(model, threshold):
        return
    low, high = find_model(model).scale or (-math.inf, math.inf)
    raise SettingsError(
        f"The quality threshold {threshold:g} is outside the scale of {model}, {low:g} to {high:g}."
        " Give one on that scale, or none: then the model's calibrated threshold is taken, if any."
    )
