"""Learning: exchanges and forms that a language's own translations show often.

Counts only, so the order of the translations does not matter. An exchange of gender turns one way,
from the masculine translation to the feminine one, on many different words; a difference in number,
case or aspect turns both ways. That tells them apart without knowing the language.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from corpus.records import Label
from pipeline.extended.alignment import find_differing
from pipeline.extended.attribution import Whose, attribute
from pipeline.extended.classification import classify
from pipeline.extended.exchanges import GenderExchange, common_length
from pipeline.extended.knowledge import Knowledge, Lexicon, build_knowledge, load_knowledge
from pipeline.extended.words import Sentence, read_sentence

_MOST_DIFFERENCES = 2
"""Differing words of the translations that exchanges are learned from."""
_ENOUGH_WORDS = 4
"""Different masculine words on which an exchange must stand."""
_ONE_WAY = 4
"""How many times as many words must turn from masculine to feminine as the other way."""
_CONTEXT = 2
"""Letters of the stem that a learned exchange may hold."""


def learn(language: str, sentences: Sequence[tuple[str, str]]) -> Knowledge:
    """Knowledge of a language from its table and from masculine and feminine sentences."""
    known = load_knowledge(language)
    read = [
        (read_sentence(masculine, known.table), read_sentence(feminine, known.table))
        for masculine, feminine in sentences
    ]
    learned = learn_endings(read)
    first = build_knowledge(language, known.table, learned)
    lexicon = _build_lexicon(first, read)
    return build_knowledge(language, known.table, learned, lexicon)


def learn_endings(pairs: Iterable[tuple[Sentence, Sentence]]) -> frozenset[tuple[str, str]]:
    """Pairs of endings that turn one way on enough different words."""
    words: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for masculine, feminine in pairs:
        differing = find_differing(masculine, feminine)
        if differing is None or not 0 < len(differing) <= _MOST_DIFFERENCES:
            continue
        for index in differing:
            first, second = masculine.words[index].form, feminine.words[index].form
            shared = common_length(first, second)
            for stem in range(max(1, shared - _CONTEXT), shared + 1):
                words[first[stem:], second[stem:]].add(first)
    return frozenset(
        endings
        for endings, found in words.items()
        if all(endings)
        and len(found) >= _ENOUGH_WORDS
        and len(found) >= _ONE_WAY * len(words.get((endings[1], endings[0]), ()))
    )


def _build_lexicon(knowledge: Knowledge, pairs: Iterable[tuple[Sentence, Sentence]]) -> Lexicon:
    changed: Counter[tuple[str, str]] = Counter()
    masculine_forms: Counter[str] = Counter()
    feminine_forms: Counter[str] = Counter()
    unchanged: Counter[str] = Counter()
    accepted = 0
    for masculine, feminine in pairs:
        differing = find_differing(masculine, feminine)
        if not differing:
            continue
        if classify(knowledge, masculine.text, feminine.text).label is not Label.PAIR:
            continue
        accepted += 1
        for index in _speaker_places(knowledge, masculine, feminine, differing):
            pair = (masculine.words[index].form, feminine.words[index].form)
            changed[pair] += 1
            masculine_forms[pair[0]] += 1
            feminine_forms[pair[1]] += 1
        apart = set(differing)
        unchanged.update(
            word.form for index, word in enumerate(masculine.words) if index not in apart
        )
    return Lexicon(changed, masculine_forms, feminine_forms, unchanged, accepted)


def _speaker_places(
    knowledge: Knowledge, masculine: Sentence, feminine: Sentence, differing: Iterable[int]
) -> list[int]:
    exchanges: dict[int, GenderExchange] = {}
    for index in differing:
        found = knowledge.exchanges.compare(masculine.words[index].form, feminine.words[index].form)
        if isinstance(found, GenderExchange):
            exchanges[index] = found
    whose = attribute(knowledge, masculine, feminine, exchanges)
    return [index for index, each in whose.items() if each is not Whose.OTHER]
