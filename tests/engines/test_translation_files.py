"""Files of translations, CSV and TMX: read back as written, and every bad one refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.errors import Fault, InputError
from corpus.hashing import nfc
from engines.recorded import load_recorded
from engines.translation import TranslationRequest
from engines.translation_files import (
    TranslationRow,
    build_translation_file,
    load_translation_file,
)

HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4"><header srclang="en"/><body>\n'
END = "</body></tmx>\n"


def unit(source: str, *targets: tuple[str, str]) -> str:
    variants = "".join(
        f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>'
        for code, text in [("en-GB", source), *targets]
    )
    return f"<tu>{variants}</tu>\n"


def write(folder: Path, content: str | bytes, name: str = "made.tmx") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def faults_of(path: Path) -> tuple[Fault, ...]:
    try:
        return load_translation_file(path).faults
    except InputError as error:
        return error.faults


def texts_of(path: Path) -> list[tuple[str, str, str]]:
    read = load_translation_file(path)
    assert read.faults == ()
    return [(each.language, each.source, each.translation) for each in read.rows]


def test_reads_all_languages_of_a_tmx(tmp_path: Path) -> None:
    body = unit('"I" &amp; <![CDATA[<b>me</b>]]> ', ("sk-SK", " „Ja“ &#38; s\u030c"), ("PL", "P"))
    path = write(tmp_path, HEADER + body + unit("Two", ("pt_BR", "Dois")) + END)
    assert texts_of(path) == [
        ("sk", '"I" & <b>me</b> ', " „Ja“ & š"),
        ("pl", '"I" & <b>me</b> ', "P"),
        ("pt", "Two", "Dois"),
    ]
    assert [each.row for each in load_translation_file(path).rows] == [3, 3, 4]


def test_recorded_answers_from_a_tmx(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + unit("I run.", ("sk", "Bežím."), ("pl", "Biegnę.")) + END)
    engine = load_recorded([path])
    requests = [TranslationRequest("I run.", code) for code in ("pl", "sk")]
    (answers,) = engine.translate(requests)
    assert [each.text for each in answers] == ["Biegnę.", "Bežím."]
    assert engine.model == "made.tmx"


def test_two_translations_of_one_text_in_a_tmx_name_both_lines(tmp_path: Path) -> None:
    body = unit("I run.", ("sk", "Bežím.")) * 2 + unit(
        "I run.", ("sk", "Utekám."), ("pl", "Biegnę.")
    )
    path = write(tmp_path, HEADER + body + END)
    with pytest.raises(InputError) as caught:
        load_recorded([path])
    [fault] = caught.value.faults
    assert (fault.row, fault.field) == (5, "translation")
    assert fault.problem == f"another translation of 'I run.' is in {path}:3"


def test_utf_16_and_a_document_type_are_fine(tmp_path: Path) -> None:
    document = '<?xml version="1.0" encoding="UTF-16"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n'
    document += "<tmx><body>" + unit("I", ("sk", "Ja")) + "</body></tmx>"
    assert texts_of(write(tmp_path, document.encode("utf-16"))) == [("sk", "I", "Ja")]


NOT_TMX = {
    "cut off": (HEADER + unit("a", ("sk", "b")), 4, "not well-formed XML (no element found)"),
    "tag": (HEADER + "<tu><tuv></tu>" + END, 3, "not well-formed XML (mismatched tag)"),
    "ampersand": (HEADER + "\n" + unit("a & b") + END, 4, "not well-formed XML (not well-formed"),
    "two roots": (HEADER + END + "<tmx/>", 4, "not well-formed XML (junk after document element)"),
    "empty": ("", 1, "not well-formed XML (no element found)"),
    "no XML": ("source,translation\na,b\n", 1, "not well-formed XML"),
    "bad UTF-8": (HEADER.encode() + b"\n<tu>\xff</tu>", 4, "not well-formed XML (not well-formed"),
    "unknown entity": (HEADER + unit("a &nbsp; b") + END, 3, "not well-formed XML (undefined"),
    "surrogate": (HEADER + unit("&#xD800;") + END, 3, "not well-formed XML (reference to invalid"),
    "encoding": ('<?xml version="1.0" encoding="x-made"?><tmx/>', 1, "not "),
    "another root": ("<html><body/></html>", 1, "the file is no TMX: its root element is 'html'"),
}


@pytest.mark.parametrize("kind", NOT_TMX)
def test_a_file_that_is_no_tmx_is_one_fault_with_its_line(tmp_path: Path, kind: str) -> None:
    content, row, problem = NOT_TMX[kind]
    path = write(tmp_path, content)
    (fault,) = faults_of(path)
    assert (fault.file, fault.row) == (str(path), row)
    assert fault.problem.startswith(problem)
    with pytest.raises(InputError):
        load_recorded([path])


def test_declared_entities_are_refused_and_nothing_outside_is_read(tmp_path: Path) -> None:
    secret = write(tmp_path, "secret", "secret.txt")
    bomb = '<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">'
    for declared in (bomb, f'<!ENTITY a SYSTEM "{secret}">', '<!ENTITY % p SYSTEM "p.dtd"> %p;'):
        document = (
            f"<!DOCTYPE tmx [{declared}]>\n<tmx><body>{unit('&a;', ('sk', 'x'))}</body></tmx>"
        )
        path = write(tmp_path, document)
        (fault,) = faults_of(path)
        assert fault.problem.startswith("it declares the entity")
        assert fault.row == 1


def test_an_entity_of_an_outside_file_is_a_fault_and_never_a_gap(tmp_path: Path) -> None:
    body = unit("a &gap; b", ("sk", "x"))
    document = f'<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx><body>{body}</body></tmx>'
    (fault,) = faults_of(write(tmp_path, document))
    assert (fault.row, fault.problem) == (2, "entity 'gap' is not declared in the file")


def test_lists_all_faults_of_units(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        HEADER
        + unit("a", ("sk", "x <ph>y</ph>"))
        + '<tu><tuv xml:lang="sk"><seg>only Slovak</seg></tuv></tu>\n'
        + unit("b", ("en", "c"), ("sk", "y"))
        + unit("d", ("xx", "z"), ("sk", " "))
        + '<tu><tuv xml:lang="en"><seg>e</seg></tuv><tuv><seg>f</seg></tuv></tu>\n'
        + '<tu><tuv xml:lang="en"><seg>g</seg></tuv><tuv xml:lang="sk"></tuv></tu>\n'
        + END,
    )
    assert [(fault.row, fault.field, fault.problem) for fault in faults_of(path)] == [
        (3, "seg", "inline markup <ph> in a segment"),
        (4, "tu", "the unit does not have exactly one English text"),
        (5, "tu", "the unit does not have exactly one English text"),
        (6, "language", "unknown language code 'xx'"),
        (6, "translation", "empty"),
        (7, "language", "unknown language code ''"),
        (8, "translation", "empty"),
    ]


def test_a_language_given_must_be_that_of_the_rows(tmp_path: Path) -> None:
    tmx = write(tmp_path, HEADER + unit("a", ("sk", "b"), ("pl", "c")) + END)
    table = write(tmp_path, "source,translation,language\na,b,sk\na,c,pl\n", "made.csv")
    for path in (tmx, table):
        read = load_translation_file(path, "sk")
        assert [row.translation for row in read.rows] == ["b"]
        assert [fault.problem for fault in read.faults] == [
            "the file says 'pl', and 'sk' was given"
        ]
    assert [row.language for row in load_translation_file(table).rows] == ["sk", "pl"]


# What a file can hold: no NUL and no surrogate; XML forbids other control characters too.
texts = st.text(
    st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="\ufffe\uffff")
    | st.sampled_from("\n\r\t\"'<>&,")
).filter(str.strip)
names = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=6)


@given(
    drawn=st.lists(
        st.tuples(st.sampled_from(["sk", "pl"]), texts, texts.map(nfc), names, names, names)
    ),
    ending=st.sampled_from([".csv", ".tmx"]),
)
def test_what_is_written_reads_back(
    tmp_path_factory: pytest.TempPathFactory,
    drawn: list[tuple[str, str, str, str, str, str]],
    ending: str,
) -> None:
    path = tmp_path_factory.mktemp("round") / f"made{ending}"
    rows = [TranslationRow(str(path), 0, *each) for each in drawn]
    path.write_bytes(build_translation_file(rows, path))
    read = load_translation_file(path)
    assert read.faults == ()
    back = [(r.language, r.source, r.translation, r.engine, r.model, r.version) for r in read.rows]
    assert back == drawn


def test_what_xml_cannot_hold_is_refused_for_tmx_only(tmp_path: Path) -> None:
    row = TranslationRow("f", 1, "sk", "a\x0bb", "c\uffff")
    assert build_translation_file([row], tmp_path / "made.csv")
    with pytest.raises(InputError) as caught:
        build_translation_file([row], tmp_path / "made.tmx")
    assert [fault.field for fault in caught.value.faults] == ["source", "translation"]
    assert "U+000B" in caught.value.faults[0].problem
