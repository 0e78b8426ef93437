"""Words of a sentence as pairing sees them: split as the language writes, each in its clause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from corpus.morphology import Morphology
from corpus.words import Word, split_words

_CLAUSE_MARKS = frozenset(',;:.!?…–—()"„“”«»')


@dataclass(frozen=True, slots=True)
class Clause:
    """The words from one mark or conjunction to the next, as a range of indices."""

    start: int
    end: int
    """First index after the clause."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence's words, and the clause of each."""

    text: str
    words: tuple[Word, ...]
    clauses: tuple[Clause, ...]
    clause_of: tuple[int, ...]
    """Index of each word's clause."""

    @property
    def forms(self) -> list[str]:
        """The words in the form that is compared."""
        return [word.form for word in self.words]

    def forms_of(self, clause: Clause) -> list[str]:
        """The words of a clause in the form that is compared."""
        return [word.form for word in self.words[clause.start : clause.end]]

    def clause_at(self, index: int) -> Clause:
        """The clause of the word at `index`."""
        return self.clauses[self.clause_of[index]]


def read_sentence(text: str, table: Morphology | None) -> Sentence:
    """The words of a text with their clauses; words are split where the language's table says."""
    breaks = table.word_breaks if table else ""
    words = split_words(text)
    if breaks:
        words = tuple(part for word in words for part in _split(word, breaks))
    starts = frozenset(table.cues.clause_starts) if table else frozenset()
    clause_of: list[int] = []
    clauses: list[Clause] = []
    begun = end = 0
    for index, word in enumerate(words):
        if index and (word.form in starts or _parts_clauses(text[end : word.start])):
            clauses.append(Clause(begun, index))
            begun = index
        end = word.end
        clause_of.append(len(clauses))
    clauses.append(Clause(begun, len(words)))
    return Sentence(text, words, tuple(clauses), tuple(clause_of))


def _parts_clauses(between: str) -> bool:
    return between != " " and not _CLAUSE_MARKS.isdisjoint(between)


def _split(word: Word, breaks: str) -> Iterator[Word]:
    """The parts of a word, each break at the end of the part before it."""
    if len(word.form) != len(word.text):
        # Case folding changed the length, so breaks cannot be placed in the text as written.
        yield word
        return
    begun = 0
    for index, character in enumerate(word.form[:-1]):
        if character in breaks:
            yield _part(word, begun, index + 1)
            begun = index + 1
    yield _part(word, begun, len(word.form))


def _part(word: Word, start: int, end: int) -> Word:
    return Word(word.text[start:end], word.start + start, word.start + end, word.form[start:end])
