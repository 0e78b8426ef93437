"""How fast prompts are sent: `python -m benchmarks.prompt_requests [--prompts N] [--parallel K]`.

A server of its own process on this machine answers each request after a set delay. All prompts are
asked as a run asks them, each reply stored before its thread sends the next; then a sample is asked
one after another. Prints one JSON object: seconds and prompts a second of both, the least seconds
that the delay alone takes, and whether all replies came and were stored.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from corpus.version import PRODUCT
from scoring.model_connections import ModelConnections
from scoring.prompt_answers import open_answers
from scoring.prompt_run import Asking, ask_messages
from scoring.tested_models import ModelEngine, TestedModel

ANSWER = {"model": "benchmark", "choices": [{"message": {"content": "No."}}]}


def serve(delay_s: float, address: Connection) -> None:
    """Answers every request after the delay, until the process is ended."""
    body = json.dumps(ANSWER).encode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            time.sleep(delay_s)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

    server = Server(("127.0.0.1", 0), Handler)
    address.send(server.server_address[1])
    server.serve_forever()


def measure(folder: Path, port: int, prompts: int, parallel: int) -> dict[str, float]:
    """Seconds of asking so many prompts at once, and prompts a second."""
    url = f"http://127.0.0.1:{port}/v1"
    model = TestedModel(f"benchmark-{parallel}", "none", ModelEngine.ENDPOINT, url=url)
    messages = [
        (f"Prompt {number}: are herons calmer than storks?", 0) for number in range(prompts)
    ]
    with open_answers(folder, model.name, model.identity) as store:
        begin = time.perf_counter()
        ask_messages(messages, model, store, Asking(ModelConnections({}).connect, parallel))
        seconds = time.perf_counter() - begin
    with open_answers(folder, model.name, model.identity) as store:
        replies = [store.find(message, repeat) for message, repeat in messages]
    answered = sum(each is not None and each.reply.text == "No." for each in replies)
    return {"seconds": seconds, "prompts_per_s": prompts / seconds, "stored": answered}


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prompts", type=int, default=2000)
    parser.add_argument("--parallel", type=int, default=16)
    parser.add_argument("--delay-ms", type=float, default=50.0)
    parser.add_argument("--sequential", type=int, default=100, help="Prompts of the sample.")
    given = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    server = context.Process(target=serve, args=(given.delay_ms / 1000, there), daemon=True)
    server.start()
    port = here.recv()
    try:
        with tempfile.TemporaryDirectory() as folder:
            together = measure(Path(folder), port, given.prompts, given.parallel)
            alone = measure(Path(folder), port, given.sequential, 1)
    finally:
        server.terminate()
        server.join()
    document = {
        "benchmark": "prompt_requests",
        "version": PRODUCT,
        "cores": os.cpu_count(),
        "prompts": given.prompts,
        "parallel": given.parallel,
        "delay_ms": given.delay_ms,
        "least_seconds": given.prompts * given.delay_ms / 1000 / given.parallel,
        "together": together,
        "one_after_another": {"prompts": given.sequential, **alone},
        "times_faster": together["prompts_per_s"] / alone["prompts_per_s"],
        "all_stored": together["stored"] == given.prompts,
    }
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
