"""What `score` says beside its table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.score_tables import print_scores
from scoring.results import ScoreResult

MANIFEST: dict[str, Any] = {
    "model": "river",
    "release": "1.2.0",
    "human_eyes": {},
    "items_missing": {},
    "stereotypes_missing": {},
    "unvalidated": [],
    "demonstration": False,
}


def test_letters_that_a_tokenizer_lacks_are_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    computed = {"el": {"path": "packed tree", "unknown_token_share": 0.3456}, "en": {}}
    print_scores(ScoreResult(tmp_path, (), {**MANIFEST, "computed": computed}))
    said = "".join(capsys.readouterr())
    assert "el: 34.6 % of the tokens stand for letters or words that the model's tokenizer" in said
    assert "en:" not in said
