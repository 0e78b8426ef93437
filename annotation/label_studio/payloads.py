"""What Label Studio sends, as the protocol's types: nothing in it is taken to be as it should."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from annotation.label_studio.protocol import (
    PROJECT_SETTINGS,
    ProjectSpec,
    ServerAnswer,
    ServerDraft,
    ServerProject,
    ServerTask,
)

PROJECT_FIELDS = (
    "id",
    "title",
    "description",
    "label_config",
    "expert_instruction",
    "task_number",
    *PROJECT_SETTINGS,
)
"""What is asked of a project: with everything else the list takes many times as long."""


def read_export(exported: str | bytes) -> list[ServerTask]:
    """The tasks of a project's JSON export, in the order of their ids.

    Raises:
        ValueError: if it is not a list of tasks, e.g. because it was cut off.
    """
    return read_tasks(json.loads(exported))


def read_tasks(tasks: Any) -> list[ServerTask]:
    """Tasks of an export or of a page, in the order of their ids.

    Raises:
        ValueError: if it is not a list of tasks.
    """
    if not isinstance(tasks, list):
        raise ValueError("not a list of tasks")
    try:
        return sorted(map(_task, tasks), key=lambda each: int(each.id))
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a task: {error}") from error


def read_project(project: Mapping[str, Any]) -> ServerProject:
    """A project of the list of projects."""
    return ServerProject(
        str(project["id"]),
        ProjectSpec(
            title=str(project.get("title") or ""),
            description=str(project.get("description") or ""),
            config=str(project.get("label_config") or ""),
            instruction_html=str(project.get("expert_instruction") or ""),
            settings={name: project.get(name) for name in PROJECT_SETTINGS},
        ),
        int(project.get("task_number") or 0),
    )


def write_project(spec: ProjectSpec) -> dict[str, Any]:
    """The body that creates or restores a project."""
    return {
        "title": spec.title,
        "description": spec.description,
        "label_config": spec.config,
        "expert_instruction": spec.instruction_html,
        **spec.settings,
    }


def _task(task: Mapping[str, Any]) -> ServerTask:
    data = task["data"]
    return ServerTask(
        id=str(int(task["id"])),
        data=data if isinstance(data, Mapping) else {},
        answers=tuple(_answer(each) for each in task.get("annotations") or ()),
        drafts=tuple(_draft(each) for each in task.get("drafts") or ()),
        updated_at=_time(task.get("updated_at")),
    )


def _answer(annotation: Mapping[str, Any]) -> ServerAnswer:
    return ServerAnswer(
        id=str(int(annotation["id"])),
        completed_by=_user_id(annotation.get("completed_by")),
        updated_by=_user_id(annotation.get("updated_by")),
        result=_result(annotation.get("result")),
        cancelled=bool(annotation.get("was_cancelled")),
        updated_at=_time(annotation.get("updated_at")),
        lead_time_s=_seconds(annotation.get("lead_time")),
    )


def _draft(draft: Mapping[str, Any]) -> ServerDraft:
    return ServerDraft(
        id=str(int(draft["id"])),
        address=str(draft.get("user") or "").lower(),
        result=_result(draft.get("result")),
        updated_at=_time(draft.get("updated_at")),
        lead_time_s=_seconds(draft.get("lead_time")),
    )


def _result(result: Any) -> tuple[Mapping[str, Any], ...]:
    """Control results; what is none becomes an empty one, which reads as an unreadable control."""
    if not isinstance(result, list):
        return () if not result else ({},)
    return tuple(each if isinstance(each, Mapping) else {} for each in result)


def _user_id(value: Any) -> int | None:
    """Exports give a number or an object with `id`, depending on the user's rights."""
    if isinstance(value, Mapping):
        value = value.get("id")
    return int(value) if value is not None else None


def _time(value: Any) -> datetime | None:
    if not value:
        return None
    time = datetime.fromisoformat(value)
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


def _seconds(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)
