"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from corpus.errors import SettingsError
from corpus.languages import Language
from corpus.languages import languages as find_languages
from corpus.prompt_languages import PromptLanguage, prompt_languages
from corpus.records import Instrument

WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        "-w",
        help="Folder of the study; else STEREOSCOPE_WORKSPACE, else the nearest one upward.",
        show_default=False,
    ),
]
ActorOption = Annotated[
    str | None,
    typer.Option("--as", help="Who acts; else STEREOSCOPE_ACTOR, else the log-in name."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Say what would be sent, spent or written; do nothing.")
]
InstrumentOption = Annotated[
    Instrument, typer.Option("--instrument", help="Which of the three studies' test kinds.")
]
LanguageOption = Annotated[str, typer.Option("--language", "-l", help="Language code, e.g. sk.")]
LanguagesOption = Annotated[
    str, typer.Option("--languages", "-l", help="Language codes with commas, e.g. en,es,sk.")
]

TranslationsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--translations", "-t", help="CSV or TMX of recorded translations; may be repeated."
    ),
]
MissingOption = Annotated[
    str, typer.Option("--missing", help="A text without recorded translation: refuse or skip.")
]
EngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine", help="recorded, google, transformers or chat; else the setting engine."
    ),
]
EngineModelOption = Annotated[
    str | None, typer.Option("--model", help="Name or path of the engine's model.")
]
ModelsOption = Annotated[
    Path | None, typer.Option("--models", help="TOML file of several models and their facts.")
]
RevisionOption = Annotated[
    str | None, typer.Option("--revision", help="Branch, tag or commit on the hub.")
]
DeviceOption = Annotated[str | None, typer.Option("--device", help="auto, cpu, cuda or mps.")]
DtypeOption = Annotated[str | None, typer.Option("--dtype", help="float32, bfloat16 or float16.")]
DemonstrationOption = Annotated[
    bool, typer.Option("--demonstration", help="Mark the figures as no finding.")
]
FormulaSafeOption = Annotated[
    bool,
    typer.Option(
        "--formula-safe", help="CSV: with an apostrophe before what a spreadsheet would run."
    ),
]
ByteOrderMarkOption = Annotated[
    bool, typer.Option("--byte-order-mark", help="CSV: with the mark that Excel knows UTF-8 by.")
]
ForSpreadsheetOption = Annotated[
    bool, typer.Option("--for-spreadsheet", help="Both: --formula-safe and --byte-order-mark.")
]


def choose_language(
    code: str, instrument: Instrument, origin: str = "--language"
) -> Language | PromptLanguage:
    """The language of this code that the instrument has.

    Args:
        code: ISO 639-1 code.
        instrument: Prompts are in languages that sentences are not in.
        origin: The option it comes from.

    Raises:
        InputError: if the code is unknown.
    """
    if instrument is Instrument.MLA_BITE:
        return prompt_languages([code], origin)[0]
    return find_languages([code], origin)[0]


def choose_codes(value: str, instrument: Instrument) -> list[str]:
    """The codes of `--languages` that the instrument has.

    Raises:
        SettingsError: if it names none.
        InputError: with every code that nobody knows.
    """
    if instrument is not Instrument.MLA_BITE:
        return [each.code for each in choose_languages(value)]
    return [each.code for each in prompt_languages(_split_codes(value), "--languages")]


def choose_languages(value: str) -> tuple[Language, ...]:
    """The languages of `--languages`.

    Raises:
        SettingsError: if it names none.
        InputError: with every code that nobody knows.
    """
    return find_languages(_split_codes(value), "--languages")


def _split_codes(value: str) -> list[str]:
    codes = split_list(value)
    if not codes:
        raise SettingsError("--languages names no language; write codes with commas, e.g. en,sk.")
    return codes


def split_list(value: str) -> list[str]:
    """The parts of a list with commas, without spaces and empty parts."""
    return [part.strip() for part in value.split(",") if part.strip()]
