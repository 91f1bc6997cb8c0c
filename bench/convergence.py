"""How much a second compaction changes of a graph that nobody touched since the first: nothing, if dreaming converges.
On generated graphs of several vocabularies, and on files of your own.

    python bench/convergence.py --generator bloat.py [--vocab NAME[:PROFILE,...]]... [--seeds N] [--json OUT]
    python bench/convergence.py FILE...

Each graph is imported into an empty file and compacted (`dream --compact`) until a compaction changes nothing. Printed
for each: lines of the export that the second and any later compaction changed, compactions until nothing changed, facts
and proposals left out because recall fell with them, and seconds. The last line counts the graphs that a second
compaction changes; it has to be 0.

The generator of bloated graphs is no part of this repository: name it with `--generator` or $GRAPHDREAM_GENERATOR. It
is called with --entities, --vocab, --profile, --seed and --out. Its vocabularies are modules `vocab_NAME.py` beside it
or in a folder named with `--vocab-path` ($GRAPHDREAM_VOCABULARIES).
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import graphdream  # noqa: E402  (the bench folder is not a package)

MOST = 6  # compactions of one graph
FIRST_SEEDS = {"studio": ("mixed:71",), "fieldwork": ("logbook:504", "logbook:507")}  # they changed 429 lines and more
PROFILES = ("mixed", "audit", "chat", "docs", "clean")


@dataclass(frozen=True, slots=True)
class Measured:
    """One graph: lines that each compaction after the first changed, until one changed nothing."""

    name: str
    changed: tuple[int, ...]
    compactions: int
    facts: int
    harmful: int
    seconds: float

    @property
    def settled(self) -> bool:
        """Whether the second compaction changed nothing."""
        return sum(self.changed) == 0


def lines_of(graph: graphdream.Graph, folder: Path) -> collections.Counter[str]:
    """The export, line by line."""
    out = folder / "out.jsonl"
    graph.export(out)
    return collections.Counter(out.read_text(encoding="utf-8").splitlines())


def measure(path: Path) -> Measured:
    """Import and compact until nothing changes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with graphdream.open(folder / "memory.db") as graph:
            graph.import_graph(path)
            facts = graph.store.connection.execute("SELECT count(*) FROM attribute").fetchone()[0]
            began, changed, harmful, seconds = time.monotonic(), list[int](), 0, 0.0
            before = lines_of(graph, folder)
            for round_ in range(MOST):
                report = graph.dream(compact=True)
                seconds = seconds or time.monotonic() - began
                harmful += report.figures.get("left_out_as_harmful", 0)
                after = lines_of(graph, folder)
                if round_:
                    changed.append(((before - after) + (after - before)).total())
                if after == before:
                    break
                before = after
            return Measured(path.name.split(".")[0], tuple(changed), round_ + 1, facts, harmful, round(seconds, 1))


def generated(args: argparse.Namespace, folder: Path) -> Iterator[Path]:
    """Graphs of each vocabulary, one after the other: the seeds to begin with, then others."""
    for spec in args.vocab or ["studio", "fieldwork"]:
        vocabulary, _, listed = spec.partition(":")
        profiles = tuple(listed.split(",")) if listed else PROFILES
        seeds = list(FIRST_SEEDS.get(vocabulary, ()))
        seeds += [f"{profiles[at % len(profiles)]}:{600 + at}" for at in range(args.seeds - len(seeds))]
        for seed in seeds[: args.seeds]:
            profile, _, number = seed.partition(":")
            out = folder / f"{vocabulary}-{profile}-{number}"
            made = out.with_name(f"{out.name}.jsonl.gz")
            if not made.exists():
                made_by(args, vocabulary, profile, number, out)
            yield made


def made_by(args: argparse.Namespace, vocabulary: str, profile: str, seed: str, out: Path) -> None:
    """Call the generator."""
    where = {"PYTHONPATH": str(args.vocab_path)} if args.vocab_path else {}
    subprocess.run(
        [sys.executable, str(args.generator), "--entities", args.entities, "--vocab", vocabulary, "--profile", profile,
         "--seed", seed, "--out", str(out)],
        check=True, stdout=subprocess.DEVNULL, env={**os.environ, **where},
    )  # fmt: skip


def report(found: Sequence[Measured]) -> str:
    """The last line."""
    changing = [one for one in found if not one.settled]
    lines = sum(sum(one.changed) for one in changing)
    return f"{len(changing)} of {len(found)} graphs change in a second compaction, {lines} lines in all"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="graphs to import instead of generated ones")
    parser.add_argument("--generator", type=Path, default=os.environ.get("GRAPHDREAM_GENERATOR"))
    parser.add_argument("--vocab", action="append", help="NAME or NAME:PROFILE,...; repeat it for several")
    parser.add_argument("--vocab-path", type=Path, default=os.environ.get("GRAPHDREAM_VOCABULARIES"))
    parser.add_argument("--entities", default="1k")
    parser.add_argument("--seeds", type=int, default=10, help="graphs of each vocabulary")
    parser.add_argument("--keep", type=Path, help="keep generated graphs in this folder and use those that lie there")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    if not args.files and args.generator is None:
        parser.error("name the generator with --generator or $GRAPHDREAM_GENERATOR, or name files")
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = args.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        print(f"{'graph':28} {'changed':>12} {'compactions':>11} {'facts':>7} {'left out':>8} {'seconds':>8}")
        for path in args.files or generated(args, folder):
            one = measure(path)
            found.append(one)
            changed = "+".join(map(str, one.changed)) or "-"
            print(
                f"{one.name:28} {changed:>12} {one.compactions:11} {one.facts:7} {one.harmful:8} {one.seconds:8.1f}",
                flush=True,
            )
    print(report(found))
    if args.json:
        args.json.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n", encoding="utf-8")
    return 0 if all(one.settled for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
