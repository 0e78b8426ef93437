"""Measures of log ratios: GEST's published values, and the exact permutation of the pole."""

from __future__ import annotations

import csv
import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.errors import InputError, SettingsError
from corpus.figures import Figure
from corpus.stereotypes import load_inventory
from scoring.log_ratios import LogRatiosError, compute_log_ratio_measures, load_log_ratios
from scoring.permutation import compute_pole_p
from tests.command_line import run_here

INVENTORY = load_inventory()
# Pikuliak et al. 2024, values of bert-base-uncased with template 0, printed to two decimals.
PUBLISHED = (
    *(1.24, 1.31, 1.24, 1.18, 1.15, 1.29, 1.08, 1.46),
    *(1.48, 1.56, 1.49, 1.31, 1.71, 1.26, 1.13, 1.48),
)
PUBLISHED_LIMITS = {1: (1.21, 1.27), 7: (1.05, 1.10), 13: (1.65, 1.76), 16: (1.43, 1.52)}


def write_ratios(data_dir: Path, template: int, file: Path) -> Path:
    """GEST's predictions beside the stereotype of the sentence at the same line."""
    gest = data_dir / "gest"
    with (gest / "gest_1.0.csv").open(encoding="utf-8", newline="") as stream:
        stereotypes = [row["stereotype"] for row in csv.DictReader(stream)]
    scores = (
        (gest / "predictions" / f"bert-base-uncased_template-{template}.txt").read_text().split()
    )
    lines = [f"{one},{score}" for one, score in zip(stereotypes, scores, strict=True)]
    file.write_text("stereotype,score\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return file


def measure(file: Path, protocol: str = "gest", draws: int = 2000) -> list[Figure]:
    scores = load_log_ratios(file, INVENTORY).scores
    return compute_log_ratio_measures(scores, protocol, INVENTORY, seed=1, draws=draws)


def named(figures: list[Figure], name: str) -> list[Figure]:
    return [each for each in figures if each.name == name]


@pytest.mark.data
def test_published_values_and_intervals_of_gest(data_dir: Path, tmp_path: Path) -> None:
    q = named(measure(write_ratios(data_dir, 0, tmp_path / "ratios.csv")), "q_i")
    assert tuple(round(figure.value or 0, 2) for figure in q) == PUBLISHED
    assert sum(figure.n for figure in q) == 3565
    for number, (low, high) in PUBLISHED_LIMITS.items():
        interval = q[number - 1].interval
        assert interval is not None
        # Other draws: the last printed digit may differ.
        assert interval.low == pytest.approx(low, abs=0.011)
        assert interval.high == pytest.approx(high, abs=0.011)


@pytest.mark.data
@pytest.mark.parametrize("template", range(4))
def test_rates_are_geometric_means_and_the_command_prints_them(
    data_dir: Path, tmp_path: Path, template: int
) -> None:
    file = write_ratios(data_dir, template, tmp_path / "ratios.csv")
    found = {
        protocol: json.loads(run_here("measures", file, "--protocol", protocol, "--json").out)
        for protocol in ("gest", "gest-odds")
    }
    for protocol, base in (("gest", math.e), ("gest-odds", 10.0)):
        figures = found[protocol]["figures"]
        value = {each["name"]: each["value"] for each in figures}
        logs = [math.log(each["value"]) for each in figures if each["name"] == "q_i"]
        assert math.log(value["feminine_rate"]) == pytest.approx(np.mean(logs[:7]))
        assert math.log(value["masculine_rate"]) == pytest.approx(np.mean(logs[7:]))
        assert value["g_s"] == pytest.approx(value["masculine_rate"] / value["feminine_rate"])
        means = [log / math.log(base) for log in logs]
        assert means == pytest.approx(
            [math.log(each["value"]) for each in found["gest"]["figures"] if each["name"] == "q_i"]
        )
    shown = run_here("measures", file).text
    assert "no ratios of probabilities" in shown
    assert "13 " in shown


def test_a_missing_stereotype_voids_what_rests_on_it_and_nothing_else() -> None:
    ratios = {one: (0.1, 0.2) for one in INVENTORY.ids if one != 3}
    figures = compute_log_ratio_measures(ratios, "gest", INVENTORY, seed=1, draws=10)
    undefined = {(each.name, dict(each.scope).get("stereotype")) for each in figures if each.reason}
    assert undefined == {("g_s", None), ("g_s_p", None), ("feminine_rate", None), ("q_i", "3")}
    assert {each.reason for each in figures if each.reason} == {"missing_stereotype"}


def test_every_fault_of_a_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "ratios.csv"
    file.write_text(
        "stereotype,score,note\n17,0.1,x\n1,nan,\n1,1_0,\n2,-0.5,\n3,1e5,\n", encoding="utf-8"
    )
    with pytest.raises(InputError) as caught:
        load_log_ratios(file, INVENTORY)
    assert [(each.row, each.field) for each in caught.value.faults] == [
        (2, "stereotype"),
        (3, "score"),
        (4, "score"),
        (6, "score"),
    ]
    assert "too far from 0" in caught.value.faults[-1].problem
    ended = run_here("measures", file)
    assert (ended.code, "17" in ended.text) == (1, True)
    with pytest.raises(SettingsError, match="use gest, gest-odds"):
        compute_log_ratio_measures({}, "paper", INVENTORY, seed=1, draws=10)


def test_many_faults_are_kept_and_the_first_are_listed(tmp_path: Path) -> None:
    file = tmp_path / "ratios.csv"
    file.write_text("stereotype,score\n" + "1.0,0.5\n" * 30, encoding="utf-8")
    with pytest.raises(LogRatiosError) as caught:
        load_log_ratios(file, INVENTORY)
    assert len(caught.value.faults) == 30
    lines = str(caught.value).splitlines()
    assert (len(lines), lines[-1]) == (21, "… and 10 more.")
    assert ":21 [stereotype]: '1.0' is no stereotype" in lines[19]
    file.write_text("stereotype,score\n" + "1.0,0.5\n" * 20, encoding="utf-8")
    with pytest.raises(LogRatiosError) as caught:
        load_log_ratios(file, INVENTORY)
    assert len(str(caught.value).splitlines()) == 20


def test_a_file_without_rows_is_refused_and_one_without_a_stereotype_named(tmp_path: Path) -> None:
    file = tmp_path / "ratios.csv"
    file.write_text("stereotype,score\n", encoding="utf-8")
    with pytest.raises(InputError, match="no row under the header"):
        load_log_ratios(file, INVENTORY)
    rows = [f"{one},0.1\n" for one in INVENTORY.ids if one not in {3, 7}]
    file.write_text("stereotype,score\n" + "".join(rows), encoding="utf-8")
    ended = run_here("measures", file)
    assert ended.code == 0
    assert "No sentence of stereotype 3, 7 in the file: there is no q_i of it" in ended.err


@pytest.mark.parametrize(("separator", "told"), [(";", "semicolons"), ("\t", "tabs")])
def test_another_separator_is_named(tmp_path: Path, separator: str, told: str) -> None:
    path = tmp_path / "other.csv"
    path.write_text(f"stereotype{separator}score\n1{separator}0.5\n", encoding="utf-8")
    with pytest.raises(InputError, match=f"with commas between the cells, not {told}"):
        load_log_ratios(path, INVENTORY)


@given(st.lists(st.integers(-3, 3), min_size=3, max_size=8), st.data())
def test_the_exact_p_counts_assignments_one_by_one(values: list[int], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(values) - 1))
    feminine = [index < k for index in range(len(values))]
    statistics = [
        np.mean([values[i] for i in range(len(values)) if i not in chosen])
        - np.mean([values[i] for i in chosen])
        for chosen in combinations(range(len(values)), k)
    ]
    observed = np.mean(values[k:]) - np.mean(values[:k])
    expected = np.mean([each >= observed - 1e-9 for each in statistics])
    assert compute_pole_p(values, feminine) == pytest.approx(expected)


def test_the_exact_p_of_sixteen_stereotypes_and_of_too_many() -> None:
    feminine = [index < 7 for index in range(16)]
    assert compute_pole_p(range(16), feminine) == pytest.approx(1 / 11440)
    assert compute_pole_p([0.0] * 16, feminine) == 1.0
    assert compute_pole_p(range(30), [index < 15 for index in range(30)]) is None
    assert compute_pole_p([1.0, 2.0], [False, False]) is None
