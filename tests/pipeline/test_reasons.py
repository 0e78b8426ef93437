"""Every reason code and every flag has a plain sentence; a new one without it fails here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline import reasons
from pipeline.flags import FLAGS
from pipeline.reasons import REASONS
from pipeline.red_flags import MEANINGS, PREFIX

ROOT = Path(__file__).resolve().parents[2]
CODES = {
    name: value for name, value in vars(reasons).items() if name.isupper() and name != "REASONS"
}
FLAG = re.compile(r'^([A-Z_]+_FLAG)\b[^=\n]*= "([a-z_]+)"', re.MULTILINE)
RED_FLAG = re.compile(r'^([A-Z_]+) = "([a-z_]+)"', re.MULTILINE)


def modules() -> Iterator[Path]:
    for package in ("corpus", "engines", "pipeline"):
        yield from sorted((ROOT / package).rglob("*.py"))


def test_every_reason_has_a_sentence() -> None:
    assert set(CODES.values()) == set(REASONS)


def test_no_module_gives_a_reason_that_is_not_in_the_list() -> None:
    used = {
        name
        for path in modules()
        for name in re.findall(r"\breasons\.([A-Z_]+)\b", path.read_text(encoding="utf-8"))
    }
    assert len(used) >= 15
    assert used - {"REASONS"} <= set(CODES)


def test_every_flag_has_a_sentence() -> None:
    found = {
        value for path in modules() for _, value in FLAG.findall(path.read_text(encoding="utf-8"))
    }
    assert {"repaired", "derived", "object_gender"} <= found
    assert found <= set(FLAGS)
    source = (ROOT / "pipeline" / "red_flags.py").read_text(encoding="utf-8")
    red = {value for _, value in RED_FLAG.findall(source)}
    assert set(MEANINGS) <= red
    assert {f"{PREFIX}{code}" for code in MEANINGS} <= set(FLAGS)


@pytest.mark.parametrize("meanings", [REASONS, FLAGS], ids=["reasons", "flags"])
def test_sentences_are_plain_and_tell_codes_apart(meanings: dict[str, str]) -> None:
    assert len(set(meanings.values())) == len(meanings)
    for code, sentence in meanings.items():
        assert len(sentence.split()) >= 4, code
        assert "_" not in sentence, code
        assert sentence != code.replace("_", " ")
