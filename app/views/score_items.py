"""One sentence of a scored language: its tokens in both variants, and its place among others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path

from app.views.scores import Result, find_value
from corpus.errors import Fault, InputError
from engines.likelihood.protocol import (
    CAUSAL,
    MASKED_DIFFERENCE,
    PSEUDO,
    PSEUDO_WITHIN_WORD,
    TokenScores,
)
from scoring.item_means import MeanLogprobs
from scoring.pair_scores import PairScores
from scoring.protocols import (
    POOLED,
    ScoringProtocol,
    compute_values,
    protocol_named,
    select_pairs,
)
from scoring.shard_columns import ShardColumns, read_shard_columns
from scoring.shards import ShardKey, shard_path
from scoring.token_texts import read_token_texts, token_texts_path

SHARDS_KEPT = 2
"""Shards kept in memory as columns; the items of one language are looked at one after another."""
STEREOTYPES_KEPT = 32
"""Stereotypes whose items are kept in memory."""
SPACE, BREAK = "␣", "⏎"
PARTS = "← they part here"
DIFFERS = "differs"
UNDEFINED = {
    "identical": "both variants are the same tokens: the tokenizer does not see the difference",
    "no_scored_token": "a variant has no token with a probability",
    "no_own_token": "one variant is the beginning of the other and has no token of its own",
    "not_terminated": "it was not scored with an ending, which this protocol needs",
}

GIVEN = {
    CAUSAL: "each token after those before it. The first token has no context and no probability.",
    PSEUDO: "each token, masked alone, given all the others before and after it.",
    PSEUDO_WITHIN_WORD: "each token, masked together with the later tokens of its word, given all "
    "the others before and after it.",
    MASKED_DIFFERENCE: "each token in which the two texts differ, all masked at once, given "
    "what the texts share. Tokens that both have are not scored and not shown.",
}
"""What each token's probability is of, by how the engine made it."""
PUT_FIRST = " What the tokenizer puts first is never scored."


@dataclass(frozen=True, slots=True)
class TokenRow:
    """Tokens of both variants that stand beside one another; None where a variant has none."""

    place: int
    """From 0 on; where the variants have parted, the row and no token's index."""
    masculine: str | None
    masculine_nats: float | None
    """Natural log of the token's probability, None for a token without context or none."""
    feminine: str | None
    feminine_nats: float | None
    difference_nats: float | None
    """Masculine minus feminine, where both have one."""
    mark: str


@dataclass(frozen=True, slots=True)
class ItemView:
    """A sentence under a protocol and condition."""

    pair: PairScores
    rows: tuple[TokenRow, ...]
    has_texts: bool
    """Whether the tokens' written form is there; without it they are shown as numbers."""
    means: MeanLogprobs | None
    """None where the protocol gives the sentence no value."""
    undefined: str
    """Why it has none, in words; empty if it has one."""
    place: int
    """1 for the most masculine sentence of its stereotype; 0 without a value."""
    sentences: int
    """Sentences of its stereotype that have a value."""
    q: float | None
    """q_i of its stereotype, as the result has it."""
    default_rate: float | None


@dataclass(frozen=True, slots=True)
class LanguageItems:
    """The items of one language of a result, ready to be looked at one by one."""

    result: Result
    language: str
    shard: Path
    key: ShardKey
    changed: int
    """When the shard's file was changed, in nanoseconds."""

    @property
    def columns(self) -> ShardColumns:
        """The shard's rows."""
        return _read_columns(self.shard, self.key, self.changed)

    def pairs_of(self, stereotype: int) -> tuple[PairScores, ...]:
        """All items of a stereotype."""
        return _read_pairs(self.shard, self.key, self.changed, stereotype)

    def sentences(self, condition: str, stereotype: int) -> dict[str, str]:
        """Subject id → masculine text, of one condition and stereotype, in the release's order."""
        return {
            pair.item.subject_id: pair.item.masculine
            for pair in select_pairs(self.pairs_of(stereotype), condition)
            if not pair.item.ending
        }

    def stereotypes(self, condition: str) -> tuple[int, ...]:
        """The stereotypes that have a sentence in this condition."""
        return self.columns.stereotypes(None if condition == POOLED else condition)

    def stereotype_of(self, subject_id: str) -> int | None:
        """The stereotype of a sentence, None if it is not here."""
        return self.columns.stereotype_of(subject_id)


def load_items(result: Result, results: Path, language: str) -> LanguageItems:
    """The items of one language of a result, from its shard.

    Args:
        result: The result.
        results: The folder that holds it and the shards.
        language: One of its languages.

    Raises:
        InputError: if the result names no shard for it, or the shard is not there or damaged.
    """
    try:
        key = ShardKey(**result.manifest["shards"][language])
    except (KeyError, TypeError) as error:
        problem = f"names no shard of this version for {language}"
        raise InputError([Fault(result.key, None, "shards", problem, "score again")]) from error
    shard = shard_path(results / "shards", key)
    changed = shard.stat().st_mtime_ns if shard.is_file() else 0
    items = LanguageItems(result, language, shard, key, changed)
    # A shard that cannot be read is refused here and not in the middle of a page.
    _ = items.columns
    return items


