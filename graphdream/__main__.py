"""`python -m graphdream`, and what the `graphdream` command starts."""

import os
import sys
from collections.abc import Sequence

from graphdream.collector import begin_loading, leave_the_rest

__all__ = ["command", "main", "start"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; as `graphdream.interfaces.cli.main`."""
    from graphdream.interfaces.cli import main as run  # what a hook does not load

    return run(argv)


def start() -> int:
    """Run the command of this process's words; the exit code, as docs/exit-codes.md lists them.

    An interrupted process ends at once. The interpreter would wait for every thread first, and a thread may wait
    minutes for a model's answer that nobody wants any more; the database is closed by then, and what was answered is
    in it.
    """
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"}.intersection(sys.argv):
        # A host waits for it at every turn of a session: it goes without what reads options and prints help.
        from graphdream.interfaces.hook.door import run

        return run(sys.argv[2:])
    from graphdream.interfaces.cli import INTERRUPTED

    code = main()
    if code == INTERRUPTED:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


def command() -> int:
    """Run the command as `start`, in a process of its own, which looks for no garbage while it loads and as it ends."""
    _read_as_utf8()
    begin_loading()
    code = start()
    leave_the_rest()
    return code


def _read_as_utf8() -> None:
    """Begin anew where Python takes the words of the command, and names of files, for ASCII: in the C locale with its
    own UTF-8 mode put out. Each letter beyond would be kept as signs that are none."""
    if sys.getfilesystemencoding() == "ascii" and sys.executable and os.name == "posix":
        os.environ["PYTHONUTF8"] = "1"  # also for what this process starts
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


if __name__ == "__main__":
    raise SystemExit(command())
