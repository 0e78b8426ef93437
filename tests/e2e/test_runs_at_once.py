"""Two `generate` processes at once: every text is sent once, on SQLite and on PostgreSQL."""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest
from werkzeug import Response

from corpus.store import open_store
from tests.command_line import ROOT, command_of, environment_of, run_here
from tests.engines.chat_servers import ChatScript, chat_server, translated

SENTENCES = 30
LONGEST_WAIT_S = 120.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
)
def test_two_runs_at_once_send_each_text_once(
    database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder, script = tmp_path / "study", ChatScript()
    env = {"STEREOSCOPE_TRANSLATION_MODEL": "made", "STEREOSCOPE_CHAT_TEXTS_PER_REQUEST": "4"}
    url = f"sqlite:///{folder / 'stereoscope.sqlite'}"
    if database == "postgresql":
        url = str(request.getfixturevalue("postgres_url"))
        env["STEREOSCOPE_DATABASE_URL"] = url
    assert run_here("init", folder, env=env).code == 0
    file = tmp_path / "made.csv"
    rows = "".join(f"I did thing {number}.,1\n" for number in range(SENTENCES))
    file.write_text("sentence,stereotype\n" + rows, encoding="utf-8")
    assert run_here("source", "add", file, "-w", folder, env=env).code == 0

    def is_waiting() -> bool:
        return any("waiting" in run.message for run in store.runs.latest())

    def hold(texts: list[str]) -> Response:
        """Answers the first request only once the other process is seen to wait."""
        end = time.monotonic() + LONGEST_WAIT_S
        while not is_waiting() and time.monotonic() < end:
            time.sleep(0.1)
        seen.append(is_waiting())
        return translated([f"sv: {text}" for text in texts])

    seen: list[bool] = []
    script.moves = [hold]
    store = open_store(url)
    with chat_server(script) as address:
        env["STEREOSCOPE_CHAT_URL"] = address
        command = command_of("generate", "-l", "sv", "--engine", "chat", "-w", folder)
        both = [
            subprocess.Popen(
                command, env=environment_of(env), cwd=ROOT, stderr=subprocess.PIPE, text=True
            )
            for _ in range(2)
        ]
        ends = [(process.communicate(timeout=300)[1], process.returncode) for process in both]
    assert [code for _, code in ends] == [0, 0], ends
    assert seen == [True]
    assert Counter(script.sent()) == Counter({f"I did thing {n}.": 1 for n in range(SENTENCES)})
    with store.reading() as state:
        assert len(state.all_translations("sv")) == SENTENCES
    store.close()
