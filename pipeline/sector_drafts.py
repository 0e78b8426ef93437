"""Drafts of a language's sector sentences: the English file's parts, translated by an engine.

Templates, person words and terms are translated each by itself, templates with a letter and a
digit in each of their two places (`X1 works in the X2 sector.`), as engines leave those alone. What
cannot be used is left out and listed: a template that lost a place, a pair with one word for both
genders, an answer that two ids share. A draft is a beginning: whether another word shows the
gender, whether a term fits its templates and what its form agrees with, only people can say.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from corpus.languages import Language
from corpus.sectors import (
    ATTRIBUTE,
    TARGET,
    UNREVIEWED,
    Sector,
    SectorLanguage,
    SectorTemplate,
)

PROTECTED: Mapping[str, str] = {TARGET: "X1", ATTRIBUTE: "X2"}
"""What stands in each place of a template while it is translated."""
CAPITAL_NOUNS = frozenset({"de"})
"""Languages in which a term may have a capital inside of a sentence."""
UNKNOWN_GENDER = "unknown"
"""Grammatical gender of a translated term."""

PLACE_LOST = "place_lost"
SAME_WORD = "same_word"
REPEATED = "repeated"
EMPTY = "empty"
PROBLEMS: Mapping[str, str] = {
    PLACE_LOST: "the translation does not hold each of the two places once",
    SAME_WORD: "the words for a woman and for a man are translated alike",
    REPEATED: "another part was translated to the same text",
    EMPTY: "the translation is empty",
}
"""Why a part of a draft is left out → the same in words; other reasons are the engine's own."""


@dataclass(frozen=True, slots=True)
class FailedPart:
    """A part of the English file that the draft lacks."""

    part: str
    """`templates`, `pairs` or `sectors.<sector>`."""
    id: str
    english: str
    answer: str
    """What the engine gave, as far as it gave anything."""
    reason: str

    def __str__(self) -> str:
        """One line for people."""
        given = f", not used: {self.answer!r}" if self.answer else ""
        return (
            f"{self.part}.{self.id} ({self.english!r}{given}): "
            f"{PROBLEMS.get(self.reason, self.reason)}"
        )


