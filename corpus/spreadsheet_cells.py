"""Cells of a CSV that people open in a spreadsheet, where text must not run as a formula.

Files for programs keep every cell as it is; this is for files made for people on request.
"""

from __future__ import annotations

ENCODING = "utf-8-sig"
"""With a byte-order mark, without which Excel takes UTF-8 for something else."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def make_inert(cell: str) -> str:
    """The cell with an apostrophe before what a spreadsheet would run as a formula."""
    return f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell
