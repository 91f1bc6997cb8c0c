"""What dreaming with a model takes: tokens of the graph as text and as JSON, of a compaction, of an incremental pass.

    python bench/tokens.py [--file GRAPH.jsonl.gz] [--passes none,half,all,truth] [--json]

The calls are planned and counted. With `--passes` each plan is then carried out against a real server on loopback that
answers as it is told to (`tests/support/answering.py`), and the estimate is held against the ledger of the pass: a
model that changes nothing, one that answers every other question, one that holds every pair for one thing, one that
knows the truth (of the `.gold` file beside the graph); of a session they note nothing, 6, 12 and 3 facts. That takes
minutes for each pass.

Floors: a hybrid compaction needs at most 10 % of the tokens of sending the graph once, a thorough one at
most 1.3 times the tokens of the text it walks through, an incremental pass after one session at most 6,000 tokens
beyond the session; an estimate is right within 10 %. The default file is `bloat/audit13k.jsonl.gz` of
`$GRAPHDREAM_DATA`, else of `../shared/data`. Minutes of CPU go into the local tidying.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import graphdream
from graphdream.dream.exchanges import cost_sheet
from graphdream.dream.gather import gather, note_looked
from graphdream.dreamers.prompt.graph_text import GraphText
from graphdream.events.tokens import default_tokenizer
from graphdream.graph.store import Store
from graphdream.interfaces.output import print_json, table
from tests.support.answering import Behaviour, answering

PROJECT = Path(__file__).resolve().parent.parent
MODEL = "openai/gpt-4o-mini"
NOW = "2026-06-01T00:00:00Z"
MOST_SHARE, MOST_RATIO, MOST_BEYOND, MOST_OFF = 0.10, 1.3, 6_000, 0.10


def text_and_json(store: Store) -> tuple[int, int]:
    """Tokens of the whole graph as a model reads it, and as compact JSON of the same fields."""
    count = default_tokenizer().count
    view = gather(store, mode="compact", now=NOW)
    shown = ("id", "name", "type", "pinned", "aliases"), ("id", "entity_id", "aspect", "content", "kind", "known_at")
    rows: list[dict[str, Any]] = [{key: asdict(one)[key] for key in shown[0]} for one in view.entities]
    rows += [{key: asdict(one)[key] for key in shown[1]} for one in view.facts]
    rows += [asdict(one) for one in view.links]
    return count(GraphText(view).whole()), count(json.dumps(rows, ensure_ascii=False, separators=(",", ":")))


def session_about(store: Store) -> str:
    """A session that speaks of well-known entities, whatever the vocabulary."""
    rows = store.connection.execute(
        "SELECT name FROM entity WHERE status = 'active' ORDER BY mentions DESC, id LIMIT 40"
    )
    return " ".join(f"{row[0]} came up again and it was agreed that {row[0]} stays as it is." for row in rows)


@dataclass(frozen=True)
class Kind:
    """A kind of pass: how `Graph.estimate` and `Graph.dream` are asked for it."""

    name: str
    how: dict[str, bool]


HYBRID, THOROUGH = Kind("hybrid", {"compact": True}), Kind("thorough", {"compact": True, "thorough": True})
INCREMENTAL = Kind("incremental", {"compact": False})


def truth_of(file: Path, path: Path) -> Callable[[int, int], bool]:
    """Whether two entities are one in truth; never where there is no truth beside the graph."""
    gold = file.with_name(file.name.replace(".jsonl", ".gold.jsonl"))
    if not gold.is_file():
        return lambda first, second: False
    with gzip.open(gold, "rt", encoding="utf-8") as lines:
        things = {row["id"]: row.get("cluster") for row in map(json.loads, lines) if row["kind"] == "entity"}
    with Store.open(path) as store:
        own = {row["id"]: things.get(row["uid"]) for row in store.connection.execute("SELECT id, uid FROM entity")}
    return lambda first, second: own.get(first) is not None and own[first] == own.get(second)


def behaviours(truth: Callable[[int, int], bool]) -> dict[str, Behaviour]:
    return {
        "none": Behaviour(0, 0, truth), "half": Behaviour(2, 6, truth),
        "all": Behaviour(1, 12, lambda first, second: True), "truth": Behaviour(1, 3, truth),
    }  # fmt: skip


def passed(path: Path, kind: Kind, behaviour: Behaviour, foreseen: int) -> dict[str, Any]:
    """What a pass over a copy of a file takes, by its own ledger, and how far the estimate is from that."""
    copy = Path(shutil.copy(path, path.with_name("run.db")))
    with answering(behaviour) as address, graphdream.open(copy) as graph:
        os.environ.update(OPENAI_API_BASE=address, OPENAI_API_KEY="any-word")
        report = graph.dream(model=MODEL, **kind.how)
        sheet = cost_sheet(graph.store.connection, report.pass_id or 0, 0)
    took = sheet["tokens_in"] + sheet["tokens_out"]
    return {
        "tokens": took, "tokens_out": sheet["tokens_out"], "estimate_off": round(foreseen / took - 1, 4),
        "applied": report.counts["applied"],
    }  # fmt: skip


def with_session(path: Path) -> int:
    """Mark all of a file as read and record one session; return the session's tokens."""
    with graphdream.open(path) as graph:
        with graph.store.writing():
            newest = graph.store.connection.execute("SELECT max(id) FROM pass").fetchone()[0]
            note_looked(graph.store.connection, newest)
            graph.store.connection.execute("UPDATE summary SET read_by = 1")
        session = session_about(graph.store)
        graph.record_session("bench", summary=session)
    return default_tokenizer().count(session)


