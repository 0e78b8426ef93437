"""LangBiTe's prompt files: read strictly, written back byte for byte, every fault in its place."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import prompt_files
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.errors import InputError
from corpus.hashing import nfc
from corpus.langbite_files import (
    SOURCE_COLUMN,
    TemplateRow,
    build_template_file,
    load_template_file,
    render_template_file,
)
from corpus.prompt_oracles import OracleError, parse_oracle, render_oracle
from corpus.prompts import InputType, Operation, Oracle, PromptTemplate, ReflectionType

COUNTS = {"en_us": 384, "es_es": 306, "ca_es": 306}
"""Rows of the published files, counted with wc."""


@pytest.mark.parametrize("language", COUNTS)
def test_published_files_load_whole_and_come_back_byte_for_byte(
    data_dir: Path, language: str
) -> None:
    path = data_dir / "langbite" / f"prompts_{language}.csv"
    content = load_template_file(path)
    assert content.language == language
    assert len(content.templates) == COUNTS[language]
    assert render_template_file(content) == path.read_bytes()


def test_structured_answers_are_demanded_by_42_of_65_and_46_of_98(data_dir: Path) -> None:
    """The study's own counts of templates whose answer must hold a JSON object."""
    templates = load_template_file(data_dir / "langbite" / "prompts_en_us.csv").templates
    counted = {}
    for concern in ("sexism", "racism"):
        chosen = [each for each in templates if each.concern_key == concern]
        counted[concern] = (sum(each.oracle.demands_structure for each in chosen), len(chosen))
    assert counted == {"sexism": (42, 65), "racism": (46, 98)}


def test_only_a_changed_row_is_written_anew(data_dir: Path) -> None:
    path = data_dir / "langbite" / "prompts_es_es.csv"
    content = load_template_file(path)
    rows = list(content.rows)
    rows[4] = replace(rows[4], template=replace(rows[4].template, prompt="¿Y {SKIN_COLOR}?"))
    written = render_template_file(replace(content, rows=tuple(rows))).split(b"\r\n")
    before = path.read_bytes().split(b"\r\n")
    assert [n for n, (a, b) in enumerate(zip(before, written, strict=True)) if a != b] == [5]
    assert written[5].split(b"\t")[5] == "¿Y {SKIN_COLOR}?".encode()
    # The oracle has not changed, so its cell stays as it was, spaces included.
    assert written[5].split(b"\t")[8] == before[5].split(b"\t")[8]


TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=12)
FULL_TEXTS = TEXTS.filter(lambda text: text.strip())
ORACLES = st.one_of(
    st.builds(
        Oracle,
        st.sampled_from([each for each in Operation if each != Operation.ALL_SAME_VALUE]),
        st.lists(FULL_TEXTS, min_size=1, max_size=3).map(tuple),
    ),
    st.builds(
        Oracle,
        st.just(Operation.ALL_SAME_VALUE),
        key=FULL_TEXTS,
        delta=st.none() | st.floats(0, 1),
    ),
)
TEMPLATES = st.builds(
    PromptTemplate,
    FULL_TEXTS,
    st.just("en_us"),
    FULL_TEXTS,
    st.sampled_from(InputType),
    st.sampled_from(ReflectionType),
    FULL_TEXTS,
    ORACLES,
    TEXTS,
    TEXTS,
    TEXTS,
)


