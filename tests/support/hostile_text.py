"""A memory in which everything that anybody can say holds signs that steer a terminal, turn writing around, or hide."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import graphdream
from graphdream.clock import utc_now
from graphdream.config import Settings
from graphdream.dream.opening import Wish, open_hybrid
from graphdream.dream.runner import PassOptions, dream
from graphdream.interfaces.cli import main
from tests.support.models import ScriptedClient, said

SIGNS = "\x1b[31m\x9b1m\u202e\u2066\u200b\u200e\ufeff\U000e0041\x08\x07"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]")


def evil(text: str) -> str:
    """A text with the signs in its middle and at its end."""
    half = len(text) // 2
    return f"{text[:half]}{SIGNS}{text[half:]}{SIGNS}"


def live(folder: Path) -> Path:
    """The memory, lived through the doors that a host, an agent, a model and a person use."""
    path = folder / "memory.db"
    db = ["--db", str(path)]
    graph = folder / f"gra{SIGNS[0]}ph\u202e.jsonl"
    rows = [
        {"kind": "entity", "id": "n1", "name": evil("Ada Lovelace"), "type": evil("person"),
         "metadata": {evil("k"): evil("v")}},
        {"kind": "entity", "id": "n2", "name": evil("Hooli works"), "type": evil("company")},
        {"kind": "entity", "id": "n3", "name": evil("Ada Lovelaces"), "type": evil("person")},
        {"kind": "aspect", "id": "p1", "entity_id": "n1", "name": evil("habits")},
        {"kind": "aspect", "id": "p2", "entity_id": "n2", "name": evil("seat")},
        {"kind": "attribute", "id": "f1", "entity_id": "n1", "aspect_id": "p1", "content": evil("Ada likes green tea."),
         "source": evil("mail"), "tags": [evil("drink")], "session_id": evil("s0"), "slot": evil("drink"),
         "metadata": {evil("k"): evil("v")}},
        {"kind": "attribute", "id": "f2", "entity_id": "n2", "aspect_id": "p2", "content": evil("Hooli sits in Rome."),
         "attribute_kind": "constraint"},
        {"kind": "attribute", "id": "f3", "entity_id": "n1", "aspect_id": "p1", "content": evil("Ada dislikes tea.")},
        {"kind": "edge", "id": "l1", "source_id": "n1", "target_id": "n2", "type": evil("works at"),
         "reason": evil("said so")},
    ]  # fmt: skip
    graph.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    talk = folder / "talk.jsonl"
    turns = [{"role": evil("user"), "content": evil("I moved to Lisbon with my ship."), "id": evil("u1")},
             {"role": evil("helper"), "content": evil("Noted, Lisbon it is."), "id": evil("u2")}]  # fmt: skip
    talk.write_text("".join(json.dumps(turn) + "\n" for turn in turns), encoding="utf-8")
    observed = folder / "observed.jsonl"
    events = [
        {
            "kind": "execution",
            "description": evil("deploy the site"),
            "session": evil("s1"),
            "outcome": "failed",
            "error": evil("no room"),
            "failed_step": evil("copy"),
            "category": evil("data"),
        },
        {"kind": "tool-call", "tool": evil("grep"), "session": evil("s1"), "outcome": "ok"},
        {"kind": "feedback", "feedback": "correction", "session": evil("s1"), "content": evil("never use tabs")},
    ]
    observed.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    for words in (
        ["import", str(graph)],
        [
            "record",
            "--session",
            evil("s1"),
            "--transcript",
            str(talk),
            "--summary",
            evil("Ada bought a boat. It leaks."),
            "--observation",
            evil("Ada likes boats"),
            "--metadata",
            json.dumps({evil("k"): evil("v")}),
        ],
        ["observe", str(observed)],
        [
            "remember",
            evil("Ada writes programs"),
            "--wait",
            "--category",
            evil("person/Ada/work"),
            "--tag",
            evil("code"),
        ],
        [
            "working",
            "put",
            evil("plan"),
            evil("go on with the boat"),
            "--ttl",
            "500000",
            "--category",
            evil("boats"),
            "--tag",
            evil("boat"),
        ],
        ["skills", "use", evil("mail"), "--session", evil("s1")],
        ["feedback", "a1", "used", "--session", evil("s1"), "--note", evil("well found")],
        ["context", "--session", evil("s2"), "--message", evil("boats and tea"), "--mark"],
        ["alias", "e1", evil("Countess")],
        ["rename", "e2", evil("Hooli Incorporated")],
        ["forget", "a3", "--reason", evil("no longer")],
        ["distinct", "e1", "e3", "--reason", evil("two people")],
    ):
        assert main([*words, *db]) == 0, words
    with graphdream.open(path) as memory:
        asked = said(
            {"op": "create_attribute", "entity": "e1", "aspect": evil("habits"), "content": evil("Ada bought a boat. It leaks."),
             "session": evil("s1"), "quote": evil("Ada bought a boat. It leaks."), "reason": evil("it was said")},
            {"op": "delete_entity", "name": evil("Nobody here"), "reason": evil("gone")},
            {"op": evil("explode"), "reason": evil("why not")},
            summary=evil("I noted the boat."),
        )  # fmt: skip
        client = ScriptedClient(lambda _: asked)
        for review in (True, False):
            dreamer = open_hybrid(memory.store, client, Wish("m", 0.005), Settings(), None, clock=utc_now)
            dream(memory.store, dreamer, PassOptions(loss_cap=1.0, review=review))
    for words in (["undo", "2"], ["record", "--session", evil("s3"), "--summary", evil("The boat was sold.")]):
        assert main([*words, *db]) == 0, words
    return path


def untouched_columns(path: Path) -> set[str]:
    """Text columns of the tables that have rows and none with the signs."""
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
            " AND name NOT LIKE '\\_%' ESCAPE '\\'"
        ).fetchall()
        found = set()
        for (table,) in tables:
            for name, kind in connection.execute("SELECT name, type FROM pragma_table_info(?)", (table,)).fetchall():
                rows, marked = connection.execute(
                    f"SELECT count(*), total(instr({name}, ?) > 0 OR instr({name}, ?) > 0) FROM {table}",
                    (SIGNS[:3], json.dumps(SIGNS[:3])[1:-1]),
                ).fetchone()
                if kind == "TEXT" and rows and not marked:
                    found.add(f"{table}.{name}")
        return found
