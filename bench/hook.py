"""What a hook costs its host: `graphdream hook` for each event, as a whole process beside a bare interpreter.

    python bench/hook.py [--facts 1000,100000] [--rounds 40] [--readme docs/measured.md]

The measure is the ratio to `python -c pass`, run in turn with the others so that all meet the same load of the machine,
and the 99th percentile of the time of a hook while eight others are at work all the time and a compaction runs on the
same file. The floors are 3 times and 300 ms. Hooks are started as settings files start them, by the installed program.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Sequence
from compileall import compile_dir
from pathlib import Path

from engine import machine
from hot_path import PROJECT, fill
from page import write_between

from graphdream.interfaces.hook.event import KINDS
from graphdream.interfaces.hook.folder import LOCK, START, fingerprint, folder_of
from graphdream.interfaces.output import print_json, table

MARKS = ("<!-- hook: written by `python bench/hook.py` -->", "<!-- end of hook -->")
FLOOR_TIMES, FLOOR_MS = 3.0, 300.0
OTHERS = 8
COLD = "user-prompt, nothing behind yet"
SETTLE_SECONDS = 0.15  # between two processes, in which what works behind takes in what was told
BARE = (sys.executable, "-c", "pass")
HOOK = (str(Path(sysconfig.get_path("scripts")) / "graphdream"), "hook")
NAMES = dict(zip(KINDS, ("SessionStart", "UserPromptSubmit", "PreCompact", "PostCompact", "Stop", "SessionEnd"),
                 strict=True))  # fmt: skip


def payload(kind: str, number: int, transcript: Path) -> bytes:
    told = {
        "session_id": f"bench-{number}", "transcript_path": str(transcript), "cwd": "/",
        "hook_event_name": NAMES[kind], "compact_summary": f"It was about {number}.",
        "prompt": f"What is fact {number} of entity {number % 200}?",
    }  # fmt: skip
    return json.dumps(told).encode()


def seconds(words: Sequence[str], told: bytes = b"") -> float:
    """Wall-clock time of a whole process that keeps its byte code, as an installed one does."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    subprocess.run(words, input=told, check=True, stdout=subprocess.DEVNULL, cwd=PROJECT, env=kept)
    return time.perf_counter() - began


def wait_until_ready(path: Path) -> None:
    """Until the next session's start is made ready, as it is some seconds after the last event."""
    ready = Path(folder_of(str(path))) / START
    for _ in range(400):
        try:
            if json.loads(ready.read_text())["fingerprint"] == fingerprint(str(path)):
                return
        except (OSError, ValueError):
            pass
        time.sleep(0.05)


def end_behind(path: Path) -> None:
    """End what works behind, and wait for it."""
    try:
        pid = int((Path(folder_of(str(path))) / LOCK).read_text())
        os.kill(pid, 15)
        while True:
            os.kill(pid, 0)
            time.sleep(0.01)
    except (OSError, ValueError):
        return


def alone(path: Path, transcript: Path, rounds: int) -> dict[str, list[float]]:
    """Times of each event, round by round, each round all of them in turn."""
    place = ("--db", str(path))
    times: dict[str, list[float]] = {"bare": []}
    for number in range(-2, rounds):
        for kind in KINDS:
            if kind == KINDS[0]:
                wait_until_ready(path)
            bare = seconds(BARE)
            time.sleep(SETTLE_SECONDS)
            taken = seconds((*HOOK, *place), payload(kind, number, transcript))
            time.sleep(SETTLE_SECONDS)
            if number >= 0:  # the first rounds only warm the file cache
                times["bare"].append(bare)
                times.setdefault(kind, []).append(taken)
    for number in range(max(rounds // 4, 3)):
        end_behind(path)
        told = payload(KINDS[1], 10_000 + number, transcript)
        times.setdefault(COLD, []).append(seconds((*HOOK, *place), told))
    return times


def crowded(path: Path, transcript: Path, rounds: int) -> dict[str, list[float]]:
    """Times of each event while others are at work and a compaction runs."""
    place = ("--db", str(path))
    ending = threading.Event()

    def keep_at_it(which: int) -> None:
        number = which * 100_000
        while not ending.is_set():
            number += 1
            seconds((*HOOK, *place), payload(KINDS[number % 6], number, transcript))
            time.sleep(0.5)  # eight sessions whose people type faster than people do

    def compact() -> None:
        while not ending.is_set():
            words = [sys.executable, "-m", "graphdream", "dream", "--compact", *place]
            subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=PROJECT)

    crowd = [threading.Thread(target=keep_at_it, args=(which,)) for which in range(OTHERS)]
    crowd.append(threading.Thread(target=compact))
    for one in crowd:
        one.start()
    time.sleep(3)
    times: dict[str, list[float]] = {}
    try:
        for number in range(rounds):
            for kind in KINDS:
                taken = seconds((*HOOK, *place), payload(kind, 2_000_000 + number, transcript))
                times.setdefault(kind, []).append(taken)
    finally:
        ending.set()
        for one in crowd:
            one.join()
    return times


def percentile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def main() -> int:
    """Measure and print; the exit code is 1 where a floor is not met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", default="1000,100000", help="sizes of graph, with commas")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--crowded-rounds", type=int, default=60)
    parser.add_argument("--readme", type=Path, help="write the table between its marks in this page")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    compile_dir(PROJECT / "graphdream", quiet=1)  # what is measured is a program in use
    rows: list[tuple[object, ...]] = []
    with tempfile.TemporaryDirectory() as folder:
        transcript = Path(folder) / "t.jsonl"
        said = [{"role": "user", "content": f"I moved to house {n}."} for n in range(200)]
        transcript.write_text("".join(json.dumps(one) + "\n" for one in said))
        for facts in map(int, args.facts.split(",")):
            path = Path(folder) / f"{facts}.db"
            fill(path, facts)
            times = alone(path, transcript, args.rounds)
            bare = statistics.median(times["bare"])
            for name, taken in times.items():
                median = statistics.median(taken)
                within = name == COLD or median <= FLOOR_TIMES * bare  # a first prompt has no floor
                rows.append((name, facts, round(median * 1000, 1), round(median / bare, 2), "", within))
            for name, taken in crowded(path, transcript, args.crowded_rounds).items():
                worst = percentile(taken, 0.99) * 1000
                median = statistics.median(taken) * 1000
                rows.append((f"{name}, {OTHERS} others and a pass", facts, round(median, 1), "", round(worst, 1),
                             worst < FLOOR_MS))  # fmt: skip
            end_behind(path)
    headings = ("event", "facts", "median ms", "times bare", "p99 ms", "within the floor")
    if args.readme:
        lines = ["| event | facts | median | times bare | p99 |", "|---|---|---|---|---|"]
        lines += [f"| {name} | {facts:,} | {median} ms | {times or '–'} | {f'{worst} ms' if worst else '–'} |"
                  for name, facts, median, times, worst, _ in rows]  # fmt: skip
        write_between(args.readme, MARKS, "\n".join([f"Measured on {machine()}.", "", *lines, ""]))
    if args.json:
        print_json([dict(zip(headings, row, strict=True)) for row in rows])
    else:
        print(table(rows, headings), end="")
    return 0 if all(row[-1] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
