"""A memory with rows in every table that rows are ever written to, made by what writes them."""

from __future__ import annotations

from pathlib import Path

import graphdream
from graphdream.dream.exchanges import StoredNotebook, take_over
from graphdream.dreamers.asking.exchange import Exchange
from graphdream.dreamers.client.base import Message, Usage
from graphdream.graph.store import Store
from graphdream.interfaces.cli import main

MERGED, PLAN = 8, 12
"""Numbers of passes: an edit that merged two entities and was taken back as wrong, and a plan that waits."""


def live_in_every_table(path: Path) -> None:
    """Import nothing, tell, merge, take back, purge, use, dream, plan; no model is asked."""
    with graphdream.open(path) as graph:
        for fact, category in (
            ("Ada keeps the log in Postgres 16.", "person/Ada/log"),
            ("Ada sails on Sundays.", "person/Ada/boats"),
            ("Ada sails on Mondays.", "person/Ada/boats"),
            ("Ines signs the deploys.", "person/Ines/work"),
            ("伊内斯也划船。", "person/Ines/boats"),
            ("The spare key lies under the mat.", "place/Quay/keys"),
            ("Send mail by port 587.", "skill/mcp/email/content"),
        ):
            graph.remember(fact, category=category)
        merged = graph.edit({"op": "merge_entities", "source": ["Ines"], "target": "Ada"}).pass_id
        assert merged == MERGED
        graph.undo(merged, all_wrong=True)
        graph.edit(
            {"op": "add_alias", "entity": "Ada", "name": "Ada B."},
            {"op": "link", "source": "Ada", "target": "Ines", "type": "knows"},
            {"op": "mark_distinct", "first": "Ada", "second": "Quay", "reason": "a person and a place"},
            {"op": "flag_contradiction", "first": "a2", "second": "a3", "reason": "two days"},
        )
        graph.purge("a6")
        graph.record_session("s1", summary="Ada moved the log to Postgres 16.")
        graph.record_session("s2", summary="Ines bought a boat. 伊内斯买了一条船。")
        graph.observe(
            [
                {"kind": "turn", "session": "s1", "role": "user", "content": "Where is the log of Ada? 日志在哪里？"},
                {"kind": "feedback", "session": "s1", "feedback": "thumbs-down", "content": "It was wrong."},
                {"kind": "skill-use", "session": "s1", "skill": "mcp/email", "outcome": "ok"},
                {"kind": "execution", "description": "deploy", "outcome": "failed", "steps": ["build", "push"]},
                {"kind": "tool-call", "tool": "search", "outcome": "failed", "arguments": {"q": "log"}},
            ]
        )
        graph.working("session/s1").put("plan", "Sail at six.", ttl_seconds=86_400, tags=("boats",))
        graph.feedback("a1", "used", session="s1")
        graph.context("s1", "What does Ada keep the log in?")
        with graph.store.writing():
            graph.store.connection.execute(
                "INSERT INTO observation (session_id, position, speaker, content) VALUES (1, 1, 'user', 'Ada sails.')"
            )
        graph.dream(review=True)
        graph.dream()
        graph.cycle()
        _converse(graph.store, graph.passes()[-1].id)


def _converse(store: Store, pass_id: int) -> None:
    """A conversation with a model that a pass rests on, and one that none does."""
    told = (Message("user", "What is new?"), Message("assistant", "Nothing."))
    for digest in ("first", "second"):
        usage = Usage(1, 20, 5, 0, 0.01)
        StoredNotebook(store).keep(
            Exchange(digest, "1 session", "some/model", told, 1, (), "nothing", usage, "answered")
        )
    with store.writing():
        take_over(store.connection, pass_id, ["first"])
    assert main(["status", "--db", str(store.path)]) == 0
