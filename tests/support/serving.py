"""`graphdream serve` as a real process, for tests that ask it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

PAGES = (
    "/", "/passes", "/passes/1", "/passes/2", "/passes/3", "/passes/4", "/passes/4/changes/0", "/passes/4/changes/1?page=1",
    "/passes/4/not-applied", "/passes/4/merges/{merge}", "/passes/4/merges/{merge}?why={merge},{gone}", "/entities",
    "/entities?q=marlow", "/entities/{merge}", "/entities/{merge}?history=1", "/entities/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    "/recall", "/recall?q=Tessa+Marlow", "/recall?q=Tessa&past=1", "/recall?q=zzzz", "/review", "/review/3",
    "/review/3?kind=duplicate+facts+folded", "/review/3/clusters/{cluster}", "/cycle", "/costs",
)  # fmt: skip


@dataclass
class Server:
    """`pass_id` is the dream on record, `plan_id` a plan with everything open."""

    url: str
    path: Path
    process: subprocess.Popen[str]

    def client(self, **how: Any) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=60, **how)


@contextmanager
def running(path: Path, *words: str, environ: dict[str, str] | None = None) -> Iterator[Server]:
    process = subprocess.Popen(
        [sys.executable, "-m", "graphdream", "serve", "--db", str(path), "--port", "0", "--json", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"GRAPHDREAM_HOME": str(path.parent / "home")} | (environ or {}),
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise AssertionError(process.communicate()[1])
        url = json.loads(line)["said"].rpartition(" at ")[2]
        yield Server(url.replace("0.0.0.0", "127.0.0.1"), path, process)
    finally:
        process.terminate()
        process.communicate(timeout=20)
