"""What dreaming with a model takes: tokens of the graph as text and as JSON, of a compaction, of an incremental pass.

    python bench/tokens.py [--file GRAPH.jsonl.gz] [--json]

Nobody is asked: the calls are planned and counted. Floors of issue 5: a hybrid compaction needs at most 10 % of the
tokens of sending the graph once, a thorough one at most 1.3 times the tokens of the text it walks through, an
incremental pass after one session at most 6,000 tokens beyond the session. The default file is
`bloat/audit13k.jsonl.gz` of `$GRAPHDREAM_DATA`, else of `../shared/data`. Minutes of CPU go into the local tidying.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import graphdream
from graphdream.dream.gather import gather, note_looked
from graphdream.dreamers.prompt.graph_text import GraphText
from graphdream.events.tokens import default_tokenizer
from graphdream.graph.store import Store
from graphdream.interfaces.output import print_json, table

PROJECT = Path(__file__).resolve().parent.parent
MODEL = "openai/gpt-4o-mini"
NOW = "2026-06-01T00:00:00Z"
MOST_SHARE, MOST_RATIO, MOST_BEYOND = 0.10, 1.3, 6_000


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


def measure(file: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, graphdream.open(Path(folder) / "memory.db") as graph:
        graph.import_graph(file)
        text, as_json = text_and_json(graph.store)
        hybrid = graph.estimate(model=MODEL, compact=True)
        thorough = graph.estimate(model=MODEL, compact=True, thorough=True)
        with graph.store.writing():
            newest = graph.store.connection.execute("SELECT max(id) FROM pass").fetchone()[0]
            note_looked(graph.store.connection, newest)
            graph.store.connection.execute("UPDATE summary SET read_by = 1")
        session = session_about(graph.store)
        graph.record_session("bench", summary=session)
        new = graph.estimate(model=MODEL, compact=False)
        return {
            "entities": len(gather(graph.store, mode="compact", now=NOW).entities),
            "text": text, "json": as_json,
            "hybrid": hybrid.as_json(), "hybrid_share": round(hybrid.tokens / text, 4),
            "thorough": thorough.as_json(), "thorough_share": round(thorough.tokens / text, 4),
            "incremental": new.as_json(), "beyond_session": new.tokens - default_tokenizer().count(session),
        }  # fmt: skip


def main() -> None:
    data = Path(os.environ.get("GRAPHDREAM_DATA", PROJECT.parent / "shared" / "data"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path, default=data / "bloat" / "audit13k.jsonl.gz")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = measure(args.file)
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


if __name__ == "__main__":
    main()
