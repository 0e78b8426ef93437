"""Engine `recorded`: byte-exact look-up, missing texts, and every bad file refused."""

import hashlib
from pathlib import Path

import pytest

from corpus.errors import Fault, InputError, SettingsError
from engines.recorded import MissingTranslationsError, RecordedEngine, load_recorded
from engines.translation import TranslationEngine, TranslationRequest, TranslationResponse

HEADER = b"source,translation\n"


def write(folder: Path, rows: bytes, name: str = "own_sk.csv", header: bytes = HEADER) -> Path:
    path = folder / name
    path.write_bytes(header + rows)
    return path


def refuse(*paths: Path, language: str | None = None) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        load_recorded(paths, language=language)
    return caught.value.faults


def answer(engine: TranslationEngine, *texts: str, language: str = "sk") -> list[str | None]:
    requests = [TranslationRequest(text, language) for text in texts]
    return [response.text for chunk in engine.translate(requests) for response in chunk]


def test_looks_up_byte_by_byte_and_answers_in_nfc(tmp_path: Path) -> None:
    rows = "I'm here.,Som s\u030ct.\n".encode() + b'"The man said, ""I.""",M\n'
    engine = load_recorded([write(tmp_path, rows)], missing="skip")
    assert answer(engine, "I'm here.", "I’m here.", "I'm here. ") == ["Som \u0161t.", None, None]
    assert answer(engine, 'The man said, "I."') == ["M"]


def test_missing_texts_are_answered_with_a_reason_under_skip(tmp_path: Path) -> None:
    engine = load_recorded([write(tmp_path, b"a,A\n")], missing="skip")
    request = TranslationRequest("b", "sk")
    (chunk,) = engine.translate([request])
    assert chunk == [TranslationResponse(request, None, "not_translated")]


def test_missing_texts_are_all_listed_and_nothing_is_answered(tmp_path: Path) -> None:
    path = write(tmp_path, b"t7,A\n")
    engine = load_recorded([path])
    requests = [TranslationRequest(f"t{n}", "sk", row=n + 2) for n in range(1000)]
    with pytest.raises(MissingTranslationsError) as caught:
        engine.translate(requests)
    assert len(caught.value.faults) == 999
    assert caught.value.faults[7].problem == "no row with source 't8' (source row 10)"
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("999 of the texts to translate have no recorded translation")
    assert str(path) in lines[1]
    assert lines[-1] == "… and 949 more."
    assert len(lines) == 52


def test_a_language_without_a_file_is_missing(tmp_path: Path) -> None:
    engine = load_recorded([write(tmp_path, b"a,A\n")])
    with pytest.raises(MissingTranslationsError, match=r"no file for language 'pl'"):
        answer(engine, "a", language="pl")


def test_answers_come_in_chunks_and_in_order(tmp_path: Path) -> None:
    rows = b"".join(b"t%d,T%d\n" % (n, n) for n in range(450))
    engine = load_recorded([write(tmp_path, rows)])
    chunks = list(engine.translate([TranslationRequest(f"t{n}", "sk") for n in range(450)]))
    assert [len(chunk) for chunk in chunks] == [200, 200, 50]
    assert [r.text for chunk in chunks for r in chunk] == [f"T{n}" for n in range(450)]


def test_several_files_and_languages(tmp_path: Path) -> None:
    paths = [
        write(tmp_path, b"a,A\nb,B\n", "one_sk.csv"),
        write(tmp_path, b"b,B\nc,C\n", "two_sk.csv"),
        write(tmp_path, b"a,P\n", "one_pl.csv"),
    ]
    engine = load_recorded(paths)
    assert answer(engine, "a", "b", "c") == ["A", "B", "C"]
    assert answer(engine, "a", language="pl") == ["P"]
    assert engine.model == "one_pl.csv+one_sk.csv+two_sk.csv"
    assert load_recorded(paths[::-1]).version == engine.version


def test_version_follows_content_and_language_not_the_folder(tmp_path: Path) -> None:
    (tmp_path / "moved").mkdir()
    first = load_recorded([write(tmp_path, b"a,A\n")])
    moved = load_recorded([write(tmp_path / "moved", b"a,A\n")])
    changed = load_recorded([write(tmp_path / "moved", b"a,B\n")])
    assert (first.model, first.version) == (moved.model, moved.version)
    assert changed.version != first.version
    digest = hashlib.sha256(HEADER + b"a,A\n").hexdigest()
    assert first.version == hashlib.sha256(f'["sk {digest}"]'.encode()).hexdigest()[:12]


