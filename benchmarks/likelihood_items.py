"""What the likelihood benchmark scores: sentences in the mix that a EuroGEST release has.

Six sentences in ten are neutral and get every usable template of their language, four in ten are
pairs. The sentences are those of the test data where it is there (`STEREOSCOPE_TEST_DATA`, else
`../shared/data`): GEST's own and recorded translations. Without it they are those of the bundled
sample, whose pairs are too few and too short: further ones are made of two that stand one after
the other. Speed depends on such things, so a report names what was used.
"""

from __future__ import annotations

import csv
import os
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from corpus.languages import language, load_languages
from corpus.samples import sentences_path, translation_paths
from corpus.templates import render, usable_templates
from pipeline.extraction import extract_sentence
from scoring.variants import ScoredItem, build_variants

SEED = 20251
NEUTRAL_SHARE = 0.6
FRAMES = ('The man said, "{}"', 'The woman said, "{}"')
SAMPLE_PAIR_LANGUAGES = ("es", "sk")

T = TypeVar("T")
Pair = tuple[str, str]
"""The masculine and the feminine text."""


@dataclass(frozen=True, slots=True)
class Row:
    """A release row as far as scoring reads it."""

    id: str
    language: str
    stereotype_id: int
    neutral: str | None = None
    masculine: str | None = None
    feminine: str | None = None


@dataclass(frozen=True, slots=True)
class Sentences:
    """Neutral sentences and pairs by language, and where they come from."""

    origin: str
    neutral: dict[str, list[str]]
    pairs: dict[str, list[Pair]]

    @property
    def texts(self) -> list[str]:
        """Every text once, for training a tokenizer."""
        plain = [text for texts in self.neutral.values() for text in texts]
        paired = [text for pairs in self.pairs.values() for pair in pairs for text in pair]
        return list(dict.fromkeys(plain + paired))


def find_data() -> Path | None:
    """Return the folder of the third-party test data, None if there is none."""
    root = Path(__file__).resolve().parent.parent
    path = Path(os.environ.get("STEREOSCOPE_TEST_DATA") or root.parent / "shared" / "data")
    return path if (path / "README.md").is_file() else None


def load_sentences(data: Path | None) -> Sentences:
    """Return the sentences of the test data at `data`, of the bundled sample if it is None."""
    return _load_sample() if data is None else _load_data(data)


def _load_data(data: Path) -> Sentences:
    neutral = {"en": [row["sentence"] for row in _read(data / "gest" / "gest_1.1.csv")]}
    for code in ("hr", "pl", "sk", "uk"):
        rows = _read(data / "translations" / f"google_{code}.csv")
        neutral[code] = [row["translation"] for row in rows if " said: " not in row["source"]]
    pairs: dict[str, list[Pair]] = {}
    for row in _read(data / "expected" / "reference_labels_google_sk.csv"):
        if row["reference_label"] == "Gendered":
            found = (row["reference_masculine"], row["reference_feminine"])
            pairs.setdefault("sk", []).append(found)
    for row in _read(data / "expected" / "human_gender_swap.csv"):
        if row["verdict"] != "X" and row["language"] != "sk":
            pairs.setdefault(row["language"], []).append((row["masculine"], row["feminine"]))
    return Sentences("GEST 1.1 and recorded translations", neutral, pairs)


def _load_sample() -> Sentences:
    sources = [row["sentence"] for row in _read(sentences_path())]
    neutral = {"en": sources}
    pairs: dict[str, list[Pair]] = {}
    for code, path in translation_paths().items():
        by_source = {row["source"]: row["translation"] for row in _read(path)}
        neutral[code] = [by_source[source] for source in sources]
        if code in SAMPLE_PAIR_LANGUAGES:
            pairs[code] = _pair_up(code, sources, by_source)
    return Sentences("the bundled sample", neutral, pairs)


def _pair_up(code: str, sources: Sequence[str], by_source: dict[str, str]) -> list[Pair]:
    """Pairs of the sample, then each of them before each of the others."""
    found: list[Pair] = []
    for source in sources:
        both = [extract_sentence(by_source[f.format(source)], code).text for f in FRAMES]
        if both[0] and both[1] and both[0] != both[1]:
            found.append((both[0], both[1]))
    joined = [
        (f"{one[0]} {other[0]}", f"{one[1]} {other[1]}")
        for distance in range(1, len(found))
        for one, other in zip(found, found[distance:], strict=False)
    ]
    return found + joined


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def build_items(sentences: Sentences, count: int) -> list[ScoredItem]:
    """Return the items of `count` sentences in the real mix, the same at each call.

    A sentence gives one item per usable template or, if it is a pair, one item.
    """
    wanted = round(count * NEUTRAL_SHARE)
    rows = [
        Row(f"neutral/{number}", code, number % 16 + 1, neutral=text)
        for number, (code, text) in enumerate(_draw(sentences.neutral, wanted))
    ]
    rows += [
        Row(f"pair/{number}", code, number % 16 + 1, masculine=pair[0], feminine=pair[1])
        for number, (code, pair) in enumerate(_draw(sentences.pairs, count - wanted))
    ]
    codes = list(dict.fromkeys(row.language for row in rows))
    # As scoring does it: a language after the other.
    rows.sort(key=lambda row: codes.index(row.language))
    return list(build_variants(rows, [language(code) for code in codes]).items)


def _draw(groups: dict[str, list[T]], count: int) -> list[tuple[str, T]]:
    """As many of each group as possible in equal parts, drawn at random with a fixed seed."""
    shuffled = {
        code: random.Random(SEED).sample(group, len(group)) for code, group in groups.items()
    }
    drawn: list[tuple[str, T]] = []
    while len(drawn) < count and any(shuffled.values()):
        drawn += [(code, group.pop()) for code, group in shuffled.items() if group]
    return drawn[:count]


def build_texts_at_scale(sentences: Sentences, count: int) -> list[str]:
    """Return `count` distinct texts: neutral sentences in the templates of all languages.

    A sentence also stands in frames of other languages, and in the bundled sample before another
    sentence: for planning only the number and the length of the texts matter.
    """
    plain = list(dict.fromkeys(t for texts in sentences.neutral.values() for t in texts))
    templates = [each for entry in load_languages().values() for each in usable_templates(entry)]
    texts: dict[str, None] = {}
    for distance in range(len(plain)):
        for template in templates:
            for sentence, other in zip(plain, plain[distance:], strict=False):
                texts |= dict.fromkeys(
                    render(template, f"{sentence} {other}" if distance else sentence)
                )
            if len(texts) >= count:
                return list(texts)[:count]
    return list(texts)


def describe(items: Sequence[ScoredItem]) -> dict[str, int | str]:
    """Return how many items there are of which kind and language."""
    pairs = sum(not item.template for item in items)
    by_language = sorted(Counter(item.language for item in items).items())
    return {
        "sentences": len({item.subject_id for item in items}),
        "items": len(items),
        "texts": 2 * len(items),
        "pairs": pairs,
        "in_templates": len(items) - pairs,
        "items_by_language": ", ".join(f"{code} {n}" for code, n in by_language),
    }
