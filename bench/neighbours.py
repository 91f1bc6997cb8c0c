"""How often things told of the neighbours of a thing are taken for the same, or for what ended it.

    python bench/neighbours.py [--seed N] [--entities N] [--json OUT]

A memory is drawn from each word pack (fixtures/both_hold, tools/both_hold.py), and its facts are consolidated. Wrong is
what went into a statement that does not say it, and what was ended by something it holds beside; lost is a fact that
nothing says any more, though it holds. Packs of what is told of the entity itself are counted apart. The
shipped scorers have seen the packs: what they are worth on others was measured by scorers that had not
(docs/measured.md).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import both_hold  # noqa: E402  (the bench folder is not a package)
import told_rows  # noqa: E402
from graphdream.facts import consolidate  # noqa: E402
from graphdream.facts.labelledgraphs import GraphSource  # noqa: E402
from graphdream.facts.wordweights import unknown  # noqa: E402

COLUMNS = ("absorbed", "absorbed wrongly", "ended", "ended wrongly", "lost", "current", "stale found", "stale")


def judged(memory: Path) -> Counter[str]:
    """What became of the facts of a memory; by the names of `COLUMNS`."""
    told = GraphSource(memory, unknown())
    fact, also = ([told.truth[row][key] for row in told.ids] for key in ("fact", "also"))
    found = consolidate(told.facts, told.subjects)
    over = {key for key, row in told.truth.items() if row["kind"] == "fact" and row["superseded_by"]}
    counts: Counter[str] = Counter()
    gone: set[int] = set()
    for older, newer, *_ in found.duplicates:
        gone.add(older)
        counts["absorbed"] += 1
        counts["absorbed wrongly"] += fact[older] not in (fact[newer], also[newer])
    for older, newer, *_ in found.superseded:
        gone.add(older)
        counts["ended"] += fact[older] != fact[newer]
        counts["ended wrongly"] += fact[older] != fact[newer] and fact[older] not in over
    gone.update(one for one, _ in found.junk)
    said = {one for of in (fact, also) for at, one in enumerate(of) if at not in gone}
    held = {one for one in fact if one not in over}
    counts.update({"current": len(held), "lost": len(held - said), "stale": len(over), "stale found": len(over - said)})
    return counts


def main(argv: Sequence[str] | None = None) -> None:
    """Command line; see the module's text."""
    parser = argparse.ArgumentParser(description="Things told of neighbours, taken for the same or for a change.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--entities", type=int, default=240)
    parser.add_argument("--json", type=Path, help="write the figures there, too")
    args = parser.parse_args(argv)
    figures: dict[str, Counter[str]] = {}
    totals = {"all around": Counter[str](), "all own": Counter[str]()}
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted((ROOT / "fixtures" / "both_hold").glob("*.toml")):
            memory = Path(folder) / f"{path.stem}.jsonl.gz"
            pack = both_hold.Pack.read(path)
            told_rows.write(memory, *both_hold.make(pack, args.entities, args.seed))
            figures[path.stem] = judged(memory)
            totals["all around" if pack.sorts else "all own"] += figures[path.stem]
    figures.update(totals)
    for name, counts in figures.items():
        print(f"{name:10}", "  ".join(f"{column} {counts[column]:,}" for column in COLUMNS))
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
