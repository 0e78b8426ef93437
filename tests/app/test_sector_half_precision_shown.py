"""Results of sectors in half precision say so wherever they are shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from sector_workspaces import write_control, write_sector_result

from app.sector_figures import build_sector_figures
from app.sector_report import build_sector_report
from app.sector_scoring import print_result
from app.sector_tables import build_sector_table
from app.views.sector_results import describe_half_precision, open_sector_result, show_sectors

TOLD = (
    "English (en), river (bfloat16): half precision puts a sentence pair off by up to 0.4 nats "
    "(8 pairs against float32). As if all erred by that much: figures closer than 0.8 are not "
    "ordered, and a value within 0.4 of 0 has no sign."
)


def test_figures_tables_and_report_tell_of_the_error(tmp_path: Path) -> None:
    stored = write_sector_result(tmp_path, codes=("en",), error_nats=0.4)
    shown = show_sectors([open_sector_result(stored.folder)])
    built = build_sector_figures(shown)
    for figure in built:
        assert TOLD in figure.statements
        assert TOLD in figure.alt
    assert TOLD in build_sector_report(shown, built)
    table = build_sector_table(shown)
    assert table["signature"].str.contains("|dtype:bfloat16|contrast_error:0.4|", regex=False).all()
    # I_s is -0.5, -1 and 0.25 (see the workspace).
    of_sector = table[table["code"] == "inner_disparity"].set_index("sector")["notes"]
    marked = of_sector.fillna("").str.contains("within_error|half precision")
    assert marked.to_dict() == {"primary": False, "secondary": False, "tertiary": True}


def test_the_command_tells_of_the_error_and_float32_of_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    half = write_sector_result(tmp_path, codes=("en",), error_nats=0.4)
    print_result(half)
    assert TOLD in capsys.readouterr().err
    assert describe_half_precision(half.manifest, "en") == TOLD
    whole = write_sector_result(tmp_path, codes=("en",))
    assert describe_half_precision(whole.manifest, "en") == ""
    built = build_sector_figures(show_sectors([open_sector_result(whole.folder)]))
    assert not any("precision" in told for figure in built for told in figure.statements)


def test_an_error_that_nobody_measured_is_told_and_the_control_has_its_own(tmp_path: Path) -> None:
    manifest = {"model": "river", "dtype": "float16", "half_precision": {}}
    assert "nobody measured" in describe_half_precision(manifest, "de")
    control = write_control(tmp_path, error_nats=0.25)
    assert control.manifest["half_precision"]["de"]["contrast_error_nats"] == 0.25
    assert "off by up to 0.25 nats" in describe_half_precision(control.manifest, "de")
