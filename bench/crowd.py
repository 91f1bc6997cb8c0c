"""Fifty processes on one memory: what they lose, what errors their users see, and how long readers are blocked.

    python bench/crowd.py [--seconds 120] [--processes 50] [--pause 0.2] [--readme docs/measured.md] [--json]

Sessions that call `graphdream hook`, recorders, MCP servers, `graphdream serve`, compactions, backups and readers with
the library, all at once and each again and again after a pause (`tests/support/crowd.py` says who does what). What the
hooks start themselves, the process behind them and dreams that are due, comes on top. It goes on until a compaction has
ended, though for no more than 60 s longer than asked for. Afterwards everything that was
told must be on record once, the token counter must be what a tokenizer counts anew, and the memory and its last backup
must verify. No reader may be blocked for longer than 100 ms.

On few cores most of the time by the clock is waiting for a processor, so that a reader's blocked time is measured
apart: time by the clock, less the time for which its thread ran or stood in the queue for a processor (Linux). What
remains is waiting for locks and for the disk. Threads of one `Graph` also wait for each other, because the interpreter
lets one of them run at a time; the floor is therefore that of a reader with one thread.
"""

from __future__ import annotations

import argparse
import os
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "bench")]

from engine import machine  # noqa: E402
from page import write_between  # noqa: E402

from graphdream.interfaces.output import print_json  # noqa: E402
from tests.support.crowd import Seen, Sizes, gather  # noqa: E402

MARKS = ("<!-- crowd: written by `python bench/crowd.py` -->", "<!-- end of crowd -->")
FLOOR_MS = 100.0
GRAPH = ROOT / "fixtures" / "small.jsonl.gz"
PROGRAM = (str(Path(sysconfig.get_path("scripts")) / "graphdream"),)


def percentile(seconds: Sequence[float], share: float) -> float:
    """The value that so much of them do not exceed, in milliseconds."""
    return sorted(seconds)[min(len(seconds) - 1, int(len(seconds) * share))] * 1000


def figures(seconds: Sequence[float]) -> dict[str, float]:
    """Median, 99th percentile and the most, in milliseconds."""
    return {"p50": percentile(seconds, 0.5), "p99": percentile(seconds, 0.99), "most": max(seconds) * 1000}


def by_kind(seen: Seen, *, blocked: bool = False) -> dict[str, dict[str, float]]:
    """Kind of call -> how many, errors, and times by the clock; or the blocked times of those that know them."""
    found = {}
    for kind in sorted({call.kind for call in seen.calls if not blocked or call.blocked is not None}):
        calls = [call for call in seen.calls if call.kind == kind]
        times = [call.blocked or 0.0 for call in calls] if blocked else [call.seconds for call in calls]
        found[kind] = {"calls": len(calls), "errors": sum(bool(call.fault) for call in calls), **figures(times)}
        if blocked:
            found[kind]["beyond"] = sum(one * 1000 > FLOOR_MS for one in times)
    return found


def report(seen: Seen, sizes: Sizes, on: str) -> str:
    """The tables as Markdown."""
    lines = [
        f"{sum(sizes[:4]) + 3} processes for {seen.seconds:.0f} s: {sizes.sessions} with hooks, {sizes.recorders} with"
        f" `record`, {sizes.servers} MCP servers, {sizes.readers} readers, and one each of `serve` with"
        f" {sizes.clients} clients, of compactions, and of backups. Measured on {on}, {os.getloadavg()[0]:.0f} after.",
        "", "| what | floor | measured |", "|---|---|---|",
        f"| calls; errors that a user saw | 0 errors | {len(seen.calls):,};"
        f" {sum(bool(one.fault) for one in seen.calls)} |",
        f"| sessions told; lost, twice, not as told | 0 | {len(seen.told):,};"
        f" {len(seen.lost)}, {len(seen.twice)}, {len(seen.differing)} |",
        f"| facts told to MCP servers; lost | 0 | {len(seen.facts):,}; {len(seen.lost_facts)} |",
        f"| unread tokens: the counter; counted anew | equal | {seen.counter:,}; {seen.recounted:,} |",
        f"| calls that still wait, or were refused | 0 | {len(seen.left)} |",
        f"| `verify` of the memory and of its last backup | ok | {'**not ok**' if seen.verified else 'ok'} |",
        f"| passes on record; compactions that another pass kept out | none | {seen.passes:,}; {seen.busy:,} |",
        f"| failures that hooks have logged | 0 | {len(seen.log):,} |",
        f"| prompts that went on without a memory after 1 s | none | {seen.unanswered:,} |",
        "", "| reader, blocked | calls | p50 | p99 | longest | over 100 ms |", "|---|---|---|---|---|---|",
    ]  # fmt: skip
    lines += [
        f"| {kind} | {one['calls']:,.0f} | {one['p50']:.2f} ms | {one['p99']:.1f} ms | {one['most']:.0f} ms |"
        f" {one['beyond']:,.0f} |"
        for kind, one in by_kind(seen, blocked=True).items()
    ]
    lines += ["", "| call, by the clock | calls | errors | p50 | p99 | longest |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {kind} | {one['calls']:,.0f} | {one['errors']:.0f} | {one['p50']:,.0f} ms | {one['p99']:,.0f} ms |"
        f" {one['most']:,.0f} ms |"
        for kind, one in by_kind(seen).items()
    ]
    return "\n".join(lines)


def main() -> int:
    """Measure and print; the exit code is 1 where something was lost or seen, or a reader was blocked for too long."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--processes", type=int, default=50)
    parser.add_argument("--pause", type=float, default=0.2, help="seconds between the calls of one of them")
    parser.add_argument("--readme", type=Path, help="also write the tables between the marks of this page")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    on, sizes = machine(), Sizes.of(args.processes)
    seen = gather(GRAPH, PROGRAM, sizes, args.seconds, args.pause)
    blocked = by_kind(seen, blocked=True)
    text = report(seen, sizes, on)
    print_json({"calls": by_kind(seen), "blocked": blocked, "wrong": seen.wrong}) if args.json else print(text)
    for name, what in seen.wrong.items():
        print(f"{name}: {what}", file=sys.stderr)
    if args.readme:
        write_between(args.readme, MARKS, text)
    alone = [one["most"] for kind, one in blocked.items() if "one thread" in kind]
    return int(bool(seen.wrong) or any(most > FLOOR_MS for most in alone))


if __name__ == "__main__":
    raise SystemExit(main())
