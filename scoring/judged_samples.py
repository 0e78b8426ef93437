"""Samples of judged answers for people: a CSV to fill in, which shows nobody's verdict."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from corpus.csv_table import load_csv_table
from corpus.errors import Fault, InputError
from scoring.prompt_judge import (
    MEANINGS,
    JudgedByModel,
    Judgement,
    JudgeVerdict,
    find_shown,
)
from scoring.prompt_results import PromptRun

COLUMNS = ("sample", "language", "prompt", "answer", "question", "expected", "verdict", "comment")
ANSWERS = ("passed", "failed", "unclear")
UNREAD = (JudgeVerdict.UNREADABLE, JudgeVerdict.ERROR)


def draw_sample(judgement: Judgement, size: int, seed: int) -> tuple[JudgedByModel, ...]:
    """A seeded sample of the answers that the judge gave a verdict on, in a drawn order.

    Every answer is as likely as any other: agreement on the sample estimates that on all of them.

    Raises:
        ValueError: if the size is below 1.
    """
    if size < 1:
        raise ValueError(f"a sample has at least 1 answer, not {size}")
    known = sorted(
        (each for each in judgement.verdicts if each.verdict not in UNREAD),
        key=lambda each: each.key,
    )
    return tuple(random.Random(seed).sample(known, min(size, len(known))))


def sample_rows(run: PromptRun, sample: Sequence[JudgedByModel]) -> Iterator[tuple[str, ...]]:
    """A row for each answer; verdict and comment are left to people."""
    for each in sample:
        message, answer, oracle = find_shown(run, each)
        question = f"passed: {MEANINGS[oracle.operation]}; failed: not; unclear: cannot be told"
        expected = " | ".join(oracle.expected)
        yield (each.key, each.place.language, message, answer, question, expected, "", "")


def sample_texts(run: PromptRun, sample: Sequence[JudgedByModel]) -> dict[str, dict[str, str]]:
    """Key of each answer → what a person is shown, by the names of the form `judged_answer`."""
    texts = {}
    for each in sample:
        message, answer, oracle = find_shown(run, each)
        texts[each.key] = {
            "prompt": message,
            "answer": answer,
            "sought": f"It passes if {MEANINGS[oracle.operation]}.",
            "expected": " | ".join(oracle.expected),
        }
    return texts


def load_human_verdicts(path: Path, judgement: Judgement) -> dict[str, str]:
    """Key of an answer → verdict, of the rows a person has filled in.

    Raises:
        InputError: with every fault of the file.
    """
    table = load_csv_table(path, ("sample", "verdict"), COLUMNS)
    faults = list(table.faults)
    known = {each.key for each in judgement.verdicts}
    verdicts: dict[str, str] = {}
    for row in table.rows:
        key, verdict = row.cells["sample"], row.cells["verdict"].strip().casefold()
        if key not in known:
            problem, remedy = f"{key!r} is no answer of this run", "keep the column as it was"
            faults.append(Fault(table.file, row.row, "sample", problem, remedy))
        elif key in verdicts:
            remedy = "keep one row"
            faults.append(Fault(table.file, row.row, "sample", f"{key} stands twice", remedy))
        elif verdict and verdict not in ANSWERS:
            remedy = f"write {', '.join(ANSWERS)} or nothing"
            faults.append(
                Fault(table.file, row.row, "verdict", f"{verdict!r} is not known", remedy)
            )
        elif verdict:
            verdicts[key] = verdict
    if faults:
        raise InputError(faults)
    return verdicts