@dataclass(slots=True)
class SectorDraft:
    """A language's file as an engine would have it."""

    language: Language
    source: str
    """Which engine and model translated it."""
    templates: dict[str, str] = field(default_factory=dict)
    pairs: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Feminine and masculine words."""
    terms: dict[str, str] = field(default_factory=dict)
    failed: list[FailedPart] = field(default_factory=list)


def list_texts(english: SectorLanguage) -> list[str]:
    """The texts to translate, each once."""
    texts = [protect(template.feminine) for template in _open_templates(english)]
    for pair in english.pairs:
        texts += [pair.feminine, pair.masculine]
    texts += [term.text for term in english.terms]
    return list(dict.fromkeys(texts))


def build_draft(
    english: SectorLanguage,
    language: Language,
    source: str,
    answers: Mapping[str, str],
    reasons: Mapping[str, str],
) -> SectorDraft:
    """The draft that the answers make.

    Args:
        english: What was translated.
        language: Into what.
        source: Which engine and model did.
        answers: Text sent → translation.
        reasons: Text sent → why it has none.
    """
    draft = SectorDraft(language, source)

    def fail(part: str, id_: str, text: str, answer: str, reason: str) -> None:
        draft.failed.append(FailedPart(part, id_, text, answer, reason))

    for template in _open_templates(english):
        text = template.feminine
        sent = protect(text)
        answer = answers.get(sent, "").strip()
        frame = restore(answer)
        if not answer or frame is None:
            reason = reasons.get(sent, PLACE_LOST if answer else EMPTY)
            fail("templates", template.id, text, answer, reason)
        else:
            draft.templates[template.id] = frame
    for pair in english.pairs:
        english_words = pair.feminine, pair.masculine
        feminine, masculine = (_as_word(answers.get(word, ""), word) for word in english_words)
        both = " / ".join(english_words)
        if not feminine or not masculine:
            reason = next((reasons[word] for word in english_words if word in reasons), EMPTY)
            fail("pairs", pair.id, both, "", reason)
        elif feminine.casefold() == masculine.casefold():
            fail("pairs", pair.id, both, feminine, SAME_WORD)
        else:
            draft.pairs[pair.id] = feminine, masculine
    for term in english.terms:
        keep_case = language.code in CAPITAL_NOUNS
        word = _as_word(answers.get(term.text, ""), term.text, keep_case=keep_case)
        if word:
            draft.terms[term.id] = word
        else:
            reason = reasons.get(term.text, EMPTY)
            fail(f"sectors.{term.sector}", term.id, term.text, "", reason)
    _drop_repeated(draft, english)
    return draft


def protect(frame: str) -> str:
    """The frame with its places as an engine leaves them alone."""
    for place, mark in PROTECTED.items():
        frame = frame.replace(place, mark)
    return frame


def restore(text: str) -> str | None:
    """The frame of a translated template; None unless it holds each place once and no brace."""
    for place, mark in PROTECTED.items():
        text, count = re.subn(rf"(?<!\w){mark}(?!\w)", place, text, flags=re.IGNORECASE)
        if count != 1:
            return None
    bare = text.replace(TARGET, "").replace(ATTRIBUTE, "")
    return None if "{" in bare or "}" in bare else text


def write_draft(draft: SectorDraft, english: SectorLanguage) -> str:
    """The draft as TOML; parts that failed stand in it as comments, to be completed by hand."""
    return "\n".join(_write_lines(draft, english)) + "\n"


def _write_lines(draft: SectorDraft, english: SectorLanguage) -> Iterator[str]:
    yield "# A draft that an engine translated from English, part by part. Correct it by the rule"
    yield "# docs/rules/sectors.md: does another word than the person word show the gender, does"
    yield "# each term fit each template, what does its form agree with? Then take out `draft`."
    failed = {(one.part, one.id): one for one in draft.failed}
    yield f"language = {_quote(draft.language.code)}"
    yield f"title = {_quote(draft.language.name)}"
    yield f"status = {_quote(UNREVIEWED)}"
    yield f"source = {_quote(draft.source)}"
    yield "draft = true"
    yield ""
    yield "templates = ["
    for template in _open_templates(english):
        if template.id in draft.templates:
            text = _quote(draft.templates[template.id])
            yield f'  {{ id = "{template.id}", shows_gender = false, text = {text} }},'
        else:
            yield _comment(failed["templates", template.id])
    yield "]"
    yield ""
    yield "pairs = ["
    for pair in english.pairs:
        if pair.id in draft.pairs:
            feminine, masculine = map(_quote, draft.pairs[pair.id])
            words = f"feminine = {feminine}, masculine = {masculine}"
            yield f'  {{ id = "{pair.id}", kind = "{pair.kind}", {words} }},'
        else:
            yield _comment(failed["pairs", pair.id])
    yield "]"
    for sector in Sector:
        yield ""
        yield f"[sectors.{sector}]"
        for term in english.terms_of(sector):
            if term.id in draft.terms:
                text = _quote(draft.terms[term.id])
                yield f'{term.id} = {{ term = {text}, gender = "{UNKNOWN_GENDER}" }}'
            else:
                yield _comment(failed[f"sectors.{sector}", term.id])


def _drop_repeated(draft: SectorDraft, english: SectorLanguage) -> None:
    """Takes out what a file refuses because another part has the same text."""
    words = Counter(word for pair in draft.pairs.values() for word in pair)
    for pair in english.pairs:
        found = draft.pairs.get(pair.id)
        if found and any(words[word] > 1 for word in found):
            words.subtract(draft.pairs.pop(pair.id))
            both = f"{pair.feminine} / {pair.masculine}"
            draft.failed.append(FailedPart("pairs", pair.id, both, " / ".join(found), REPEATED))
    terms = Counter(draft.terms.values())
    for term in english.terms:
        answer = draft.terms.get(term.id, "")
        if terms[answer] > 1:
            terms.subtract([draft.terms.pop(term.id)])
            part = f"sectors.{term.sector}"
            draft.failed.append(FailedPart(part, term.id, term.text, answer, REPEATED))


def _open_templates(english: SectorLanguage) -> list[SectorTemplate]:
    return [template for template in english.templates if not template.shows_gender]


def _as_word(answer: str, english: str, *, keep_case: bool = False) -> str:
    """The answer as a word in a sentence, without the full stop and capital that English lacks."""
    word = answer.strip()
    if not english.endswith("."):
        word = word.rstrip(".。।").rstrip()
    if english[:1].islower() and not keep_case:
        word = word[:1].lower() + word[1:]
    return word


def _quote(text: str) -> str:
    """A TOML basic string: JSON's escapes are TOML's, too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(failed: FailedPart) -> str:
    return "  # missing: " + str(failed).replace("\n", " ").replace("\r", " ")