def test_language_can_be_given(tmp_path: Path) -> None:
    engine = load_recorded([write(tmp_path, b"a,A\n", "export.csv")], language="uk")
    assert answer(engine, "a", language="uk") == ["A"]


def test_language_of_a_file_that_says_none(tmp_path: Path) -> None:
    plain = write(tmp_path, b"a,A\n", "export.csv")
    named = write(tmp_path, b"a,B\n", "export_sk.csv")
    engine = load_recorded([plain, named], unsaid="uk")
    assert answer(engine, "a", language="uk") == ["A"]
    assert answer(engine, "a", language="sk") == ["B"]
    with pytest.raises(InputError, match="give one language"):
        load_recorded([plain])


def test_tells_whether_anything_wrapped_is_there(tmp_path: Path) -> None:
    engine: RecordedEngine = load_recorded([write(tmp_path, b"I.,J\nThe man said: I.,M\n")])
    assert engine.holds_wrapped("sk", ["The woman said: I.", "The man said: I."])
    assert not engine.holds_wrapped("sk", ["The woman said: I."])
    assert not engine.holds_wrapped("pl", ["The man said: I."])


def test_costs_nothing(tmp_path: Path) -> None:
    estimate = load_recorded([write(tmp_path, b"a,A\n")]).estimate_cost([])
    assert (estimate.requests, estimate.characters, estimate.amount) == (0, 0, 0.0)


def test_all_faults_of_all_files_at_once(tmp_path: Path) -> None:
    paths = [
        write(tmp_path, b"a,\n,B\nc,\xff\nd,D,E\n", "one_sk.csv"),
        write(tmp_path, b"a,A\n", "two_sk.csv", header=b"text,translation\n"),
        write(tmp_path, b"a,A\n", "three_xx.csv"),
        write(tmp_path, b"a,A\n", "four.csv"),
        tmp_path / "five_sk.csv",
    ]
    found = [(Path(f.file).name, f.row, f.field, f.problem) for f in refuse(*paths)]
    assert [entry[:3] for entry in found] == [
        ("one_sk.csv", 4, None),
        ("one_sk.csv", 5, None),
        ("one_sk.csv", 2, "translation"),
        ("one_sk.csv", 3, "source"),
        ("two_sk.csv", 1, None),
        ("three_xx.csv", None, "xx"),
        ("four.csv", None, None),
        ("five_sk.csv", None, None),
    ]
    assert "missing column 'source'; unknown column 'text'" in found[4][3]
    assert found[5][3] == "unknown language code"


def test_two_translations_of_one_source_name_both_rows(tmp_path: Path) -> None:
    first = write(tmp_path, b"a,A\na,A\na,B\n", "one_sk.csv")
    second = write(tmp_path, b"a,C\n", "two_sk.csv")
    faults = refuse(first, second)
    assert [(fault.file, fault.row) for fault in faults] == [(str(first), 4), (str(second), 2)]
    assert all(f"{first}:2" in fault.problem for fault in faults)


def test_bad_settings(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="at least one CSV or TMX"):
        load_recorded([])
    with pytest.raises(SettingsError, match="'drop'; use refuse or skip"):
        load_recorded([write(tmp_path, b"a,A\n")], missing="drop")  # type: ignore[arg-type]
    assert refuse(write(tmp_path, b"a,A\n"), language="xx")[0].problem == "unknown language code"


@pytest.mark.parametrize(("text", "reason"), [(None, None), ("a", "not_translated")])
def test_a_response_has_a_text_or_a_reason(text: str | None, reason: str | None) -> None:
    with pytest.raises(ValueError, match="text or a reason"):
        TranslationResponse(TranslationRequest("a", "sk"), text, reason)


@pytest.mark.data
@pytest.mark.parametrize(
    ("language", "rows", "wrapped"),
    [("sk", 11127, True), ("pl", 3784, False), ("uk", 3783, False), ("hr", 3783, False)],
)
def test_google_files_load_and_only_slovak_is_wrapped(
    data_dir: Path, language: str, rows: int, wrapped: bool
) -> None:
    """Row counts of the files themselves, counted with csv.DictReader."""
    engine = load_recorded([data_dir / "translations" / f"google_{language}.csv"])
    texts = engine.translations[language].texts
    assert len(texts) == rows
    sent = [f'The man said: "{text}"' for text in texts]
    assert engine.holds_wrapped(language, sent) is wrapped
