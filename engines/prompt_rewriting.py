"""What a chat model is asked when prompts are rewritten, and how its answers are read.

Four tasks: translate a prompt, paraphrase it, translate what is sent around it together with the
answers looked for, translate the names of communities. An answer is one JSON object; what is wrong
with it has a reason code and words that are told to the model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from corpus.hashing import nfc, sha256_text
from engines.chat_messages import read_json
from engines.prompt_rewriting_checks import (
    DUPLICATE,
    NOT_JSON,
    WRONG_COUNT,
    Problem,
    check_communities,
    check_frame,
    check_prompt,
    comparable,
)
from engines.prompt_rewriting_instructions import COMMUNITIES, FRAME, PARAPHRASE, TRANSLATE


@dataclass(frozen=True, slots=True)
class Reading:
    """What can be used of the answers so far, and what is wrong with the last one."""

    texts: tuple[str, ...]
    problem: Problem | None = None


class RewritingTask(Protocol):
    """One thing that a chat model is asked for."""

    @property
    def instructions(self) -> str:
        """What the model is told first."""

    @property
    def asked(self) -> Mapping[str, Any]:
        """What the user's message says."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """JSON schema of the answer."""

    @property
    def imagined(self) -> tuple[str, ...]:
        """Texts that stand in for an answer when costs are estimated."""

    def read(self, content: str, kept: tuple[str, ...]) -> Reading:
        """What is usable of an answer, beside what earlier answers gave."""


def prompt_version(task: RewritingTask) -> str:
    """Follows the wording of a task, so that answers to another one never count as this one's."""
    return sha256_text(task.instructions)[:8]


def build_task_messages(task: RewritingTask) -> list[dict[str, str]]:
    """The conversation that asks for a task."""
    asked = json.dumps(task.asked, ensure_ascii=False)
    return [
        {"role": "system", "content": task.instructions},
        {"role": "user", "content": asked},
    ]


def build_format(task: RewritingTask) -> dict[str, Any]:
    """The JSON schema of a task's answer as a chat server takes it."""
    schema = {"name": "answer", "strict": True, "schema": dict(task.schema)}
    return {"type": "json_schema", "json_schema": schema}


@dataclass(frozen=True, slots=True)
class TranslatePrompt:
    """Translates one prompt."""

    language: str
    """English name of the language."""
    prompt: str
    communities: Mapping[str, Sequence[str]]
    """Markup → English names, for agreement."""

    @property
    def instructions(self) -> str:
        """What the model is told first."""
        return TRANSLATE

    @property
    def asked(self) -> Mapping[str, Any]:
        """What the user's message says."""
        asked = {"language": self.language, "prompt": self.prompt}
        return _with_communities(asked, self.communities)

    @property
    def schema(self) -> Mapping[str, Any]:
        """JSON schema of the answer."""
        return _object({"translation": {"type": "string"}})

    @property
    def imagined(self) -> tuple[str, ...]:
        """Texts that stand in for an answer when costs are estimated."""
        return (self.prompt,)

    def read(self, content: str, kept: tuple[str, ...]) -> Reading:
        """The translation."""
        text = _read_object(content).get("translation")
        if not isinstance(text, str):
            return Reading((), Problem(NOT_JSON, 'it is no JSON object with a text "translation"'))
        text = nfc(text).strip()
        problem = check_prompt(self.prompt, text)
        return Reading(() if problem else (text,), problem)


@dataclass(frozen=True, slots=True)
class ParaphrasePrompt:
    """Writes so many paraphrases of a prompt in its language."""

    language: str
    prompt: str
    paraphrases: int
    communities: Mapping[str, Sequence[str]]

    @property
    def instructions(self) -> str:
        """What the model is told first."""
        return PARAPHRASE

    @property
    def asked(self) -> Mapping[str, Any]:
        """What the user's message says."""
        asked = {"language": self.language, "prompt": self.prompt, "paraphrases": self.paraphrases}
        return _with_communities(asked, self.communities)

    @property
    def schema(self) -> Mapping[str, Any]:
        """JSON schema of the answer."""
        return _object({"paraphrases": _array(self.paraphrases)})

    @property
    def imagined(self) -> tuple[str, ...]:
        """Texts that stand in for an answer when costs are estimated."""
        return tuple(f"{self.prompt} {number}" for number in range(1, self.paraphrases + 1))

    def read(self, content: str, kept: tuple[str, ...]) -> Reading:
        """What is kept from earlier answers and what is usable of this one, duplicates removed."""
        texts = _read_texts(content, "paraphrases")
        if texts is None:
            told = 'it is no JSON object with an array of texts "paraphrases"'
            return Reading(kept, Problem(NOT_JSON, told))
        found, problem = list(kept), None
        seen = {comparable(self.prompt), *map(comparable, kept)}
        for number, given in enumerate(texts, start=1):
            text = nfc(given).strip()
            wrong = check_prompt(self.prompt, text)
            if wrong is None and comparable(text) in seen:
                wrong = Problem(DUPLICATE, "it repeats the prompt or another paraphrase")
            if wrong is not None:
                problem = problem or Problem(wrong.reason, f"in paraphrase {number}, {wrong.told}")
                continue
            seen.add(comparable(text))
            found.append(text)
        if len(found) >= self.paraphrases:
            return Reading(tuple(found[: self.paraphrases]))
        told = f"it has {len(texts)} paraphrases, not {self.paraphrases}"
        return Reading(tuple(found), problem or Problem(WRONG_COUNT, told))