def measure(file: Path, passes: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        with graphdream.open(path) as graph:
            graph.import_graph(file)
            text, as_json = text_and_json(graph.store)
            found["entities"] = len(gather(graph.store, mode="compact", now=NOW).entities)
        found |= {"text": text, "json": as_json}
        acting = behaviours(truth_of(file, path))
        for kind in (HYBRID, THOROUGH, INCREMENTAL):
            if kind is INCREMENTAL:
                session = with_session(path)
            with graphdream.open(path) as graph:
                estimate = graph.estimate(model=MODEL, **kind.how)
            found[kind.name] = estimate.as_json()
            if kind is INCREMENTAL:
                found["beyond_session"] = estimate.tokens - session
            else:
                found[f"{kind.name}_share"] = round(estimate.tokens / text, 4)
            found[kind.name]["passes"] = {name: passed(path, kind, acting[name], estimate.tokens) for name in passes}
    return found


def main() -> None:
    data = Path(os.environ.get("GRAPHDREAM_DATA", PROJECT.parent / "shared" / "data"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path, default=data / "bloat" / "audit13k.jsonl.gz")
    parser.add_argument("--passes", default="", help="carry the plans out, too: of none, half, all, truth")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = measure(args.file, [name for name in args.passes.split(",") if name])
    if args.json:
        print_json(found)
        return
    share, ratio = found["hybrid_share"], found["thorough_share"]
    rows = [
        ("graph as JSON", found["json"], ""),
        ("graph as text", found["text"], f"{found['text'] / found['json']:.2f} of the JSON"),
        ("hybrid compaction", found["hybrid"]["tokens"], f"{share:.1%} of the text, floor {MOST_SHARE:.0%}"),
        ("thorough compaction", found["thorough"]["tokens"], f"{ratio:.2f} of the text, floor {MOST_RATIO}"),
        ("incremental, beyond the session", found["beyond_session"], f"floor {MOST_BEYOND:,}"),
    ]
    print(table(rows, ("what", "tokens", "")), end="")
    for name, figure in {**found["hybrid"]["figures"], **found["thorough"]["figures"]}.items():
        print(f"  {name.replace('_', ' ')}: {figure:,}")
    taken = [
        (kind.name, name, one["tokens"], f"{one['estimate_off']:+.1%}, floor {MOST_OFF:.0%}")
        for kind in (HYBRID, THOROUGH, INCREMENTAL)
        for name, one in found[kind.name]["passes"].items()
    ]
    if taken:
        print(table(taken, ("pass", "the model acts on", "tokens", "estimate off by")), end="")


if __name__ == "__main__":
    main()
