"""An S3 server in a process of its own, asked over HTTP: moto's, one request after another, so that its conditions are
kept whoever asks at the same time. Run as a program it serves; `served` starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]


@contextmanager
def served(*words: str) -> Iterator[str]:
    """The address of a server that holds nothing; with the word `careless`, one that passes over conditions."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.s3", *words], cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        assert line, "the S3 server did not start"
        yield line
    finally:
        process.kill()
        process.communicate()


def environment(address: str) -> dict[str, str]:
    """What makes every S3 client of a process, and of its children, ask that server."""
    return {
        "AWS_ENDPOINT_URL_S3": address, "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
    }  # fmt: skip


def main() -> None:
    """Serve until killed; the address is printed first."""
    os.environ |= {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    known = DomainDispatcherApplication(create_backend_app)

    def careless(environ: dict[str, Any], start: Any) -> Any:
        for condition in ("HTTP_IF_MATCH", "HTTP_IF_NONE_MATCH"):
            environ.pop(condition, None)
        return known(environ, start)

    server = make_server("127.0.0.1", 0, careless if "careless" in sys.argv else known, threaded=False)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
