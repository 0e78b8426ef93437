"""Differences, averages and corrections on numbers worked out by hand and on simulated data."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from comparison_builders import FEMININE, GEST, compare_entries, make_entry, make_result
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.figures import Figure, Interval
from scoring.compared_columns import Gap
from scoring.comparison import Comparison
from scoring.protocols import PAPER, PROTOCOLS, REFERENCE


def logit(share: float) -> float:
    return math.log(share / (1 - share))


def leaning(feminine: float, masculine: float, n: int = 20) -> dict[int, list[float]]:
    return {s: [logit(feminine if s in FEMININE else masculine)] * n for s in GEST.ids}


def simulated(seed: int, shift: float, n: int = 20, spread: float = 0.5) -> dict[int, list[float]]:
    """Logits of which masculine stereotypes lie `shift` above the feminine ones."""
    draw = np.random.default_rng(seed)
    return {s: list(draw.normal(0 if s in FEMININE else shift, spread, n)) for s in GEST.ids}


def differences(comparison: Comparison, kind: str, name: str, **scope: str) -> list[Figure]:
    return [
        each.difference.value
        for each in comparison.differences
        if each.kind == kind
        and each.difference.value.name == name
        and scope.items() <= dict(each.difference.value.scope).items()
        and ("set" in scope) == ("set" in dict(each.difference.value.scope))
    ]


def averages(comparison: Comparison, name: str, **scope: str) -> list[Figure]:
    return [
        figure
        for figure in comparison.averages
        if figure.name == name and scope.items() <= dict(figure.scope).items()
    ]


def limits(figure: Figure) -> tuple[float, float]:
    interval = figure.interval
    assert isinstance(interval, Interval)
    assert interval.low is not None
    assert interval.high is not None
    return interval.low, interval.high


def two_models(*data: dict[int, list[float]], draws: int = 400) -> Comparison:
    results = [make_result(f"org/m{k}") for k in range(len(data))]
    entries = [make_entry(k, each, label=f"org/m{k}") for k, each in enumerate(data)]
    return compare_entries(results, entries, draws=draws)


def test_differences_of_two_models_by_hand() -> None:
    """g_s 0.6/0.4 = 1.5 and 0.8/0.4 = 2: ratio 4/3; logits 2 log 1.5 and log 4 + log 1.5."""
    found = two_models(leaning(0.4, 0.6), leaning(0.4, 0.8))
    [ratio] = differences(found, "models", "g_s_ratio", sentences="all")
    assert ratio.value == pytest.approx(4 / 3)
    assert ratio.n == 320
    assert dict(ratio.scope) == {
        "kind": "models",
        "first": "org/m0",
        "second": "org/m1",
        "language": "sk",
        "protocol": "paper",
        "condition": "pair",
        "sentences": "all",
    }
    [change] = differences(found, "models", "logit_r_difference_change", sentences="all")
    assert change.value == pytest.approx(math.log(4) - math.log(1.5))
    [rate] = differences(found, "models", "default_rate_change", sentences="all")
    assert rate.value == pytest.approx((0.4 + 0.8) / 2 - 0.5)


def test_differences_per_stereotype_by_hand() -> None:
    results = [make_result("org/a"), make_result("org/b")]
    entries = [
        make_entry(k, each, label=f"org/{name}")
        for k, (name, each) in enumerate((("a", leaning(0.4, 0.6)), ("b", leaning(0.4, 0.8))))
    ]
    found = compare_entries(results, entries, per_stereotype=True)
    q = differences(found, "models", "q_i_change", sentences="all")
    assert [figure.value for figure in q] == pytest.approx([0.0] * 7 + [0.2] * 9)
    inclination = differences(found, "models", "inclination_change", sentences="all")
    assert [figure.value for figure in inclination] == pytest.approx([0.1] * 16)
    rank = differences(found, "models", "rank_change", sentences="all")
    assert {figure.value for figure in rank} == {0.0}


def test_equal_models_differ_by_exactly_nothing() -> None:
    data = simulated(1, 0.4)
    found = two_models(data, data)
    for name, none in (("g_s_ratio", 1.0), ("logit_r_difference_change", 0.0)):
        for figure in differences(found, "models", name):
            assert figure.value == none
            assert limits(figure) == (none, none)
            assert figure.notes == ("equal",)
    assert {each.difference.p.value for each in found.differences} == {1.0}


def test_a_model_alone_has_no_difference_but_averages() -> None:
    found = compare_entries([make_result()], [make_entry(0, leaning(0.4, 0.6))])
    assert found.differences == ()
    [average] = averages(found, "g_s_average", set="own", sentences="all")
    assert average.value == pytest.approx(1.5)


def test_models_are_compared_on_the_sentences_that_both_have() -> None:
    """The second lacks sentence 0 of each stereotype, which alone leans the other way."""
    odd = {
        s: [logit(0.99 if s in FEMININE else 0.01), *row[1:]]
        for s, row in leaning(0.4, 0.6).items()
    }
    short = {s: row[1:] for s, row in leaning(0.4, 0.6).items()}
    results = [make_result("org/a"), make_result("org/b")]
    numbers = {s: range(1, 20) for s in GEST.ids}
    entries = [
        make_entry(0, odd, label="org/a"),
        make_entry(1, short, label="org/b", numbers=numbers),
    ]
    found = compare_entries(results, entries)
    for sentences in ("all", "common"):
        [ratio] = differences(found, "models", "g_s_ratio", sentences=sentences)
        assert (ratio.value, ratio.n) == (1.0, 19 * 16)
    by_scope = {dict(m.scope)["sentences"] + dict(m.scope)["model"]: m for m in found.measures}
    assert by_scope["allorg/a"].measures.g_s.n == 320
    assert by_scope["commonorg/a"].measures.g_s.n == 304
    assert by_scope["commonorg/a"].measures.g_s.value == pytest.approx(1.5)


def test_languages_are_averaged_on_the_log_with_set_and_gaps() -> None:
    """g_s 1.5 and 2 in two languages: sqrt(3); the third is lacking and says so."""
    entries = [
        make_entry(0, leaning(0.4, 0.6), language="sk"),
        make_entry(0, leaning(0.4, 0.8), language="tr"),
    ]
    gap = Gap("org/m", "fi", "paper", "pair", "identical_templates")
    found = compare_entries([make_result(languages=("sk", "tr"))], entries, [gap])
    [average] = averages(found, "g_s_average", set="own", sentences="all")
    assert average.value == pytest.approx(math.sqrt(3))
    assert dict(average.scope)["languages"] == "sk,tr"
    assert average.notes == ("gap:fi:identical_templates",)
    assert average.n == 640
    [logits] = averages(found, "logit_r_difference_average", set="own", sentences="all")
    assert logits.value == pytest.approx((2 * math.log(1.5) + math.log(4) + math.log(1.5)) / 2)
    ranks = averages(found, "rank_average", set="own", sentences="all", stereotype="1")
    assert [figure.value for figure in ranks] == [10.0]


def test_models_share_an_average_only_over_languages_that_all_have() -> None:
    results = [make_result(f"org/{name}", ("sk", "tr")) for name in "ab"]
    lacking = {s: row for s, row in leaning(0.4, 0.8).items() if s != 5}
    entries = [
        make_entry(0, leaning(0.4, 0.6), label="org/a"),
        make_entry(1, leaning(0.4, 0.8), label="org/b"),
        make_entry(0, leaning(0.4, 0.8), label="org/a", language="tr"),
        make_entry(1, lacking, label="org/b", language="tr"),
    ]
    found = compare_entries(results, entries)
    own = averages(found, "g_s_average", set="own", sentences="all", model="org/a")
    assert [dict(each.scope)["languages"] for each in own] == ["sk,tr"]
    shared = averages(found, "g_s_average", set="shared", sentences="all")
    assert [(dict(each.scope)["languages"], each.value) for each in shared] == [
        ("sk", pytest.approx(1.5)),
        ("sk", pytest.approx(2.0)),
    ]
    assert [each.notes for each in shared] == [
        ("gap:tr:org/b: missing_stereotype",),
        ("gap:tr:missing_stereotype",),
    ]
    [ratio] = differences(found, "models", "g_s_ratio", set="shared", sentences="all")
    assert ratio.value == pytest.approx(4 / 3)


def test_supported_and_other_languages_are_averaged_apart() -> None:
    result = make_result(
        languages=("sk", "tr"), model_metadata={"supported_languages": ["sk", "de"]}
    )
    entries = [
        make_entry(0, leaning(0.4, 0.6), language="sk"),
        make_entry(0, leaning(0.4, 0.8), language="tr"),
    ]
    found = compare_entries([result], entries)
    for name, codes, value in (("supported", "sk", 1.5), ("other", "tr", 2.0)):
        [average] = averages(found, "g_s_average", set=name, sentences="all")
        assert dict(average.scope)["languages"] == codes
        assert average.value == pytest.approx(value)
    nobody_says = compare_entries([make_result(languages=("sk", "tr"))], entries)
    assert averages(nobody_says, "g_s_average", set="supported") == []


def test_an_instruct_model_is_compared_with_its_base_whatever_the_order() -> None:
    instruct = make_result("org/chat", model_metadata={"kind": "instruct", "base": "org/base"})
    base = make_result("org/base", model_metadata={"kind": "base"})
    entries = [
        make_entry(0, leaning(0.4, 0.8), label="org/chat"),
        make_entry(1, leaning(0.4, 0.6), label="org/base"),
    ]
    found = compare_entries([instruct, base], entries)
    ratios = differences(found, "base_instruct", "g_s_ratio", first="org/base", sentences="all")
    assert [figure.value for figure in ratios] == pytest.approx([4 / 3])
    assert differences(found, "models", "g_s_ratio") == []


def test_templates_are_paired_on_sentences_that_have_both() -> None:
    noun = leaning(0.4, 0.6)
    pronoun = {
        s: [x + (0.1 if s in FEMININE else 0.3) for x in row[:15]] for s, row in noun.items()
    }
    entries = [make_entry(0, noun, condition="noun"), make_entry(0, pronoun, condition="pronoun")]
    found = compare_entries([make_result()], entries)
    [change] = differences(found, "templates", "logit_r_difference_change", sentences="all")
    assert change.value == pytest.approx(0.2)
    assert change.n == 15 * 16
    assert {"first": "noun", "second": "pronoun", "model": "org/m"}.items() <= dict(
        change.scope
    ).items()


def test_protocols_are_compared_on_the_same_scores() -> None:
    data = simulated(3, 0.5)
    entries = [make_entry(0, data, protocol=protocol) for protocol in (PAPER, REFERENCE)]
    found = compare_entries([make_result()], entries)
    [ratio] = differences(found, "protocols", "g_s_ratio")
    values = {dict(m.scope)["protocol"]: m.measures.g_s.value for m in found.measures}
    assert values["paper"] is not None
    assert values["reference"] is not None
    assert ratio.value == pytest.approx(values["reference"] / values["paper"])
    [logits] = differences(found, "protocols", "logit_r_difference_change")
    assert logits.value == 0.0


def test_rows_seen_by_a_human_are_compared_with_all() -> None:
    data = {s: [*row[:10], *([logit(0.5)] * 10)] for s, row in leaning(0.4, 0.6).items()}
    seen = frozenset(f"set/{1000 * s + k}" for s in GEST.ids for k in range(10))
    found = compare_entries([make_result()], [make_entry(0, data)], seen={(0, "sk"): seen})
    [change] = differences(found, "human_seen", "logit_r_difference_change")
    assert change.value == pytest.approx(math.log(1.5))
    assert change.n == 160
    every = frozenset(f"set/{1000 * s + k}" for s in GEST.ids for k in range(20))
    found = compare_entries([make_result()], [make_entry(0, data)], seen={(0, "sk"): every})
    assert differences(found, "human_seen", "logit_r_difference_change") == []


def test_releases_of_one_model_are_compared_as_data() -> None:
    raw = make_result(release_sha256="raw", data_hash="raw", release="1.1.0")
    approved = make_result()
    entries = [make_entry(0, leaning(0.4, 0.6)), make_entry(1, leaning(0.4, 0.8))]
    found = compare_entries([raw, approved], entries)
    [ratio] = differences(found, "data", "g_s_ratio", sentences="all", language="sk")
    assert ratio.value == pytest.approx(4 / 3)
    assert "release 1.1.0" in dict(ratio.scope)["first"]


def test_raw_data_are_compared_with_all_their_rows_and_on_what_both_have() -> None:
    """The raw release has 10 more level sentences for each stereotype."""
    approved = leaning(0.4, 0.6, 20)
    raw = {s: [*row, *([0.0] * 10)] for s, row in approved.items()}
    results = [make_result(release_sha256="raw", data_hash="raw", release="1.1.0"), make_result()]
    found = compare_entries(results, [make_entry(0, raw), make_entry(1, approved)])
    name = "logit_r_difference_change"
    [change] = differences(found, "data", name, sentences="all")
    assert change.value == pytest.approx(2 * math.log(1.5) / 3)
    [none] = differences(found, "data", name, sentences="common")
    assert (none.value, none.notes) == (0.0, ("equal",))


def test_one_shared_sentence_pairs_all_there_is_to_pair() -> None:
    """Only sentence 0 of each stereotype is in both: no interval, but a value and n."""
    first, second = leaning(0.4, 0.6), leaning(0.4, 0.8)
    numbers = {s: [0, *range(100, 119)] for s in GEST.ids}
    entries = [
        make_entry(0, first, label="org/m0"),
        make_entry(1, second, label="org/m1", numbers=numbers),
    ]
    found = compare_entries([make_result("org/m0"), make_result("org/m1")], entries)
    [ratio] = differences(found, "models", "g_s_ratio", sentences="all")
    assert (ratio.value, ratio.n) == (pytest.approx(4 / 3), 16)
    assert ratio.interval is not None
    assert ratio.interval.reason == "too_few"
    common = [m.measures for m in found.measures if dict(m.scope)["sentences"] == "common"]
    assert [m.g_s.n for m in common] == [16, 16]
    assert all("few_sentences" in m.g_s.notes for m in common)


def test_half_precision_does_not_order_what_its_error_could_make() -> None:
    """r = 0.5: an error of 0.01 moves each logit by 0.04, both poles and both models: 0.16."""
    computed = {"sk": {"r_error": 0.01}}
    results = [make_result(f"org/m{k}", dtype="bfloat16", computed=computed) for k in (0, 1)]
    level = {s: [0.0] * 20 for s in GEST.ids}

    def change(shift: float) -> Figure:
        other = {s: [0.0 if s in FEMININE else shift] * 20 for s in GEST.ids}
        entries = [make_entry(0, level, label="org/m0"), make_entry(1, other, label="org/m1")]
        found = compare_entries(results, entries)
        [figure] = differences(found, "models", "logit_r_difference_change", sentences="all")
        return figure

    assert change(0.15).notes == ("within_error",)
    assert change(0.17).notes == ()


def test_half_precision_of_unknown_error_orders_nothing() -> None:
    entries = [
        make_entry(0, leaning(0.4, 0.6), label="org/m0"),
        make_entry(1, leaning(0.2, 0.8), label="org/m1"),
    ]
    results = [make_result("org/m0"), make_result("org/m1", dtype="float16")]
    found = compare_entries(results, entries, per_stereotype=True)
    changed = [each for each in found.differences if "equal" not in each.difference.value.notes]
    assert changed
    assert not any(each.difference.is_ordered for each in changed)


def test_p_values_are_corrected_over_languages_and_models() -> None:
    results = [make_result(f"org/m{k}", ("sk", "tr")) for k in range(3)]
    entries = [
        make_entry(k, simulated(10 * k + j, 0.2 * k), label=f"org/m{k}", language=code)
        for k in range(3)
        for j, code in enumerate(("sk", "tr"))
    ]
    found = compare_entries(results, entries)
    for each in found.differences:
        assert each.difference.p.value is not None
        assert each.adjusted.value is not None
        assert each.adjusted.value >= each.difference.p.value
    [tests] = {
        each.adjusted.method.split(";")[0]
        for each in found.differences
        if each.difference.value.name == "g_s_ratio"
        and "set" not in dict(each.difference.value.scope)
        and dict(each.difference.value.scope)["sentences"] == "all"
    }
    assert tests == "Benjamini-Hochberg over 6 tests"
    assert {m.poles.adjusted.method.split(";")[0] for m in found.measures} == {tests}
    assert {m.bootstrap.adjusted.name for m in found.measures} == {"g_s_bootstrap_p_adjusted"}


@settings(max_examples=5, deadline=None)
@given(st.permutations(range(4)))
def test_the_order_of_columns_changes_no_number(order: list[int]) -> None:
    results = [make_result(f"org/m{k}", ("sk", "tr")) for k in (0, 1)]
    entries = [
        make_entry(k, simulated(10 * k + j, 0.3 * k), label=f"org/m{k}", language=code)
        for k in (0, 1)
        for j, code in enumerate(("sk", "tr"))
    ]

    def numbers(order: Sequence[int]) -> dict[object, float | None]:
        found = compare_entries(results, [entries[k] for k in order], draws=50)
        scopes = {f: {**dict(f.scope), "languages": ""} for f in found.figures}
        return {
            (f.name, tuple(sorted(scope.items()))): f.value
            for f, scope in scopes.items()
            if "first" not in scope
        }

    one, other = numbers(range(4)), numbers(order)
    assert one.keys() == other.keys()
    for key, value in one.items():
        assert other[key] == pytest.approx(value, abs=1e-12)


def test_a_gap_is_listed_and_never_a_number() -> None:
    lacking = {s: row for s, row in leaning(0.4, 0.6).items() if s != 9}
    found = compare_entries([make_result()], [make_entry(0, lacking)])
    assert {m.measures.g_s.reason for m in found.measures} == {"missing_stereotype"}
    assert {m.bootstrap.p.reason for m in found.measures} == {"missing_stereotype"}
    assert averages(found, "g_s_average") == []


@pytest.mark.parametrize("shift", [0.0, 0.5])
def test_intervals_hold_the_true_difference_about_as_often_as_they_say(shift: float) -> None:
    """40 simulated pairs of models with a known difference; 95 % hold it (38), 34 at least."""
    held = excluded = 0
    for seed in range(40):
        shared = np.random.default_rng(seed).normal(0, 0.5, (16, 20))
        noise = np.random.default_rng(1000 + seed).normal(0, 0.3, (2, 16, 20))
        data = [
            {
                s: list(shared[k] + noise[m, k] + (0 if s in FEMININE else shift * m))
                for k, s in enumerate(GEST.ids)
            }
            for m in (0, 1)
        ]
        found = two_models(*data, draws=200)
        [change] = differences(found, "models", "logit_r_difference_change", sentences="all")
        low, high = limits(change)
        held += low <= shift <= high
        excluded += not low <= 0 <= high
    assert held >= 34
    assert excluded == 40 if shift else excluded <= 6


def test_a_shared_draw_makes_differences_narrower_than_independent_ones() -> None:
    """Two models that agree sentence by sentence differ with more certainty than each has alone."""
    base = simulated(5, 0.3)
    noise = np.random.default_rng(6).normal(0, 0.02, (17, 20))
    other = {
        s: [x + noise[s, k] + (0.0 if s in FEMININE else 0.05) for k, x in enumerate(row)]
        for s, row in base.items()
    }
    found = two_models(base, other)
    [change] = differences(found, "models", "logit_r_difference_change", sentences="all")
    low, high = limits(change)
    alone = [limits(m.measures.logit_r_difference) for m in found.measures]
    assert high - low < 0.1 * min(upper - lower for lower, upper in alone)
    assert low < 0.05 < high


def test_what_a_protocol_does_not_have_is_no_figure_of_it() -> None:
    """GEST has no default rate; its g_s by odds of 1.5 and 1/1.5 is 2.25."""
    data = leaning(0.4, 0.6)
    entries = [make_entry(0, data, protocol=p) for p in (PAPER, PROTOCOLS["gest-odds"])]
    found = compare_entries([make_result()], entries)
    [measures] = [
        m.measures
        for m in found.measures
        if {"protocol": "gest-odds", "sentences": "all"}.items() <= dict(m.scope).items()
    ]
    assert measures.g_s.value == pytest.approx(2.25)
    reasons = {each.reason for each in (measures.default_rate, *measures.inclination)}
    assert reasons == {"not_in_protocol"}
    assert "above 0" in measures.q[0].definition
    assert differences(found, "protocols", "default_rate_change") == []
    assert averages(found, "default_rate_average", protocol="gest-odds") == []
    assert averages(found, "g_s_average", protocol="gest-odds", sentences="all") != []
