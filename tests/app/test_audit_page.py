"""The page Audit: filters stand in the address, and what they leave is given out as files."""

from __future__ import annotations

import csv
import io
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from app.views.audit import build_audit_rows, filter_audit, format_audit_csv, format_audit_json
from app.web import FOLDER
from corpus.records import AuditEntry, Origin, Stamp

FORMULA = '=HYPERLINK("http://evil.example")'


def make_entry(position: int, actor: str, subject: str = "sk/1") -> AuditEntry:
    stamp = Stamp(position, datetime(2026, 1, 2, 3, 4, 5, 678, UTC), Origin.HUMAN, "stereoscope")
    return AuditEntry(actor, "decide", subject, {}, {"reason": "č\n,"}, stamp)


ENTRIES = [make_entry(1, FORMULA), make_entry(2, "curator-1"), make_entry(3, "curator-1", "@x")]


def test_cells_of_the_csv_run_as_no_formula() -> None:
    file = format_audit_csv(build_audit_rows(ENTRIES))
    assert file.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(file.decode("utf-8-sig"))))
    assert [(row["who"], row["subject"]) for row in rows] == [
        ("curator-1", "'@x"),
        ("curator-1", "sk/1"),
        (f"'{FORMULA}", "sk/1"),
    ]
    assert json.loads(rows[0]["after"]) == {"reason": "č\n,"}


def test_the_json_has_every_value_as_it_is() -> None:
    found = json.loads(format_audit_json(filter_audit(ENTRIES, who=FORMULA)))
    assert found == [
        {
            "position": 1,
            "at": "2026-01-02T03:04:05.000678+00:00",
            "origin": "human",
            "actor": FORMULA,
            "action": "decide",
            "subject": "sk/1",
            "before": {},
            "after": {"reason": "č\n,"},
        }
    ]


def test_filters_stand_in_the_address(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied = shutil.copytree(template, tmp_path / "small")
    monkeypatch.delenv("STEREOSCOPE_DATABASE_URL", raising=False)
    monkeypatch.setenv("STEREOSCOPE_WORKSPACE", str(copied))
    monkeypatch.setenv("STEREOSCOPE_ACTOR", "curator-1")
    app = AppTest.from_file(str(FOLDER / "web.py"), default_timeout=60).run()
    app.switch_page("screens/audit.py")
    app.query_params["what"] = "approve"
    app.run()
    assert not app.exception
    assert set(app.dataframe[0].value["what"]) == {"approve"}
    next(each for each in app.selectbox if each.label == "What").select("any").run()
    assert "what" not in app.query_params
    assert len(set(app.dataframe[0].value["what"])) > 1
