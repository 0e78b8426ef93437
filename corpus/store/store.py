"""The store: opens read and write transactions, and appends records.

What is appended with `append_new` has a key; what is already there is left alone, so a repeated
command changes nothing. Every row of one transaction gets its position under one lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

import sqlalchemy as sa

from corpus.errors import StateError
from corpus.forms import Form, FormRecord, form_definition
from corpus.records import AuditEntry, Candidate, Origin, RatingRevision, Source, Stamp
from corpus.store import tables
from corpus.store.claims import claiming
from corpus.store.connection import open_engine, reading, writing
from corpus.store.mapping import TABLES, row_from_record, stamped
from corpus.store.purging import purge_erased
from corpus.store.runs import RunLog
from corpus.store.schema import check_schema
from corpus.store.state import State, in_blocks
from corpus.version import PRODUCT

Record = TypeVar("Record")


def open_store(url: str) -> Store:
    """The store at a database URL.

    Raises:
        SettingsError: if the URL is not one of SQLite or PostgreSQL.
        WorkspaceError: if the database cannot be reached or has another schema.
    """
    engine = open_engine(url)
    check_schema(engine)
    return Store(engine)


class Store:
    """One study's database."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self.runs = RunLog(engine)

    @contextmanager
    def reading(self, at: int | None = None) -> Iterator[State]:
        """One consistent state: the latest, or the one at log position `at`."""
        with reading(self._engine) as connection:
            yield State(connection, at)

    @contextmanager
    def writing(self, origin: Origin = Origin.MACHINE) -> Iterator[Writer]:
        """A transaction that appends; committed as a whole at the end of the block."""
        with writing(self._engine) as connection:
            writer = Writer(connection, origin)
            yield writer
            writer.finish()

    @contextmanager
    def claiming(self, name: str, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Holds a name of this database alone, after waiting for whoever holds it.

        Args:
            name: what is claimed.
            waiting: called again and again while another process holds it.
        """
        with claiming(self._engine, name, waiting):
            yield

    def purge_erased(self) -> bool:
        """Takes what was erased out of the database's own files; see `corpus.store.purging`."""
        return purge_erased(self._engine)

    def close(self) -> None:
        """Gives the connections back."""
        self._engine.dispose()


class Writer(State):
    """Appends records; also reads, so that a check and its write are one transaction."""

    def __init__(self, connection: sa.Connection, origin: Origin) -> None:
        super().__init__(connection)
        self._origin = origin
        self._now = datetime.now(UTC)
        # This update is the lock: on PostgreSQL other writers wait here until we commit.
        counter = tables.log_position
        connection.execute(sa.update(counter).values(value=counter.c.value))
        self._next = int(connection.execute(sa.select(counter.c.value)).scalar_one()) + 1

    def append(self, new: Iterable[Record]) -> list[Record]:
        """Appends the records (all of one type) and gives them back with their stamps."""
        written: list[Record] = []
        rows: list[dict[str, Any]] = []
        table: sa.Table | None = None
        for record in new:
            table = TABLES[type(record)]
            stamp = Stamp(self._next, self._now, self._origin, PRODUCT)
            self._next += 1
            written.append(stamped(record, stamp))
            rows.append(
                row_from_record(record)
                | {
                    "position": stamp.position,
                    "at": stamp.at,
                    "origin": str(stamp.origin),
                    "made_by": stamp.made_by,
                }
            )
        if table is not None:
            self._connection.execute(sa.insert(table), rows)
        return written

    def append_new(self, new: Sequence[Record]) -> list[Record]:
        """Appends those records (all of one type) whose key is not there yet."""
        if not new:
            return []
        table = TABLES[type(new[0])]
        names = _key_columns(table)
        values = [tuple(str(row[name]) for name in names) for row in map(row_from_record, new)]
        present: set[tuple[str, ...]] = set()
        for block in in_blocks(value[0] for value in values):
            columns = [table.c[name] for name in names]
            query = sa.select(*columns).where(table.c[names[0]].in_(block))
            present |= {tuple(map(str, row)) for row in self._connection.execute(query)}
        missing: list[Record] = []
        for record, value in zip(new, values, strict=True):
            if value not in present:
                present.add(value)
                missing.append(record)
        return self.append(missing)

    def append_sources(self, new: Sequence[Source]) -> list[Source]:
        """Adds a dataset's sources; adding the same ones again changes nothing.

        Raises:
            StateError: if a source of that key is there with another text or stereotype.
        """
        keys = [source.key for source in new]
        present: dict[str, Source] = {}
        for block in in_blocks(keys):
            for each in self._all(Source, tables.source.c.key.in_(block)):
                present[each.key] = each
        for source in new:
            known = present.get(source.key)
            if known is not None and (known.text, known.stereotype_id) != (
                source.text,
                source.stereotype_id,
            ):
                raise StateError(
                    f"Source {source.key} is already there with another text or stereotype; "
                    "sources never change. Add the new file under another dataset name."
                )
        return self.append([source for source in new if source.key not in present])

    def append_candidates(self, new: Sequence[Candidate]) -> list[Candidate]:
        """Adds those candidates that differ from the current one of the same id."""
        present: dict[str, Candidate] = {}
        column = tables.candidate.c.id
        for block in in_blocks(candidate.id for candidate in new):
            for each in self._current(Candidate, [column], column.in_(block)):
                present[each.id] = each
        return self.append(
            [each for each in new if _made_of(each) != _made_of(present.get(each.id))]
        )

    def append_ratings(self, new: Sequence[RatingRevision]) -> list[RatingRevision]:
        """Adds those revisions that differ from the current one of the same answer."""
        current = {_answer_of(each): each for each in self.ratings(each.item_id for each in new)}
        added: list[RatingRevision] = []
        for revision in new:
            known = current.get(_answer_of(revision))
            if known is None or known.key != revision.key:
                current[_answer_of(revision)] = revision
                added.append(revision)
        return self.append(added)

    def append_form(self, form: Form) -> None:
        """Stores the form's definition.

        Raises:
            StateError: if that version is stored with other questions.
        """
        record = FormRecord(form.id, form.version, form_definition(form))
        if self.append_new([record]):
            return
        if self.form(form.name) != form:
            raise StateError(
                f"The form {form.name} is stored with other questions; give it a new version."
            )

    def append_audit(self, entry: AuditEntry) -> None:
        """Notes who did what, in the transaction that does it."""
        self.append([entry])

    def erase_person(self, person_id: str) -> None:
        """Removes all that is known of a person; the pseudonym stays, ratings point to it."""
        table = tables.person
        nothing: dict[str, Any] = {"name": None, "address": None, "contact": None}
        nothing["demographics"] = {}
        self._connection.execute(sa.update(table).where(table.c.id == person_id).values(**nothing))

    def finish(self) -> None:
        """Notes the last position given out; called before the commit."""
        self._connection.execute(sa.update(tables.log_position).values(value=self._next - 1))

    @property
    def position(self) -> int:
        """The last position given out, those of this transaction included."""
        return self._next - 1


def _key_columns(table: sa.Table) -> list[str]:
    """Columns of the table's first unique constraint, the key of its records."""
    for constraint in sorted(table.constraints, key=lambda each: str(each.name)):
        if isinstance(constraint, sa.UniqueConstraint):
            return [column.name for column in constraint.columns]
    raise TypeError(f"records of {table.name} have no key")


def _answer_of(revision: RatingRevision) -> tuple[str, str, str, str]:
    """What the revisions of one answer have in common."""
    return (revision.item_id, revision.rater_id, revision.source, revision.source_id)


def _made_of(candidate: Candidate | None) -> tuple[Any, ...] | None:
    """What makes two candidates the same: everything but the run that wrote them."""
    if candidate is None:
        return None
    row = row_from_record(candidate)
    row.pop("run_id")
    return tuple(sorted((name, repr(value)) for name, value in row.items()))
