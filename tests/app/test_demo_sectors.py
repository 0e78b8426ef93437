"""The demonstration's masked model: made up, said so, and shown on page Sectors."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import open_page, said

from app.demo.script import CURATOR
from app.demo.sectors import LANGUAGES, MODEL_NAME, score_sectors_of_demo
from app.session import open_session
from corpus.workspace import init_workspace


def test_a_model_made_on_the_spot_is_scored_once_and_shown_as_no_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace = init_workspace(tmp_path / "demo", "Demonstration")
    with open_session(workspace.path, CURATOR) as session:
        result = score_sectors_of_demo(session)
        shards = {f: f.stat().st_mtime_ns for f in workspace.path.glob("results/**/*.parquet")}
        again = score_sectors_of_demo(session)
    assert again == result
    assert all(file.stat().st_mtime_ns == written for file, written in shards.items())
    assert sorted(file.relative_to(workspace.results).parts[0] for file in shards) == [
        *["occupations"] * len(LANGUAGES),
        *["sectors"] * len(LANGUAGES),
    ]
    printed = capsys.readouterr()
    assert "Control: occupations with tiny-random-masked-model" in printed.out
    assert "random weights, made here" in printed.err
    assert "A demonstration, not a finding" in printed.err
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(workspace.path))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", CURATOR)
    app = open_page("sectors")
    assert not app.exception
    assert "A demonstration, not a finding." in [each.value for each in app.warning]
    assert set(app.dataframe[0].value.model) == {MODEL_NAME}
    assert "0 of 4536 sentences seen by a human" in said(app)