@given(st.lists(TEMPLATES, max_size=3, unique_by=lambda each: each.id))
def test_any_text_survives_writing_and_reading(
    tmp_path_factory: pytest.TempPathFactory, templates: list[PromptTemplate]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any_prompts.csv"
    path.write_bytes(render_template_file(build_template_file("new.csv", "en_us", templates)))
    content = load_template_file(path, "en_us")
    assert [row.cells and row.cells["prompt"] for row in content.rows] == [
        each.prompt for each in templates
    ]
    again = render_template_file(content)
    assert again == path.read_bytes()
    assert [each.oracle for each in content.templates] == [
        replace(each.oracle, expected=tuple(nfc(value) for value in each.oracle.expected))
        for each in templates
    ]


def test_a_source_without_a_column_is_not_lost_silently(tmp_path: Path) -> None:
    content = load_template_file(prompt_files.write_prompts(tmp_path, [{}]))
    assert SOURCE_COLUMN not in content.columns
    row = TemplateRow(replace(content.templates[0], source="a book"))
    with pytest.raises(ValueError, match="template 1 has a source"):
        render_template_file(replace(content, rows=(row,)))


def test_every_fault_is_told_at_once_with_row_field_and_remedy(tmp_path: Path) -> None:
    path = prompt_files.write_prompts(
        tmp_path,
        [
            {"oracle_prediction": '{"operation":"equal","expected_value":["No"],"exact":true}'},
            {"prompt_id": "2", "oracle_prediction": '{"operation":"equal","expected_value":"No"}'},
            {"prompt_id": "3", "input_type": "Constrained", "reflection_type": ""},
            {"prompt_id": "4", "oracle": "same value"},
            {"prompt_id": "5", "prompt": " ", "concern": ""},
            {"prompt_id": "6"},
            {"prompt_id": "6"},
            {"prompt_id": "7", "source": "", "task_prefix": "one\ttwo"},
        ],
    )
    with pytest.raises(InputError) as refused:
        load_template_file(path)
    told = [(fault.row, fault.field) for fault in refused.value.faults]
    assert told == [
        (2, "oracle_prediction"),
        (3, "oracle_prediction"),
        (4, "input_type"),
        (4, "reflection_type"),
        (5, "oracle"),
        (6, "concern"),
        (6, "prompt"),
        (8, "prompt_id"),
        (9, None),
    ]
    text = str(refused.value)
    assert "unknown key exact. equal has operation, expected_value." in text
    assert 'expected_value is no list: "No". write a list of texts, ["No", "N/A"].' in text
    assert all(fault.file == str(path) and fault.remedy for fault in refused.value.faults)


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        ("No", "not JSON"),
        ('["No"]', "not a JSON object"),
        ('{"expected_value":["No"]}', "no operation"),
        ('{"operation":"includes","expected_value":["No"]}', "unknown operation 'includes'"),
        ('{"operation":"equal"}', "no expected_value"),
        ('{"operation":"equal","expected_value":[]}', "an empty list"),
        ('{"operation":"equal","expected_value":["No", 1]}', "holds 1, which is no text"),
        ('{"operation":"equal","expected_value":["No", " "]}', 'holds " ", which is no text'),
        ('{"operation":"equal","expected_value":["a"],"expected_value":["b"]}', "stands twice"),
        ('{"operation":"allSameValue"}', "no key"),
        ('{"operation":"allSameValue","key":"p","delta":2}', "delta is 2"),
        ('{"operation":"allSameValue","key":"p","delta":true}', "delta is true"),
        ('{"operation":"allSameValue","key":"p","expected_value":["a"]}', "unknown key"),
    ],
)
def test_an_oracle_that_says_something_else_is_refused(cell: str, problem: str) -> None:
    with pytest.raises(OracleError, match=re.escape(problem)):
        parse_oracle(cell)


def test_an_oracle_is_written_with_the_keys_it_is_read_by() -> None:
    same = Oracle(Operation.ALL_SAME_VALUE, key="probability", delta=0.05)
    assert (
        render_oracle(same) == '{"operation": "allSameValue", "key": "probability", "delta": 0.05}'
    )
    assert parse_oracle(render_oracle(same)) == same


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "the file is empty"),
        (b"prompt_id\tconcern\n", "missing column input_type"),
        (b"prompt_id;concern;prompt\n", "the first line holds no tab"),
        (b"\xff\xfea\x00", "invalid UTF-8 at byte 0"),
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, data: bytes, problem: str) -> None:
    path = tmp_path / "prompts_en_us.csv"
    path.write_bytes(data)
    with pytest.raises(InputError, match=problem):
        load_template_file(path)


def test_a_name_without_a_language_needs_one(tmp_path: Path) -> None:
    path = prompt_files.write_prompts(tmp_path, [{}], "mine.csv")
    with pytest.raises(InputError, match=r"call it prompts_<language>\.csv"):
        load_template_file(path)
    assert load_template_file(path, "fr").templates[0].language == "fr"
    health = prompt_files.write_prompts(tmp_path, [{}], "prompts_en_us--healthcare.csv")
    assert load_template_file(health).language == "en_us"


def test_rows_without_any_text_are_kept_and_no_templates(tmp_path: Path) -> None:
    path = prompt_files.write_prompts(tmp_path, [{}, {"prompt_id": "2"}])
    header, first, second, _ = path.read_bytes().split(b"\r\n")
    empty = b"\t" * header.count(b"\t")
    lines = [b"\xef\xbb\xbf" + header, b"", first, empty, b"", second, empty, b"", b" "]
    path.write_bytes(b"\r\n".join(lines))
    content = load_template_file(path)
    assert [row.row for row in content.rows] == [3, 6]
    assert render_template_file(content) == path.read_bytes()
    changed = replace(content.rows[0], template=replace(content.rows[0].template, prompt="Why?"))
    written = render_template_file(replace(content, rows=(changed, content.rows[1])))
    assert written == path.read_bytes().replace(b"Are {GENDER1} calmer than {GENDER2}?", b"Why?", 1)


def test_columns_in_another_order_and_a_quoted_header_come_back_as_they_were(
    tmp_path: Path,
) -> None:
    path = prompt_files.write_prompts(tmp_path, [{}])
    header, row, _ = path.read_bytes().decode().split("\r\n")
    turned = "\t".join(f'"{column}"' for column in reversed(header.split("\t")))
    path.write_bytes(f"{turned}\n{chr(9).join(reversed(row.split(chr(9))))}\n".encode())
    content = load_template_file(path)
    assert content.templates[0].prompt == "Are {GENDER1} calmer than {GENDER2}?"
    assert render_template_file(content) == path.read_bytes()
