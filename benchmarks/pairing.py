"""Pairs a minute of `extended` on one core, beside `strict`.

Usage: python benchmarks/pairing.py [--language sk] [--pairs 20000] [--runs 3]

The sentences are made from the examples of the language's own table, so no data are needed. Both
strategies run in turn in one process, and the ratio of their times is printed run by run: absolute
rates on a shared machine mean little. Processor time is counted, and preparation apart from it.
"""

from __future__ import annotations

import argparse
import random
import time

from corpus.morphology import load_morphology
from pipeline.extraction import extract_sentence
from pipeline.pairing import PairingStrategy, pairing_strategy

SEED = 20251
WORDS = 12
MOST_CHANGES = 4
FRAMES = ('The man said: "{}"', 'The woman said: "{}"')


def build_pairs(language: str, count: int) -> list[tuple[str, str]]:
    """Return wrapped sentences of 12 words, of which up to four change."""
    table = load_morphology(language)
    if table is None:
        raise SystemExit(f"There is no table of {language!r}.")
    draw = random.Random(SEED)
    examples = [each.example for each in table.exchanges]
    fillers = [*table.cues.after_predicate, *table.cues.first_person, "radio", "auto"]
    pairs = []
    for _ in range(count):
        words = [(word, word) for word in draw.choices(fillers, k=WORDS)]
        for place in draw.sample(range(WORDS), k=draw.randint(0, MOST_CHANGES)):
            words[place] = draw.choice(examples)
        first, second = (" ".join(word[side] for word in words) + "." for side in (0, 1))
        pairs.append((FRAMES[0].format(first), FRAMES[1].format(second)))
    return pairs


def time_strategy(strategy: PairingStrategy, language: str, pairs: list[tuple[str, str]]) -> float:
    """Return the seconds of processor time that all pairs take; preparation is only printed."""
    started = time.process_time()
    prepared = strategy.prepare(language, pairs)
    # What preparation has extracted is remembered; the strategies must start alike.
    extract_sentence.cache_clear()
    between = time.process_time()
    for masculine, feminine in pairs:
        prepared.pair(language, masculine, feminine)
    seconds = time.process_time() - between
    rate = len(pairs) / seconds * 60
    print(f"{strategy.name}: {rate:,.0f} pairs a minute, prepared in {between - started:.2f} s")
    return seconds


def main() -> None:
    """Print both rates and their ratio for each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", default="sk")
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    pairs = build_pairs(given.language, given.pairs)
    for run in range(1, given.runs + 1):
        strict, extended = (
            time_strategy(pairing_strategy(name), given.language, pairs)
            for name in ("strict", "extended")
        )
        print(f"run {run}: extended takes {extended / strict:.1f} times as long as strict")


if __name__ == "__main__":
    main()