@dataclass(frozen=True, slots=True)
class TranslateFrame:
    """Translates what is sent around prompts, and the answers looked for."""

    language: str
    task_prefix: str
    output_formatting: str
    expected: tuple[str, ...]
    keys: tuple[str, ...]
    """Names of a JSON format that stay as they are."""

    @property
    def instructions(self) -> str:
        """What the model is told first."""
        return FRAME

    @property
    def asked(self) -> Mapping[str, Any]:
        """What the user's message says."""
        return {
            "language": self.language,
            "task_prefix": self.task_prefix,
            "output_formatting": self.output_formatting,
            "expected": list(self.expected),
            "keys": list(self.keys),
        }

    @property
    def schema(self) -> Mapping[str, Any]:
        """JSON schema of the answer."""
        text = {"type": "string"}
        parts = {"task_prefix": text, "output_formatting": text}
        return _object({**parts, "expected": _array(len(self.expected))})

    @property
    def imagined(self) -> tuple[str, ...]:
        """Texts that stand in for an answer when costs are estimated."""
        return (self.task_prefix, self.output_formatting, *self.expected)

    def read(self, content: str, kept: tuple[str, ...]) -> Reading:
        """Task prefix, output formatting, then the answers looked for."""
        data, expected = _read_object(content), _read_texts(content, "expected")
        parts = [data.get("task_prefix"), data.get("output_formatting")]
        if expected is None or not all(isinstance(part, str) for part in parts):
            told = 'it is no JSON object with "task_prefix", "output_formatting" and "expected"'
            return Reading((), Problem(NOT_JSON, told))
        texts = tuple(nfc(text).strip() for text in (*map(str, parts), *expected))
        given = (self.task_prefix, self.output_formatting, *self.expected)
        problem = check_frame(given, texts, self.keys)
        return Reading(() if problem else texts, problem)


@dataclass(frozen=True, slots=True)
class TranslateCommunities:
    """Translates the names of a concern's communities."""

    language: str
    concern: str
    communities: tuple[str, ...]

    @property
    def instructions(self) -> str:
        """What the model is told first."""
        return COMMUNITIES

    @property
    def asked(self) -> Mapping[str, Any]:
        """What the user's message says."""
        return {
            "language": self.language,
            "concern": self.concern,
            "communities": list(self.communities),
        }

    @property
    def schema(self) -> Mapping[str, Any]:
        """JSON schema of the answer."""
        return _object({"communities": _array(len(self.communities))})

    @property
    def imagined(self) -> tuple[str, ...]:
        """Texts that stand in for an answer when costs are estimated."""
        return self.communities

    def read(self, content: str, kept: tuple[str, ...]) -> Reading:
        """The names in order."""
        texts = _read_texts(content, "communities")
        if texts is None:
            told = 'it is no JSON object with an array of texts "communities"'
            return Reading((), Problem(NOT_JSON, told))
        names = tuple(nfc(text).strip() for text in texts)
        problem = check_communities(self.communities, names)
        return Reading(() if problem else names, problem)


def _with_communities(
    asked: dict[str, Any], communities: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    named = {f"{{{markup}}}": list(names) for markup, names in communities.items() if names}
    return {**asked, "communities": named} if named else asked


def _read_object(content: str) -> Mapping[str, Any]:
    """The JSON object of an answer; empty if it is none."""
    try:
        document = read_json(content)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _read_texts(content: str, key: str) -> list[str] | None:
    texts = _read_object(content).get(key)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return None
    return texts


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _array(count: int) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "minItems": count, "maxItems": count}
