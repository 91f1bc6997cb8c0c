"""`python -m graphdream`, and what the `graphdream` command starts."""

import os
import sys

from graphdream.interfaces import cli
from graphdream.interfaces.cli import main

__all__ = ["main", "start"]


def start() -> int:
    """Run the command of this process's words; the exit code, as docs/exit-codes.md lists them.

    An interrupted process ends at once. The interpreter would wait for every thread first, and a thread may wait
    minutes for a model's answer that nobody wants any more; the database is closed by then, and what was answered is
    in it.
    """
    code = main()
    if code == cli.INTERRUPTED:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


if __name__ == "__main__":
    raise SystemExit(start())
