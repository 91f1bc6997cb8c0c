"""The seven steps: in order, nothing spent before the first, and nobody waits while a dreamer thinks."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphdream.dream import runner
from graphdream.dream.dream_steps import SHOWN_AGAIN, DreamSteps
from graphdream.dream.edit import edit
from graphdream.dream.runner import PassOptions, dream
from graphdream.dreamers.base import Thought
from graphdream.dreamers.gathered import Gathered
from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.journal.passes import list_passes
from graphdream.journal.verify import verify
from graphdream.mutations import model
from graphdream.mutations.parse import parse_proposals
from tests.support.dreamers import Scripted
from tests.support.graphs import apply, clock, dump, entity, facts_of

INCREMENTAL = PassOptions(mode="incremental")
READ = {"op": "create_attribute", "entity": "Ada", "content": "moved to Oslo in May", "session": "s1"}
DUE = {"op": "move_attribute", "attribute": "a3", "aspect": "home", "reason": "so"}  # a3 is what was read


class Restless:
    """Reads `reads`, and each time it reads or thinks, does something through a connection of its own, as another
    process would: it waits for nobody for more than a moment."""

    name = "restless"

    def __init__(
        self, path: Path, act: Callable[[Store, int], object], *reads: dict[str, Any], finds: Any = ()
    ) -> None:
        self.path, self.act, self.reads, self.finds = path, act, reads, finds
        self.shown: list[Gathered] = []

    def _meanwhile(self) -> None:
        with Store.open(self.path) as other, other.patience(0.2):
            self.act(other, len(self.shown))

    def read(self, gathered: Gathered) -> Thought:
        self._meanwhile()
        return Thought(parse_proposals(self.reads))

    def think(self, gathered: Gathered) -> Thought:
        self.shown.append(gathered)
        self._meanwhile()
        return Thought(parse_proposals(list(self.finds)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Ada (e1: a1), Bo (e2: a2), and a session that nobody has read."""
    path = tmp_path / "memory.db"
    with Store.open(path) as store:
        apply(store, [entity("Ada", general=["likes green tea"]), entity("Bo", general=["plays chess on Fridays"])])
        record(store, "s1", summary="Ada moved to Oslo in May.")
    return path


def written(store: Store) -> list[Any]:
    """The graph, the passes, and the ids that rows would get next."""
    return [
        dump(store),
        list_passes(store.connection),
        [tuple(row) for row in store.connection.execute("SELECT * FROM sqlite_sequence ORDER BY name")],
    ]


def test_the_runner_shows_the_seven_steps_in_their_order() -> None:
    named = re.findall(r"steps\.(\w+)", inspect.getsource(runner.run).rpartition('"""')[2])
    steps = ["gather", "plan", "think", "check", "apply", "prove", "report"]
    assert [name for name in named if name in steps] == steps


def test_nothing_is_spent_before_the_first_step(path: Path) -> None:
    with Store.open(path) as store:
        store.connection.set_trace_callback(lambda statement: pytest.fail(f"the constructor asks: {statement}"))
        DreamSteps(store, Scripted(), INCREMENTAL, clock)
        store.connection.set_trace_callback(None)


def test_others_write_while_a_dreamer_reads_and_while_it_thinks_about_what_it_read(path: Path) -> None:
    """What was read was written first and thought about within the transaction, so everybody else waited."""
    dreamer = Restless(path, lambda other, number: record(other, f"t{number}", summary="Bo called."), READ, finds=[DUE])
    with Store.open(path) as store:
        report = dream(store, dreamer, INCREMENTAL, clock=clock)
        assert [outcome.code for outcome in report.outcomes] == ["ok", "ok"], report.outcomes
        assert "moved to Oslo in May" in {fact.content for fact in dreamer.shown[0].facts}
        row = store.connection.execute(
            "SELECT name FROM aspect JOIN attribute ON aspect.id = aspect_id WHERE attribute.id = 3"
        ).fetchone()
        assert row["name"] == "home"
        assert store.connection.execute("SELECT count(*) FROM session WHERE key IN ('t0', 't1')").fetchone()[0] == 2
        assert verify(store).ok


def test_the_dreamer_is_shown_anew_what_another_process_has_moved(path: Path) -> None:
    """Its handle of what was read, a3, is somebody else's by the time it has thought."""

    def act(other: Store, number: int) -> None:
        if number == 1:
            edit(other, [model.CreateAttribute(entity="Bo", content="sings in a choir")], by="agent", clock=clock)

    dreamer = Restless(path, act, READ, finds=[DUE])
    with Store.open(path) as store:
        report = dream(store, dreamer, INCREMENTAL, clock=clock)
        assert report.status == "applied" and len(dreamer.shown) == 2
        assert facts_of(store, "Bo") == {"plays chess on Fridays", "sings in a choir"}
        assert facts_of(store, "Ada") == {"likes green tea", "moved to Oslo in May"}
        assert report.outcomes[-1].code == "stale"  # a3 is Bo's choir now, which came after the pass was begun
        assert verify(store).ok


def test_where_the_graph_never_rests_what_was_read_stays_and_the_next_pass_looks_at_it(path: Path) -> None:
    def act(other: Store, number: int) -> None:
        if number:
            edit(other, [model.CreateAttribute(entity="Bo", content=f"has read {number} books")], clock=clock)

    dreamer = Restless(path, act, READ, finds=[DUE])
    with Store.open(path) as store:
        report = dream(store, dreamer, INCREMENTAL, clock=clock)
        assert report.status == "applied" and len(dreamer.shown) == SHOWN_AGAIN
        assert [outcome.code for outcome in report.outcomes] == ["ok"]
        assert "moved to Oslo in May" in facts_of(store, "Ada")
        quiet = Scripted()
        dream(store, quiet, INCREMENTAL, clock=clock)
        assert {one.name for one in quiet.shown[0].entities if one.changed} >= {"Ada", "Bo"}
        assert verify(store).ok


def test_what_a_rehearsal_writes_is_in_no_book(path: Path) -> None:
    """A dry run and a pass that fails while it thinks leave the passes, the ids and the file as they were."""

    class Failing(Restless):
        def think(self, gathered: Gathered) -> Thought:
            raise RuntimeError("out of reach")

    options = PassOptions(mode="incremental", dry_run=True)
    with Store.open(path) as store:
        before = written(store)
        dream(store, Restless(path, lambda other, number: None, READ, finds=[DUE]), options, clock=clock)
        assert written(store) == before
        with pytest.raises(RuntimeError):
            dream(store, Failing(path, lambda other, number: None, READ), INCREMENTAL, clock=clock)
        assert [one["status"] for one in list_passes(store.connection)] == ["applied", "failed"]
        assert facts_of(store, "Ada") == {"likes green tea"}
        assert verify(store).ok
