"""Generations for tests: no estimator, the strict strategy and the paper's wrapper by default."""

from __future__ import annotations

from typing import Any

from corpus.languages import languages
from corpus.records import Instrument
from engines.quality import NoEstimator
from engines.translation import TranslationEngine
from pipeline.generation import Generation
from pipeline.pairing import pairing_strategy
from pipeline.wrapping import WrapperForm


def plan_for(codes: str, engine: TranslationEngine, **others: Any) -> Generation:
    values: dict[str, Any] = {
        "instrument": Instrument.EUROGEST,
        "languages": languages(codes.split()),
        "engine": engine,
        "estimator": NoEstimator(),
        "strategy": pairing_strategy("strict"),
        "wrapper_form": WrapperForm.PAPER,
    } | others
    return Generation(**values)
