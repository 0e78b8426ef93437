"""Tasks read from a Label Studio server: by export, and by what it takes where that fails.

Whole projects are read by one export; page by page only where the export does not come through.
What was stored in a task can break every export that holds it: such tasks are found by halving,
so that all others can be read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from annotation.label_studio.payloads import read_export, read_tasks
from annotation.label_studio.protocol import ServerTask
from annotation.label_studio.transport import CutError, ServerFaultError, Transport
from corpus.errors import EngineError, ProjectMissingError

TASKS_PER_PAGE = 200
PAGING_TRIES = 3
MOST_UNREADABLE = 20
"""With so many tasks that cannot be read it is the server that is broken, not they."""
TIME_FORMAT = "%Y-%m-%dT%H:%M:%S.%fZ"
"""The only one that Label Studio's filters read."""
WHOLE_TASKS = {"fields": "all", "resolve_uri": "false"}
"""A page of tasks with their answers and drafts, addresses in the texts left as they are."""


class TaskReader:
    """Reads the tasks of projects; all methods raise as `protocol.AnnotationServer` says."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def read_all(self, project_id: str) -> list[ServerTask]:
        """All tasks of a project with all their answers, in the order of their ids."""
        try:
            return self._export(project_id, download_all_tasks="true")
        except CutError:
            return self._read_pages(project_id)
        except ServerFaultError as error:
            listed = self._list(project_id, {"include": "id"}) or []
            return self._read_apart(project_id, [str(task["id"]) for task in listed], error)

    def read_changes(
        self, project_id: str, since: datetime, at_most: int
    ) -> list[ServerTask] | None:
        """Tasks that changed after that time by the server's clock, and all that have a draft.

        None if there are more than `at_most`.
        """
        changed = _condition("updated_at", "greater", "Datetime", since.astimezone(UTC))
        begun = _condition("draft_exists", "equal", "Boolean", "true")
        query = _query("or", changed, begun)
        found = self._list(project_id, {"include": "id", "query": query}, at_most)
        if found is None:
            return None
        try:
            return self.read_some(project_id, [str(task["id"]) for task in found])
        except CutError:
            return self._read_pages(project_id, query=query)

    def read_some(self, project_id: str, task_ids: Sequence[str]) -> list[ServerTask]:
        """Tasks by their ids, those that are there, in the order of their ids."""
        try:
            return self._export_some(project_id, task_ids)
        except ServerFaultError as error:
            return self._read_apart(project_id, task_ids, error)

    def _export(self, project_id: str, **choice: Any) -> list[ServerTask]:
        """Chosen tasks of a project by one export.

        Raises:
            CutError: if the export does not come through whole.
            ServerFaultError: if the server fails at it.
        """
        # Tried once: what an export could not do in time it will not do the next time.
        exported = self._transport.read(
            f"/api/projects/{project_id}/export",
            project_id,
            tries=1,
            is_slow=True,
            exportType="JSON",
            **choice,
        )
        try:
            return read_export(exported.content)
        except ValueError as error:
            raise CutError(
                f"Label Studio at {self._transport.url} answered with an export of project "
                f"{project_id} that cannot be read; see its log, then try again."
            ) from error

    def _export_some(self, project_id: str, task_ids: Sequence[str]) -> list[ServerTask]:
        tasks: list[ServerTask] = []
        for block in _blocks(task_ids):
            tasks += self._export(project_id, **{"ids[]": block, "download_all_tasks": "true"})
        return sorted(tasks, key=_number)

    def _read_apart(
        self, project_id: str, task_ids: Sequence[str], error: ServerFaultError
    ) -> list[ServerTask]:
        """Tasks by their ids, of which some cannot be exported: those come without answers.

        Raises:
            ServerFaultError: the error given, if too many cannot be.
        """
        unreadable: list[str] = []
        tasks: list[ServerTask] = []
        blocks = _blocks(task_ids)
        while blocks:
            block = blocks.pop()
            try:
                tasks += self._export_some(project_id, block)
            except ServerFaultError:
                if len(block) > 1:
                    blocks += [block[: len(block) // 2], block[len(block) // 2 :]]
                    continue
                unreadable += block
                if len(unreadable) > MOST_UNREADABLE:
                    raise error from None
        tasks += [self._read_shown(project_id, each) for each in unreadable]
        return sorted(tasks, key=_number)

    def _read_shown(self, project_id: str, task_id: str) -> ServerTask:
        """What a task shows whose answers cannot be read; nothing if that cannot be read either."""
        query = _query("and", _condition("id", "equal", "Number", int(task_id)))
        try:
            listed = self._list(project_id, {"include": "id,data", "query": query}) or []
        except ServerFaultError:
            listed = []
        data: dict[str, Any] = next(
            (task["data"] for task in listed if str(task["id"]) == task_id), {}
        )
        return ServerTask(task_id, data, (), is_readable=False)

    def _read_pages(self, project_id: str, **query: str) -> list[ServerTask]:
        """Tasks page by page; a page hides drafts of others, which the export shows."""
        listed = self._list(project_id, WHOLE_TASKS | query) or []
        begun = [str(task["id"]) for task in listed if task.get("draft_exists")]
        try:
            tasks = {each.id: each for each in read_tasks(listed)}
        except ValueError as error:
            raise EngineError(
                f"Label Studio at {self._transport.url} answered with tasks that cannot be read "
                f"({error}); see whether its version is the one this product was made for."
            ) from error
        tasks |= {each.id: each for each in self._export_some(project_id, begun)}
        return sorted(tasks.values(), key=_number)

    def _list(
        self, project_id: str, params: Mapping[str, str], at_most: int | None = None
    ) -> list[dict[str, Any]] | None:
        """Tasks as the server lists them, from the start if their number changes.

        None if there are more than `at_most`.
        """
        for _ in range(PAGING_TRIES):
            totals: set[int] = set()
            tasks: dict[Any, dict[str, Any]] = {}
            for page in self._pages(project_id, **params):
                totals.add(int(page["total"]))
                if at_most is not None and max(totals) > at_most:
                    return None
                tasks |= {each["id"]: each for each in page["tasks"]}
                if len(totals) > 1 or len(tasks) >= page["total"]:
                    break
            if totals <= {len(tasks)}:
                return list(tasks.values())
        raise EngineError(
            f"Tasks of project {project_id} keep being added or deleted while they are read; "
            "pull again when nobody does."
        )

    def _pages(self, project_id: str, **params: str) -> Iterator[Any]:
        try:
            yield from self._transport.pages(
                "/api/tasks/", TASKS_PER_PAGE, project=project_id, **params
            )
        except ProjectMissingError:
            raise ProjectMissingError(
                f"Label Studio has no project {project_id} any more."
            ) from None


def _condition(name: str, operator: str, kind: str, value: object) -> dict[str, object]:
    """A condition of Label Studio's filters."""
    if isinstance(value, datetime):
        value = value.strftime(TIME_FORMAT)
    return {"filter": f"filter:tasks:{name}", "operator": operator, "type": kind, "value": value}


def _query(conjunction: str, *conditions: Mapping[str, object]) -> str:
    """A filter as text, not as an object: a query that Label Studio cannot read it ignores."""
    return json.dumps({"filters": {"conjunction": conjunction, "items": conditions}})


def _blocks(task_ids: Sequence[str]) -> list[list[str]]:
    """Ids in blocks that one request can name."""
    starts = range(0, len(task_ids), TASKS_PER_PAGE)
    return [list(task_ids[start : start + TASKS_PER_PAGE]) for start in starts]


def _number(task: ServerTask) -> int:
    return int(task.id)
