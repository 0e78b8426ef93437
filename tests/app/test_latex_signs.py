"""LaTeX: no sign of our own statements is left for which it has no letter."""

from __future__ import annotations

from app.comparison_latex import ESCAPES, escape
from app.sector_figures import IDENTITY, SCALES


def test_mathematical_signs_are_written_as_commands() -> None:
    assert escape("SB − mean(W)") == r"SB \textminus{} mean(W)"
    assert escape("−×≤≥→").isascii()
    assert escape(IDENTITY + SCALES).isascii()
    assert all(text.isascii() for text in ESCAPES.values())
