"""A hub on loopback: repositories, commits, large files and tags over the Hugging Face protocol.

It answers what `huggingface_hub` 2.4 asks when a folder is committed, tagged and downloaded;
written from that client's requests, not from a hub's own code. Faults can be set for any request.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, Literal
from urllib.parse import unquote

TOKEN = "hf_right0token1of2the3tests"
REGULAR_LIMIT = 10_000_000
"""Larger files go to the large file storage, and all that .gitattributes names."""

_OF_A_REPOSITORY = re.compile(r"/api/datasets/([^/]+/[^/]+)(?:/([a-z-]+)(?:/([^/]+)(?:/(.+))?)?)?")
"""Owner and name, what of it, revision, folder."""

Fault = int | Literal["cut before", "cut after", "silent"]
SILENCE_S = 5.0
"""Longer than any client of the tests waits for an answer."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    content: bytes
    large: bool


@dataclass(slots=True)
class StoredRepository:
    private: bool
    commits: dict[str, dict[str, StoredFile]] = field(default_factory=dict)
    """Id → all files; the last one is the head of main."""
    messages: list[str] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def head(self) -> str:
        return list(self.commits)[-1]

    def add(self, files: dict[str, StoredFile], message: str) -> str:
        number = f"{len(self.commits)} {message}".encode()
        commit = hashlib.sha1(number).hexdigest()
        self.commits[commit] = files
        self.messages.append(message)
        return commit

    def at(self, revision: str) -> dict[str, StoredFile] | None:
        commit = self.head if revision == "main" else self.tags.get(revision, revision)
        return self.commits.get(commit)

    def files(self, revision: str) -> dict[str, bytes]:
        """The files as a person downloads them, the hub's own left out."""
        found = self.at(revision) or {}
        return {
            name: each.content for name, each in sorted(found.items()) if name != ".gitattributes"
        }


@dataclass(slots=True)
class HubServer:
    address: str
    repositories: dict[str, StoredRepository] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)
    """Pattern of `METHOD path` → what happens instead, as long as it stands here."""
    requests: list[str] = field(default_factory=list)
    ignored: set[str] = field(default_factory=set)
    """Files that the repository's .gitignore keeps out."""

    def fault(self, request: str) -> Fault | None:
        found = (fault for pattern, fault in self.faults.items() if re.search(pattern, request))
        return next(found, None)

    @property
    def writes(self) -> list[str]:
        """Requests that change a repository."""
        return [each for each in self.requests if re.search(r"create$|/commit/|/tag/", each)]


@contextmanager
def running_hub() -> Iterator[HubServer]:
    """A hub without repositories, stopped at the end."""

    class Handler(_Handler):
        hub: HubServer

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Handler.hub = HubServer(f"http://127.0.0.1:{server.server_address[1]}")
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield Handler.hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass(frozen=True, slots=True)
class _Download:
    content: bytes
    commit: str


class RefusedError(Exception):
    def __init__(self, status: int, code: str = "", message: str = "") -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


