"""I_s, SB and RB: worked out by hand, their signs, their identity and their intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from masked_models import FAMILIES
from scipy.stats import spearmanr
from sector_models import build_constructed

from corpus.errors import InputError
from corpus.figures import Figure
from corpus.sectors import (
    Gender,
    PersonPair,
    Sector,
    SectorLanguage,
    SectorTemplate,
    SectorTerm,
    WordKind,
)
from corpus.workforce import CountryWorkforce, SectorShares, load_workforce
from engines.likelihood.association import (
    AssociatedText,
    Association,
    AssociationEngine,
    load_association_engine,
)
from scoring.sector_contrasts import (
    Context,
    Contrast,
    Lengths,
    ScoredSentence,
    build_contrasts,
    choose_contrasts,
)
from scoring.sector_measures import compute_sector_measures
from scoring.sector_resampling import SectorResampling

LN2 = math.log(2)
SHARES = {
    Sector.PRIMARY: SectorShares(25.0, 75.0, 10.0),
    Sector.SECONDARY: SectorShares(37.5, 62.5, 30.0),
    Sector.TERTIARY: SectorShares(62.5, 37.5, 60.0),
}
COUNTRY = CountryWorkforce("xx", "Nowhere", SHARES, 0.75)
DRAWS = SectorResampling(seed=3, draws=400)


def make_language(
    frames: Mapping[str, str], pairs: Mapping[str, tuple[str, str]], terms: Mapping[Sector, str]
) -> SectorLanguage:
    return SectorLanguage(
        "xx", "Made up", "unreviewed", "a test",
        tuple(SectorTemplate(id_, False, frame, frame) for id_, frame in frames.items()),
        tuple(PersonPair(id_, WordKind.NOUN, *words) for id_, words in pairs.items()),
        tuple(SectorTerm(w, s, w, "none") for s, words in terms.items() for w in words.split()),
    )  # fmt: skip


def score(engine: AssociationEngine, language: SectorLanguage) -> list[ScoredSentence]:
    sentences = list(language.build_sentences())
    texts = [AssociatedText(one.text, one.target, one.attribute) for one in sentences]
    return list(map(ScoredSentence, sentences, engine.score(texts)))


def make_contrasts(
    disparities: tuple[float, float, float], templates: int = 5, pairs: int = 18
) -> list[Contrast]:
    """Contrasts whose I_s are given; templates and pairs scatter around them, adding up to 0."""
    return [
        Contrast(
            f"t{t}", f"p{p:02}", WordKind.NOUN, sector, "term", Context.OPEN,
            disparity + (t - (templates - 1) / 2) / 10 + (p - (pairs - 1) / 2) / 20, 0.0,
            equal_length=p % 2 == 0, altered=False,
        )
        for t in range(templates)
        for p in range(pairs)
        for sector, disparity in zip(Sector, disparities, strict=True)
    ]  # fmt: skip


def measure(contrasts: Any, country: CountryWorkforce = COUNTRY) -> dict[tuple[str, ...], Figure]:
    figures = compute_sector_measures(contrasts, country, DRAWS, (("language", "xx"),))
    found = {(one.name, *(value for _, value in one.scope[1:])): one for one in figures}
    assert len(found) == len(figures)
    return found


def value(found: dict[tuple[str, ...], Figure], *key: str) -> float:
    got = found[key].value
    assert got is not None
    return got


# p(she), p(he) with the term visible, over 0.2 for either with it masked (see PROBABILITIES):
#   farming   .1 .4   I = ln(.1/.2) − ln(.4/.2) = −2 ln 2
#   industry  .2 .4   I = 0 − ln 2              = −ln 2
#   trade     .2 .1   I = 0 + ln 2              =  ln 2
# SB = −(2/3) ln 2.  W = −.5, −.25, .25, mean −1/6, so RB = 1/6 − (2/3) ln 2.
# By employment (.1, .3, .6): SB = (−.2 − .3 + .6) ln 2 = .1 ln 2, W = −.05 − .075 + .15 = .025.
def test_a_constructed_model_gives_what_was_worked_out_by_hand() -> None:
    language = make_language(
        {"works": "{target} works in {attribute}"},
        {"she": ("she", "he")},
        {Sector.PRIMARY: "farming", Sector.SECONDARY: "industry", Sector.TERTIARY: "trade"},
    )
    engine = AssociationEngine(build_constructed(), "float32", "cpu", "joint")
    found = measure(build_contrasts(score(engine, language)))
    disparity = {"primary": -2 * LN2, "secondary": -LN2, "tertiary": LN2}
    w = {"primary": -0.5, "secondary": -0.25, "tertiary": 0.25}
    ratio = {"primary": math.log(1 / 3), "secondary": math.log(3 / 5), "tertiary": math.log(5 / 3)}
    expected: dict[tuple[str, ...], float] = {
        ("sb", "equal"): -2 / 3 * LN2,
        ("rb", "equal"): 1 / 6 - 2 / 3 * LN2,
        ("mean_w", "equal"): -1 / 6,
        ("sb", "weighted"): 0.1 * LN2,
        ("rb", "weighted"): 0.1 * LN2 - 0.025,
        ("mean_w", "weighted"): 0.025,
        ("mean_absolute_gap",): ((2 * LN2 - 0.5) + (LN2 - 0.25) + (LN2 - 0.25)) / 3,
        ("mean_log_ratio_gap",): (-2 * LN2 - math.log(1 / 3)) / 3,
        ("rank_correlation",): 1.0,
        ("global_gender_gap_index",): 0.75,
    }
    for sector in disparity:
        expected["inner_disparity", sector] = disparity[sector]
        expected["w", sector] = w[sector]
        expected["log_ratio_gap", sector] = disparity[sector] - ratio[sector]
    assert {key: value(found, *key) for key in expected} == pytest.approx(expected, abs=1e-6)
    assert found["sb", "equal"].n == 3
    assert "weak" in found["sb", "equal"].notes
    assert found["sb", "equal"].interval is not None
    assert found["sb", "equal"].interval.reason == "too_few"


@pytest.mark.parametrize(("for_women", "for_men"), [(0.1, 0.4), (0.4, 0.1)])
def test_a_model_that_prefers_men_gives_sb_below_zero(for_women: float, for_men: float) -> None:
    terms = ("farming", "industry", "trade")
    likes = {("she", term): for_women for term in terms} | {("he", term): for_men for term in terms}
    model = build_constructed({**likes, ("she", "[MASK]"): 0.2, ("he", "[MASK]"): 0.2})
    language = make_language(
        {"works": "{target} works in {attribute}"},
        {"she": ("she", "he")},
        dict(zip(Sector, terms, strict=True)),
    )
    engine = AssociationEngine(model, "float32", "cpu", "joint")
    found = measure(build_contrasts(score(engine, language)))
    expected = math.log(for_women / for_men)
    assert value(found, "sb", "equal") == pytest.approx(expected, abs=1e-6)
    assert (value(found, "sb", "equal") < 0) is (for_men > for_women)
    assert found["rank_correlation",].reason == "constant_input"


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_measured_and_turning_the_genders_round_turns_the_sign(
    masked_folders: dict[str, Path], family: str
) -> None:
    engine = load_association_engine(str(masked_folders[family]), device="cpu")
    terms = {Sector.PRIMARY: "dawn dusk", Sector.SECONDARY: "day", Sector.TERTIARY: "cinema said"}
    frames = {
        "a": "I said {target} works every {attribute}.",
        "b": "I said {attribute} {target} works.",
    }
    pairs = {
        "she": ("she", "he"),
        "woman": ("the woman", "the man"),
        "tired": ("unavená", "unavený"),
    }
    turned = {id_: (masculine, feminine) for id_, (feminine, masculine) in pairs.items()}
    scored = score(engine, make_language(frames, pairs, terms))
    contrasts = build_contrasts(scored)
    found = measure(contrasts)
    other = measure(build_contrasts(score(engine, make_language(frames, turned, terms))))
    means: dict[tuple[Sector, Gender], list[float]] = {}
    for one in scored:
        key = (one.sentence.sector, one.sentence.gender)
        means.setdefault(key, []).append(one.association.association_nats)
    for sector in Sector:
        expected = np.mean(means[sector, Gender.FEMININE]) - np.mean(
            means[sector, Gender.MASCULINE]
        )
        assert value(found, "inner_disparity", sector) == pytest.approx(expected, abs=1e-9)
        assert value(other, "inner_disparity", sector) == pytest.approx(-expected, abs=1e-5)
        assert abs(expected) > 1e-3
    assert value(other, "sb", "equal") == pytest.approx(-value(found, "sb", "equal"), abs=1e-5)
    assert found["sb", "equal"].n == 30
    lengths = {(one.pair, one.equal_length) for one in contrasts}
    assert len(lengths) == len(pairs)


def test_rb_is_sb_less_the_mean_of_w_in_every_language_of_the_study() -> None:
    table = load_workforce()
    for country in table.countries.values():
        found = measure(make_contrasts((-0.4, 0.1, 0.7)), country)
        by_sector = [value(found, "inner_disparity", s) - country.shares[s].w for s in Sector]
        rb = value(found, "rb", "equal")
        assert rb == pytest.approx(math.fsum(by_sector) / 3)
        assert rb == pytest.approx(
            value(found, "sb", "equal") - value(found, "mean_w", "equal"), abs=1e-12
        )
        assert {found[name, "weighted"].reason for name in ("sb", "rb", "mean_w")} == {
            "not_in_table"
        }


def test_intervals_are_over_templates_and_pairs_drawn_at_once() -> None:
    contrasts = make_contrasts((-0.4, 0.1, 0.7))
    found = measure(contrasts)
    interval = found["sb", "equal"].interval
    assert interval is not None
    assert interval.low is not None
    assert interval.high is not None
    assert interval.method == "percentile bootstrap over templates and person pairs"
    assert interval.low < value(found, "sb", "equal") < interval.high
    # A contrast is a template's part and a pair's: the variances of the two means add.
    parts = [[t - 2 for t in range(5)], [(p - 8.5) / 2 for p in range(18)]]
    spread = math.sqrt(sum(float(np.var(part)) / len(part) for part in parts)) / 10
    assert (interval.high - interval.low) / 2 == pytest.approx(1.96 * spread, rel=0.15)
    rb = found["rb", "equal"].interval
    assert rb is not None
    assert rb.low == pytest.approx(interval.low + 1 / 6)
    again = measure(list(reversed(contrasts)))["sb", "equal"].interval
    assert again is not None
    assert again.low == pytest.approx(interval.low)
    for fewer in (make_contrasts((0, 0, 0), templates=4), make_contrasts((0, 0, 0), pairs=9)):
        hidden = measure(fewer)["sb", "equal"].interval
        assert hidden is not None
        assert (hidden.low, hidden.reason) == (None, "too_few")


def test_the_rank_correlation_has_the_interval_of_its_draws() -> None:
    # The tertiary sector changes places with the secondary one from template to template.
    contrasts = [
        replace(one, female_nats=one.female_nats + 0.3 * (int(one.template[-1]) % 3))
        if one.sector is Sector.SECONDARY
        else one
        for one in make_contrasts((-0.4, 0.1, 0.35))
    ]
    found = measure(contrasts)["rank_correlation",]
    drawn = DRAWS.draw(contrasts)
    w = [COUNTRY.shares[sector].w for sector in Sector]
    by_draw = [spearmanr(column, w).statistic for column in drawn.T]
    assert found.interval is not None
    assert found.value in {-1.0, -0.5, 0.5, 1.0}
    limits = np.quantile(by_draw, [0.025, 0.975])
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(limits))
    assert found.interval.low < found.interval.high
    hidden = measure(make_contrasts((0.1, 0.2, 0.3), templates=4))["rank_correlation",].interval
    assert hidden is not None
    assert hidden.reason == "too_few"


def test_weights_of_a_draw_are_those_of_a_plain_loop() -> None:
    contrasts = make_contrasts((-0.4, 0.1, 0.7), templates=2, pairs=3)[1:]
    resampling = SectorResampling(seed=8, draws=6)
    drawn = resampling.draw(contrasts)
    from corpus.intervals import bootstrap_weights

    templates = bootstrap_weights(2, 6, resampling._seed_of(0))
    pairs = bootstrap_weights(3, 6, resampling._seed_of(1))
    for row, sector in enumerate(Sector):
        members = [one for one in contrasts if one.sector is sector]
        for draw in range(6):
            weights = [
                templates[draw, int(m.template[1])] * pairs[draw, int(m.pair[1:])] for m in members
            ]
            if sum(weights) == 0:
                assert math.isnan(drawn[row, draw])
                continue
            mean = sum(w * m.difference_nats for w, m in zip(weights, members, strict=True)) / sum(
                weights
            )
            assert drawn[row, draw] == pytest.approx(mean)


# Six differences 1, 2, …, 6, all above 0: of 2^6 signs one is as far on either side, p = 2 / 64.
def test_the_wilcoxon_test_by_hand() -> None:
    one = make_contrasts((0, 0, 0), templates=1, pairs=1)[0]
    contrasts = [
        replace(one, pair=f"p{k}", female_nats=float(k), male_nats=0.0) for k in range(1, 7)
    ]
    found = measure(contrasts)
    assert value(found, "wilcoxon_p") == pytest.approx(2 / 64)
    assert value(found, "wilcoxon_p_person_pairs") == pytest.approx(2 / 64)
    assert found["sb", "equal"].reason == "no_data"
    assert found["inner_disparity", "tertiary"].reason == "no_data"
    assert value(found, "inner_disparity", "primary") == pytest.approx(3.5)
    none = measure([replace(each, female_nats=0.0) for each in contrasts])
    assert none["wilcoxon_p",].reason == "constant_input"
    nothing = measure([])
    assert nothing["wilcoxon_p",].reason == "no_data"
    assert nothing["mean_absolute_gap",].reason == "no_data"


def test_contexts_are_apart_and_pairs_of_unequal_length_can_be_left_out() -> None:
    contrasts = make_contrasts((0.0, 0.0, 0.0))
    shown = [replace(one, context=Context.SHOWN) for one in contrasts[:9]]
    mixed = [*contrasts, *shown]
    assert choose_contrasts(mixed, Context.OPEN) == tuple(contrasts)
    assert choose_contrasts(mixed, Context.SHOWN) == tuple(shown)
    equal = choose_contrasts(mixed, Context.OPEN, Lengths.EQUAL)
    assert len(equal) == len(contrasts) / 2
    assert all(one.equal_length for one in equal)


def test_a_sentence_without_its_partner_is_refused() -> None:
    language = make_language(
        {"a": "{target} works in {attribute}"}, {"she": ("she", "he")}, {Sector.PRIMARY: "farming"}
    )
    she, he = (
        ScoredSentence(one, Association(-1.0, -2.0, 1, 1, False))
        for one in language.build_sentences()
    )
    with pytest.raises(InputError, match=r"xx/a/she/feminine/primary/farming: .*is missing"):
        build_contrasts([she])
    with pytest.raises(InputError, match=r"xx/a/she/masculine/primary/farming: stands twice"):
        build_contrasts([she, he, he])


def test_a_workforce_without_women_has_no_log_ratio() -> None:
    shares = {**SHARES, Sector.PRIMARY: SectorShares(0.0, 100.0)}
    found = measure(make_contrasts((-0.4, 0.1, 0.7)), CountryWorkforce("xx", "N", shares, None))
    assert found["log_ratio_gap", "primary"].reason == "no_data"
    assert found["mean_log_ratio_gap",].reason == "no_data"
    assert value(found, "w", "primary") == -1.0
    assert found["global_gender_gap_index",].reason == "not_in_table"
    assert found["sb", "weighted"].reason == "not_in_table"
