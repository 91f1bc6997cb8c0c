"""What a person told, restored or brought back is archived, reworded or replaced by no pass; an agent's word may be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import graphdream
from graphdream.errors import ConflictError, UsageError
from graphdream.interfaces.cli import main
from graphdream.mutations import model
from tests.support.graphs import NOW, apply, codes, entity, facts_of

PORTS = "Use port 8443; port 8080 is blocked."
FRAGMENTS = ("## Next steps", "and then we", "TODO", "ok", PORTS)
REFUSED = ("skipped", "authority")


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[graphdream.Graph]:
    with graphdream.open(tmp_path / "memory.db", clock=lambda: NOW) as graph:
        yield graph


def authority(graph: graphdream.Graph, handle: str) -> str:
    found = graph.store.connection.execute("SELECT authority FROM attribute WHERE id = ?", (int(handle[1:]),))
    return str(found.fetchone()[0])


def status(graph: graphdream.Graph, handle: str) -> str:
    found = graph.store.connection.execute("SELECT status FROM attribute WHERE id = ?", (int(handle[1:]),))
    return str(found.fetchone()[0])


def test_what_a_person_remembers_is_user_and_what_an_agent_does_is_observed(graph: graphdream.Graph) -> None:
    told, seen = graph.remember("The staging port is 8443"), graph.remember("The queue drains at night", by="agent")
    assert (authority(graph, told.handle), authority(graph, seen.handle)) == ("user", "observed")
    with pytest.raises(UsageError):
        graph.remember("who says so", by="nobody")  # type: ignore[arg-type]


def test_a_person_who_says_what_was_observed_has_told_it(graph: graphdream.Graph) -> None:
    seen = graph.remember("The queue drains at night", session="s1", by="agent")
    again = graph.remember("the queue drains at night.", session="s1")
    assert (again.handle, again.known, authority(graph, seen.handle)) == (seen.handle, True, "user")


@pytest.mark.parametrize("text", FRAGMENTS)
def test_what_a_person_remembers_outlives_every_compaction(graph: graphdream.Graph, text: str) -> None:
    apply(graph.store, [entity("Lantern", "project", general=["Lantern ships on May 4", "Lantern is written in Rust"])])
    told = graph.remember(text)
    for _ in range(2):
        graph.dream(compact=True, loss_cap=1.0)
        assert status(graph, told.handle) == "active"
    assert graph.dream(compact=True, loss_cap=1.0).status == "nothing"


@pytest.mark.parametrize("text", FRAGMENTS)
def test_what_a_pass_archived_and_a_person_restored_stays(graph: graphdream.Graph, text: str) -> None:
    """`restore` lasted until the next dream, and so did remembering it again."""
    seen = graph.remember(text, by="agent")
    apply(graph.store, [{"op": "delete_attribute", "content": seen.handle, "reason": "junk: a fragment"}])
    graph.edit(model.Restore(row=seen.handle))
    assert authority(graph, seen.handle) == "user"
    for _ in range(2):
        graph.dream(compact=True, loss_cap=1.0)
        assert status(graph, seen.handle) == "active"
    assert graph.dream(compact=True, loss_cap=1.0).status == "nothing"


@pytest.mark.parametrize(
    "body",
    [
        {"op": "delete_attribute", "content": "a2"},
        {"op": "delete_entity", "name": "e1"},
        {"op": "delete_aspect", "entity": "e1", "aspect": "deploy"},
        {"op": "supersede_attribute", "old": "a2", "new": "a1"},
        {"op": "supersede_attribute", "old": "a2", "new": "Use port 9443; port 8443 is blocked."},
        {"op": "merge_attributes", "source": ["a2"], "target": "a3"},
        {"op": "merge_attributes", "source": ["a3"], "target": "a2", "content": "Use port 8443: port 8080 is blocked."},
        {"op": "move_attribute", "attribute": "a2", "aspect": "elsewhere"},
        {"op": "split_entity", "entity": "e1", "name": "Ports", "attributes": ["a2"]},
    ],
    ids=lambda body: body["op"],
)
@pytest.mark.parametrize("actor", ["pass", "host"])
def test_no_pass_takes_away_or_rewords_what_a_person_told(
    graph: graphdream.Graph, body: dict[str, Any], actor: str
) -> None:
    apply(graph.store, [entity("Deploys", "project", deploy=["goes out on Fridays"])])
    graph.remember(PORTS, category="project/Deploys/deploy")
    graph.remember(f"{PORTS} (noted)", category="project/Deploys/deploy", by="agent")
    assert codes(graph.store, body, actor=actor) == [REFUSED]
    assert graph.store.connection.execute("SELECT content, status FROM attribute WHERE id = 2").fetchone()[:] == (
        PORTS,
        "active",
    )


def test_an_equal_observed_copy_is_absorbed_into_what_a_person_told(graph: graphdream.Graph) -> None:
    apply(graph.store, [entity("Ada", general=["lives in Oslo"]), entity("Ada L.", general=[])], actor="host")
    told = graph.remember("lives in Oslo", category="person/Ada L./general")
    assert codes(graph.store, {"op": "merge_entities", "source": ["e2"], "target": "e1"}) == [("applied", "ok")]
    assert (status(graph, told.handle), status(graph, "a1")) == ("active", "absorbed")
    row = graph.store.connection.execute("SELECT reinforcement, absorbed_into FROM attribute ORDER BY id").fetchall()
    assert (row[1]["reinforcement"], row[0]["absorbed_into"]) == (2, 2)


def test_only_what_a_person_tells_replaces_what_a_person_told(tmp_path: Path) -> None:
    times = iter([f"2026-01-{day:02d}T00:00:00Z" for day in range(1, 29)] * 9)
    with graphdream.open(tmp_path / "memory.db", clock=lambda: next(times)) as graph:
        first = graph.remember("Avery Holm lives in Oslo.", category="person/Avery Holm/home")
        seen = graph.remember("Avery Holm moved from Oslo to Bergen.", category="person/Avery Holm/home", by="agent")
        graph.dream(compact=True)
        assert (status(graph, first.handle), status(graph, seen.handle)) == ("active", "active")
        second = graph.remember("Avery Holm moved from Oslo to Bergen.", category="person/Avery Holm/home")
        graph.dream(compact=True)
        assert status(graph, second.handle) == "active"


def test_an_agent_s_edit_is_bound_by_pins_and_by_what_a_person_told(graph: graphdream.Graph) -> None:
    told = graph.remember("prefers tabs", category="person/Ada/editor")
    graph.remember("prefers spaces", category="person/Bea/editor", by="agent")
    graph.edit(model.Pin(entity="Bea"))
    for mutation in (
        model.DeleteAttribute(content=told.handle), model.DeleteEntity(name="Bea"), model.Unpin(entity="Bea"),
        model.SupersedeAttribute(old=told.handle, new="prefers spaces"),
    ):  # fmt: skip
        with pytest.raises(ConflictError):
            graph.edit(mutation, by="agent")
    number, _ = graph.edit(model.CreateAttribute(entity="Ada", content="sails"), by="agent")
    assert number is not None and authority(graph, "a3") == "observed"
    assert facts_of(graph.store, "Ada") == {"prefers tabs", "sails"}
    assert graph.replay(number).same and graph.replay(number, level=2).same
    graph.edit(model.DeleteAttribute(content=told.handle))
    assert status(graph, told.handle) == "archived"


def test_at_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--db", str(tmp_path / "memory.db")]
    assert main(["remember", PORTS, *where]) == 0
    assert main(["remember", "The queue drains at night", "--by", "agent", *where]) == 0
    assert main(["dream", "--compact", *where]) == 0 and main(["dream", "--compact", *where]) == 0
    capsys.readouterr()
    assert main(["forget", "a1", "--by", "agent", *where]) == 4
    assert "told by a person" in capsys.readouterr().err
    assert main(["recall", "which port", *where]) == 0
    assert PORTS in capsys.readouterr().out
    assert main(["forget", "a1", *where]) == 0