@lru_cache(maxsize=SHARDS_KEPT)
def _read_columns(shard: Path, key: ShardKey, _changed: int) -> ShardColumns:
    return read_shard_columns(shard, key)


@lru_cache(maxsize=STEREOTYPES_KEPT)
def _read_pairs(
    shard: Path, key: ShardKey, changed: int, stereotype: int
) -> tuple[PairScores, ...]:
    return _read_columns(shard, key, changed).pairs_of(stereotype)


@lru_cache(maxsize=SHARDS_KEPT)
def _read_texts(shard: Path, _changed: int) -> Mapping[int, str]:
    return read_token_texts(shard)


def view_item(items: LanguageItems, subject_id: str, protocol: str, condition: str) -> ItemView:
    """One sentence with its tokens, its value and its place.

    Raises:
        InputError: if the language has no such sentence in this condition.
        SettingsError: if the protocol or the condition is unknown.
    """
    stereotype = items.stereotype_of(subject_id)
    # All items of a sentence are of one stereotype, so that its own are enough to choose among.
    group = select_pairs(() if stereotype is None else items.pairs_of(stereotype), condition)
    own = [pair for pair in group if pair.item.subject_id == subject_id]
    if not own:
        problem = f"has no sentence {subject_id} in condition {condition}"
        remedy = "choose one from the list"
        raise InputError([Fault(items.result.key, None, items.language, problem, remedy)])
    known = protocol_named(protocol)
    values = compute_values(group, known).values
    found = next((each for each in values if each.item.subject_id == subject_id), None)
    pair = next((each for each in own if found and each.item == found.item), own[0])
    logit = found.means.logit_r if found else None
    file = token_texts_path(items.shard)
    texts = _read_texts(items.shard, file.stat().st_mtime_ns if file.is_file() else 0)
    scope = {"language": items.language, "protocol": protocol, "condition": condition}
    return ItemView(
        pair=pair,
        rows=build_token_rows(pair, texts),
        has_texts=bool(texts),
        means=found.means if found else None,
        undefined="" if found else _explain(pair, known),
        place=0 if logit is None else 1 + sum(each.means.logit_r > logit for each in values),
        sentences=len(values),
        q=find_value(items.result.figures, "q_i", scope | {"stereotype": str(stereotype)}),
        default_rate=find_value(items.result.figures, "default_rate", scope),
    )


def build_token_rows(pair: PairScores, texts: Mapping[int, str]) -> tuple[TokenRow, ...]:
    """The tokens of both variants side by side; after they part, equal tokens stand in one row."""
    masculine = list(_named(pair.masculine, texts))
    feminine = list(_named(pair.feminine, texts))
    rows: list[TokenRow] = []
    parted = False
    matcher = SequenceMatcher(
        None, pair.masculine.token_ids, pair.feminine.token_ids, autojunk=False
    )
    for kind, low, high, other_low, other_high in matcher.get_opcodes():
        beside = zip_longest(masculine[low:high], feminine[other_low:other_high])
        for one, other in beside:
            mark = "" if kind == "equal" else DIFFERS if parted else PARTS
            parted = parted or kind != "equal"
            rows.append(_row(len(rows), one, other, mark))
    return tuple(rows)


def describe_tokens(likelihood: str) -> str:
    """What the log-probabilities of tokens are, and how their texts are written."""
    first = "" if likelihood == CAUSAL else PUT_FIRST
    return (
        f"Natural log of the probability of {GIVEN[likelihood]}{first} "
        f"{SPACE} is a space, {BREAK} a line break."
    )


def name_token(token: int, texts: Mapping[int, str]) -> str:
    """The token's text with spaces and line breaks made visible; `#` and its number without one."""
    text = texts.get(token, "")
    return text.replace(" ", SPACE).replace("\n", BREAK) if text else f"#{token}"


Named = tuple[str, float | None]


def _named(scores: TokenScores, texts: Mapping[int, str]) -> Iterator[Named]:
    logprobs: Sequence[float | None] = (None, *scores.logprobs_nats)
    for token, logprob in zip(scores.token_ids, logprobs, strict=False):
        yield name_token(token, texts), logprob


def _row(place: int, one: Named | None, other: Named | None, mark: str) -> TokenRow:
    masculine, masculine_nats = one or (None, None)
    feminine, feminine_nats = other or (None, None)
    difference = None
    if masculine_nats is not None and feminine_nats is not None:
        difference = masculine_nats - feminine_nats
    return TokenRow(
        place,
        masculine,
        masculine_nats,
        feminine,
        feminine_nats,
        difference,
        mark,
    )


def _explain(pair: PairScores, protocol: ScoringProtocol) -> str:
    reason = protocol.means(pair)
    code = reason if isinstance(reason, str) else "not_terminated"
    return UNDEFINED.get(code, code)
