"""One rater in a workbook and in the browser, in turn: her latest answer counts."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from servers import MemoryDesk

from annotation.push import push_batch
from annotation.workbooks.incoming import ImportedWorkbook
from corpus.records import Item, RatingRevision, RatingState
from corpus.store import Store
from tests.annotation.studies import PushedBatch, push_study
from tests.annotation.workbook_studies import NO, YES, SheetStudy
from tests.store_builders import standing_of


class Desk:
    """A pushed batch and its rater's workbook."""

    def __init__(self, store: Store, folder: Path) -> None:
        memory = MemoryDesk()
        self.server = memory.server
        self.pushed: PushedBatch = push_study(store, memory)
        batch = self.pushed.created.batch
        with store.reading() as state:
            form = state.form(batch.form)
        self.sheets = SheetStudy(store, batch, list(self.pushed.items.values()), form, folder)
        self.path = self.sheets.export()
        self.item: Item = self.sheets.items[0]

    def type_in(self, answers: dict[str, object]) -> ImportedWorkbook:
        self.sheets.fill(self.path, self.item, answers)
        return self.sheets.take_in(self.path)

    def answer_in_browser(self, answers: dict[str, object]) -> str:
        number = self.sheets.row_of(self.item) - 2
        # The server in memory has a clock of its own; here both are one machine's.
        self.server.step = datetime.now(UTC) - self.server.fetch_time()
        made = self.pushed.answer("r1", number, answers)
        self.pushed.pull()
        return made

    def counting(self) -> RatingRevision:
        """The one answer that counts for the item."""
        answers = standing_of(self.pushed.store, "sk").answers
        [mine] = [each.rating for each in answers if each.rating.item_id == self.item.id]
        return mine


@pytest.fixture
def desk(store: Store, tmp_path: Path) -> Desk:
    return Desk(store, tmp_path)


def test_from_the_workbook_to_the_browser_and_back(desk: Desk) -> None:
    assert desk.type_in(NO).new == 1
    assert dict(desk.counting().answers) == NO
    desk.answer_in_browser(YES)
    assert (desk.counting().source, dict(desk.counting().answers)) == ("label-studio", YES)
    report = desk.type_in(NO | {"quality": 40})
    assert (report.changed, report.replacing) == (1, 1)
    assert (desk.counting().source, desk.counting().answers["quality"]) == ("workbook", 40)
    assert standing_of(desk.pushed.store, "sk").answers_missing == len(desk.sheets.items) - 1


def test_an_old_file_does_not_undo_a_later_browser_answer(desk: Desk) -> None:
    desk.type_in(NO)
    desk.answer_in_browser(YES)
    report = desk.sheets.take_in(desk.path)
    assert (report.unchanged, report.superseded, report.replacing) == (0, 1, 0)
    assert dict(desk.counting().answers) == YES


def test_pulling_again_does_not_undo_a_later_workbook(desk: Desk) -> None:
    desk.answer_in_browser(YES)
    report = desk.type_in(NO)
    assert (report.new, report.replacing) == (1, 1)
    desk.pushed.pull()
    assert dict(desk.counting().answers) == NO


def test_the_same_answer_in_both_replaces_nothing(desk: Desk) -> None:
    desk.answer_in_browser(NO)
    report = desk.type_in(NO)
    assert (report.new, report.replacing) == (1, 0)


def test_declining_in_the_workbook_takes_a_browser_answer_back(desk: Desk) -> None:
    desk.answer_in_browser(YES)
    desk.sheets.decline(desk.path, desk.item)
    desk.sheets.take_in(desk.path)
    assert desk.counting().state is RatingState.SKIPPED


def test_deleting_the_browser_answer_leaves_the_workbooks(desk: Desk) -> None:
    desk.type_in(NO)
    made = desk.answer_in_browser(YES)
    desk.pushed.sessions["r1"].delete(made)
    desk.pushed.pull()
    assert (desk.counting().source, dict(desk.counting().answers)) == ("workbook", NO)


def test_the_browser_asks_only_for_what_the_workbook_left_open(
    store: Store, tmp_path: Path
) -> None:
    memory = MemoryDesk()
    pushed = push_study(store, memory)
    memory.delete_project(pushed.project("r1"))
    sheets = SheetStudy(
        store, pushed.created.batch, list(pushed.items.values()), pushed.form, tmp_path
    )
    path = sheets.export()
    first, second, third = sheets.items
    sheets.fill(path, first, NO)
    sheets.decline(path, second)
    sheets.take_in(path)
    push_batch(store, memory.server, pushed.id, "curator-1")
    left = {second.id, third.id}
    assert {task.data["item_id"] for task in pushed.tasks("r1")} == left
    assert [each.problems for each in pushed.pull()] == [()]
    [again] = push_batch(store, memory.server, pushed.id, "curator-1")
    assert again.tasks_added == 0
    # Once she takes the workbook's answer back, she is asked again.
    path.unlink()
    sheets.decline(sheets.export(), first)
    sheets.take_in(path)
    [again] = push_batch(store, memory.server, pushed.id, "curator-1")
    assert again.tasks_added == 1
