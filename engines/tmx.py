"""TMX 1.4 files as translation rows, read without trusting them, and written.

Nothing outside the file is ever read and no entity may be declared in it. Text comes back as it
was written; inline markup in a segment is a fault, because the text under test is plain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from corpus.errors import Fault, InputError
from corpus.version import PRODUCT

SOURCE_LANGUAGE = "en"
PROPERTY = "x-stereoscope-"
"""Beginning of the types of our own `prop` elements: engine, model and version of a translation."""
KEPT_PROPERTIES = ("engine", "model", "version")
WELL_FORMED = "export the file again, or correct it in an editor that checks XML"


@dataclass(slots=True)
class TmxVariant:
    """One `tuv`: a language's text."""

    line: int
    language: str
    """Primary part of `xml:lang`, in lower case."""
    text: str | None = None
    """None without a `seg`."""
    properties: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class TmxUnit:
    """One `tu`: the same text in several languages."""

    line: int
    variants: list[TmxVariant] = field(default_factory=list)

    @property
    def source(self) -> TmxVariant | None:
        """The English text, if there is exactly one."""
        found = [each for each in self.variants if each.language == SOURCE_LANGUAGE]
        return found[0] if len(found) == 1 else None


def parse_tmx(data: bytes, file: str) -> tuple[list[TmxUnit], list[Fault]]:
    """The units of a TMX file and the faults of its units.

    Raises:
        InputError: if it is no XML, no TMX, or declares entities; nothing of it can be used then.
    """
    reader = _Reader(file)
    try:
        reader.parser.Parse(data, True)
    except expat.ExpatError as error:
        problem = f"not well-formed XML ({expat.ErrorString(error.code)})"
        raise InputError([Fault(file, error.lineno, None, problem, WELL_FORMED)]) from error
    except LookupError as error:  # an encoding that Python does not know
        problem = f"not readable XML ({error})"
        raise InputError([Fault(file, 1, None, problem, "save the file as UTF-8")]) from error
    return reader.units, reader.faults


class _Reader:
    """What the parser's events add up to."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.units: list[TmxUnit] = []
        self.faults: list[Fault] = []
        self._path: list[str] = []
        self._text: list[str] | None = None
        """Pieces of the segment or property being read."""
        self._property: str | None = None
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.EntityDeclHandler = self._refuse_entity
        self.parser.SkippedEntityHandler = self._skipped_entity

    def _fault(self, problem: str, remedy: str, field: str | None = None) -> Fault:
        return Fault(self.file, self.parser.CurrentLineNumber, field, problem, remedy)

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        if not self._path and name != "tmx":
            problem = f"the file is no TMX: its root element is {name!r}"
            raise InputError([self._fault(problem, "give a TMX 1.4 file")])
        if self._path[-1:] == ["seg"]:
            problem = f"inline markup <{name}> in a segment"
            self.faults.append(self._fault(problem, "export plain text without markup", "seg"))
        self._path.append(name)
        line = self.parser.CurrentLineNumber
        if name == "tu":
            self.units.append(TmxUnit(line))
        elif name == "tuv" and self.units:
            code = attributes.get("xml:lang", attributes.get("lang", ""))
            language = code.replace("_", "-").partition("-")[0].lower()
            self.units[-1].variants.append(TmxVariant(line, language))
        elif name == "seg":
            self._text = []
        elif name == "prop" and "tuv" in self._path:
            kind = attributes.get("type", "")
            if kind.removeprefix(PROPERTY) in KEPT_PROPERTIES and kind.startswith(PROPERTY):
                self._property, self._text = kind.removeprefix(PROPERTY), []

    def _end(self, name: str) -> None:
        self._path.pop()
        if name == "seg" and "tuv" in self._path and self._text is not None:
            self.units[-1].variants[-1].text = "".join(self._text)
            self._text = None
        elif name == "prop" and self._property is not None and self._text is not None:
            self.units[-1].variants[-1].properties[self._property] = "".join(self._text)
            self._property = self._text = None

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _refuse_entity(self, name: str, *_: Any) -> None:
        problem = f"it declares the entity {name!r}"
        raise InputError([self._fault(problem, "write the characters themselves")])

    def _skipped_entity(self, name: str, _: bool) -> None:
        problem = f"entity {name!r} is not declared in the file"
        self.faults.append(self._fault(problem, "write the character itself"))


@dataclass(frozen=True, slots=True)
class TmxTranslation:
    """What is written as one unit."""

    source: str
    language: str
    text: str
    properties: Mapping[str, str]


def build_tmx(translations: Iterable[TmxTranslation], file: Path) -> str:
    """A TMX 1.4 document of these translations, one unit each; the same ones give the same bytes.

    Raises:
        InputError: listing every text with a character that XML cannot hold.
    """
    product, version = PRODUCT.split(" ", 1) if " " in PRODUCT else (PRODUCT, PRODUCT)
    faults: list[Fault] = []
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<tmx version="1.4">',
        f"  <header creationtool={quoteattr(product)} creationtoolversion={quoteattr(version)} "
        'segtype="block" o-tmf="stereoscope" adminlang="en" srclang="en" datatype="plaintext"/>',
        "  <body>",
    ]
    for number, each in enumerate(translations, start=1):
        faults += _unwritable(each, number, file)
        lines.append("    <tu>")
        lines.append(f'      <tuv xml:lang="{SOURCE_LANGUAGE}">{_segment(each.source)}</tuv>')
        lines.append(f"      <tuv xml:lang={quoteattr(each.language)}>")
        for name, value in each.properties.items():
            lines.append(f'        <prop type="{PROPERTY}{name}">{_escaped(value)}</prop>')
        lines.append(f"        {_segment(each.text)}")
        lines += ["      </tuv>", "    </tu>"]
    if faults:
        raise InputError(faults)
    return "\n".join([*lines, "  </body>", "</tmx>", ""])


def _segment(text: str) -> str:
    return f"<seg>{_escaped(text)}</seg>"


def _escaped(text: str) -> str:
    # A bare carriage return would be read back as a line feed.
    return escape(text, {"\r": "&#13;"})


def _unwritable(each: TmxTranslation, number: int, file: Path) -> Iterable[Fault]:
    for name, text in (("source", each.source), ("translation", each.text)):
        bad = next((character for character in text if not _is_xml(character)), None)
        if bad is not None:
            problem = f"translation {number} holds U+{ord(bad):04X}, which XML cannot: {text!r}"
            yield Fault(str(file), None, name, problem, "export as CSV")


def _is_xml(character: str) -> bool:
    """Whether XML 1.0 may hold the character.

    Source: Extensible Markup Language (XML) 1.0, fifth edition, production 2.
    """
    return (
        character in "\t\n\r"
        or "\x20" <= character <= "\ud7ff"
        or "\ue000" <= character <= "\ufffd"
        or character >= "\U00010000"
    )
