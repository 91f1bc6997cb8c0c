"""Kills and refused writes at every place where a command writes: what is lost, and whether the next call goes on.

    python bench/crashes.py [--each 150] [--scenes dream,undo] [--readme docs/measured.md] [--json]

Each command (an import, a pass, an undo, a recording, a fact, a purge, a migration, the taking in of what waited, a new
key) is run whole under `strace`, which counts its writes, syncs, renames and removals. Then it is run once for each of
`--each` of these places, evenly spread: killed there (SIGKILL), refused once (an I/O error), or refused from there on
(a full disk). After each the file must open, verify by its journal and its seals, hold what it held or all of what was
asked for, and the same call again must bring it to where the undisturbed one did. Needs `strace` (Debian), thus Linux.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]

from engine import machine  # noqa: E402
from page import write_between  # noqa: E402

from graphdream.interfaces.output import print_json  # noqa: E402
from tests.support.crashing import SCENES, Course, Fault, spread, trial, undisturbed  # noqa: E402

MARKS = ("<!-- crashes: written by `python bench/crashes.py` -->", "<!-- end of crashes -->")
HOWS = ("KILL", "KILL", "KILL", "EIO", "ENOSPC+")  # in turn
FULL_DISK = ("pwrite64", "ftruncate")  # what a full disk refuses; only a kill comes anywhere


def faults(counted: Counter[str], each: int) -> Iterator[Fault]:
    """So many faults, over all places and kinds."""
    for at, (call, number) in enumerate(spread(counted, each)):
        how = HOWS[at % len(HOWS)]
        if call in ("write", "unlink") or (how == "ENOSPC+" and call not in FULL_DISK):
            how = "KILL"
        yield Fault(call, number, how)


def measure(name: str, each: int, jobs: int) -> tuple[Counter[str], list[str]]:
    """Of one command: how many faults of each kind it was given, and what was wrong after them."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        before = scratch / "before"
        before.mkdir()
        SCENES[name].prepare(before)
        course = undisturbed(SCENES[name], before, scratch)
        given = list(faults(course.calls, each))

        with ProcessPoolExecutor(jobs) as pool:
            tried = [pool.submit(_tried, name, fault, before, course, scratch) for fault in given]
            wrong = [one for trying in tried for one in trying.result()]
        kinds = Counter(fault.how.rstrip("+") for fault in given)
        kinds["places"] = course.calls.total()
        return kinds, wrong


def _tried(name: str, fault: Fault, before: Path, course: Course, scratch: Path) -> list[str]:
    place = Path(tempfile.mkdtemp(dir=scratch))
    found = [f"{name}, {fault}: {one}" for one in trial(name, fault, before, course, place)]
    shutil.rmtree(place)
    return found


def main() -> int:
    """Measure and print; the exit code is 1 where anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=150, help="faults of each command")
    parser.add_argument("--scenes", default=",".join(SCENES))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--readme", type=Path, help="also write the table between the marks of this page")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if shutil.which("strace") is None:
        raise SystemExit("strace is not installed: apt-get install strace")
    on, began = machine(), time.monotonic()
    found = {}
    for name in args.scenes.split(","):
        found[name] = measure(name, args.each, args.jobs)
        print(f"{name}: {dict(found[name][0])}, {len(found[name][1])} wrong", file=sys.stderr, flush=True)
        for one in found[name][1][:10]:
            print(f"  {one}", file=sys.stderr, flush=True)
    total = sum(kinds["KILL"] + kinds["EIO"] + kinds["ENOSPC"] for kinds, _ in found.values())
    wrong = sum(len(faulty) for _, faulty in found.values())
    lines = [
        f"{total:,} faults, {wrong} wrong, in {(time.monotonic() - began) / 60:.0f} minutes. Measured on {on}.", "",
        "| command | places where it writes | killed there | I/O error | disk full from there on | wrong |",
        "|---|---|---|---|---|---|",
    ]  # fmt: skip
    lines += [
        f"| {name} | {kinds['places']:,} | {kinds['KILL']:,} | {kinds['EIO']:,} | {kinds['ENOSPC']:,} | {len(faulty)} |"
        for name, (kinds, faulty) in found.items()
    ]
    text = "\n".join(lines)
    if args.json:
        print_json({name: {**kinds, "wrong": faulty} for name, (kinds, faulty) in found.items()})
    else:
        print(text)
    if args.readme:
        write_between(args.readme, MARKS, text)
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
