"""Stored translations from and to files: exact texts, checked as a whole before anything counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from corpus.drafts import write_file
from corpus.errors import Fault, InputError, SettingsError
from corpus.hashing import unstorable
from corpus.records import Translation
from corpus.store.state import State
from engines.translation_files import TranslationRow, build_translation_file, load_translation_file

ENDINGS = (".csv", ".tmx")
NEEDED = ("engine", "model", "version")


def load_imports(
    state: State,
    paths: Sequence[Path],
    given: Mapping[str, str | None],
    language: str | None = None,
) -> list[Translation]:
    """The translations of these files, checked against one another and what is stored.

    Args:
        state: what is stored.
        paths: CSV or TMX files.
        given: engine, model and version where the files do not name them.
        language: language of all rows; by default what the files say.

    Raises:
        InputError: with every fault of every file.
    """
    _refuse_unstorable(given)
    faults: list[Fault] = []
    rows: list[TranslationRow] = []
    for path in paths:
        try:
            read = load_translation_file(path, language)
        except InputError as error:
            faults += error.faults
            continue
        faults += read.faults
        rows += read.rows
    made: list[tuple[TranslationRow, Translation]] = []
    for row in rows:
        found = list(_check_origin(row, given))
        faults += found
        if not found:
            made.append((row, _translation(row, given)))
    faults += _find_conflicts(state, made)
    if faults:
        raise InputError(faults)
    return list({each.key: each for _, each in made}.values())


def _refuse_unstorable(given: Mapping[str, str | None]) -> None:
    for name, value in given.items():
        if value is not None and (unstorable(value) or value != value.strip()):
            raise SettingsError(f"--{name} must have no spaces around it and no odd characters.")


def _check_origin(row: TranslationRow, given: Mapping[str, str | None]) -> Iterator[Fault]:
    for name in NEEDED:
        said, option = getattr(row, name), given.get(name)
        if not said and not option:
            problem = f"nothing says which {name} translated it"
            yield Fault(row.file, row.row, name, problem, f"give --{name} or fill it in")
        elif said and option and said != option:
            problem = f"the file says {said!r}, and --{name} says {option!r}"
            yield Fault(row.file, row.row, name, problem, f"leave --{name} out or correct the file")


def _translation(row: TranslationRow, given: Mapping[str, str | None]) -> Translation:
    engine, model, version = (getattr(row, name) or given.get(name) or "" for name in NEEDED)
    return Translation(row.source, row.language, engine, model, version, row.translation)


def _find_conflicts(
    state: State, made: Sequence[tuple[TranslationRow, Translation]]
) -> Iterator[Fault]:
    """One fault for each row that says something else than the store or an earlier row."""
    stored = state.translations(each.key for _, each in made)
    first: dict[str, tuple[TranslationRow, Translation]] = {}
    for row, each in made:
        known = stored.get(each.key)
        where = "is stored"
        if known is None:
            earlier, known = first.setdefault(each.key, (row, each))
            where = f"is in {earlier.file}:{earlier.row}"
        if known.text != each.text:
            problem = f"another translation of {row.source!r} by the same engine {where}"
            remedy = "delete the row, or import it with another version"
            yield Fault(row.file, row.row, "translation", problem, remedy)


def write_translations(translations: Sequence[Translation], path: Path) -> None:
    """Writes a CSV or TMX file that imports as these translations.

    Raises:
        SettingsError: if the file's ending is neither.
        InputError: if a text cannot stand in that format.
        StateError: if the file cannot be written.
    """
    if path.suffix.lower() not in ENDINGS:
        raise SettingsError(f"{path} ends in neither .csv nor .tmx; name the file by its format.")
    rows = [
        TranslationRow(
            file=str(path),
            row=number,
            language=each.language,
            source=each.text_sent,
            translation=each.text,
            engine=each.engine,
            model=each.model,
            version=each.version,
        )
        for number, each in enumerate(translations, start=2)
    ]
    content = build_translation_file(rows, path)
    write_file(path, content)
