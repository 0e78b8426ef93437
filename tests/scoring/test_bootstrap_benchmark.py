"""The benchmark of the shared bootstrap: both ways agree, gaps included, and a fault is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks import bootstrap
from corpus.stereotypes import load_inventory

GEST = load_inventory()


def test_the_matrix_and_the_loop_agree_on_gaps_too() -> None:
    columns, items = bootstrap.build_columns(2, 9, 320, GEST)
    resampling = bootstrap.run_matrix(columns, items, 50, GEST)
    lacking = [c for c in columns if not all(v.keys for v in c.values.values())]
    assert 0 < len(lacking) < len(columns)
    singles = [bootstrap.compute_column(column, resampling, GEST) for column in columns]
    assert bootstrap.find_deviation(columns, singles, resampling, GEST) <= bootstrap.AGREEMENT
    wrong = [replace(singles[0], log_g_s=singles[0].log_g_s + 1e-9), *singles[1:]]
    found = bootstrap.find_deviation(columns, wrong, resampling, GEST)
    assert found == pytest.approx(1e-9, rel=1e-3)


def test_the_command_prints_seconds_and_their_ratio(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = "--models 2 --languages 3 --sentences 160 --draws 20 --runs 1 --baseline-columns 3"
    monkeypatch.setattr("sys.argv", ["bootstrap", *options.split()])
    bootstrap.main()
    said = capsys.readouterr().out
    assert "6 columns, 160 sentences, 20 draws" in said
    assert "loop / matrix: " in said
    assert "largest deviation of the two: " in said
