"""The first hour of somebody new: how long, how many commands, how many lines.

    python bench/newcomer.py [--readme docs/measured.md] [--rounds 21]

In an empty folder, with an interpreter of its own: the wheel is installed with its libraries, by uv and by pip, without
a cache, then the README's five minutes are run on a small notebook. Getting uv is counted, building the wheel is not.
`remember` is measured against an interpreter that does nothing, the two taking turns.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from page import write_between

PROJECT = Path(__file__).resolve().parent.parent
MARKS = ("<!-- newcomer: written by `python bench/newcomer.py` -->", "<!-- end of newcomer -->")
BARE = "pass"
NOTES = """# Memory

## 2026-03-02
- Deploys go through Ines Duarte on Thursdays.
- The Lantern API listens on port 8443.

## 2026-05-11
- Mirela lives in Bergen.
- Deploys go through Ines Duarte on Thursdays
"""


def seconds(words: list[str], folder: Path) -> float:
    began = time.perf_counter()
    subprocess.run(words, cwd=folder, env=environment(folder), check=True, capture_output=True)
    return time.perf_counter() - began


def environment(folder: Path) -> dict[str, str]:
    """A machine like any other: Python may write its bytecode, wherever the benchmark runs."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "GRAPHDREAM_HOME": str(folder / "home")}


def first_commands() -> list[list[str]]:
    """The README's five minutes, without the installation."""
    page = (PROJECT / "README.md").read_text(encoding="utf-8")
    story = re.search(r"## Five minutes.*?```sh\n(.*?)```", page, re.DOTALL)
    assert story is not None
    lines = [line.partition("#")[0].strip() for line in story[1].splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("graphdream ")]


def newcomer(folder: Path) -> list[tuple[str, str, str]]:
    build = [
        sys.executable,
        "-m",
        "build",
        "--quiet",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(folder / "dist"),
        ".",
    ]
    subprocess.run(build, cwd=PROJECT, check=True)
    (wheel,) = (folder / "dist").glob("*.whl")
    home = folder / "notes"
    home.mkdir()
    (home / "MEMORY.md").write_text(NOTES, encoding="utf-8")
    commands = first_commands()
    rows = []
    for installer, install in (("uv", with_uv), ("pip", with_pip)):
        seconds([sys.executable, "-m", "venv", str(folder / installer)], home)
        took = install(folder / installer / "bin/python", wheel, home)
        command = str(folder / installer / "bin/graphdream")
        spent = sum(seconds([command, *words, "--db", f"{installer}.db"], home) for words in commands)
        rows.append((f"seconds for all of them, installed with its libraries by {installer}", "≤ 60 s",
                     f"{took + spent:.0f} s ({took:.0f} s of it the installation)"))  # fmt: skip
    needed = [words for words in commands if words[0] in ("import", "dream", "undo") and "--dry-run" not in words]
    return [
        ("commands to the first undone dream of own notes, installation among them; without looking at it first",
         "≤ 6; aim 4", f"{len(commands) + 1}; {len(needed) + 1}"),
        *rows,
    ]  # fmt: skip


def with_uv(python: Path, wheel: Path, folder: Path) -> float:
    """Seconds to get uv itself, and to install the wheel and its libraries with it."""
    uv = str(python.with_name("uv"))
    got = seconds([str(python), "-m", "pip", "install", "--quiet", "--no-cache-dir", "uv"], folder)
    return got + seconds([uv, "pip", "install", "--quiet", "--no-cache", "--python", str(python), str(wheel)], folder)


def with_pip(python: Path, wheel: Path, folder: Path) -> float:
    return seconds([str(python), "-m", "pip", "install", "--quiet", "--no-cache-dir", str(wheel)], folder)


def remember(folder: Path, rounds: int) -> list[tuple[str, str, str]]:
    """`remember` cold, in a memory of a few facts, over the interpreter alone; with `--wait` it is written at once."""
    program = [str(Path(sys.executable).with_name("graphdream")), "remember"]  # as a person types it
    seconds([*program, "the first of its kind"], folder)
    rows = []
    for option, floor in ([], "≤ 3 ×"), (["--wait"], "none"):
        bare, taken = [], []
        for turn in range(rounds):
            bare.append(seconds([sys.executable, "-c", BARE], folder))
            taken.append(seconds([*program, f"thing {turn} is called Oslo{turn}", *option], folder))
            seconds([sys.executable, "-m", "graphdream", "passes"], folder)
        what = " ".join(["remember", *option])
        ratio = statistics.median(taken) / statistics.median(bare)
        rows.append((f'`{what}`, cold, over `python -c "{BARE}"`', floor, f"{ratio:.2f} ×"))
    return rows


def demo(folder: Path) -> tuple[str, str, str]:
    told = subprocess.run(
        [sys.executable, "-m", "graphdream", "demo"], cwd=folder, env=environment(folder), check=True,
        capture_output=True, text=True, encoding="utf-8",
    ).stdout  # fmt: skip
    return "lines that the demo prints", "≤ 40", str(len(told.splitlines()))


def report(rounds: int) -> str:
    with tempfile.TemporaryDirectory(prefix="graphdream-newcomer-") as name:
        folder = Path(name)
        rows = [*newcomer(folder), *remember(folder, rounds), demo(folder)]
    table = [f"| {what} | {floor} | {measured} |" for what, floor, measured in rows]
    return "\n".join(["| what | floor | measured |", "|---|---|---|", *table])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readme", type=Path, help="also write the table between the marks of this page")
    parser.add_argument("--rounds", type=int, default=21, help="how often `remember` is measured (default: 21)")
    args = parser.parse_args()
    text = report(args.rounds)
    print(text)
    if args.readme:
        write_between(args.readme, MARKS, text)


if __name__ == "__main__":
    main()
