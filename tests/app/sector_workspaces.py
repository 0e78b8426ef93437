"""Sector results as `sectors score` stores them, of an engine that answers as written here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from corpus.occupations import load_occupations
from corpus.sector_files import load_sector_languages
from corpus.sectors import UNREVIEWED, Sector, SectorLanguage
from corpus.workforce import load_workforce
from engines.likelihood.association import AssociatedText, Association, AssociationEngine
from scoring.occupation_control import ControlRequest, score_control
from scoring.sector_resampling import SectorResampling
from scoring.sector_scores import SectorRequest, SectorResult, score_sectors

MALE_NATS = 1.0
"""A of every masculine person word."""
FEMALE_NATS = {Sector.PRIMARY: 0.5, Sector.SECONDARY: 0.0, Sector.TERTIARY: 1.25}
"""A of every feminine one, so that I_s is -0.5, -1 and 0.25 in each language."""
SB = (-0.5 - 1 + 0.25) / 3


@dataclass(frozen=True)
class ForeseenEngine:
    """Answers by the gender of the person word and the sector of the term."""

    languages: Sequence[SectorLanguage]
    shift_nats: float

    def check(self, texts: Sequence[AssociatedText]) -> None:
        """Knows every word."""

    def score(self, texts: Sequence[AssociatedText]) -> Iterator[Association]:
        women = {p.feminine.casefold() for one in self.languages for p in one.pairs}
        sectors = {t.text: t.sector for one in self.languages for t in one.terms}
        for one in texts:
            female = one.text[slice(*one.target)].casefold() in women
            sector = sectors[one.text[slice(*one.attribute)]]
            nats = FEMALE_NATS[sector] + self.shift_nats if female else MALE_NATS
            yield Association(nats - 5, -5.0, 1 + (female and "-" in one.text), 1, False)


@dataclass(frozen=True)
class NamedModel:
    """A model that is not there."""

    model_id: str
    revision: str = "v1"
    tokenizer_hash: str = "0" * 64


def shorten(language: SectorLanguage) -> SectorLanguage:
    """Ten pairs and two terms a sector: as few as have intervals."""
    terms = [term for sector in Sector for term in language.terms_of(sector)[:2]]
    return replace(language, pairs=language.pairs[:10], terms=tuple(terms))


def write_control(
    results: Path, model: str = "river", error_nats: float | None = None
) -> SectorResult:
    """A result of the control: masculine words have A = 1, feminine ones A = 2 in their form."""
    languages = tuple(
        replace(each, pairs=each.pairs[:10], words={"cook": each.words["cook"]})
        for each in load_occupations(["en", "de"])
    )

    @dataclass(frozen=True)
    class Engine:
        off_nats: float = 0.0

        def check(self, texts: Sequence[AssociatedText]) -> None:
            """Knows every word."""

        def score(self, texts: Sequence[AssociatedText]) -> Iterator[Association]:
            women = {p.feminine.casefold() for one in languages for p in one.pairs}
            for one in texts:
                female = one.text[slice(*one.target)].casefold() in women
                in_form = one.text[slice(*one.attribute)] == "Köchin"
                off = self.off_nats * female
                yield Association((2.0 if in_form else 0.5) * female - 4 + off, -5.0, 1, 1, False)

    dtype = "float32" if error_nats is None else "bfloat16"
    request = ControlRequest(languages, dtype, "joint", SectorResampling(1, 50))
    engine, exact = (cast(AssociationEngine, Engine(off)) for off in (0.0, error_nats or 0.0))
    return score_control(
        NamedModel(model), lambda: engine, request, results, open_float32=lambda: exact
    )


def write_sector_result(
    results: Path,
    model: str = "river",
    codes: Sequence[str] = ("en", "pl"),
    shift_nats: float = 0.0,
    status: str = UNREVIEWED,
    error_nats: float | None = None,
    **options: Any,
) -> SectorResult:
    """A result under the folder of results; `shift_nats` is added to A of feminine words.

    With `error_nats` it is one in half precision, which is off by that much.
    """
    languages = tuple(
        replace(shorten(each), status=status) for each in load_sector_languages(codes)
    )
    engine = cast(AssociationEngine, ForeseenEngine(languages, shift_nats))
    dtype = "float32" if error_nats is None else "bfloat16"
    request = SectorRequest(
        languages, load_workforce(), dtype, "joint", SectorResampling(1, 50), **options
    )
    exact = cast(AssociationEngine, ForeseenEngine(languages, shift_nats + (error_nats or 0.0)))
    return score_sectors(
        NamedModel(model), lambda: engine, request, results, open_float32=lambda: exact
    )
