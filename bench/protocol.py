"""How long `recall` takes over the Model Context Protocol: a real server, standard input and output, the SDK's client.

    python bench/protocol.py [--facts 1000,100000] [--calls 300] [--readme docs/measured.md]

The server is warm: twenty calls come before. The floor is 30 ms for the 95th percentile.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from compileall import compile_dir
from pathlib import Path

import mcp
from engine import machine
from hot_path import PROJECT, fill
from mcp.client.stdio import StdioServerParameters, stdio_client
from page import write_between

from graphdream.interfaces.output import print_json, table

FLOOR_MS = 30.0
WARM = 20
MARKS = ("<!-- mcp: written by `python bench/protocol.py` -->", "<!-- end of mcp -->")


async def recalls(path: Path, calls: int) -> list[float]:
    """Seconds of each call."""
    words = ["-m", "graphdream", "mcp", "--db", str(path)]
    server = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ), cwd=str(PROJECT))
    times = []
    async with mcp.Client(stdio_client(server)) as client:
        for number in range(-WARM, calls):
            began = time.perf_counter()
            answer = await client.call_tool("recall", {"question": f"What is fact {number} of entity {number % 200}?"})
            if number >= 0:
                times.append(time.perf_counter() - began)
            assert not answer.is_error
    return sorted(times)


def main() -> int:
    """Measure and print; the exit code is 1 where the floor is not met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", default="1000,100000", help="sizes of graph, with commas")
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--readme", type=Path, help="write the table between its marks in this page")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    compile_dir(PROJECT / "graphdream", quiet=1)  # what is measured is a program in use
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for facts in map(int, args.facts.split(",")):
            path = Path(folder) / f"{facts}.db"
            fill(path, facts)
            times = asyncio.run(recalls(path, args.calls))
            p50, p95 = (times[int(len(times) * share)] * 1000 for share in (0.5, 0.95))
            rows.append((facts, round(p50, 1), round(p95, 1), p95 <= FLOOR_MS))
    headings = ("facts", "p50 ms", "p95 ms", "within the floor")
    if args.readme:
        lines = ["| facts | p50 | p95 |", "|---|---|---|"]
        lines += [f"| {facts:,} | {p50} ms | {p95} ms |" for facts, p50, p95, _ in rows]
        write_between(args.readme, MARKS, "\n".join([f"Measured on {machine()}.", "", *lines]))
    if args.json:
        print_json([dict(zip(headings, row, strict=True)) for row in rows])
    else:
        print(table(rows, headings), end="")
    return 0 if all(row[-1] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
