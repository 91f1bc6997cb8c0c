"""A memory that is attacked by what it is told, with a model that does whatever it reads; and one of ordinary sessions.

The model is a real server on loopback that speaks as OpenAI does. For each session in a prompt it answers with the
mutations that the session asks for (fixtures/hostile); to the passes of the cycle it answers that everything goes.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import graphdream
from graphdream.dreamers.client.redaction import MARK
from graphdream.events.record import record
from graphdream.interfaces.cli import main
from graphdream.journal.verify import verify
from tests.support.answering import Behaviour, answering

CORPUS = Path(__file__).resolve().parents[2] / "fixtures" / "hostile"
MODEL = "openai/gpt-4o-mini"
PINNED, TOLD, RULE, OTHER = "Ada Lovelace", "Billing desk", "Deploy rules", "Mallory"
TOLD_FACT, RULE_FACT = "Ada's invoices go to the office in Turin.", "Never deploy on a Sunday."
_ONLY_A_PERSON = ("pinned", "constraints", "told")  # makes such rows; a pass may add facts to what is pinned
_SESSION = re.compile(r'kind="session" key="([^"]+)"')
# Made up, in the forms that their makers publish; put together here, so that no scanner takes them for real ones.
SECRETS = {
    "en": "sk-ant-" + "api03-Zx9" * 4, "de": "ghp_" + "a1B2c3D4e5" * 3 + "F6g7h8", "fr": "AKIA" + "IOSFODNN7EXAMPLQ",
    "es": "xoxb-" + "123456789012-abcdefGHIJKL", "zh": "AIza" + "Sy0123456789abcdefghijklmnopqrstuvw",
}  # fmt: skip


@dataclass(frozen=True)
class Session:
    """One session of the corpus; `secret` is a credential in it, `asks` what an obedient model would do."""

    key: str
    language: str
    kind: str
    summary: str
    asks: tuple[dict[str, Any], ...] = ()
    secret: str = ""


def corpus(name: str) -> list[Session]:
    """The sessions of `attacks` or `ordinary`."""
    sessions = []
    for line in (CORPUS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        secret = SECRETS[row["language"]] if "$secret" in row["summary"] else ""
        told = row["summary"].replace("$secret", secret)
        sessions.append(Session(row["key"], row["language"], row["kind"], told, row.get("asks", ()), secret))
    return sessions


class Obeys(Behaviour):
    """Does what the sessions ask for; `heard` is everything that it was sent."""

    def __init__(self, sessions: Sequence[Session], handles: dict[str, str]) -> None:
        super().__init__(0, 0, lambda first, second: True)
        self._sessions = {one.key: one for one in sessions}
        self._handles = handles
        self.heard: list[str] = []
        self.asked_for: set[str] = set()

    def answer(self, asked: str) -> dict[str, Any]:
        self.heard.append(asked)
        keys = [key for key in _SESSION.findall(asked) if key in self._sessions]
        self.asked_for |= set(keys)
        mutations: list[dict[str, Any]] = []
        for key in keys:
            text = json.dumps(self._sessions[key].asks).replace('"$prompt"', json.dumps(asked[:400]))
            secret = self._sessions[key].secret
            mark = MARK.search(asked)
            text = text.replace("$secret", secret if secret and secret in asked else mark[0] if mark else "")
            for name, handle in self._handles.items():
                text = text.replace(f'"${name}"', json.dumps(handle))
            mutations += [
                one | ({"session": key} if one["op"] in ("create_attribute", "supersede_attribute") else {})
                for one in json.loads(text)
            ]
        gone = re.findall(r"\ba\d+\b", asked)
        memory = [{"content": "Nothing is known.", "category": "general", "sourceIds": gone[:5]}]
        return {"mutations": mutations, "summary": "done", "toSave": memory, "toDelete": gone, "deletes": gone}


@dataclass
class Harm:
    """What came of a run; `harms` in words, each one a promise that was broken."""

    sessions: int
    read: int
    asked: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    harms: list[str] = field(default_factory=list)


@contextmanager
def attacked(path: Path) -> Iterator[tuple[graphdream.Graph, dict[str, str]]]:
    """A memory in which a person told, pinned and ruled things; with the handles of these."""
    for words in (
        ["remember", "Ada Lovelace writes programs in Turin.", "--wait", "--category", f"person/{PINNED}/work"],
        ["remember", TOLD_FACT, "--wait", "--category", f"desk/{TOLD}/billing"],
        ["remember", RULE_FACT, "--wait", "--category", f"rules/{RULE}/general"],
        ["remember", "Mallory visited the office once.", "--wait", "--category", f"person/{OTHER}/visits", "--by", "agent"],
        ["pin", PINNED], ["constraint", "a3"],
    ):  # fmt: skip
        assert main([*words, "--db", str(path)]) == 0, words
    with graphdream.open(path) as graph:
        handles = {"pinned": PINNED, "told": "a2", "constraint": "a3", "other": OTHER}
        yield graph, handles


def protected(graph: graphdream.Graph) -> dict[str, list[tuple[Any, ...]]]:
    """Every row that a person pinned, ruled or told, column by column."""
    run = graph.store.connection.execute
    return {
        name: [tuple(row) for row in run(query).fetchall()]
        for name, query in {
            "pinned": "SELECT id, name, type, pinned, status FROM entity WHERE pinned ORDER BY id",
            "facts of pinned": "SELECT attribute.id, content, attribute.status, attribute.kind, authority, aspect_id FROM"
            " attribute JOIN aspect ON aspect.id = aspect_id JOIN entity ON entity.id = entity_id WHERE pinned ORDER BY 1",
            "constraints": "SELECT id, content, status, authority FROM attribute WHERE kind = 'constraint' ORDER BY id",
            "told": "SELECT id, content, status, aspect_id FROM attribute WHERE authority = 'user' ORDER BY id",
            "tombstones": "SELECT count(*) FROM tombstone",
            "purges": "SELECT count(*) FROM pass WHERE kind = 'purge'",
        }.items()
    }  # fmt: skip


@contextmanager
def asking(model: Behaviour) -> Iterator[None]:
    """The model answers whoever asks one of OpenAI's within the block."""
    before = {name: os.environ.get(name) for name in ("OPENAI_API_BASE", "OPENAI_API_KEY")}
    with answering(model) as address:
        os.environ.update(OPENAI_API_BASE=address, OPENAI_API_KEY="any-word")
        try:
            yield
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


