"""Marks spelled with other characters: read as marks, kept as written."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.extraction import extract_sentence
from pipeline.mark_spellings import read_marks


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("&quot;a&quot;", '"a"'),
        ("& quot;a&# 39;", "\"a'"),
        ("&amp;quot;a&#34;", '"a"'),
        ("&laquo;&nbsp;a&nbsp;&raquo;", "«\u00a0a\u00a0»"),
        ("&#x201E;a&#8220;", "„a“"),
        (",,a''", '„a"'),
        ("``a''", '“a"'),
        ("''a''", '"a"'),
        ("''s Nachts'", "''s Nachts'"),
        ("<<a>>", "«a»"),
        ("a\u200bb\ufeff", "ab"),
        ("R&D; a & b; AT&T", "R&D; a & b; AT&T"),
        ("1,,2 a,, b", "1„2 a,, b"),
    ],
)
def test_reading(written: str, read: str) -> None:
    assert read_marks(written).text == read


@given(st.text(st.sampled_from("ab &;#39qut'`,<>\u200b"), max_size=40))
def test_what_was_written_is_found_again(written: str) -> None:
    reading = read_marks(written)
    whole = reading.find_written(0, len(reading.text))
    # Only what reads as nothing may be missing, at the ends.
    assert whole in written
    assert read_marks(whole).text == reading.text or "''" in written


@given(
    st.text(st.sampled_from("abc \"'«»éž.,"), max_size=20),
    st.sampled_from(['"', "«»", "„“"]),
    st.booleans(),
)
def test_entities_are_found_like_marks_and_stay_as_they_are(
    words: str, style: str, escape_outer: bool
) -> None:
    sentence = f"Mám {words} rád"
    plain = extract_sentence(f"Muž povedal: {style[0]}{sentence}{style[-1]}", "sk")
    marks = escape_marks if escape_outer else str
    wrapped = f"Muž povedal: {marks(style[0])}{escape_marks(sentence)}{marks(style[-1])}"
    found = extract_sentence(wrapped, "sk")
    assert found.how == plain.how
    assert html.unescape(found.text or "") == (plain.text or "")
    assert found.text is None or found.text in wrapped


def escape_marks(text: str) -> str:
    names = {'"': "&quot;", "'": "&#39;", "«": "&laquo;", "»": "&raquo;", "„": "&bdquo;"}
    return "".join({**names, "“": "&ldquo;", "é": "&eacute;"}.get(each, each) for each in text)
