"""What merges in small memories at the default budget: hard pairs, and one person under six names.

    python bench/small_memories.py [--pairs FILE] [--json OUT]

The pairs (fixtures/hard_pairs.jsonl, half of them one thing, half two) are imported as one memory, in which each of the
120 entities has its facts; then `dream --compact` runs as a user would run it. A pair is right where its two are one
entity afterwards and should be; wrong is every merge of two that are not one thing, of whichever pairs.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import graphdream  # noqa: E402  (the bench folder is not a package)

BEGAN = "2026-01-05T09:00:00Z"


def lines_of(entities: Iterable[tuple[str, Mapping[str, Any]]]) -> list[str]:
    """Entities, each with its id, as lines of the import format."""
    out = [json.dumps({"kind": "meta", "format": "graphdream/1"})]
    for id_, entity in entities:
        rows: list[dict[str, Any]] = [
            {"kind": "entity", "id": id_, "name": entity["name"], "type": entity["type"], "created_at": BEGAN},
            {"kind": "aspect", "id": f"{id_}-a", "entity_id": id_, "name": "general", "created_at": BEGAN},
        ]
        rows += [
            {"kind": "attribute", "id": f"{id_}-{at}", "entity_id": id_, "aspect_id": f"{id_}-a", "content": fact,
             "created_at": BEGAN}
            for at, fact in enumerate(entity["facts"])
        ]  # fmt: skip
        out += [json.dumps(row, ensure_ascii=False) for row in rows]
    return out


def compacted(entities: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, str]:
    """The id of the entity that each ended in, after one compaction at the default budget."""
    with tempfile.TemporaryDirectory() as folder, graphdream.open(Path(folder) / "memory.db") as graph:
        put_in, out = Path(folder) / "in.jsonl", Path(folder) / "out.jsonl"
        put_in.write_text("\n".join(lines_of(entities)) + "\n", encoding="utf-8")
        graph.import_graph(put_in)
        graph.dream(compact=True)
        graph.export(out)
        ends: dict[str, str] = {}
        for line in out.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["kind"] == "entity":
                ends.update(dict.fromkeys((row["id"], *row.get("absorbed", ())), row["id"]))
        return ends


def measure_pairs(pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Right and wrong merges of pairs that are one memory."""
    entities = [(f"{at}{side}", pair[side]) for at, pair in enumerate(pairs) for side in ("first", "second")]
    ends = compacted(entities)
    thing = {f"{at}{side}": f"{at}" if pair["same"] else f"{at}{side}" for at, pair in enumerate(pairs)
             for side in ("first", "second")}  # fmt: skip
    name = {id_: entity["name"] for id_, entity in entities}
    ids = sorted(ends)
    merged = [(a, b) for i, a in enumerate(ids) for b in ids[i + 1 :] if ends[a] == ends[b]]
    return {
        "of": sum(pair["same"] for pair in pairs),
        "right": sum(thing[a] == thing[b] for a, b in merged),
        "wrong": [(name[a], name[b]) for a, b in merged if thing[a] != thing[b]],
        "missed": [(p["first"]["name"], p["second"]["name"]) for at, p in enumerate(pairs)
                   if p["same"] and ends[f"{at}first"] != ends[f"{at}second"]],
    }  # fmt: skip


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def main(argv: Sequence[str] | None = None) -> None:
    """Command line; see the module's text."""
    parser = argparse.ArgumentParser(description="Measure what merges in small memories.")
    parser.add_argument("--pairs", type=Path, default=ROOT / "fixtures" / "hard_pairs.jsonl")
    parser.add_argument("--six", type=Path, default=ROOT / "fixtures" / "six_names.jsonl")
    parser.add_argument("--json", type=Path, help="write all figures here")
    args = parser.parse_args(argv)
    six = read(args.six)
    ends = compacted([(str(at), entity) for at, entity in enumerate(six)])
    largest = max(list(ends.values()).count(end) for end in ends.values())
    result = {"six_names": largest, "pairs": measure_pairs(read(args.pairs))}
    print(f"one person under {len(six)} names: {largest} are one entity")
    found = result["pairs"]
    print(f"hard pairs: {found['right']} of {found['of']} right, {len(found['wrong'])} wrong")
    for what in ("missed", "wrong"):
        for first, second in found[what]:
            print(f"  {what}: {first} | {second}")
    if args.json:
        args.json.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
