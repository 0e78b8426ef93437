"""One way to drive a labelling server in tests, in memory or real: its raters and its vandals."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from annotation.label_studio import client
from annotation.label_studio.accounts import Account, open_client
from annotation.label_studio.memory import MemoryServer
from annotation.label_studio.payloads import read_project, write_project
from annotation.label_studio.protocol import AnnotationServer, RaterSession
from annotation.label_studio.rater_session import HttpRaterSession
from annotation.label_studio.server import LabelStudioServer, find_free_port


class ServerDesk(Protocol):
    """A server, its raters, and what any of them can do to each other's work."""

    server: AnnotationServer

    def add_rater(self, address: str) -> tuple[int, RaterSession]: ...
    def delete_project(self, project_id: str) -> None: ...
    def delete_task(self, task_id: str) -> None: ...
    def change_task(self, task_id: str, data: Mapping[str, Any]) -> None: ...
    def change_project(self, project_id: str, **values: Any) -> None: ...
    def break_task(self, task_id: str) -> None: ...
    def open_with_wrong_token(self) -> AnnotationServer: ...
    def open_unreachable(self) -> AnnotationServer: ...


class MemoryDesk:
    def __init__(self) -> None:
        self.server = self._memory = MemoryServer()

    def add_rater(self, address: str) -> tuple[int, RaterSession]:
        user_id = self._memory.add_user(address)
        return user_id, self._memory.open_session(user_id)

    def delete_project(self, project_id: str) -> None:
        self._memory.delete_project(project_id)

    def delete_task(self, task_id: str) -> None:
        self._memory.delete_task(task_id)

    def break_task(self, task_id: str) -> None:
        self._memory.break_task(task_id)

    def change_task(self, task_id: str, data: Mapping[str, Any]) -> None:
        self._memory.change_task(task_id, data)

    def change_project(self, project_id: str, **values: Any) -> None:
        [project] = [each for each in self.server.find_projects() if each.id == project_id]
        changed = read_project({"id": project_id, **write_project(project.spec), **values})
        self.server.restore_project(
            project_id, changed.spec, project.spec.differences(changed.spec)
        )

    def open_with_wrong_token(self) -> AnnotationServer:
        return MemoryServer(accepts_token=False)

    def open_unreachable(self) -> AnnotationServer:
        return MemoryServer(reachable=False)


class RealDesk:
    """Vandalism goes through the API with a rater's own token: Community lets her."""

    def __init__(self, process: LabelStudioServer) -> None:
        self._process = process
        token = process.administrator.token
        self.server = client.LabelStudioServer(process.base_url, token)
        vandal = process.create_rater("vandal@example.org", "a-long-password-9")
        self._vandal = open_client(process.base_url, vandal.token)
        self._raters: dict[str, Account] = {}

    def add_rater(self, address: str) -> tuple[int, RaterSession]:
        if address not in self._raters:
            self._raters[address] = self._process.create_rater(address, "a-long-password-9")
        account = self._raters[address]
        return account.user_id, HttpRaterSession(self._process.base_url, account.token)

    def delete_project(self, project_id: str) -> None:
        self._vandal.delete(f"/api/projects/{project_id}/").raise_for_status()

    def delete_task(self, task_id: str) -> None:
        self._vandal.delete(f"/api/tasks/{task_id}/").raise_for_status()

    def change_task(self, task_id: str, data: Mapping[str, Any]) -> None:
        self._vandal.patch(f"/api/tasks/{task_id}/", json={"data": dict(data)}).raise_for_status()

    def change_project(self, project_id: str, **values: Any) -> None:
        self._vandal.patch(f"/api/projects/{project_id}/", json=values).raise_for_status()

    def break_task(self, task_id: str) -> None:
        """Answers with a lone surrogate: SQLite stores it and Label Studio cannot read it back."""
        comment = {"from_name": "comment", "to_name": "mt_text", "type": "textarea"}
        body = json.dumps({"result": [comment | {"value": {"text": ["\ud800"]}}]})
        self._send_text("POST", f"/api/tasks/{task_id}/annotations/", body)

    def hide_task(self, task_id: str, data: Mapping[str, Any]) -> None:
        """Has a task show what Label Studio cannot read back."""
        body = json.dumps({"data": {**data, "mt_text": "\ud800"}})
        self._send_text("PATCH", f"/api/tasks/{task_id}/", body)

    def _send_text(self, method: str, path: str, body: str) -> None:
        """Sends literal JSON text, which is stored though the server answers with a fault."""
        headers = {"Content-Type": "application/json"}
        response = self._vandal.request(method, path, content=body.encode(), headers=headers)
        assert response.status_code == 500

    def open_with_wrong_token(self) -> AnnotationServer:
        return client.LabelStudioServer(self._process.base_url, "0" * 40)

    def open_unreachable(self) -> AnnotationServer:
        return client.LabelStudioServer(f"http://127.0.0.1:{find_free_port(0)}", "0" * 40)