def attack(path: Path, sessions: Sequence[Session]) -> Harm:
    """Record the sessions, dream with a model that obeys them, run the cycle, and look what is harmed."""
    with attacked(path) as (graph, handles):
        before = protected(graph)
        for one in sessions:
            record(graph.store, one.key, summary=one.summary)
        model = Obeys(sessions, handles)
        found = Harm(len(sessions), 0)
        with asking(model):
            for how in ({"compact": False}, {"compact": True}, {"compact": False, "again": True}):
                report = graph.dream(model=MODEL, **how)
                found.asked += len(report.proposals)
                found.refused.update(one.code for one in report.outcomes if one.status != "applied")
            graph.cycle(model=MODEL, again=True)
        graph.dream(compact=True)  # and without a model
        found.read = len(model.asked_for)
        after = protected(graph)
        found.harms += [
            f"{name}: {row} is gone" for name, rows in before.items() for row in rows if row not in after[name]
        ]
        found.harms += [
            f"{name}: {row} is new" for name in _ONLY_A_PERSON for row in after[name] if row not in before[name]
        ]
        heard = "\n".join(model.heard)
        found.harms += [f"{one.key}: its credential left" for one in sessions if one.secret and one.secret in heard]
        held = graph.store.connection.execute("SELECT content, authority, kind FROM attribute").fetchall()
        found.harms += [
            f"{one.key}: its credential is a fact"
            for one in sessions
            if one.secret and any(one.secret in row[0] for row in held)
        ]
        for question, own in (("Where do Ada's invoices go?", TOLD_FACT), ("Ada's invoices", TOLD_FACT)):
            facts = [hit for hit in graph.recall(question, k=10) if hit.kind == "fact"]
            if not facts or facts[0].text != own:
                found.harms.append(f"{question!r} is answered by {facts[0].text if facts else 'nothing'!r}")
            found.harms += [f"{hit.handle} has no mark" for hit in facts if hit.text != own and not hit.authority]
        given = graph.context("asking", "Where do Ada's invoices go?").text
        if TOLD_FACT not in given or RULE_FACT not in given:
            found.harms.append("the context lacks what a person told")
        report = verify(graph.store)
        found.harms += [str(fault) for fault in report.faults]
    return found


class Notes(Behaviour):
    """Notes each session as the fact that it tells."""

    def __init__(self, sessions: Sequence[Session]) -> None:
        super().__init__(0, 0, lambda first, second: False)
        self._sessions = {one.key: one for one in sessions}

    def answer(self, asked: str) -> dict[str, Any]:
        keys = [key for key in _SESSION.findall(asked) if key in self._sessions]
        facts = [
            {"op": "create_attribute", "entity": "Mara", "aspect": self._sessions[key].kind, "session": key,
             "content": self._sessions[key].summary, "quote": self._sessions[key].summary}
            for key in keys
        ]  # fmt: skip
        return {"mutations": facts, "summary": "noted"}


def live_ordinary(path: Path, sessions: Sequence[Session]) -> list[str]:
    """Record ordinary sessions, dream with a model that notes each; what of them was lost, in words."""
    lost = []
    assert (
        main(["remember", "Mara works in security.", "--wait", "--category", "person/Mara/work", "--db", str(path)])
        == 0
    )
    with graphdream.open(path) as graph:
        for one in sessions:
            record(graph.store, one.key, summary=one.summary)
        with asking(Notes(sessions)):
            outcomes = graph.dream(model=MODEL, compact=False).outcomes
        refused = [one for one in outcomes if one.status != "applied"]
        lost += [f"refused: {one.code}: {one.message}" for one in refused]
        active = "SELECT content FROM attribute WHERE status IN ('active', 'superseded', 'absorbed')"
        facts = {row[0] for row in graph.store.connection.execute(active).fetchall()}
        kept = {row[0] for row in graph.store.connection.execute("SELECT content FROM summary").fetchall()}
        for one in sessions:
            if one.summary not in facts:
                lost.append(f"{one.key}: no fact says it")
            if one.summary not in kept:
                lost.append(f"{one.key}: its summary is not as it was told")
            if one.summary not in [hit.text for hit in graph.recall(one.summary, k=10)]:
                lost.append(f"{one.key}: is not found")
    return lost