def _git_sha1(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: HubServer

    def do_GET(self) -> None:
        self._handle()

    def do_HEAD(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def do_PUT(self) -> None:
        self._handle()

    def log_message(self, *_: Any) -> None:
        pass

    def _handle(self) -> None:
        path = self.path.partition("?")[0]
        request = f"{self.command} {path}"
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.hub.requests.append(request)
        fault = self.hub.fault(request)
        try:
            if fault == "cut before":
                self._cut()
                return
            if fault == "silent":
                Event().wait(SILENCE_S)
                self._cut()
                return
            if isinstance(fault, int):
                raise RefusedError(fault, message=f"made to fail {self.headers['Authorization']}")
            answer = self._answer(path, body)
        except RefusedError as refused:
            self._send(refused.status, {"error": refused.message}, refused)
            return
        if fault == "cut after":
            self._cut()
            return
        self._send(200, answer)

    def _cut(self) -> None:
        self.close_connection = True
        self.connection.close()

    def _send(self, status: int, document: Any, refused: RefusedError | None = None) -> None:
        self.send_response(status)
        if isinstance(document, _Download):
            data = document.content
            self.send_header("ETag", f'"{_git_sha1(data)}"')
            self.send_header("X-Repo-Commit", document.commit)
        else:
            data = json.dumps(document).encode()
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if refused is not None and refused.code:
            self.send_header("X-Error-Code", refused.code)
        if refused is not None and refused.message:
            self.send_header("X-Error-Message", refused.message)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _answer(self, path: str, body: bytes) -> Any:
        if match := re.fullmatch(r"/objects/([0-9a-f]{64})", path):
            # Uploads go to a storage server, which gets no token.
            if self.headers["Authorization"] or hashlib.sha256(body).hexdigest() != match[1]:
                raise RefusedError(400)
            self.hub.objects[match[1]] = body
            return {}
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            raise RefusedError(401, message="Invalid credentials in Authorization header")
        if match := re.fullmatch(r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            return self._resolve(*match.groups())
        if path == "/api/repos/create":
            return self._create(json.loads(body))
        if path == "/api/validate-yaml":
            return {"errors": [], "warnings": []}
        if match := re.fullmatch(r"/datasets/([^/]+/[^/]+)\.git/info/lfs/objects/batch", path):
            return self._batch(json.loads(body))
        if match := _OF_A_REPOSITORY.fullmatch(path):
            return self._find(*match.groups(), body)
        raise RefusedError(404)

    def _find(
        self, name: str, what: str | None, revision: str | None, inside: str | None, body: bytes
    ) -> Any:
        if name not in self.hub.repositories:
            raise RefusedError(404, "RepoNotFound", "Repository not found")
        found = self._of_repository(name, what, revision or "main", body)
        if what == "tree" and inside:
            return [each for each in found if each["path"].startswith(f"{inside}/")]
        return found

    def _create(self, wanted: dict[str, Any]) -> Any:
        assert wanted["type"] == "dataset"
        name = f"{wanted['organization']}/{wanted['name']}"
        if wanted["organization"] == "others":
            raise RefusedError(403, message="You don't have the rights to create here")
        url = f"{self.hub.address}/datasets/{name}"
        if name in self.hub.repositories:
            raise RefusedError(409, message="You already created this dataset repo")
        made = StoredRepository(wanted.get("visibility") == "private")
        attributes = b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"
        made.add({".gitattributes": StoredFile(attributes, False)}, "initial commit")
        self.hub.repositories[name] = made
        return {"url": url, "name": name}

    def _batch(self, wanted: dict[str, Any]) -> Any:
        assert wanted["operation"] == "upload"
        objects = []
        for each in wanted["objects"]:
            one: dict[str, Any] = {"oid": each["oid"], "size": each["size"]}
            if each["oid"] not in self.hub.objects:
                one["actions"] = {"upload": {"href": f"{self.hub.address}/objects/{each['oid']}"}}
            objects.append(one)
        return {"transfer": "basic", "objects": objects}

    def _of_repository(self, name: str, what: str | None, revision: str, body: bytes) -> Any:
        repository = self.hub.repositories[name]
        if what is None or what == "revision":
            commit = repository.head if revision == "main" else revision
            commit = repository.tags.get(commit, commit)
            siblings = [{"rfilename": path} for path in sorted(repository.commits[commit])]
            about = {"id": name, "sha": commit, "private": repository.private}
            return about | {"siblings": siblings}
        if what == "refs":
            main = {"name": "main", "ref": "refs/heads/main", "targetCommit": repository.head}
            tags = [
                {"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": commit}
                for tag, commit in repository.tags.items()
            ]
            return {"branches": [main], "tags": tags, "converts": []}
        files = repository.at(revision)
        if files is None:
            raise RefusedError(404, "RevisionNotFound", "Invalid rev id")
        if what == "tree":
            return [_describe(path, each) for path, each in sorted(files.items())]
        if what == "preupload":
            return {"files": [self._preupload(files, each) for each in json.loads(body)["files"]]}
        if what == "commit":
            return self._commit(name, repository, body)
        if what == "tag":
            tag = json.loads(body)["tag"]
            if tag in repository.tags:
                raise RefusedError(409, message="Tag reference exists already")
            repository.tags[tag] = revision
            return {}
        raise RefusedError(404)

    def _resolve(self, name: str, revision: str, path: str) -> _Download:
        repository = self.hub.repositories[name]
        found = (repository.at(revision) or {}).get(unquote(path))
        if found is None:
            raise RefusedError(404, "EntryNotFound", "Entry not found")
        commit = repository.tags.get(revision, revision)
        return _Download(found.content, commit)

    def _preupload(self, files: dict[str, StoredFile], wanted: dict[str, Any]) -> Any:
        path = wanted["path"]
        large = path.endswith(".parquet") or wanted["size"] > REGULAR_LIMIT
        answer = {
            "path": path,
            "uploadMode": "lfs" if large else "regular",
            "shouldIgnore": path in self.hub.ignored,
        }
        if path in files:
            content = files[path].content
            oid = hashlib.sha256(content).hexdigest() if large else _git_sha1(content)
            answer["oid"] = oid
        return answer

    def _commit(self, name: str, repository: StoredRepository, body: bytes) -> Any:
        lines = [json.loads(line) for line in body.splitlines()]
        header = lines[0]["value"]
        if header.get("parentCommit", repository.head) != repository.head:
            raise RefusedError(412, message="A commit has happened since")
        files = dict(repository.commits[repository.head])
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "deletedFile":
                del files[value["path"]]
            elif line["key"] == "file":
                files[value["path"]] = StoredFile(base64.b64decode(value["content"]), False)
            elif line["key"] == "lfsFile":
                files[value["path"]] = StoredFile(self.hub.objects[value["oid"]], True)
            else:
                raise RefusedError(400, message=f"unknown {line['key']}")
        commit = repository.add(files, header["summary"])
        return {
            "commitUrl": f"{self.hub.address}/datasets/{name}/commit/{commit}",
            "commitOid": commit,
        }


def _describe(path: str, file: StoredFile) -> Any:
    size = len(file.content)
    found: dict[str, Any] = {"type": "file", "path": path, "size": size}
    if not file.large:
        return found | {"oid": _git_sha1(file.content)}
    oid = hashlib.sha256(file.content).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {size}\n"
    lfs = {"oid": oid, "size": size, "pointerSize": len(pointer)}
    return found | {"oid": _git_sha1(pointer.encode()), "lfs": lfs}
