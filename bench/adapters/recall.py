#!/usr/bin/env python3
"""Speak the line protocol of recall_bench.py over the library: one JSON object a line in, one out.

    recall_bench.py --memories M.jsonl.gz --queries Q.jsonl.gz -- python bench/adapters/recall.py [--sessions S.gz]

Memories are recorded as the turns of their sessions, as a session-end hook would. With --sessions the summaries and
observations of a LoCoMo-like file are recorded too (the session is then told whole), and with --facts the observations
are written into the graph as facts that rest on their turns. With --vectors meaning counts beside words. With --dream
the local dreamer reads each session as it ends. With --noted a memory is no turn but a fact that someone hands over
ready-made (an observation), read by the dreamer; what has been replaced is recalled too, because questions ask for it.
`consolidate` is one compaction of the local dreamer.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from graphdream.events.record import record
from graphdream.graph.names import canonical, text_digest
from graphdream.graph.rows import insert
from graphdream.graph.store import Store
from graphdream.graph.tables import ASPECT, ATTRIBUTE, ENTITY, EVIDENCE
from graphdream.journal.passes import PassHeader, open_pass
from graphdream.recall.embedders import WordLlama
from graphdream.recall.hit import Hit
from graphdream.recall.search import recall
from graphdream.recall.vectors import Meanings, embed_missing


class Bench:
    """One store after another, as the protocol asks for them."""

    def __init__(
        self, sessions: Path | None = None, *, facts: bool = False, vectors: bool = False, dream: bool = False,
        noted: bool = False,
    ) -> None:  # fmt: skip
        self._folder = tempfile.TemporaryDirectory(prefix="recall-bench-")
        self._told = _sessions(sessions)
        self._facts, self._dream, self._noted = facts, dream or noted, noted
        self._embedder = WordLlama() if vectors else None
        self._meanings: Meanings | None = None
        self._store: Store | None = None
        self._stores = 0

    @property
    def store(self) -> Store:
        assert self._store is not None, "the first message is a reset"
        return self._store

    def reset(self) -> dict[str, Any]:
        if self._store is not None:
            self._store.close()
        self._stores += 1
        self._store = Store.open(Path(self._folder.name) / f"{self._stores}.db")
        return {"ok": True}

    def add(self, memories: list[dict[str, Any]]) -> dict[str, Any]:
        """Record the memories of one session."""
        by_session: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for memory in memories:
            by_session[memory["session"]].append(memory)
        for key, turns in by_session.items():
            told = self._told.get(key, {})
            if self._noted:
                self._note(key, turns)
            else:
                self._tell(key, turns, told)
            if self._facts:
                _write_facts(self.store, key, told)
            if self._dream:
                self._sleep(compact=False)
        return {"ok": True}

    def _tell(self, key: str, turns: list[dict[str, Any]], told: dict[str, Any]) -> None:
        record(
            self.store,
            key,
            summary=told.get("summary", ""),
            transcript=[
                {name: turn[name] for name in ("id", "speaker", "text", "time") if name in turn} for turn in turns
            ],
            observations=[
                {"content": seen["text"], "speaker": seen["speaker"], "evidence": seen["evidence"]}
                for seen in told.get("observations", ())
            ],
            started_at=turns[0].get("time"),
        )

    def _note(self, key: str, facts: list[dict[str, Any]]) -> None:
        noted = [
            {"content": fact["text"], "speaker": fact.get("speaker", ""), "evidence": [fact["id"]]} for fact in facts
        ]
        record(self.store, key, observations=noted, started_at=facts[0].get("time"))

    def commit(self) -> dict[str, Any]:
        """Make the vectors, as a background job would."""
        if self._embedder is not None:
            embed_missing(self.store, self._embedder)
            self._meanings = Meanings(self._embedder)
        return {"ok": True}

    def search(self, question: str, k: int) -> dict[str, Any]:
        began = time.perf_counter()
        hits = recall(self.store, question, k=k, include_superseded=self._noted, meanings=self._meanings)
        spent = 1e3 * (time.perf_counter() - began)
        results = [
            {"id": hit.turns[0] if hit.kind == "turn" else hit.handle, "sources": self._sources(hit), "text": hit.text}
            for hit in hits
        ]
        return {"results": results, "ms": spent}

    def _sources(self, hit: Hit) -> list[str]:
        """The ids of the memories that a hit rests on; those that were noted are no turns on record."""
        if not self._noted or hit.kind != "fact":
            return list(hit.turns)
        rows = self.store.connection.execute(
            "SELECT turn_uid FROM evidence WHERE attribute_id = ? ORDER BY id", (int(hit.handle[1:]),)
        )
        return [row[0] for row in rows]

    def consolidate(self) -> dict[str, Any]:
        self._sleep(compact=True)
        return {"ok": True}

    def _sleep(self, *, compact: bool) -> None:
        from graphdream.library import Graph

        Graph(self.store).dream(compact=compact)

    def stats(self) -> dict[str, Any]:
        count = self.store.connection.execute("SELECT count(*) FROM attribute WHERE status = 'active'").fetchone()[0]
        return {"facts": count}


def _sessions(path: Path | None) -> dict[str, dict[str, Any]]:
    if path is None:
        return {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return {row["session"]: row for row in map(json.loads, lines)}


def _write_facts(store: Store, key: str, told: dict[str, Any]) -> None:
    """What was observed becomes facts of their speakers, one pass a session."""
    with open_pass(store, PassHeader(kind="import")):
        for seen in told.get("observations", ()):
            aspect = _aspect(store, seen["speaker"], told["time"])
            fact = insert(
                store, ATTRIBUTE, aspect_id=aspect, content=seen["text"], digest=text_digest(seen["text"]),
                session_key=key, first_seen=told["time"] + "Z", last_seen=told["time"] + "Z",
            )  # fmt: skip
            for turn in dict.fromkeys(seen["evidence"]):
                insert(store, EVIDENCE, attribute_id=fact, session_key=key, turn_uid=turn)


def _aspect(store: Store, name: str, moment: str) -> int:
    row = store.connection.execute(
        "SELECT aspect.id FROM aspect JOIN entity ON entity.id = entity_id WHERE entity.canonical = ?",
        (canonical(name),),
    ).fetchone()
    if row:
        return int(row[0])
    entity = insert(store, ENTITY, name=name, canonical=canonical(name), type="person", first_seen=moment + "Z")
    return insert(store, ASPECT, entity_id=entity, name="general", canonical="general", first_seen=moment + "Z")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=Path, help="summaries and observations of the sessions (JSONL, gzipped)")
    parser.add_argument("--facts", action="store_true", help="write the observations into the graph")
    parser.add_argument("--vectors", action="store_true", help="search by meaning too, with the word vectors")
    parser.add_argument("--dream", action="store_true", help="the local dreamer reads each session as it ends")
    parser.add_argument("--noted", action="store_true", help="memories are facts handed over ready-made, no turns")
    args = parser.parse_args()
    bench = Bench(args.sessions, facts=args.facts, vectors=args.vectors, dream=args.dream, noted=args.noted)
    for line in sys.stdin:
        message = json.loads(line)
        match message["op"]:
            case "reset":
                reply = bench.reset()
            case "add":
                reply = bench.add(message["memories"])
            case "commit":
                reply = bench.commit()
            case "search":
                reply = bench.search(message["question"], message["k"])
            case "consolidate":
                reply = bench.consolidate()
            case "stats":
                reply = bench.stats()
            case _:
                reply = {"ok": True}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
