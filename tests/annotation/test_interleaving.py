"""Any interleaving of what raters and curators do ends in the state that one final pull gives."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from servers import MemoryDesk
from studies import push_study

from annotation.label_studio.markup import build_result
from annotation.label_studio.memory import MemoryServer
from annotation.label_studio.protocol import ServerTask
from annotation.pull import pull_batch
from annotation.push import push_batch
from annotation.repair import repair_batch
from corpus.records import RatingRevision, RatingState
from corpus.store import open_store
from tests.store_builders import make_store

RATERS = ("r1", "r2")
ANSWERS: tuple[dict[str, Any], ...] = (
    {"quality": 90, "gender_marked": "no"},
    {"quality": 0, "gender_marked": "yes", "speaker_gender": "man"},
    {"quality": 50, "gender_marked": "unsure", "comment": "which?"},
    {"quality": 500, "gender_marked": "no"},
    {"gender_marked": "no"},
)
raters = st.sampled_from(RATERS)
numbers = st.integers(0, 30)
answers = st.sampled_from(ANSWERS)
Current = dict[tuple[str, str, str], tuple[Any, ...]]


class Interleaving(RuleBasedStateMachine):
    """One study on one server; every rule is something that somebody does."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.store = make_store(self.folder)
        self.desk = MemoryDesk()
        self.server = self.desk.server
        assert isinstance(self.server, MemoryServer)
        self.study = push_study(self.store, self.desk, RATERS)
        self.deleted: set[str] = set()

    # --- what a rater does, in her own project or in another's

    @rule(whose=raters, who=raters, number=numbers, given=answers, cancelled=st.booleans())
    def submit(
        self, whose: str, who: str, number: int, given: dict[str, Any], cancelled: bool
    ) -> None:
        if task := self._pick(self._tasks(whose), number):
            result = build_result(self.study.form, given)
            self.study.sessions[who].submit(task.id, result, cancelled=cancelled)

    @rule(whose=raters, who=raters, number=numbers, given=answers, cancelled=st.booleans())
    def change(
        self, whose: str, who: str, number: int, given: dict[str, Any], cancelled: bool
    ) -> None:
        found = [answer for task in self._tasks(whose) for answer in task.answers]
        if answer := self._pick(found, number):
            result = build_result(self.study.form, given)
            self.study.sessions[who].change(answer.id, result, cancelled=cancelled)

    @rule(whose=raters, number=numbers)
    def delete(self, whose: str, number: int) -> None:
        found = [answer for task in self._tasks(whose) for answer in task.answers]
        if answer := self._pick(found, number):
            self.deleted.add(answer.id)
            self.study.sessions[whose].delete(answer.id)

    @rule(whose=raters, number=numbers, given=answers)
    def begin(self, whose: str, number: int, given: dict[str, Any]) -> None:
        if task := self._pick(self._tasks(whose), number):
            self.study.sessions[whose].save_draft(task.id, build_result(self.study.form, given))

    @rule(whose=raters, number=numbers)
    def drop(self, whose: str, number: int) -> None:
        found = [draft for task in self._tasks(whose) for draft in task.drafts]
        if draft := self._pick(found, number):
            self.study.sessions[whose].delete_draft(draft.id)

    @rule(span=st.sampled_from([1, 59, 61, 3600]))
    def wait(self, span: int) -> None:
        self.server._now += timedelta(seconds=span)

    # --- what anybody can do to anybody

    @rule(whose=raters, number=numbers)
    def delete_task(self, whose: str, number: int) -> None:
        if task := self._pick(self._tasks(whose), number):
            self.desk.delete_task(task.id)

    @rule(whose=raters, number=numbers)
    def repeat_task(self, whose: str, number: int) -> None:
        if task := self._pick(self._tasks(whose), number):
            self.server.import_tasks(self.study.project(whose), [dict(task.data)])

    @rule(whose=raters)
    def delete_project(self, whose: str) -> None:
        if self._exists(whose):
            self.desk.delete_project(self.study.project(whose))

    @rule(whose=raters)
    def rename_project(self, whose: str) -> None:
        if self._exists(whose):
            self.desk.change_project(self.study.project(whose), title="Renamed")

    # --- what the curator does

    @rule(full=st.booleans())
    def pull(self, full: bool) -> None:
        pull_batch(self.store, self.server, self.study.id, "curator-1", full=full)

    @rule()
    def push(self) -> None:
        push_batch(self.store, self.server, self.study.id, "curator-1")

    @rule()
    def repair(self) -> None:
        repair_batch(self.store, self.server, self.study.id, "curator-1")
        again = repair_batch(self.store, self.server, self.study.id, "curator-1", dry_run=True)
        # What is left holds somebody's answers.
        assert {each.code for each in again} <= {"task_repeated"}

    # --- what holds in the end

    def teardown(self) -> None:
        pull_batch(self.store, self.server, self.study.id, "curator-1")
        interleaved = self._current(self.study.ratings())
        single = self._current(self._pull_once())
        present = {
            (self.study.project(rater), task.id) for rater in RATERS for task in self._tasks(rater)
        }
        there = {key: value for key, value in interleaved.items() if key[1:] in present}
        assert {key: value for key, value in there.items() if value[0] != "deleted"} == single
        # What went with a task or a project was pulled before or never; none of it is lost.
        for (source, *_), (state, *_) in interleaved.items():
            if state == RatingState.DELETED and not source.startswith("draft-"):
                assert source in self.deleted
        self.store.close()
        shutil.rmtree(self.folder)

    def _pull_once(self) -> list[RatingRevision]:
        """The ratings of a store that knows the projects and was never pulled into."""
        copy = self.folder / "copy"
        copy.mkdir()
        source = sqlite3.connect(self.folder / "store.sqlite")
        target = sqlite3.connect(copy / "store.sqlite")
        source.backup(target)
        with target:
            target.execute("DELETE FROM rating_revision")
            target.execute("DELETE FROM pull_mark")
        source.close()
        target.close()
        store = open_store(f"sqlite:///{copy / 'store.sqlite'}")
        pull_batch(store, self.server, self.study.id, "curator-1")
        with store.reading() as state:
            ratings = state.ratings(self.study.items)
        store.close()
        return ratings

    def _current(self, ratings: list[RatingRevision]) -> Current:
        found: Current = {}
        for each in ratings:
            project, task, source = each.source_id.split("/")
            found[source, project, task] = (
                each.state,
                each.item_id,
                each.rater_id,
                dict(each.answers),
                each.reasons,
                each.source_revision,
            )
        return found

    def _exists(self, rater: str) -> bool:
        return self.study.project(rater) in {each.id for each in self.server.find_projects()}

    def _tasks(self, rater: str) -> list[ServerTask]:
        return self.study.tasks(rater) if self._exists(rater) else []

    @staticmethod
    def _pick(found: list[Any], number: int) -> Any:
        return found[number % len(found)] if found else None


def test_any_interleaving_ends_as_one_final_pull() -> None:
    run_state_machine_as_test(
        Interleaving,
        settings=settings(
            max_examples=25,
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
