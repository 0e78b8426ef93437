"""A hub that speaks the Hugging Face protocol, through huggingface_hub.

Files go over HTTP in one commit: `upload_folder` and the Xet protocol split a folder into several
commits, so that an interrupted upload would leave half a release on the main branch.
The access token is handed in and never part of a message.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from corpus.errors import ReleaseError, SettingsError
from corpus.hashing import sha256_bytes
from exports.publication import HUB_FILES, LocalFile, RemoteFile, Repository

if TYPE_CHECKING:
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError

TOKEN_VARIABLE = "HF_TOKEN"
TIMEOUT_S = 120.0
"""Longest silence of the hub before a request is given up; an upload may take longer in all."""
KIND = "dataset"
MAIN = "main"
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_AGAIN = "Run the same command again; it goes on where it stopped."
_REFUSALS = {
    401: f"the hub does not know the {TOKEN_VARIABLE} or has no such repository for it",
    403: f"the {TOKEN_VARIABLE} may not do that; it needs the right to write there",
    409: "somebody else changed it at the same time. " + _AGAIN,
    412: "somebody else changed it at the same time. " + _AGAIN,
    429: "the hub wants fewer requests; wait a while. " + _AGAIN,
}


class HuggingFaceHub:
    """Data set repositories on a hub; see `exports.publication.Hub`."""

    def __init__(self, token: str, endpoint: str | None = None) -> None:
        """Prepares the client; nothing is sent.

        Args:
            token: access token, sent with every request.
            endpoint: address of the hub; None takes the client's own default.

        Raises:
            SettingsError: if the token would cross a network unencrypted, or is no token.
        """
        if not token.isascii() or not token.isprintable() or " " in token:
            raise SettingsError(f"{TOKEN_VARIABLE} is not an access token; copy it again.")
        from huggingface_hub import HfApi, set_client_factory
        from huggingface_hub.utils.tqdm import disable_progress_bars

        set_client_factory(_build_client)
        # The product has its own progress, and its own words for what goes wrong.
        disable_progress_bars()
        logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
        self._token = token
        self._api = HfApi(endpoint=endpoint.rstrip("/") if endpoint else None, token=token)
        _check_endpoint(self._api.endpoint)

    @property
    def endpoint(self) -> str:
        """Address of the hub."""
        return self._api.endpoint

    def read_repository(self, name: str) -> Repository | None:
        """The repository, None if there is none of that name."""
        from huggingface_hub.errors import RepositoryNotFoundError

        with self._asking(f"read {name}"):
            try:
                info = self._api.repo_info(name, repo_type=KIND)
                refs = self._api.list_repo_refs(name, repo_type=KIND)
            except RepositoryNotFoundError as error:
                # The client takes a token that is refused for a repository that is missing.
                if error.response.status_code == 404:
                    return None
                raise
        heads = {each.name: each.target_commit for each in refs.branches}
        tags = {each.name: each.target_commit for each in refs.tags}
        return Repository(bool(info.private), heads.get(MAIN), tags)

    def list_files(self, name: str, commit: str) -> list[RemoteFile]:
        """All files at a commit."""
        from huggingface_hub.hf_api import RepoFile

        with self._asking(f"list the files of {name}"):
            tree = self._api.list_repo_tree(name, recursive=True, revision=commit, repo_type=KIND)
            files = [each for each in tree if isinstance(each, RepoFile)]
        return [
            RemoteFile(each.path, each.size, each.blob_id, each.lfs.sha256 if each.lfs else None)
            for each in files
        ]

    def create_repository(self, name: str, *, private: bool) -> None:
        """Makes a repository; one that is there already is left as it is."""
        with self._asking(f"create {name}"):
            self._api.create_repo(name, private=private, repo_type=KIND, exist_ok=True)

    def commit(
        self,
        name: str,
        message: str,
        files: Sequence[LocalFile],
        deleted: Sequence[str],
        parent: str | None,
    ) -> str:
        """Puts files in and takes others out as one commit on `parent`; gives its id."""
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        operations: list[Any] = [
            CommitOperationDelete(path) for path in deleted if path not in HUB_FILES
        ]
        operations += [CommitOperationAdd(each.name, _read(each)) for each in files]
        with self._asking(f"commit to {name}"):
            done = self._api.create_commit(
                name, operations, commit_message=message, repo_type=KIND, parent_commit=parent
            )
        return str(done.oid)

    def tag(self, name: str, tag: str, commit: str) -> None:
        """Names a commit; fails if the name is taken."""
        with self._asking(f"tag {name}"):
            self._api.create_tag(name, tag=tag, revision=commit, repo_type=KIND)

    @contextmanager
    def _asking(self, action: str) -> Iterator[None]:
        """Turns what the client raises into one message without the token."""
        from httpx2 import HTTPError
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError

        try:
            yield
        except HFValidationError:
            raise SettingsError(
                f"Cannot {action}: a repository is named owner/name, of letters, digits, -, _ and ."
            ) from None
        except HfHubHTTPError as error:
            raise ReleaseError(f"Cannot {action}: {self._describe(error)}") from None
        except (HTTPError, OSError) as error:
            raise ReleaseError(
                f"Cannot {action}: the hub cannot be reached or broke off "
                f"({type(error).__name__}). {_AGAIN}"
            ) from None
        except (RuntimeError, ValueError, KeyError) as error:
            # The client wraps failed uploads of large files, and answers that it cannot read.
            raise ReleaseError(f"Cannot {action}: {self._hide(error)} {_AGAIN}") from None

    def _describe(self, error: HfHubHTTPError) -> str:
        status = error.response.status_code
        if status >= 500:
            return f"the hub failed (HTTP {status}). {_AGAIN}"
        said = self._hide(error.server_message or "")
        known = _REFUSALS.get(status, "the hub refused it")
        return f"{known} (HTTP {status}{': ' + said if said else ''})."

    def _hide(self, said: object) -> str:
        return " ".join(str(said).replace(self._token, "***").split())


def _build_client() -> httpx2.Client:
    """The library's own client waits for ever; this one gives up, and the library tries again."""
    from huggingface_hub.utils._http import default_client_factory

    client = default_client_factory()
    client.event_hooks = {"request": [*client.event_hooks["request"], _limit_silence]}
    return client


def _limit_silence(request: httpx2.Request) -> None:
    # On the request, because some of the library's calls say themselves that there is no limit.
    limits = dict.fromkeys(("connect", "read", "write", "pool"), TIMEOUT_S)
    request.extensions = {**request.extensions, "timeout": limits}


def _read(file: LocalFile) -> io.BytesIO:
    """The content that was checked. As a buffer it goes over HTTP, not over Xet."""
    content = file.path.read_bytes()
    if sha256_bytes(content) != file.sha256:
        raise ReleaseError(f"{file.name} changed while it was published; nothing was committed.")
    return io.BytesIO(content)


def _check_endpoint(endpoint: str) -> None:
    try:
        parts = urlsplit(endpoint)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if not host or parts.scheme not in ("http", "https") or parts.username or parts.query:
        raise SettingsError(
            "The hub's address (--endpoint or HF_ENDPOINT) is none; write e.g. https://HOST."
        )
    if parts.scheme == "http" and host not in _LOOPBACK:
        raise SettingsError(
            "The hub's address begins with http://, so the token would go unencrypted; use https://."
        )
