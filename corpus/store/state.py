"""Queries: the state of the store at a log position, as records.

"Current" always means the latest row of a key up to that position; no row is ever overwritten.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa

from corpus import records
from corpus.errors import StateError
from corpus.forms import Form, FormRecord, form_from_definition
from corpus.invalid_ratings import Explanation
from corpus.people import Consent, Ethics, Person
from corpus.records import Instrument
from corpus.store import tables
from corpus.store.mapping import TABLES, records_from_rows

Record = TypeVar("Record")
IN_LIST = 500
"""Values per IN list: below every database's limit of bound parameters."""


def in_blocks(values: Iterable[str]) -> Iterator[Sequence[str]]:
    """The distinct values in blocks that fit one query."""
    distinct = list(dict.fromkeys(values))
    for start in range(0, len(distinct), IN_LIST):
        yield distinct[start : start + IN_LIST]


class State:
    """What the rows up to a log position say; valid inside the transaction that opened it."""

    def __init__(self, connection: sa.Connection, at: int | None = None) -> None:
        self._connection = connection
        self._at = at

    @property
    def position(self) -> int:
        """The position this state is read at: the one asked for, or the last one given out."""
        if self._at is not None:
            return self._at
        last = sa.select(tables.log_position.c.value)
        return int(self._connection.execute(last).scalar_one())

    def sources(
        self, instrument: Instrument | None = None, dataset: str | None = None
    ) -> list[records.Source]:
        """Sources in the order they were added."""
        table = tables.source
        return self._all(
            records.Source,
            *([table.c.instrument == str(instrument)] if instrument else []),
            *([table.c.dataset == dataset] if dataset else []),
        )

    def translations(self, keys: Iterable[str]) -> dict[str, records.Translation]:
        """Those of the translations with these keys that are there, by key."""
        column = tables.translation.c.key
        found = self._blocks(records.Translation, column, keys)
        return {each.key: each for each in found}

    def all_translations(self, language: str | None = None) -> list[records.Translation]:
        """All translations, or those of one language, in the order they arrived."""
        condition = [tables.translation.c.language == language] if language else []
        return self._all(records.Translation, *condition)

    def characters_billed(self, engine: str | None = None) -> int:
        """Characters billed for all translations, or for those of one engine."""
        table = tables.translation
        query = sa.select(sa.func.coalesce(sa.func.sum(table.c.characters_billed), 0))
        query = query.where(*self._until(table))
        if engine is not None:
            query = query.where(table.c.engine == engine)
        return int(self._connection.execute(query).scalar_one())

    def quality_estimates(
        self, translation_keys: Iterable[str], estimator: str, model: str, revision: str
    ) -> dict[str, records.QualityEstimate]:
        """What one estimator said of these translations, by translation key."""
        table = tables.quality_estimate
        found = self._blocks(
            records.QualityEstimate,
            table.c.translation_key,
            translation_keys,
            table.c.estimator == estimator,
            table.c.model == model,
            table.c.revision == revision,
        )
        return {each.translation_key: each for each in found}

    def quality_models(self, estimator: str) -> list[tuple[str, str]]:
        """Model and revision of everything an estimator has scored, sorted."""
        table = tables.quality_estimate
        query = sa.select(table.c.model, table.c.revision).distinct()
        query = query.where(table.c.estimator == estimator, *self._until(table))
        return sorted((str(row[0]), str(row[1])) for row in self._connection.execute(query))

    def candidates(self, instrument: Instrument, language: str) -> list[records.Candidate]:
        """The current candidate of each source in a language, in the sources' order."""
        table = tables.candidate
        mine = (table.c.instrument == str(instrument)) & (table.c.language == language)
        current = self._current(records.Candidate, [table.c.id], mine)
        order = self._source_order(instrument)
        return sorted(current, key=lambda each: (order.get(each.source_key, -1), each.id))

    def candidate(self, subject_id: str) -> records.Candidate:
        """The current candidate with this id.

        Raises:
            StateError: if there is none.
        """
        table = tables.candidate
        found = self._current(records.Candidate, [table.c.id], table.c.id == subject_id)
        if not found:
            raise StateError(f"There is no candidate {subject_id}.")
        return found[0]

    def candidate_texts(self, subject_id: str) -> frozenset[str]:
        """Every text that generation ever gave the candidate with this id."""
        found = self._all(records.Candidate, tables.candidate.c.id == subject_id)
        return frozenset(text for each in found for text in each.variants.values())

    def languages(self, instrument: Instrument) -> list[str]:
        """Codes of the languages that have candidates, sorted."""
        table = tables.candidate
        query = sa.select(table.c.language).where(table.c.instrument == str(instrument)).distinct()
        if self._at is not None:
            query = query.where(table.c.position <= self._at)
        return sorted(self._connection.execute(query).scalars())

    def form(self, name: str) -> Form:
        """The stored form `id/version`.

        Raises:
            StateError: if no batch ever used it.
        """
        form_id, _, version = name.rpartition("/")
        found = self._all(
            FormRecord, tables.form.c.id == form_id, tables.form.c.version == int(version)
        )
        if not found:
            raise StateError(f"The form {name} is not stored.")
        return form_from_definition(found[0].definition)

    def batches(
        self, instrument: Instrument | None = None, language: str | None = None
    ) -> list[records.Batch]:
        """Batches in the order they were created."""
        table = tables.batch
        return self._all(
            records.Batch,
            *([table.c.instrument == str(instrument)] if instrument else []),
            *([table.c.language == language] if language else []),
        )

    def batch(self, batch_id: str) -> records.Batch:
        """The batch with this id.

        Raises:
            StateError: if there is none.
        """
        found = self._all(records.Batch, tables.batch.c.id == batch_id)
        if not found:
            known = ", ".join(each.id for each in self.batches()) or "none yet"
            raise StateError(f"There is no batch {batch_id}; batches: {known}.")
        return found[0]

    def items(self, batch_ids: Collection[str]) -> list[records.Item]:
        """Items of these batches, in order."""
        return self._blocks(records.Item, tables.item.c.batch_id, batch_ids)

    def assignments(self, batch_ids: Collection[str]) -> list[records.Assignment]:
        """The current assignment of each rater of these batches."""
        table = tables.assignment
        found: list[records.Assignment] = []
        for block in in_blocks(batch_ids):
            found += self._current(
                records.Assignment,
                [table.c.batch_id, table.c.rater_id],
                table.c.batch_id.in_(block),
            )
        return sorted(found, key=lambda each: each.id)

    def rating_revisions(self, item_ids: Iterable[str]) -> list[records.RatingRevision]:
        """All revisions of all ratings of these items, oldest first."""
        return self._blocks(records.RatingRevision, tables.rating_revision.c.item_id, item_ids)

    def ratings(self, item_ids: Iterable[str]) -> list[records.RatingRevision]:
        """The current revision of each answer (item, rater, where it came from)."""
        current: dict[tuple[str, str, str, str], records.RatingRevision] = {}
        for each in self.rating_revisions(item_ids):
            current[(each.item_id, each.rater_id, each.source, each.source_id)] = each
        return sorted(current.values(), key=_position)

    def explanations(self, item_ids: Iterable[str]) -> dict[int, Explanation]:
        """The last explanation of each invalid rating of these items, by the revision it is of."""
        found = self._blocks(Explanation, tables.explanation.c.item_id, item_ids)
        return {each.revision: each for each in found}

    def exclusions(self, batch_ids: Collection[str]) -> list[records.Exclusion]:
        """The current exclusion or reinstatement of each rater of these batches."""
        table = tables.exclusion
        found: list[records.Exclusion] = []
        for block in in_blocks(batch_ids):
            found += self._current(
                records.Exclusion,
                [table.c.batch_id, table.c.rater_id],
                table.c.batch_id.in_(block),
            )
        return found

    def decisions(self, instrument: Instrument, language: str) -> list[records.Decision]:
        """All decisions of a language, oldest first."""
        prefix = records.subject_id(instrument, language, "")
        column = tables.decision.c.subject_id
        return self._all(records.Decision, column.startswith(prefix, autoescape=True))

    def template_choices(self, language: str) -> list[records.TemplateChoice]:
        """The current choice for each kind of template of a language that has one."""
        table = tables.template_choice
        return self._current(
            records.TemplateChoice, [table.c.language, table.c.kind], table.c.language == language
        )

    def approvals(self, instrument: Instrument, language: str) -> list[records.Approval]:
        """All approvals and revocations of a language, oldest first."""
        table = tables.approval
        return self._all(
            records.Approval, table.c.instrument == str(instrument), table.c.language == language
        )

    def people(self) -> list[Person]:
        """The current row of each person, by id."""
        return sorted(self._current(Person, [tables.person.c.id]), key=lambda each: each.id)

    def log_in_addresses(self) -> dict[str, frozenset[str]]:
        """Every address each person ever signed in with, lower case, by person id.

        Who lost her log-in has a second one, and what she did with the first is still hers; an
        address that is another person's by now is not.
        """
        rows = [
            (each.id, each.address.lower() if each.address else "") for each in self._all(Person)
        ]
        owner = {address: person_id for person_id, address in dict(rows).items()}
        found: dict[str, set[str]] = {}
        for person_id, address in rows:
            mine = found.setdefault(person_id, set())
            if address and owner.get(address, person_id) == person_id:
                mine.add(address)
        return {person_id: frozenset(mine) for person_id, mine in found.items()}

    def consents(self) -> dict[str, Consent]:
        """The current consent of each rater who gave or refused one, by rater id."""
        found = self._current(Consent, [tables.consent.c.rater_id])
        return {each.rater_id: each for each in found}

    def ethics(self) -> Ethics | None:
        """The study's ethics approval as last recorded, None if there is none."""
        found = self._all(Ethics)
        return found[-1] if found else None

    def pull_marks(self, assignment_ids: Iterable[str]) -> dict[str, records.PullMark]:
        """How far each assignment's project was last read, by assignment id."""
        table = tables.pull_mark
        found: list[records.PullMark] = []
        for block in in_blocks(assignment_ids):
            found += self._current(
                records.PullMark, [table.c.assignment_id], table.c.assignment_id.in_(block)
            )
        return {each.assignment_id: each for each in found}

    def audit_entries(self) -> list[records.AuditEntry]:
        """Who did what, oldest first."""
        return self._all(records.AuditEntry)

    def language_positions(self, instrument: Instrument) -> dict[str, int]:
        """Language → position of the latest row that says anything about it.

        What was read of a language at its position is still so now.
        """
        name, batch, item = str(instrument), tables.batch, tables.item
        of_batch = {each: each.join(batch) for each in _OF_A_BATCH}
        for each in (tables.rating_revision, tables.explanation):
            of_batch[each] = each.join(item).join(batch, item.c.batch_id == batch.c.id)
        found: list[tuple[str, int]] = []
        for table in (tables.candidate, tables.approval, batch):
            found += self._latest(table, table.c.language, table.c.instrument == name)
        for table, source in of_batch.items():
            mine = batch.c.instrument == name
            found += self._latest(table, batch.c.language, mine, source=source)
        found += self._latest(tables.template_choice, tables.template_choice.c.language)
        subject = tables.decision.c.subject_id
        is_mine = subject.startswith(f"{name}/", autoescape=True)
        for decided, position in self._latest(tables.decision, subject, is_mine):
            found.append((decided.split("/")[1], position))
        for release in self.releases(instrument):
            found += [(language, _position(release)) for language in release.languages]
        latest: dict[str, int] = {}
        for language, position in found:
            latest[language] = max(position, latest.get(language, 0))
        return latest

    def releases(self, instrument: Instrument | None = None) -> list[records.ReleaseRecord]:
        """Releases in the order they were built."""
        column = tables.release.c.instrument
        return self._all(
            records.ReleaseRecord, *([column == str(instrument)] if instrument else [])
        )

    def holds_origin(self, origin: records.Origin) -> bool:
        """Whether any row of any table is of this origin."""
        for table in TABLES.values():
            if "origin" not in table.c:
                continue
            query = sa.select(table.c.position).where(table.c.origin == str(origin))
            query = query.where(*self._until(table)).limit(1)
            if self._connection.execute(query).first() is not None:
                return True
        return False

    def _source_order(self, instrument: Instrument) -> dict[str, int]:
        """Source key → position of the source, without reading its text."""
        table = tables.source
        query = sa.select(table.c.key, table.c.position)
        query = query.where(table.c.instrument == str(instrument), *self._until(table))
        return {str(key): int(position) for key, position in self._connection.execute(query)}

    def _all(self, kind: type[Record], *conditions: sa.ColumnElement[bool]) -> list[Record]:
        table = TABLES[kind]
        query = sa.select(table).where(*conditions, *self._until(table)).order_by(table.c.position)
        return records_from_rows(kind, self._connection.execute(query).mappings())

    def _blocks(
        self,
        kind: type[Record],
        column: sa.Column[Any],
        values: Iterable[str],
        *conditions: sa.ColumnElement[bool],
    ) -> list[Record]:
        found: list[Record] = []
        for block in in_blocks(values):
            found += self._all(kind, column.in_(block), *conditions)
        return sorted(found, key=_position)

    def _current(
        self, kind: type[Record], key: Sequence[sa.Column[Any]], *conditions: Any
    ) -> list[Record]:
        """The latest row of each key."""
        table = TABLES[kind]
        latest = (
            sa.select(sa.func.max(table.c.position))
            .where(*conditions, *self._until(table))
            .group_by(*key)
        )
        return self._all(kind, table.c.position.in_(latest))

    def _latest(
        self,
        table: sa.Table,
        key: sa.Column[Any],
        *conditions: sa.ColumnElement[bool],
        source: sa.FromClause | None = None,
    ) -> list[tuple[str, int]]:
        """Each value of a key with the latest position of the table's rows that have it."""
        query = (
            sa.select(key, sa.func.max(table.c.position))
            .select_from(table if source is None else source)
            .where(*conditions, *self._until(table))
            .group_by(key)
        )
        return [(str(value), int(position)) for value, position in self._connection.execute(query)]

    def _until(self, table: sa.Table) -> list[sa.ColumnElement[bool]]:
        return [] if self._at is None else [table.c.position <= self._at]


_OF_A_BATCH = (tables.item, tables.assignment, tables.exclusion)


def _position(record: Any) -> int:
    return int(record.stamp.position)
