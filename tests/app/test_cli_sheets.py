"""`batch export-sheet` and `import-sheet`: out, filled in, and back, from the command line."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from tests.app.refusals import refuse
from tests.command_line import rows_of, run_here, snapshot_of


@pytest.fixture
def batch(study_copy: Path) -> str:
    for rater in ("rater-1", "rater-2"):
        run_here("raters", "add", rater, "-w", study_copy)
    arguments = ["-l", "sk", "--raters", "rater-1,rater-2", "--size", "4", "-w", study_copy]
    created = run_here("batch", "create", *arguments)
    assert created.code == 0, created.text
    return created.out.strip()


def export(workspace: Path, batch: str, folder: Path) -> list[Path]:
    ended = run_here("batch", "export-sheet", batch, "--out", folder, "-w", workspace)
    assert ended.code == 0, ended.text
    written = sorted(folder.glob("*.xlsx"))
    assert all(str(path) in ended.out for path in written)
    return written


def fill(path: Path, quality: int, rows: int = 4) -> None:
    """Rates the first rows: no gender is shown."""
    book = openpyxl.load_workbook(path)
    sheet = book["Ratings"]
    headings = {str(cell.value).splitlines()[0][:2]: cell.column for cell in sheet[1]}
    for row in range(2, 2 + rows):
        sheet.cell(row, headings["1."], quality)
        sheet.cell(row, headings["2."], "No")
    book.save(path)


def test_workbooks_go_out_and_come_back(study_copy: Path, batch: str, tmp_path: Path) -> None:
    one, two = export(study_copy, batch, tmp_path / "out")
    fill(one, 80)
    fill(two, 90, rows=2)
    before = snapshot_of(study_copy)
    dry = run_here("batch", "import-sheet", one, two, "--dry-run", "-w", study_copy)
    assert (dry.code, dry.message) == (0, "Dry run: nothing was written.")
    assert snapshot_of(study_copy) == before
    ended = run_here("batch", "import-sheet", one, two, "-w", study_copy)
    assert ended.code == 0, ended.text
    assert ended.out == dry.out
    ratings = rows_of(study_copy)["rating_revision"]
    assert len(ratings) == 6
    again = run_here("batch", "import-sheet", one, two, "-w", study_copy)
    assert again.code == 0
    assert rows_of(study_copy)["rating_revision"] == ratings
    agreement = run_here("agreement", "--language", "sk", "-w", study_copy)
    assert agreement.code == 0, agreement.text


def test_a_fault_is_told_by_cell_and_nothing_is_written(
    study_copy: Path, batch: str, tmp_path: Path
) -> None:
    one, two = export(study_copy, batch, tmp_path / "out")
    fill(one, 80)
    fill(two, 900, rows=1)
    ended = refuse(study_copy, "batch", "import-sheet", one, two)
    assert f"{two} [Ratings!" in ended.message
    assert "it holds 900, which is off the scale (out_of_range:quality)" in ended.message


def test_a_filled_file_is_not_overwritten(study_copy: Path, batch: str, tmp_path: Path) -> None:
    one, _ = export(study_copy, batch, tmp_path / "out")
    fill(one, 80)
    ended = refuse(study_copy, "batch", "export-sheet", batch, "--out", tmp_path / "out")
    assert "it may hold answers" in ended.message


def test_an_unknown_batch_or_rater_is_named(study_copy: Path, batch: str, tmp_path: Path) -> None:
    ended = refuse(study_copy, "batch", "export-sheet", "sk-none", "--out", tmp_path)
    assert "There is no batch sk-none" in ended.message
    options = ["--out", tmp_path, "--rater", "nobody"]
    ended = refuse(study_copy, "batch", "export-sheet", batch, *options)
    assert "its raters: rater-1, rater-2" in ended.message
