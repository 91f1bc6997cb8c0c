"""A graph that is too large to be thought about at once is looked at in parts, and nothing else is different."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphdream.dream import parts
from graphdream.dream.parts import drawn, figures_of, parts_of
from graphdream.dream.remember import remember
from graphdream.dream.runner import PassOptions, dream
from graphdream.dreamers.base import Thought
from graphdream.dreamers.gathered import Gathered
from graphdream.dreamers.local import LocalDreamer
from graphdream.dreamers.vetoes import Vetoes
from graphdream.events.record import record
from graphdream.graph.store import Store
from graphdream.interfaces.importers import import_graph
from graphdream.journal.undo import undo
from graphdream.journal.verify import verify
from graphdream.mutations import model
from graphdream.mutations.applier import Proposal
from tests.support.graphs import apply, dump, entity

SMALL = Path(__file__).resolve().parents[2] / "fixtures" / "small.jsonl.gz"
COMPACT = PassOptions(mode="compact")


class Archiving:
    """Wants to archive the newest fact of each part that it is shown; thinks again with what is vetoed."""

    name = "archiving"
    rethinks = True

    def __init__(self) -> None:
        self.shown: list[Gathered] = []

    def read(self, gathered: Gathered) -> Thought:
        return Thought(())

    def think(self, gathered: Gathered) -> Thought:
        self.shown.append(gathered)
        wanted = [model.DeleteAttribute(content=f"a{fact.id}", reason="so") for fact in gathered.facts[-1:]]
        return Thought([Proposal.of(one) for one in Vetoes(gathered).allowed(wanted)])

    def first(self) -> list[Gathered]:
        """What it was shown of each part before anything of it was vetoed."""
        return list({view.entities: view for view in reversed(self.shown)}.values())[::-1]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The demo's graph, as one that is too large."""
    monkeypatch.setattr(parts, "MOST_FACTS", 900)
    store = Store.open(tmp_path / "memory.db")
    import_graph(store, SMALL)
    return store


def test_a_graph_that_is_small_enough_is_one(store: Store) -> None:
    assert parts_of(store.connection, 80_000) == []


def test_every_entity_lies_in_one_part_and_no_part_is_much_larger_than_another(store: Store) -> None:
    found = parts_of(store.connection)
    assert len(found) == 3
    every = [entity for part in found for entity in part]
    assert sorted(every) == [row[0] for row in store.connection.execute("SELECT id FROM entity ORDER BY id")]
    assert max(map(len, found)) < 1.2 * min(map(len, found))


def test_names_of_one_person_lie_in_one_part(tmp_path: Path) -> None:
    with Store.open(tmp_path / "names.db") as store:
        families = ("Quillfeather", "Zimtstern", "Ostrowski", "Björnson", "Kowalczyk", "Amarante")
        names = [
            name
            for last in families
            for name in (f"Ada {last}", f"Dr. Ada {last}", f"A. {last}", last, f"{last.upper()}!", f"ada {last}s")
        ]
        apply(store, [entity(name, notes=[f"note {n} of {name}"]) for n, name in enumerate(names)])
        part = {row: number for number, one in enumerate(parts_of(store.connection, 12)) for row in one}
        assert len(set(part.values())) == 3
        for last in families:
            rows = store.connection.execute("SELECT id FROM entity WHERE instr(lower(name), ?)", (last.lower(),))
            assert len({part[row[0]] for row in rows}) == 1, last


def test_a_compaction_in_parts_settles_and_is_undone(store: Store) -> None:
    before, places = dump(store), parts_of(store.connection)
    report = dream(store, LocalDreamer(), COMPACT)
    assert report.status == "applied"
    assert report.counts["applied"] > 1000
    assert report.figures["candidate_pairs"] > 1000
    assert parts_of(store.connection) == places
    assert dream(store, LocalDreamer(), COMPACT).status == "nothing"
    assert report.pass_id is not None
    undo(store, report.pass_id)
    assert dump(store) == before
    assert verify(store).ok


def test_what_does_harm_is_vetoed_and_only_its_part_is_thought_about_again(store: Store) -> None:
    dreamer = Archiving()
    report = dream(store, dreamer, COMPACT)
    first = dreamer.first()
    again = [view for view in dreamer.shown if not any(view is one for one in first)]
    assert len({view.entities for view in first}) == len(first) == 3
    assert again, "a fact that nothing covers was archived without a question"
    assert all(view.declined for view in again)
    assert report.counts["not_applied"] == {}, "each part was proved before the transaction"
    archived = store.connection.execute("SELECT count(*) FROM attribute WHERE status = 'archived'").fetchone()[0]
    assert archived == len(first) - len(again)
    assert dream(store, dreamer, COMPACT).counts["applied"] <= len(first)


def test_one_part_asks_a_model_and_after_the_next_pass_another(store: Store) -> None:
    asked = []
    for number in range(3):
        dreamer = Archiving()
        dream(store, dreamer, PassOptions(mode="compact", dry_run=True))
        assert sum(not view.settling for view in dreamer.first()) == 1
        asked.append([view.settling for view in dreamer.first()].index(False))
        remember(store, f"Tea is at {number + 3} o'clock.")
    assert sorted(asked) == [0, 1, 2]


def test_sessions_are_left_for_the_next_pass(store: Store) -> None:
    record(store, "s1", summary="Ada Quillfeather lives in Oslo.")
    report = dream(store, LocalDreamer(), PassOptions(mode="incremental"))
    assert report.status == "applied"
    assert report.left == ("5 sessions: the graph was looked at in 3 parts; dream again",)  # four of the demo's own
    assert dream(store, LocalDreamer(), PassOptions(mode="incremental")).status == "applied"
    said = store.connection.execute("SELECT count(*) FROM attribute WHERE content LIKE '%lives in Oslo%'")
    assert said.fetchone()[0] == 1


def test_the_proof_asks_about_all_parts() -> None:
    asked = drawn([range(1000), range(1000, 2000)], named=range(500))
    assert len(asked) == 400
    assert {entity // 1000 for entity in asked} == {0, 1}
    assert sum(entity < 500 for entity in asked) >= 200
    assert asked == drawn([range(1000), range(1000, 2000)], named=range(500))


def test_figures_of_parts_are_added_up() -> None:
    pair = {"first": "e1", "second": "e2", "probability": 0.5}
    found = figures_of(
        [
            Thought((), figures={"candidate_pairs": 2, "max_false_merge_rate": 0.005, "open_pairs": [pair]}),
            Thought((), figures={"candidate_pairs": 3, "max_false_merge_rate": 0.005}),
            Thought((), figures={"candidate_pairs": 1, "open_pairs": [{**pair, "probability": 0.9}]}),
        ]
    )
    assert found["candidate_pairs"] == 6
    assert found["max_false_merge_rate"] == 0.005
    assert [one["probability"] for one in found["open_pairs"]] == [0.9, 0.5]
